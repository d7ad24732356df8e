//! A logical dump of a cluster, written while it serves.
//!
//! It is of one [moment] of all databases, and has the rows that a dump of a directory has. What it reads are
//! facts; they are sorted, since every database has its own order, and what follows from them is made anew.

mod merge;
mod moment;
mod tables;

use crate::store::ClusterCore;
use futures_util::TryStreamExt as _;
use guanxi_model::{Error, Gene, LogMark, Logs, Position, Reason, Result, Stamp};
use guanxi_ports::Progress;
use guanxi_postgres::DatabaseError;
use guanxi_postgres::PgSession;
use guanxi_rows::layout::{FORMAT_VERSION, IDS_KEY, encode_number};
use guanxi_rows::{DUMPED_LOGS, DumpHeader, DumpWriter, LogHeads};
use merge::{DumpMeter, DumpRows};
use moment::DumpMoment;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use tables::{DumpRowError, DumpedTable, everywhere, in_first};

/// Rows that there are about, as the server's statistics have it.
const ESTIMATE: &str = "select coalesce(sum(greatest(c.reltuples, 0)), 0)::bigint from pg_class c \
    where c.oid in ('gx.follow'::regclass, 'gx.block'::regclass, 'gx.mute'::regclass, 'gx.user_state'::regclass, \
    'gx.account'::regclass, 'gx.post'::regclass, 'gx.liked'::regclass)";

/// Writes a dump, and answers where it stands. Sorted files are made in the system's directory for temporary ones.
pub(crate) async fn dump(
    shared: &Arc<ClusterCore>,
    sink: &mut (dyn io::Write + '_),
    progress: &mut (dyn FnMut(Progress) + '_),
) -> Result<Position> {
    let moment = DumpMoment::open(shared.databases()).await.map_err(not_read)?;
    let mut meter = DumpMeter { now: Progress { done: 0, total: 0 }, tell: progress };
    for snapshot in &moment.snapshots {
        let rows = snapshot.rows(ESTIMATE, &[]).await.map_err(not_read)?;
        // Each is read, and written.
        meter.now.total += rows.first().map_or(0, |row| row.get::<_, i64>(0).cast_unsigned()) * 2;
    }
    let mut rows = DumpRows::new(&std::env::temp_dir());
    let high = moment.shards.iter().map(|shard| shard.post_high.cast_unsigned()).max().unwrap_or(0);
    rows.record(IDS_KEY, encode_number(high).to_vec()).map_err(|error| not_written(&error))?;
    for (database, snapshot) in moment.snapshots.iter().enumerate() {
        let first = in_first().filter(|_| database == 0);
        for table in everywhere().chain(first) {
            read(snapshot, table, &mut rows, &mut meter).await?;
        }
    }
    let (header, position) = header(shared, &moment);
    let write = || {
        let mut out = DumpWriter::new(sink, &header)?;
        rows.write(&mut out, &mut meter)?;
        out.finish()
    };
    write().map_err(|error| not_written(&error))?;
    (meter.tell)(Progress { done: meter.now.done, total: meter.now.done });
    Ok(position)
}

async fn read(
    snapshot: &PgSession,
    table: &DumpedTable,
    rows: &mut DumpRows,
    meter: &mut DumpMeter<'_>,
) -> Result<()> {
    let stream = snapshot.stream(table.question).await.map_err(not_read)?;
    let mut stream = pin!(stream);
    loop {
        let row = stream.try_next().await.map_err(|error| not_read(snapshot.failed(&error)))?;
        let Some(row) = row else { return Ok(()) };
        (table.take)(&row, rows).map_err(|error| match error {
            DumpRowError::Row(fault) => fault.told(),
            DumpRowError::Kept(error) => not_written(&error),
        })?;
        meter.row();
    }
}

/// Returns where the dump stands.
fn header(shared: &Arc<ClusterCore>, moment: &DumpMoment) -> (DumpHeader, Position) {
    let mut seqs = vec![0; DUMPED_LOGS];
    let mut marks = Vec::with_capacity(DUMPED_LOGS);
    for shard in &moment.shards {
        let seq = shard.seq.cast_unsigned();
        if let Ok(gene) = u8::try_from(shard.gene) {
            seqs[usize::from(gene)] = seq;
            marks.push((Logs::PerGene.of_gene(Gene(gene)), LogMark { seen: seq, acted: 0 }));
        }
    }
    let clock = moment.shards.iter().map(|shard| shard.stamp.cast_unsigned()).max().unwrap_or(0);
    let header = DumpHeader {
        layout: FORMAT_VERSION,
        history: shared.terms.history,
        seq: seqs.iter().copied().max().unwrap_or(0),
        clock: Stamp::from_raw(clock),
        logs: Some(LogHeads { base: moment.base.cast_unsigned(), seqs }),
    };
    (header, Position::sparse(shared.terms.history, marks))
}

fn not_read(error: DatabaseError) -> Error {
    Error::with_detail(Reason::SHARD_UNAVAILABLE, error)
}

fn not_written(error: &io::Error) -> Error {
    Error::with_detail(Reason::Internal, format!("the dump cannot be written: {error}"))
}
