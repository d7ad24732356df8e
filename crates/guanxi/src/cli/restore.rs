//! `guanxi restore`: a dump becomes a data directory.

use super::{complain, print_json};
use crate::progress::{Unit, bar, follow};
use clap::Args;
use guanxi_lists::input::STANDARD;
use guanxi_model::Uid;
use guanxi_server::config::Settings;
use guanxi_server::{Context, Directory, Dump, Failure, Outcome, Restored};
use std::fmt::Display;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// Reads a dump into an empty or new directory. If no directory is given, it reads the dump into the cluster whose `databases`
/// the settings name. That cluster is laid out and has no users. After an interruption the same command continues. Earlier
/// position tokens are not valid in the restored data. Bearer tokens are valid, unless they are left out.
#[derive(Debug, Args)]
pub(super) struct Restore {
    /// A file that `guanxi backup` wrote, or - for standard input
    #[arg(value_name = "FILE")]
    file: String,
    /// The empty or new directory
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Leave out the bearer tokens of the dump. Without it they are valid again, also those that were revoked later
    #[arg(long)]
    revoke_tokens: bool,
    /// Erase the users in a file of `guanxi export erased`, even if the dump has them. The directory does not open before they
    /// are hidden. When this command ends, the files hold nothing of them
    #[arg(long, value_name = "FILE")]
    erased: Option<String>,
    /// Print a report as JSON
    #[arg(long)]
    json: bool,
}

impl Restore {
    /// Reads the dump.
    pub(super) async fn run(&self, settings: &Settings) -> Outcome {
        if self.data.is_none() && !settings.databases.is_empty() {
            return self.fill_cluster(settings).await;
        }
        let dir = settings.data.as_deref().ok_or_else(|| Failure::usage("say where to: --data DIR"))?;
        let erased = self.erased.as_deref().map(erased_users).transpose()?;
        let progress = bar("restore", Some(0), Unit::Rows);
        let moving = progress.clone();
        let restored = guanxi_server::restore(
            self.dump()?,
            dir,
            settings,
            self.revoke_tokens,
            erased.clone().unwrap_or_default(),
            move |now| follow(&moving, now),
        )
        .await?;
        progress.finish_and_clear();
        if let Some(erased) = &erased {
            erase(dir, settings).await?;
            complain(format_args!("erased {} users, and rewrote the files", erased.len()));
        }
        self.tell(&restored, dir.display())
    }

    /// The dump, opened.
    fn dump(&self) -> Outcome<Dump> {
        let name = self.file.clone();
        if name == STANDARD {
            return Ok(Dump { name, bytes: Box::new(io::stdin()) });
        }
        let file = File::open(&name).context(format_args!("cannot read {name}"))?;
        Ok(Dump { name, bytes: Box::new(file) })
    }

    async fn fill_cluster(&self, settings: &Settings) -> Outcome {
        if self.erased.is_some() {
            return Err(Failure::usage(
                "--erased is for a directory: restore into one, and move that with `guanxi migrate`",
            ));
        }
        let progress = bar("restore", None, Unit::Rows);
        let moving = progress.clone();
        let restored =
            guanxi_server::restore_into_cluster(self.dump()?, settings, self.revoke_tokens, move |now| {
                moving.set_position(now.done);
            });
        let restored = restored.await;
        progress.finish_and_clear();
        self.tell(&restored?, "the cluster")
    }

    /// Says what was restored into what.
    fn tell(&self, restored: &Restored, into: impl Display) -> Outcome {
        if self.json {
            print_json(restored)?;
        }
        complain(format_args!("restored {} into {into}", self.file));
        complain(said_of_tokens(restored.dumped_tokens, self.revoke_tokens));
        Ok(())
    }
}

/// The users of a file that `guanxi export erased` wrote.
fn erased_users(file: &str) -> Outcome<Vec<Uid>> {
    let text = fs::read_to_string(file).context(format_args!("cannot read {file}"))?;
    let mut users = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        let uid = line.split('\t').next().unwrap_or_default();
        let uid = uid.parse().ok().and_then(|raw| Uid::new(raw).ok());
        users.push(uid.ok_or_else(|| {
            Failure::usage(format_args!("{file}, line {number}: a line is a uid, a tab, and since when"))
        })?);
    }
    Ok(users)
}

/// Removes what the deleted users of a directory left, from its files, too.
async fn erase(dir: &Path, settings: &Settings) -> Outcome {
    let local = Directory::open(dir, settings)?;
    let progress = bar("erase", None, Unit::Rows);
    let mut erasure = local.ports().erasure();
    let mut pieces = 0;
    let erased = async {
        while erasure.step().await? {
            pieces += 1;
            progress.set_position(pieces);
        }
        local.compact().await
    };
    let erased = erased.await;
    progress.finish_and_clear();
    drop(erasure);
    erased.and(local.close().await)
}

/// Returns the text for the operator about the bearer tokens in a dump.
pub(super) fn said_of_tokens(dumped: u64, revoked: bool) -> String {
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
