//! `guanxi fork`: a copied data directory becomes data of its own.

use super::{complain, print_json};
use clap::Args;
use guanxi_server::config::Settings;
use guanxi_server::{Failure, Outcome};
use std::path::PathBuf;

/// Gives a copy of a data directory its own history and its own key of page tokens. Run it on the copy before you serve it.
/// Without it the two servers accept each other's position tokens and page tokens, and answer them wrongly: no program can see
/// that a directory was copied.
#[derive(Debug, Args)]
pub(super) struct Fork {
    /// The copied data directory, which no server has open
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Print the position of the copy as JSON
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
