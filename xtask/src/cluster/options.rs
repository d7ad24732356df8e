//! The words behind `cargo xtask cluster up` and `down`.

use std::path::PathBuf;

use crate::steps::root;

/// Servers of a cluster at most.
const DATABASES_MAX: usize = 4;

/// What the words ask for.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ClusterOptions {
    /// How many servers of PostgreSQL.
    pub databases: usize,
    /// Where everything is, until `down`.
    pub dir: PathBuf,
    /// The program; without it, it is built.
    pub binary: Option<PathBuf>,
    /// Whether it is built as release archives have it: by the profile `dist`.
    pub is_release: bool,
    /// Whether this process is the one that starts everything.
    pub is_held: bool,
}

/// Reads them.
///
/// # Errors
/// A word that is none, and what the words are.
pub(super) fn parse(words: &[&str]) -> Result<ClusterOptions, String> {
    let mut options = ClusterOptions {
        databases: 1,
        dir: root().join("target/cluster"),
        binary: None,
        is_release: false,
        is_held: false,
    };
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("{word} wants a value"));
        match *word {
            "--databases" => {
                let databases = value()?.parse().ok().filter(|count| (1..=DATABASES_MAX).contains(count));
                options.databases =
                    databases.ok_or_else(|| format!("--databases is 1 to {DATABASES_MAX}"))?;
            }
            "--dir" => {
                let dir = std::path::absolute(value()?).map_err(|error| format!("--dir: {error}"))?;
                options.dir = dir;
            }
            "--binary" => options.binary = Some(PathBuf::from(value()?)),
            "--release" => options.is_release = true,
            "--held" => options.is_held = true,
            other => {
                return Err(format!(
                    "no such option: {other}; there are --databases N, --dir DIR, --binary FILE, --release"
                ));
            }
        }
    }
    Ok(options)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_words_are_told() {
        let options = parse(&["--databases", "4", "--dir", "/x", "--release"]).unwrap();
        assert_eq!((options.databases, options.dir.to_str(), options.is_release), (4, Some("/x"), true));
        for (words, said) in [
            (&["--databases", "5"][..], "--databases is 1 to 4"),
            (&["--databases", "none"], "--databases is 1 to 4"),
            (&["--databases"], "--databases wants a value"),
            (&["--database", "1"], "no such option: --database; there are"),
        ] {
            assert!(parse(words).unwrap_err().contains(said), "{words:?}");
        }
    }
}
