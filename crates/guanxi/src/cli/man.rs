//! `guanxi man`: the manual pages.

use clap::{Args, CommandFactory as _};
use guanxi_server::{Context as _, Outcome};
use std::fs;
use std::path::PathBuf;

/// Writes the manual pages, one for each verb, from the definition of the command line itself.
#[derive(Debug, Args)]
pub(super) struct Man {
    /// The directory of the pages, such as /usr/local/share/man/man1. It is made if it does not exist
    #[arg(value_name = "DIR")]
    dir: PathBuf,
}

impl Man {
    /// Writes them.
    pub(super) fn run(&self) -> Outcome {
        let pages = format_args!("cannot write manual pages to {}", self.dir.display()).to_string();
        fs::create_dir_all(&self.dir).context(&pages)?;
        clap_mangen::generate_to(super::Cli::command(), &self.dir).context(&pages)
    }
}
