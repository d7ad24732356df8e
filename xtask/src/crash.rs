//! `cargo xtask crash`: the crash test, for longer.

use crate::steps::{Steps, cargo, spawn};

/// Runs the crash test of `crates/guanxi/tests/it` with `--kills N` and, to replay a run, `--seed S`.
///
/// # Errors
/// A bad option, or a failed run.
pub(crate) fn run(options: &[&str]) -> Result<(), String> {
    let options = Options::parse(options)?;
    let mut steps = Steps::default();
    steps.run(&format!("crash test, {} kills", options.kills), || {
        let test = "crash::every_acknowledged_write_survives_kills";
        let mut command = cargo(&["test", "--package", "guanxi", "--test", "it", "--", "--exact", test]);
        command.arg("--nocapture").env("GUANXI_TEST_KILLS", options.kills.to_string());
        if let Some(seed) = options.seed {
            command.env("GUANXI_TEST_SEED", seed.to_string());
        }
        spawn(&mut command)
    });
    steps.finish()
}

#[derive(Debug, PartialEq, Eq)]
struct Options {
    kills: u32,
    seed: Option<u64>,
}

impl Options {
    fn parse(words: &[&str]) -> Result<Self, String> {
        let (mut kills, mut seed) = (None, None);
        let mut rest = words.iter();
        while let Some(option) = rest.next() {
            let value = rest.next().ok_or_else(|| format!("{option} needs a value"))?;
            let bad = |_| format!("{option} {value}: not a number");
            match *option {
                "--kills" => kills = Some(value.parse().map_err(bad)?),
                "--seed" => seed = Some(value.parse().map_err(bad)?),
                _ => return Err(format!("no such option: {option}")),
            }
        }
        Ok(Self { kills: kills.ok_or("say how many: --kills N")?, seed })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_and_mistakes_are_named() {
        assert_eq!(Options::parse(&["--kills", "9"]), Ok(Options { kills: 9, seed: None }));
        assert_eq!(Options::parse(&["--seed", "7", "--kills", "9"]), Ok(Options { kills: 9, seed: Some(7) }));
        for bad in [&[][..], &["--kills"], &["--kills", "x"], &["--deaths", "9"]] {
            assert!(Options::parse(bad).is_err(), "{bad:?}");
        }
    }
}
