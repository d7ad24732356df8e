//! `guanxi restore`: a dump becomes a data directory.

use super::{complain, print_json};
use crate::config::Settings;
use crate::failure::{Failure, Outcome};
use crate::progress::{Unit, bar, follow};
use crate::wire;
use clap::Args;
use std::path::PathBuf;

/// Reads a dump into an empty or new directory. Positions from before are not valid in it; bearer tokens are, unless
/// they are left out.
#[derive(Debug, Args)]
pub(super) struct Restore {
    /// A file that `guanxi backup` wrote, or - for standard input
    #[arg(value_name = "FILE")]
    file: String,
    /// The empty or new directory
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Leave the bearer tokens of the dump out, also those that were revoked since it was written
    #[arg(long)]
    revoke_tokens: bool,
    /// Print what was read as JSON
    #[arg(long)]
    json: bool,
}

impl Restore {
    /// Reads the dump.
    pub(super) async fn run(&self, settings: &Settings) -> Outcome {
        let dir = settings.data.as_deref().ok_or_else(|| Failure::usage("say where to: --data DIR"))?;
        let progress = bar("restore", Some(0), Unit::Rows);
        let moving = progress.clone();
        let restored =
            wire::restore(&self.file, dir, settings, self.revoke_tokens, move |now| follow(&moving, now))
                .await?;
        progress.finish_and_clear();
        if self.json {
            print_json(&restored)?;
        }
        complain(format_args!("restored {} into {}", self.file, dir.display()));
        complain(said_of_tokens(restored.dumped_tokens, self.revoke_tokens));
        Ok(())
    }
}

/// What the operator must know of the bearer tokens in a dump.
fn said_of_tokens(dumped: u64, revoked: bool) -> String {
    match (dumped, revoked) {
        (0, _) => "the dump holds no tokens".to_owned(),
        (dumped, true) => format!(
            "the dump holds {dumped} tokens, which were left out; `guanxi serve` makes a new admin token"
        ),
        (dumped, false) => format!(
            "the dump holds {dumped} tokens, which are valid again, also if they were revoked since; \
             revoke them (`guanxi token list`, `guanxi token revoke`), or restore with --revoke-tokens"
        ),
    }
}
