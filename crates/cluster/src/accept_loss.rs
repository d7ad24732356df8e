//! The way back for a database that lost its newest commits and for which there is no copy that has them.
//!
//! Its logs go on beyond every event that anybody has seen, so that no new event is taken for a lost one; what is below is trimmed,
//! so that readers of logs begin anew. What other databases derived from the lost events is compared with the facts that are left,
//! and mended, by the process that keeps house.

use crate::claim::alone;
use crate::map::GeneMap;
use crate::rows::{gene, number};
use crate::shard_map;
use guanxi_model::Gene;
use guanxi_postgres::DatabaseError;
use guanxi_postgres::Databases;
use guanxi_postgres::{PgSession, Statements, Term, term};
use std::collections::BTreeMap;

/// By how many numbers logs go on beyond the last event that a database has applied: more than processes and tokens have seen that no
/// database has applied. Within a second a log has thousands of events at most.
const BEYOND: u64 = 1 << 20;

const MARKS: &str = "select source, seq from gx.applied where source = any($1)";

const LOCK: &str = "select gene, seq from gx.shard where gene = any($1) order by gene for update";

const BEGIN_ANEW: &str = "update gx.shard s set seq = v.seq, first_seq = v.seq + 1 \
    from unnest($1::smallint[], $2::bigint[]) as v(gene, seq) where s.gene = v.gene";

const TRIM: &str =
    "delete from gx.log t using gx.shard s where s.gene = $1 and t.gene = s.gene and t.seq < s.first_seq";

const RAISE: &str = "update gx.applied a set seq = v.seq, version = null \
    from unnest($1::smallint[], $2::bigint[]) as v(source, seq) where a.source = v.source and a.seq < v.seq";

const REBUILD: &str = "insert into gx.rebuild as r (source, upto) select * from unnest($1::smallint[], $2::bigint[]) \
    on conflict (source) do update set upto = greatest(r.upto, excluded.upto)";

/// The events that shards waited for are compared with the facts, too.
const BEHIND: &str = "delete from gx.held t \
    using (select * from unnest($1::smallint[], $2::bigint[]) limit cardinality($1)) as v(source, seq) \
    where t.source = v.source";

/// What was given out and lost by the first database: numbers of processes, and of changes of credentials. Processes read all
/// credentials anew.
const NUMBERS: &str = "select setval('gx.process', (select last_value from gx.process) + $1)";
const CREDENTIALS: &str = "update gx.credential_state set change = change + $1, forgotten = change + $1";

/// What was done about a loss.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LossReport {
    /// Logs of the database, all of which begin anew.
    pub logs: u64,
    /// Those of them of which another database has applied events that are lost.
    pub logs_lost: u64,
    /// Events that another database has applied and that are lost.
    pub events_lost: u64,
}

/// Accepts that a database lost its newest commits: it can be served from again. A repetition does the same once more, and harms
/// nothing.
///
/// # Errors
/// When a database cannot be asked, no database has the name, or another process lays out the cluster.
pub async fn accept_loss(databases: &Databases, name: &str) -> Result<LossReport, DatabaseError> {
    let map = shard_map(databases).await?;
    let genes = GeneMap::new(&map, databases)?;
    let all = databases.all();
    let Some(database) = all.iter().position(|database| database.name() == name) else {
        let named: Vec<&str> = all.iter().map(crate::Database::name).collect();
        let known = named.join(", ");
        return Err(DatabaseError::Terms(format!("no database is named `{name}`: there are {known}")));
    };
    let (mut held, mut sessions) = (Vec::new(), Vec::new());
    for database in all {
        held.push(alone(database).await?);
        sessions.push(PgSession::open(database).await?);
    }
    let logs: Vec<i16> = genes.genes(database).map(|gene| gene.0.into()).collect();
    let mut applied: BTreeMap<Gene, u64> = BTreeMap::new();
    for session in &sessions {
        for (log, seq) in ends(session, MARKS, &logs).await? {
            let known = applied.entry(log).or_default();
            *known = seq.max(*known);
        }
    }
    let (report, begins) = begin_anew(&sessions[database], &logs, &applied).await?;
    for session in &sessions {
        session.run("begin").await?;
        for sql in [RAISE, REBUILD, BEHIND] {
            session.ask(&Statements::one(sql, terms(&begins))).await?;
        }
        session.run("commit").await?;
    }
    if database == 0 {
        sessions[0].rows(NUMBERS, &[term(BEYOND.cast_signed())]).await?;
        sessions[0].rows(CREDENTIALS, &[term(BEYOND.cast_signed())]).await?;
    }
    Ok(report)
}

/// Has the logs of the database begin anew; returns where.
async fn begin_anew(
    session: &PgSession,
    logs: &[i16],
    applied: &BTreeMap<Gene, u64>,
) -> Result<(LossReport, BTreeMap<Gene, u64>), DatabaseError> {
    session.run("begin").await?;
    let mut report = LossReport::default();
    let mut begins = BTreeMap::new();
    for (log, seq) in ends(session, LOCK, logs).await? {
        let applied = applied.get(&log).copied().unwrap_or_default();
        let lost = applied.saturating_sub(seq);
        report.logs += 1;
        report.logs_lost += u64::from(lost > 0);
        report.events_lost += lost;
        begins.insert(log, seq.max(applied) + BEYOND);
    }
    session.ask(&Statements::one(BEGIN_ANEW, terms(&begins))).await?;
    session.run("commit").await?;
    for log in logs {
        session.rows(TRIM, &[term(*log)]).await?;
    }
    Ok((report, begins))
}

/// Numbers of logs as a statement tells them.
async fn ends(
    session: &PgSession,
    sql: &'static str,
    logs: &[i16],
) -> Result<Vec<(Gene, u64)>, DatabaseError> {
    let rows = session.rows(sql, &[term(logs.to_vec())]).await?;
    let end = |row: &tokio_postgres::Row| Ok((gene(row, 0)?, number(row, 1)));
    let ends = rows.iter().map(end).collect::<Result<Vec<_>, guanxi_postgres::Fault>>();
    ends.map_err(|fault| session.problem(fault.to_string()))
}

fn terms(begins: &BTreeMap<Gene, u64>) -> Vec<Term> {
    let (logs, seqs): (Vec<i16>, Vec<i64>) =
        begins.iter().map(|(log, seq)| (i16::from(log.0), seq.cast_signed())).unzip();
    vec![term(logs), term(seqs)]
}
