//! Databases that lost their newest commits, as after a fail-over to an asynchronous standby, or when an older copy took their place.
//!
//! Such a database is found by its logs. Each database notes how far it has applied each log, and the version of the last of these
//! events; each process knows how far it has seen each log. A log that ends before that lost events. A log that has another event
//! at that place lost events and was written on.

use crate::rows::{column_of, gene, number};
use guanxi_model::Gene;
use guanxi_postgres::{Fault, Statements, term};
use std::collections::BTreeMap;
use tokio_postgres::Row;

/// Up to where a database has applied logs; nothing of one that is being filled from a dump.
const MARKS: &str = "select source, seq, version from gx.applied \
    where source = any($1) and not exists (select from gx.load where done_at is null) order by source";

/// Where logs end, and which events they have at some places, as far as these are not trimmed.
const ENDS: &str = "select k.gene, k.seq, s.seq, t.version \
    from unnest($1::smallint[], $2::bigint[]) as k(gene, seq) \
    cross join lateral (select * from gx.shard s where s.gene = k.gene limit 1) s \
    left join lateral (select * from gx.log t where t.gene = k.gene and t.seq = k.seq limit 1) t \
    on t.seq >= s.first_seq";

/// An event of a log that somebody has seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SeenEvent {
    /// The log.
    pub log: Gene,
    /// Its number.
    pub seq: u64,
    /// Its version, if that is known.
    pub version: Option<i64>,
    /// Who has seen it, as the subject of "has seen".
    pub by: String,
}

/// The question where the logs of a database stand of which events were seen.
pub(crate) fn question(seen: &[SeenEvent]) -> Statements {
    let logs = column_of!(seen, seen => i16::from(seen.log.0));
    Statements::one(ENDS, vec![logs, column_of!(seen, seen => seen.seq.cast_signed())])
}

/// Returns what a database lost, by its answer; nothing if it has every event that was seen.
pub(crate) fn lost(database: &str, seen: &[SeenEvent], answer: &[Row]) -> Result<Option<String>, Fault> {
    let mut ends = BTreeMap::new();
    for row in answer {
        ends.insert((gene(row, 0)?, number(row, 1)), (number(row, 2), row.get::<_, Option<i64>>(3)));
    }
    let lost = seen.iter().find_map(|SeenEvent { log, seq, version, by }| {
        let (end, found) = *ends.get(&(*log, *seq))?;
        if end < *seq {
            return Some(format!("log {:02x} ends with event {end}, and {by} has seen event {seq}", log.0));
        }
        let differs = version.zip(found).is_some_and(|(seen, found)| seen != found);
        differs.then(|| rewritten(*log, *seq, by))
    });
    Ok(lost.map(|lost| problem(database, &lost)))
}

/// The question what a database has applied of some logs.
pub(crate) fn marks(logs: impl IntoIterator<Item = Gene>) -> Statements {
    let logs: Vec<i16> = logs.into_iter().map(|gene| gene.0.into()).collect();
    Statements::one(MARKS, vec![term(logs)])
}

/// Reads its answer.
pub(crate) fn seen_by(database: &str, answer: &[Row]) -> Result<Vec<SeenEvent>, Fault> {
    let seen = |row: &Row| {
        let by = format!("database `{database}`");
        Ok(SeenEvent { log: gene(row, 0)?, seq: number(row, 1), version: row.get(2), by })
    };
    answer.iter().map(seen).filter(|seen| seen.as_ref().map_or(true, |seen| seen.seq > 0)).collect()
}

/// Says that a log has another event than one that was seen.
pub(crate) fn rewritten(log: Gene, seq: u64, by: &str) -> String {
    format!("event {seq} of log {:02x} is another one than {by} has seen", log.0)
}

/// Says what is wrong with a database that lost something, and what to do.
pub(crate) fn problem(database: &str, lost: &str) -> String {
    format!(
        "it lost its newest commits: {lost}; put a copy in its place that has them, or accept the loss with \
         `guanxi cluster accept-loss {database}`"
    )
}
