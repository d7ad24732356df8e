//! The policy of uids: one for the whole cluster, which the first process that serves sets.

use super::ClusterCore;
use crate::rows::damaged;
use guanxi_model::Result;
use guanxi_model::user::{UidPolicy, UidRange};
use guanxi_postgres::DatabaseError;
use guanxi_postgres::{Fault, Statements, abandon, of_fault, term, undo};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep};
use tokio_postgres::Row;

const READ: &str = "select kind, first, last from gx.uid_policy for update";

/// Others that serve.
const OTHERS: &str = "select count(*) from gx.serving \
    where process <> $1 and seen_at > now() - interval '30 seconds'";

const PUT: &str = "insert into gx.uid_policy (kind, first, last) values ($1, $2, $3) \
    on conflict (one) do update set kind = excluded.kind, first = excluded.first, last = excluded.last, set_at = now()";

const IS_USED: &str = "select coalesce(max(seq), 0) > 0 from gx.shard";

/// The result of the proposal of a process.
enum Agreed {
    On(UidPolicy),
    /// Others serve under another one.
    OthersServe(UidPolicy),
    /// A policy is in force under which there are uids, and these are not good under the other.
    Stands(UidPolicy),
}

/// Returns the policy of uids, if it was ever set.
pub(super) async fn read_uids(shared: &ClusterCore) -> Result<UidPolicy, Fault> {
    let asked = Statements::one("select kind, first, last from gx.uid_policy", Vec::new());
    let rows = shared.served[0].others.rows(&asked).await?;
    Ok(rows.first().map(policy).transpose()?.unwrap_or_default())
}

/// How long a process tries to agree.
const TRIED_MAX: Duration = Duration::from_secs(3);

/// How long it waits before it tries again.
const PAUSE: Duration = Duration::from_millis(20);

/// Agrees with the cluster on the policy of uids: as the cluster has it, or, if no other process serves, from now on as this
/// process is told. It must have said that it serves before.
pub(super) async fn agree_on_uids(
    shared: &Arc<ClusterCore>,
    asked: Option<UidPolicy>,
) -> Result<UidPolicy, DatabaseError> {
    let told = of_fault(shared.databases().first().name());
    let is_empty = !is_used(shared).await.map_err(&told)?;
    let deadline = Instant::now() + TRIED_MAX;
    let agreed = loop {
        match agree(shared, asked, is_empty).await {
            Ok(agreed) => break agreed,
            // Also when the answer to the commit was lost: the present policy is read anew.
            Err(Fault::Again(_) | Fault::Locked(_) | Fault::Away(_)) if Instant::now() < deadline => {
                sleep(PAUSE).await;
            }
            Err(fault) => return Err(told(fault)),
        }
    };
    match agreed {
        Agreed::On(policy) => Ok(policy),
        Agreed::OthersServe(stands) => Err(DatabaseError::Terms(format!(
            "other processes serve the cluster with uids that are {}: set `uids` of this one alike or not at all, or end all \
             of them first",
            named(stands)
        ))),
        Agreed::Stands(stands) => Err(DatabaseError::Terms(format!(
            "the uids of the cluster are {}, and it has users: only one without gets a range of minted ones, or another one; \
             set `uids` alike or not at all",
            named(stands)
        ))),
    }
}

/// Looks, decides, and writes the word of this process if it counts, in one transaction of the first database.
async fn agree(shared: &ClusterCore, asked: Option<UidPolicy>, is_empty: bool) -> Result<Agreed, Fault> {
    let connection = shared.served[0].others.take().await?;
    let mut look = Statements::default();
    look.add(READ, Vec::new());
    look.add(OTHERS, vec![term(shared.process)]);
    let looked = look.send(&connection, "begin", "").await;
    let (agreed, changes) = match looked.and_then(|rows| decide(&rows, asked, is_empty)) {
        Ok((agreed, Some(changes))) => (agreed, changes),
        without_changes => {
            undo(connection).await;
            return without_changes.map(|(agreed, _)| agreed);
        }
    };
    match changes.send(&connection, "", "commit").await {
        Ok(_) => Ok(agreed),
        Err(fault) => {
            abandon(connection, &fault).await;
            Err(fault)
        }
    }
}

/// Returns the result of the proposal of a process, and the statements to write for it.
fn decide(
    rows: &[Vec<Row>],
    asked: Option<UidPolicy>,
    is_empty: bool,
) -> Result<(Agreed, Option<Statements>), Fault> {
    let standing = rows.first().and_then(|rows| rows.first()).map(policy).transpose()?;
    let others = rows.get(1).and_then(|rows| rows.first()).map_or(0, |row| row.get::<_, i64>(0));
    let stands = standing.unwrap_or_default();
    let wanted = asked.unwrap_or(stands);
    if standing == Some(wanted) {
        return Ok((Agreed::On(wanted), None));
    }
    if stands != wanted && standing.is_some() && others > 0 {
        return Ok((Agreed::OthersServe(stands), None));
    }
    if !stands.may_become(wanted, is_empty) {
        return Ok((Agreed::Stands(stands), None));
    }
    let (kind, ends) = match wanted {
        UidPolicy::Both => ("both", None),
        UidPolicy::Foreign => ("foreign", None),
        UidPolicy::Minted(range) => ("minted", Some(range.ends())),
    };
    let end = |end: Option<u64>| term(end.map(u64::cast_signed));
    let terms = vec![term(kind), end(ends.map(|ends| ends.0)), end(ends.map(|ends| ends.1))];
    Ok((Agreed::On(wanted), Some(Statements::one(PUT, terms))))
}

/// Returns whether anything was ever written. A database that is away is taken for used: no policy changes without it.
async fn is_used(shared: &ClusterCore) -> Result<bool, Fault> {
    for database in &shared.served {
        match database.others.rows(&Statements::one(IS_USED, Vec::new())).await {
            Ok(rows) if !rows.iter().any(|row| row.get(0)) => {}
            Ok(_) | Err(Fault::Away(_) | Fault::Lost(_)) => return Ok(true),
            Err(fault) => return Err(fault),
        }
    }
    Ok(false)
}

/// A policy as its setting has it.
fn named(policy: UidPolicy) -> String {
    match policy {
        UidPolicy::Both => "`both`".to_owned(),
        UidPolicy::Foreign => "`foreign`".to_owned(),
        UidPolicy::Minted(UidRange::ALL) => "`minted`".to_owned(),
        UidPolicy::Minted(range) => {
            let (first, last) = range.ends();
            format!("`{first}-{last}`")
        }
    }
}

fn policy(row: &Row) -> Result<UidPolicy, Fault> {
    let end = |index: usize| row.get::<_, Option<i64>>(index).map(i64::cast_unsigned);
    match row.get(0) {
        "both" => Ok(UidPolicy::Both),
        "foreign" => Ok(UidPolicy::Foreign),
        _ => {
            let range = end(1).zip(end(2)).and_then(|(first, last)| UidRange::new(first, last));
            range.map(UidPolicy::Minted).ok_or_else(|| damaged("whose numbers uids are"))
        }
    }
}
