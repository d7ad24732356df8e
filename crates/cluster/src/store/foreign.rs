//! Asking other shards for what a write reads of them, before it is planned in its home: beside its transaction, so that none
//! waits for another database while it holds locks.

use super::{ClusterCore, head};
use crate::rows::{ForeignKey, ForeignRows, ask_foreign, take_foreign};
use futures_util::future::try_join_all;
use guanxi_model::plan::needed;
use guanxi_model::post::PostCommand;
use guanxi_model::{Command, Error, Gene, Reason, Result, Write};
use guanxi_postgres::Statements;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Rounds of asking that no write exceeds.
const ROUNDS_MAX: usize = 8;

/// Returns what other shards say of the rows that a write about posts reads. Posts and names of its home that lead there are
/// looked at, too; the plan reads these anew.
pub(super) async fn foreign_rows(
    shared: &Arc<ClusterCore>,
    home: Gene,
    write: &Write,
) -> Result<ForeignRows> {
    let mut rows = ForeignRows::default();
    let leads = write.commands.iter().any(leads_elsewhere);
    for _ in 0..ROUNDS_MAX {
        let named = needed(write, &rows);
        let is_wanted = |key: &ForeignKey| {
            let is_foreign = key.gene() != home;
            let is_step = leads && key.leads_on();
            (is_foreign || is_step) && !rows.has(key)
        };
        let wanted: BTreeSet<ForeignKey> =
            named.iter().filter_map(ForeignKey::of).filter(is_wanted).collect();
        if wanted.is_empty() {
            return Ok(rows);
        }
        ask(shared, wanted, &mut rows).await?;
    }
    Err(Error::with_detail(Reason::Internal, "a write names more rows of other shards in every round"))
}

/// Returns whether rows of the home of a command may lead to some of other shards.
fn leads_elsewhere(command: &Command) -> bool {
    match command {
        Command::Post(PostCommand::Create(draft)) => draft.reply_to.or(draft.repost_of).is_some(),
        Command::Post(command) => matches!(command, PostCommand::Like { .. } | PostCommand::Unlike { .. }),
        Command::ImportPosts(posts) => posts.iter().any(|post| post.refers_to().is_some()),
        Command::ImportLikes(_) => true,
        _ => false,
    }
}

/// Asks all databases that have some of the rows, at once.
async fn ask(shared: &Arc<ClusterCore>, wanted: BTreeSet<ForeignKey>, rows: &mut ForeignRows) -> Result<()> {
    let map = shared.map();
    let mut by_database: BTreeMap<usize, BTreeSet<ForeignKey>> = BTreeMap::new();
    for key in wanted {
        by_database.entry(map.database(key.gene())).or_default().insert(key);
    }
    let asks = by_database.into_iter().map(async |(database, keys)| {
        let mut statements = Statements::default();
        ask_foreign(&keys, &mut statements);
        shared.served[database].looks.ask(&statements).await.map(|answers| (keys, answers))
    });
    for (keys, answers) in try_join_all(asks).await? {
        take_foreign(rows, keys, &answers)?;
    }
    Ok(())
}

/// Checks that no write marks an event as seen that is in no log yet; the home checks its own log.
pub(super) async fn check_seen(shared: &Arc<ClusterCore>, write: &Write) -> Result<()> {
    for command in &write.commands {
        let Command::MarkSeen { seen, .. } = command else { continue };
        shared.check_history(seen)?;
        for (log, mark) in seen.marks() {
            let gene = Gene(log.0);
            if shared.head(gene) < mark.seen && head(shared, gene).await? < mark.seen {
                return Err(Error::new(Reason::TokenAhead));
            }
        }
    }
    Ok(())
}
