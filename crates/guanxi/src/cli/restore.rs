//! `guanxi restore`: a dump becomes a data directory.

use super::{complain, print_json};
use crate::config::Settings;
use crate::failure::{Failure, Outcome};
use crate::progress::{Unit, bar, follow};
use crate::wire;
use clap::Args;
use std::path::PathBuf;

/// Reads a dump into an empty or new directory. Tokens from before are not valid in it.
#[derive(Debug, Args)]
pub struct Restore {
    /// A file that `guanxi backup` wrote, or - for standard input
    #[arg(value_name = "FILE")]
    file: String,
    /// The empty or new directory
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Print what was read as JSON
    #[arg(long)]
    json: bool,
}

impl Restore {
    /// Reads the dump.
    pub async fn run(&self, settings: &Settings) -> Outcome {
        let dir = settings.data.as_deref().ok_or_else(|| Failure::usage("say where to: --data DIR"))?;
        let progress = bar("restore", Some(0), Unit::Rows);
        let moving = progress.clone();
        let restored = wire::restore(&self.file, dir, settings, move |now| follow(&moving, now)).await?;
        progress.finish_and_clear();
        if self.json {
            print_json(&restored)?;
        }
        complain(format_args!("restored {} into {}", self.file, dir.display()));
        Ok(())
    }
}
