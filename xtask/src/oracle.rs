//! `cargo xtask oracle`: the simulator, for longer.

use crate::steps::{cargo, spawn};

/// Builds the simulator optimised and hands it the options, which it reads itself.
///
/// # Errors
/// A bad option, or a home that is not as it is defined; the seed and a short history of it are printed.
pub(crate) fn run(options: &[&str]) -> Result<(), String> {
    spawn(&mut command(options))
}

fn command(options: &[&str]) -> std::process::Command {
    let mut command = cargo(&["run", "--release", "--quiet", "--package", "guanxi-sim", "--"]);
    command.args(options);
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_go_to_the_simulator_as_they_are() {
        let command = command(&["--traces", "7"]);
        let args: Vec<_> = command.get_args().filter_map(|arg| arg.to_str()).collect();
        assert!(args.ends_with(&["guanxi-sim", "--", "--traces", "7"]), "{args:?}");
    }
}
