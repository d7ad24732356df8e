//! `guanxi migrate`: a data directory becomes a cluster.

use super::restore::said_of_tokens;
use super::{complain, print_json};
use crate::progress::{Unit, bar, follow};
use clap::Args;
use guanxi_server::config::Settings;
use guanxi_server::{Failure, Outcome};
use std::path::PathBuf;

/// Moves all data of a directory into a cluster, and compares the two. The cluster is laid out and has no users. No server has
/// the directory open, and the directory stays as it is. After an interruption the same command continues.
#[derive(Debug, Args)]
pub(super) struct Migrate {
    /// The data directory
    #[arg(long, value_name = "DIR")]
    pub from: PathBuf,
    /// The configuration of the cluster, with its `databases`
    #[arg(long, value_name = "FILE")]
    pub to: PathBuf,
    /// Leave bearer tokens and sessions out
    #[arg(long)]
    revoke_tokens: bool,
    /// Print a report of the move as JSON
    #[arg(long)]
    json: bool,
}

impl Migrate {
    /// Moves the directory.
    pub(super) async fn run(&self, settings: &Settings) -> Outcome {
        let (from, to) = (self.from.display(), self.to.display());
        if !self.from.join("FORMAT").exists() {
            return Err(Failure::usage(format_args!("{from} is no data directory; check the path")));
        }
        let progress = bar("migrate", Some(0), Unit::Rows);
        let moving = progress.clone();
        let moved = guanxi_server::migrate(&self.from, settings, self.revoke_tokens, move |what, now| {
            moving.set_message(what);
            follow(&moving, now);
        });
        let moved = moved.await;
        progress.finish_and_clear();
        let moved = moved?;
        if self.json {
            print_json(&moved)?;
        }
        let restored = &moved.restored;
        complain(format_args!(
            "moved {from} into the cluster of {to}: {} follows, {} other records, and both have the same",
            restored.edges, restored.records
        ));
        complain(said_of_tokens(restored.dumped_tokens, self.revoke_tokens));
        complain(format_args!(
            "serve it with `guanxi --config {to} serve --data DIR` (another DIR, for what is this process's own); keep {from} until \
             that serves as you expect, and write to one of the two only"
        ));
        Ok(())
    }
}
