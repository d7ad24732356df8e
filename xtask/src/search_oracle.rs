//! `cargo xtask search-oracle`: what searches show in random histories, for longer.

use crate::steps::{cargo, spawn};

/// Searches by default.
const SEARCHES: u64 = 100_000;

/// Plays histories of `crates/centers/src/search/tests/oracle` until there were so many searches: `--searches N` and, to replay
/// a history, `--seed S`.
///
/// # Errors
/// A bad option, or a search that shows what it must not, or lacks what the index had seen; the seed is printed.
pub(crate) fn run(options: &[&str]) -> Result<(), String> {
    spawn(&mut command(&Options::parse(options)?))
}

fn command(options: &Options) -> std::process::Command {
    let test = "search::tests::oracle::run::searches_show_all_that_they_must_and_nothing_else";
    let mut command = cargo(&["test", "--release", "--quiet", "--package", "guanxi-centers", "--lib", "--"]);
    command.args(["--ignored", "--exact", test, "--nocapture"]);
    command.env("GUANXI_TEST_SEARCHES", options.searches.to_string());
    if let Some(seed) = options.seed {
        command.env("GUANXI_TEST_SEED", seed.to_string());
    }
    command
}

#[derive(Debug, PartialEq, Eq)]
struct Options {
    searches: u64,
    seed: Option<u64>,
}

impl Options {
    fn parse(words: &[&str]) -> Result<Self, String> {
        let mut options = Self { searches: SEARCHES, seed: None };
        let mut rest = words.iter();
        while let Some(option) = rest.next() {
            let value = rest.next().ok_or_else(|| format!("{option} needs a value"))?;
            let number = value.parse().map_err(|_| format!("{option} {value}: not a number"))?;
            match *option {
                "--searches" => options.searches = number,
                "--seed" => options.seed = Some(number),
                _ => return Err(format!("no such option: {option}")),
            }
        }
        Ok(options)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_and_mistakes_are_named() {
        assert_eq!(Options::parse(&[]), Ok(Options { searches: 100_000, seed: None }));
        let both = Options::parse(&["--seed", "7", "--searches", "9"]).unwrap();
        assert_eq!(both, Options { searches: 9, seed: Some(7) });
        for bad in [&["--seed"][..], &["--seed", "x"], &["--hits", "9"]] {
            assert!(Options::parse(bad).is_err(), "{bad:?}");
        }
        let command = command(&both);
        assert!(
            command.get_envs().any(|(name, value)| {
                name == "GUANXI_TEST_SEED" && value == Some(std::ffi::OsStr::new("7"))
            })
        );
    }
}
