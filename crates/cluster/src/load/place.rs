//! The target of a load: a cluster that has nothing yet, or is half filled from the same dump. No other process writes
//! to it meanwhile.

use super::{LoadError, WholeCluster};
use crate::claim::alone;
use crate::fit::unfit;
use crate::map::GeneMap;
use crate::rows::ShardRow;
use crate::shard_map;
use guanxi_model::{Gene, HistoryId};
use guanxi_postgres::DatabaseError;
use guanxi_postgres::Databases;
use guanxi_postgres::{PgSession, term};
use guanxi_rows::DumpHeader;

/// A writer needs its shard open, and leaves a row of its own.
const USED: &str = "select exists (select from gx.shard where seq > 0) or exists (select from gx.follow) \
    or exists (select from gx.account) or exists (select from gx.post) or exists (select from gx.user_state) \
    or exists (select from gx.session) or exists (select from gx.contact_claim)";
/// Every write moves a log.
const WRITTEN: &str = "select exists (select from gx.shard s \
    join unnest($1::smallint[], $2::bigint[]) as v(gene, seq) on v.gene = s.gene where s.seq > v.seq)";
const LOADED: &str = "select dump, loaded, done_at is not null from gx.load";
const CLOSE: &str = "with closed as (update gx.shard s set writable = false, seq = v.seq, stamp = $3 \
    from unnest($1::smallint[], $2::bigint[]) as v(gene, seq) where s.gene = v.gene), \
    applied as (update gx.applied a set seq = v.seq, version = null from unnest($1::smallint[], $2::bigint[]) as v(gene, seq) \
    where a.source = v.gene) insert into gx.load (dump, base, loaded) values ($4, $5, 0)";

/// A cluster that is being filled.
pub(super) struct LoadPlace {
    /// Which.
    pub history: HistoryId,
    pub genes: GeneMap,
    /// A lock of each database, and up to which row of the dump it is filled.
    pub databases: Vec<(PgSession, u64)>,
}

impl LoadPlace {
    /// Takes a cluster.
    ///
    /// # Errors
    /// That it holds something, or is being filled from another dump or by somebody else.
    pub(super) async fn take(
        databases: &Databases,
        header: &DumpHeader,
        whole: WholeCluster,
    ) -> Result<Self, LoadError> {
        let map = shard_map(databases).await?;
        if !map.is_done {
            let text = "laying out the cluster did not end: run `guanxi cluster init` again";
            return Err(DatabaseError::Terms(text.to_owned()).into());
        }
        let genes = GeneMap::new(&map, databases)?;
        let mut sessions = Vec::new();
        for database in databases.all() {
            let (held, session) = (alone(database).await?, PgSession::open(database).await?);
            if let Some(problem) = unfit(&session, map.history, database.name()).await? {
                return Err(session.problem(problem).into());
            }
            let loaded = loaded(&session, database.name(), header).await?;
            sessions.push((held, session, loaded));
        }
        if sessions.iter().all(|(_, _, loaded)| *loaded == Some(u64::MAX)) {
            for ((_, session, _), database) in sessions.iter().zip(databases.all()) {
                if whole == WholeCluster::Refuse || is_written(session, header).await? {
                    return Err(LoadError::NotEmpty(database.name().to_owned()));
                }
            }
        }
        // All of them are ours before the first one is changed.
        let mut filled = Vec::new();
        for (held, session, loaded) in sessions {
            if loaded.is_none() {
                close(&session, header).await?;
            }
            filled.push((held, loaded.unwrap_or(0)));
        }
        Ok(Self { history: map.history, genes, databases: filled })
    }
}

/// Returns up to which row of the dump a database is filled, if it has begun to be.
async fn loaded(session: &PgSession, name: &str, header: &DumpHeader) -> Result<Option<u64>, LoadError> {
    let rows = session.rows(LOADED, &[]).await?;
    let Some(row) = rows.first() else {
        let used = session.rows(USED, &[]).await?;
        let is_used = used.first().is_some_and(|row| row.get(0));
        return if is_used { Err(LoadError::NotEmpty(name.to_owned())) } else { Ok(None) };
    };
    let (dump, is_done): (String, bool) = (row.get(0), row.get(2));
    match (dump == name_of(header), is_done) {
        // Of some databases it may be done, and of others not yet.
        (true, true) => Ok(Some(u64::MAX)),
        (true, false) => Ok(Some(row.get::<_, i64>(1).cast_unsigned())),
        (false, true) => Err(LoadError::NotEmpty(name.to_owned())),
        (false, false) => Err(LoadError::OtherDump { database: name.to_owned(), dump }),
    }
}

/// Returns whether somebody has written to a database since it was filled.
async fn is_written(session: &PgSession, header: &DumpHeader) -> Result<bool, LoadError> {
    let (genes, seqs) = seqs(header);
    let rows = session.rows(WRITTEN, &[term(genes), term(seqs)]).await?;
    Ok(rows.first().is_some_and(|row| row.get(0)))
}

/// Genes, and where their logs begin, as columns have them.
fn seqs(header: &DumpHeader) -> (Vec<i16>, Vec<i64>) {
    shards(header).map(|(gene, row)| (i16::from(gene.0), row.seq.cast_signed())).unzip()
}

async fn close(session: &PgSession, header: &DumpHeader) -> Result<(), LoadError> {
    let (genes, seqs) = seqs(header);
    let clock = header.clock.raw().cast_signed();
    let base = header.logs.as_ref().map_or(header.seq, |logs| logs.base).cast_signed();
    let terms = [term(genes), term(seqs), term(clock), term(name_of(header)), term(base)];
    session.rows(CLOSE, &terms).await?;
    Ok(())
}

/// Returns where the shards stand in which a dump begins.
pub(super) fn shards(header: &DumpHeader) -> impl Iterator<Item = (Gene, ShardRow)> {
    let seq = |gene: u8| {
        let logs = header.logs.as_ref().and_then(|logs| logs.seqs.get(usize::from(gene)).copied());
        logs.unwrap_or(header.seq)
    };
    (0..=u8::MAX)
        .map(move |gene| (Gene(gene), ShardRow { seq: seq(gene), stamp: header.clock, post_high: 0 }))
}

/// Returns what a dump is known by.
fn name_of(header: &DumpHeader) -> String {
    let DumpHeader { history, seq, clock, .. } = header;
    format!("{:016x}, event {seq}, clock {}", history.0, clock.raw())
}
