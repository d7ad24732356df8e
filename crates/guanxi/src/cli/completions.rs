//! `guanxi completions`: what a shell completes.

use clap::{Args, CommandFactory as _};
use clap_complete::{Shell, generate};
use guanxi_server::Outcome;
use std::io;

/// Prints the completions for a shell, from the definition of the command line itself.
#[derive(Debug, Args)]
pub(super) struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    /// Prints them.
    pub(super) fn run(&self) -> Outcome {
        let mut script = Vec::new();
        generate(self.shell, &mut super::Cli::command(), "guanxi", &mut script);
        match io::Write::write_all(&mut io::stdout(), &script) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
            _ => Ok(()),
        }
    }
}
