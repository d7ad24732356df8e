//! Whose numbers uids are: one word for the whole cluster, which the first process that serves gives.

use super::ClusterCore;
use super::transact::in_first;
use crate::ClusterError;
use crate::postgres::{Fault, Statements, term};
use crate::rows::damaged;
use guanxi_model::user::{UidPolicy, UidRange};
use guanxi_model::{Error, Result};
use std::sync::Arc;
use tokio_postgres::Row;

const READ: &str = "select kind, first, last from gx.uid_policy for update";

/// Others that serve.
const OTHERS: &str = "select count(*) from gx.serving \
    where process <> $1 and seen_at > now() - interval '30 seconds'";

const PUT: &str = "insert into gx.uid_policy (kind, first, last) values ($1, $2, $3) \
    on conflict (one) do update set kind = excluded.kind, first = excluded.first, last = excluded.last, set_at = now()";

const IS_USED: &str = "select coalesce(max(seq), 0) > 0 from gx.shard";

/// What became of the word of a process.
enum Agreed {
    On(UidPolicy),
    /// Others serve under another one.
    OthersServe(UidPolicy),
    /// What stands under this one is not good under the other.
    Stands(UidPolicy),
}

/// Whose numbers uids are, if it was ever said.
pub(super) async fn read_uids(shared: &ClusterCore) -> Result<UidPolicy, Fault> {
    let mut statements = Statements::default();
    statements.add("select kind, first, last from gx.uid_policy", Vec::new());
    let rows = shared.served[0].others.ask(&statements).await?;
    Ok(rows.iter().flatten().next().map(policy).transpose()?.unwrap_or_default())
}

/// Agrees with the cluster whose numbers uids are: as it has it, or from now on as this process is told if nobody else serves. It
/// must have said that it serves before.
pub(super) async fn agree_on_uids(
    shared: &Arc<ClusterCore>,
    asked: Option<UidPolicy>,
) -> Result<UidPolicy, ClusterError> {
    let told = |error: Error| ClusterError::Terms(error.to_string());
    let is_empty = !is_used(shared).await.map_err(|fault| told(fault.told()))?;
    let look = |statements: &mut Statements| {
        statements.add(READ, Vec::new());
        statements.add(OTHERS, vec![term(shared.process)]);
    };
    let decide = |rows: &[Vec<Row>]| {
        let standing =
            rows.first().and_then(|rows| rows.first()).map(policy).transpose().map_err(Fault::told)?;
        let others = rows.get(1).and_then(|rows| rows.first()).map_or(0, |row| row.get::<_, i64>(0));
        let stands = standing.unwrap_or_default();
        let wanted = asked.unwrap_or(stands);
        let mut changes = Statements::default();
        if standing == Some(wanted) {
            return Ok((changes, Agreed::On(wanted)));
        }
        if stands != wanted && standing.is_some() && others > 0 {
            return Ok((changes, Agreed::OthersServe(stands)));
        }
        if !stands.may_become(wanted, is_empty) {
            return Ok((changes, Agreed::Stands(stands)));
        }
        let (kind, ends) = match wanted {
            UidPolicy::Both => ("both", None),
            UidPolicy::Foreign => ("foreign", None),
            UidPolicy::Minted(range) => ("minted", Some(range.ends())),
        };
        let end = |end: Option<u64>| term(end.map(u64::cast_signed));
        changes.add(PUT, vec![term(kind), end(ends.map(|ends| ends.0)), end(ends.map(|ends| ends.1))]);
        Ok((changes, Agreed::On(wanted)))
    };
    match in_first(shared, look, decide).await.map_err(told)? {
        Agreed::On(policy) => Ok(policy),
        Agreed::OthersServe(stands) => Err(ClusterError::Terms(format!(
            "other processes serve the cluster with uids that are {}: set `uids` of this one alike or not at all, or end all \
             of them first",
            named(stands)
        ))),
        Agreed::Stands(stands) => Err(ClusterError::Terms(format!(
            "the uids of the cluster are {}, and it has users: only one without gets a range of minted ones, or another one; \
             set `uids` alike or not at all",
            named(stands)
        ))),
    }
}

/// Whether anything was ever written.
async fn is_used(shared: &ClusterCore) -> Result<bool, Fault> {
    for database in &shared.served {
        let mut statements = Statements::default();
        statements.add(IS_USED, Vec::new());
        let rows = database.others.ask(&statements).await?;
        if rows.iter().flatten().any(|row| row.get(0)) {
            return Ok(true);
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
