//! Tests for as long as one likes: `cargo xtask crash`, `oracle`, `search-oracle`, `malformed` and `schemathesis`.

use std::process::Command;

use crate::schemathesis::install;
use crate::steps::{Steps, cargo, spawn};

/// Searches unless it is said.
const SEARCHES_DEFAULT: &str = "100000";

/// Malformed strings unless it is said.
const MALFORMED_DEFAULT: &str = "1000000";

/// Runs the crash test of `crates/guanxi/tests/it` with `--kills N` and, to replay a run, `--seed S`.
///
/// # Errors
/// A bad option, or a failed run.
pub(crate) fn crash(words: &[&str]) -> Result<(), String> {
    let (kills, seed) = (("--kills", "GUANXI_TEST_KILLS"), ("--seed", "GUANXI_TEST_SEED"));
    let said = variables(words, &[kills, seed])?;
    let count = said.iter().rfind(|(name, _)| *name == kills.1).ok_or("say how many: --kills N")?.1;
    let mut steps = Steps::default();
    steps.run(&format!("crash test, {count} kills"), || {
        spawn(test_of_guanxi("crash::every_acknowledged_write_survives_kills").envs(said))
    });
    steps.finish()
}

/// Runs the test of malformed strings with `--count N` and, for other strings, `--seed S`.
///
/// # Errors
/// A bad option, or a failed run.
pub(crate) fn malformed(words: &[&str]) -> Result<(), String> {
    let (count, seed) = (("--count", "GUANXI_MALFORMED_COUNT"), ("--seed", "GUANXI_MALFORMED_SEED"));
    let said = variables(words, &[count, seed])?;
    let test = "cli::malformed::malformed_strings_are_answered_or_closed_and_change_nothing_of_the_server";
    let mut steps = Steps::default();
    steps.run("malformed strings", || spawn(test_of_guanxi(test).env(count.1, MALFORMED_DEFAULT).envs(said)));
    steps.finish()
}

/// Runs the test of the OpenAPI document with `--seconds N` and, for other requests, `--seed S`.
///
/// # Errors
/// A bad option, or a failed run.
pub(crate) fn schemathesis(words: &[&str]) -> Result<(), String> {
    let options = [("--seconds", "GUANXI_SCHEMATHESIS_SECONDS"), ("--seed", "GUANXI_SCHEMATHESIS_SEED")];
    let said = variables(words, &options)?;
    let test = "cli::openapi::the_server_does_what_the_openapi_document_says";
    let mut steps = Steps::default();
    steps.run("setup", install);
    steps.run("schemathesis", || spawn(test_of_guanxi(test).envs(said)));
    steps.finish()
}

/// Plays histories of `crates/centers/src/search/tests/oracle` until there were so many searches: `--searches N` and, to replay
/// a history, `--seed S`.
///
/// # Errors
/// A bad option, or a search that shows what it must not, or lacks what the index had seen; the seed is printed.
pub(crate) fn search_oracle(words: &[&str]) -> Result<(), String> {
    let (searches, seed) = (("--searches", "GUANXI_TEST_SEARCHES"), ("--seed", "GUANXI_TEST_SEED"));
    spawn(&mut searching(variables(words, &[searches, seed])?))
}

fn searching(said: Said<'_>) -> Command {
    let test = "search::tests::oracle::run::searches_show_all_that_they_must_and_nothing_else";
    let mut command = cargo(&["test", "--release", "--quiet", "--package", "guanxi-centers", "--lib", "--"]);
    command.args(["--ignored", "--exact", test, "--nocapture"]);
    command.env("GUANXI_TEST_SEARCHES", SEARCHES_DEFAULT).envs(said);
    command
}

/// Builds the simulator optimised and hands it the options, which it reads itself.
///
/// # Errors
/// A bad option, or a home that is not as it is defined; the seed and a short history of it are printed.
pub(crate) fn oracle(words: &[&str]) -> Result<(), String> {
    spawn(&mut simulator(words))
}

fn simulator(words: &[&str]) -> Command {
    let mut command = cargo(&["run", "--release", "--quiet", "--package", "guanxi-sim", "--"]);
    command.args(words);
    command
}

/// One test of `crates/guanxi/tests/it`.
pub(crate) fn test_of_guanxi(test: &str) -> Command {
    cargo(&["test", "--package", "guanxi", "--test", "it", "--", "--exact", test, "--nocapture"])
}

/// Variables with their values.
type Said<'a> = Vec<(&'static str, &'a str)>;

/// Reads options with their numbers, as the variables that the test reads. `options` has the variable of each.
fn variables<'a>(words: &[&'a str], options: &[(&str, &'static str)]) -> Result<Said<'a>, String> {
    let mut said = Vec::new();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let variable = options.iter().find(|(option, _)| option == word);
        let (_, variable) = variable.ok_or_else(|| format!("no such option: {word}"))?;
        let value = rest.next().ok_or_else(|| format!("{word} needs a value"))?;
        value.parse::<u64>().map_err(|_| format!("{word} {value}: not a number"))?;
        said.push((*variable, *value));
    }
    Ok(said)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_and_mistakes_are_named() {
        let options = [("--kills", "KILLS"), ("--seed", "SEED")];
        let read = |words: &[&'static str]| variables(words, &options);
        assert_eq!(read(&[]), Ok(vec![]));
        assert_eq!(read(&["--kills", "9"]), Ok(vec![("KILLS", "9")]));
        assert_eq!(read(&["--seed", "7", "--kills", "9"]), Ok(vec![("SEED", "7"), ("KILLS", "9")]));
        for bad in [&["--kills"][..], &["--kills", "x"], &["--deaths", "9"], &["--seed"], &["--seed", "x"]] {
            assert!(read(bad).is_err(), "{bad:?}");
        }
        assert!(crash(&["--seed", "7"]).is_err(), "a crash run says how many kills");
    }

    #[test]
    fn searches_are_as_many_as_it_is_said() {
        let command = searching(vec![("GUANXI_TEST_SEED", "7"), ("GUANXI_TEST_SEARCHES", "9")]);
        let set = |name: &str| command.get_envs().find(|(set, _)| *set == name).and_then(|(_, value)| value);
        assert_eq!(set("GUANXI_TEST_SEED"), Some(std::ffi::OsStr::new("7")));
        assert_eq!(set("GUANXI_TEST_SEARCHES"), Some(std::ffi::OsStr::new("9")));
    }

    #[test]
    fn options_go_to_the_simulator_as_they_are() {
        let command = simulator(&["--traces", "7"]);
        let args: Vec<_> = command.get_args().filter_map(|arg| arg.to_str()).collect();
        assert!(args.ends_with(&["guanxi-sim", "--", "--traces", "7"]), "{args:?}");
    }
}
