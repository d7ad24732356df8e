//! `cargo xtask malformed`: the test of malformed strings, with more of them.

use crate::steps::{Steps, cargo, spawn};

/// Strings unless it is said.
const COUNT_DEFAULT: &str = "1000000";

/// Runs the test with `--count N` and, for other strings, `--seed S`.
///
/// # Errors
/// A bad option, or a failed run.
pub(crate) fn run(options: &[&str]) -> Result<(), String> {
    let test = "cli::malformed::malformed_strings_are_answered_or_closed_and_change_nothing_of_the_server";
    let mut command =
        cargo(&["test", "--package", "guanxi", "--test", "it", "--", "--exact", test, "--nocapture"]);
    command.env("GUANXI_MALFORMED_COUNT", COUNT_DEFAULT);
    for pair in options.chunks(2) {
        match pair {
            ["--count", value] => command.env("GUANXI_MALFORMED_COUNT", value),
            ["--seed", value] => command.env("GUANXI_MALFORMED_SEED", value),
            other => return Err(format!("no such option, or no value: {}", other.join(" "))),
        };
    }
    let mut steps = Steps::default();
    steps.run("malformed strings", || spawn(&mut command));
    steps.finish()
}
