//! `guanxi compact`: what was removed leaves the disk.

use super::{complain, print_json};
use crate::progress::{Unit, bar};
use clap::Args;
use guanxi_server::config::Settings;
use guanxi_server::{Context, Directory, Failure, Outcome, SEARCH_DIR, clear_spool};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Rewrites the files of a data directory, so that they hold no removed or erased data any more. No server may have the
/// directory open. Servers rewrite files by themselves, but only where they write.
#[derive(Debug, Args)]
pub(super) struct Compact {
    /// The data directory
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Print the sizes of the files, before and after, as JSON
    #[arg(long)]
    json: bool,
}

impl Compact {
    /// Rewrites the files.
    pub(super) async fn run(&self, settings: &Settings) -> Outcome {
        let dir = settings.data.as_deref().ok_or_else(|| Failure::usage("say which: --data DIR"))?;
        let before = size(dir).context(format_args!("cannot read {}", dir.display()))?;
        let local = Directory::open(dir, settings)?;
        let progress = bar("compact", None, Unit::Rows);
        let compacted = local.compact().await;
        progress.finish_and_clear();
        compacted.and(local.close().await)?;
        // The search index is built anew when a server opens the directory: words of what is gone are in its files, too.
        match fs::remove_dir_all(dir.join(SEARCH_DIR)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(error).context("cannot remove the search index");
            }
            _ => {}
        }
        clear_spool(dir).context("cannot remove files of exports")?;
        // The files from before are removed once no reader can read them any more.
        drop(local);
        let after = size(dir)?;
        if self.json {
            print_json(&serde_json::json!({ "bytes_before": before, "bytes_after": after }))?;
        }
        complain(format_args!("rewrote {}: {before} bytes before, {after} now", dir.display()));
        Ok(())
    }
}

/// Bytes of all files of a directory.
fn size(dir: &Path) -> io::Result<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let meta = entry.metadata()?;
        bytes += if meta.is_dir() { size(&entry.path())? } else { meta.len() };
    }
    Ok(bytes)
}
