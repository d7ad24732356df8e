//! `guanxi fork`: a copied data directory becomes data of its own.

use super::{complain, print_json};
use clap::Args;
use guanxi_server::config::Settings;
use guanxi_server::{Failure, Outcome};
use std::path::PathBuf;

/// Gives a copy of a data directory a history and a key of page tokens of its own. Two servers on copies of one directory
/// otherwise take each other's position tokens and page tokens for theirs, and answer them wrongly: no program can see that a
/// directory was copied. Run it on the copy, before that is served.
#[derive(Debug, Args)]
pub(super) struct Fork {
    /// The copied data directory, which no server has open
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Print where the copy stands as JSON
    #[arg(long)]
    json: bool,
}

impl Fork {
    /// Makes the copy data of its own.
    pub(super) async fn run(&self, settings: &Settings) -> Outcome {
        let dir = settings.data.as_deref().ok_or_else(|| Failure::usage("say which: --data DIR"))?;
        let position = guanxi_server::fork(dir, settings).await?;
        if self.json {
            print_json(&serde_json::json!({ "seq": position.event_count(), "token": position.to_token() }))?;
        }
        complain(format_args!(
            "{} has a history and a key of page tokens of its own, from event {} on; position tokens and page tokens of before \
             are refused",
            dir.display(),
            position.event_count()
        ));
        complain(
            "bearer tokens and sessions are valid as they were in the original; revoke those that must not be \
             (`guanxi token list`, `guanxi token revoke`)",
        );
        Ok(())
    }
}
