//! Checks of a server of PostgreSQL, for any content of its databases.

use crate::ClusterError;
use crate::postgres::{Layout, PgSession};

/// The oldest server that will do, as `server_version_num` has it, and in words.
const SERVER_VERSION_MIN: (u64, &str) = (150_000, "15");

/// Processes that write to one database at once, as far as its locks are counted.
const WRITING_PROCESSES: u64 = 8;

/// Lanes of a database: batches of different ones never wait for each other.
const LANES: u64 = 4;

/// Shards of one batch at most.
const BATCH_SHARDS_MAX: u64 = 64;

/// Tables of a schema and their indexes: a statement through the parent locks all those of a table that it touches.
pub const RELATIONS_PER_SCHEMA: u64 = 104;

/// Settings without which what was acknowledged may be lost, and what they have to be.
const DURABLE: &[(&str, &[&str])] = &[
    ("fsync", &["on"]),
    ("full_page_writes", &["on"]),
    ("synchronous_commit", &["on", "local", "remote_write", "remote_apply"]),
];

/// Returns the problems of a server, for any content of its databases.
pub(crate) async fn server_problems(
    session: &PgSession,
    layout: Layout,
) -> Result<Vec<String>, ClusterError> {
    let mut problems = Vec::new();
    let number = async |name| -> Result<u64, ClusterError> {
        let text = session.setting(name).await?;
        text.parse().map_err(|_| session.problem(format!("{name} is {text:?}")))
    };
    let version = number("server_version_num").await?;
    if version < SERVER_VERSION_MIN.0 {
        let (found, least) = (session.setting("server_version").await?, SERVER_VERSION_MIN.1);
        problems.push(format!("its server is PostgreSQL {found}, and {least} is the oldest that will do"));
    }
    for (name, wanted) in DURABLE {
        let found = session.setting(name).await?;
        if !wanted.contains(&found.as_str()) {
            problems
                .push(format!("{name} is {found}, so that acknowledged writes may be lost: set it to on"));
        }
    }
    if session.setting("transaction_read_only").await? != "off" {
        problems
            .push("it takes no writes: give the address of the primary, and a user who may write".to_owned());
    }
    if session.setting("server_encoding").await? != "UTF8" {
        problems.push(
            "its encoding is not UTF8: make it anew with `create database .. encoding 'UTF8'`".to_owned(),
        );
    }
    let slots = number("max_connections").await? + number("max_prepared_transactions").await?;
    let per_slot = number("max_locks_per_transaction").await?;
    let needed = locks_needed(layout);
    if slots * per_slot < needed {
        let least = needed.div_ceil(slots);
        problems.push(format!(
            "max_locks_per_transaction is {per_slot}, and full batches of {WRITING_PROCESSES} processes lock up to \
             {needed} tables and indexes at once: set it to {least} or more and restart the server"
        ));
    }
    Ok(problems)
}

/// Locks of a database that all batches may hold at once.
fn locks_needed(layout: Layout) -> u64 {
    let schemas_of_a_lane = u64::from(layout.len()).div_ceil(LANES);
    WRITING_PROCESSES * LANES * schemas_of_a_lane.min(BATCH_SHARDS_MAX) * RELATIONS_PER_SCHEMA
}
