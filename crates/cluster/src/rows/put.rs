//! Writing where logs stand, and the events that a batch adds to them.

use super::columns::{column, column_of, stamp_column};
use super::{
    Peer, Rows, answers, external_ids, feed, groups, posts, relations, sessions, settings, suggestions,
    users, waiting,
};
use guanxi_model::stored::encode_event;
use guanxi_model::{Change, Event};
use guanxi_postgres::{Statements, term};

const LOG: &str = "insert into gx.log \
    (gene, seq, version, subject, object, change, detail, peer, origin, origin_seq, request, cooling_ms, edge_version, end_version, place, writer, original) \
    select * from unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::smallint[], $7::bytea[], $8::smallint[], $9::smallint[], $10::bigint[], \
    $11::bigint[], $12::bigint[], $13::bigint[], $14::bigint[], $15::bigint[], \
    $16::bigint[], $17::bigint[])";
const SHARDS: &str = "update gx.shard s set seq = v.seq, stamp = v.stamp, post_high = v.post_high \
    from (select * from unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::bigint[]) \
    limit cardinality($1)) as v(gene, seq, stamp, post_high) where s.gene = v.gene";

/// Everything that rows have changed; nothing if they have changed nothing.
pub(crate) fn put_changes(rows: &Rows) -> Statements {
    put(rows, None)
}

/// Everything that a batch of writes of a process has changed. The last event that it logs names the process, which may have to
/// find out whether the batch was committed.
pub(crate) fn put_batch(batch: &Rows, process: i64) -> Statements {
    put(batch, Some(process))
}

fn put(batch: &Rows, writer: Option<i64>) -> Statements {
    let mut statements = Statements::default();
    relations::put_relations(batch, &mut statements);
    waiting::put_waiting(batch, &mut statements);
    groups::put_groups(batch, &mut statements);
    suggestions::put_suggestions(batch, &mut statements);
    posts::put_posts(batch, &mut statements);
    feed::put_feed(batch, &mut statements);
    answers::put_answers(batch, &mut statements);
    users::put_accounts(batch, &mut statements);
    sessions::put_sessions(batch, &mut statements);
    external_ids::put_external_ids(batch, &mut statements);
    settings::put_settings(batch, &mut statements);
    put_events(batch, writer, &mut statements);
    put_shards(batch, &mut statements);
    statements
}

fn put_events(batch: &Rows, writer: Option<i64>, statements: &mut Statements) {
    let rows = batch.shards.events();
    if rows.is_empty() {
        return;
    }
    let details: Vec<Vec<u8>> = rows.iter().map(|row| encode_event(&row.event)).collect();
    // The first byte says what changed; its highest bit only that two are friends by it.
    let codes: Vec<i16> =
        details.iter().map(|detail| detail.first().map_or(0, |tag| i16::from(tag & 0x7f))).collect();
    let mut writers = vec![None; rows.len()];
    if let Some(last) = writers.last_mut() {
        *last = writer;
    }
    statements.add(
        LOG,
        vec![
            column_of!(rows, row => i16::from(row.event.at.log().0)),
            column_of!(rows, row => row.event.at.seq().cast_signed()),
            column_of!(rows, row => stamp_column(row.event.version)),
            column_of!(rows, row => column(row.event.subject)),
            column_of!(rows, row => object_of(&row.event)),
            term(codes),
            term(details),
            column_of!(rows, row => row.peer.map(Peer::column)),
            column_of!(rows, row => row.event.echo.map(|origin| i16::from(origin.log().0))),
            column_of!(rows, row => row.event.echo.map(|origin| origin.seq().cast_signed())),
            column_of!(rows, row => row.told.request.map(stamp_column)),
            column_of!(rows, row => row.told.cooling_ms.map(u64::cast_signed)),
            column_of!(rows, row => row.told.edge.map(stamp_column)),
            column_of!(rows, row => row.told.end.map(stamp_column)),
            column_of!(rows, row => row.told.place.map(stamp_column)),
            term(writers),
            column_of!(rows, row => row.original_column().map(u64::cast_signed)),
        ],
    );
}

fn put_shards(batch: &Rows, statements: &mut Statements) {
    let rows: Vec<_> = batch.shards.changed().collect();
    if rows.is_empty() {
        return;
    }
    statements.add(
        SHARDS,
        vec![
            column_of!(rows, (home, _) => i16::from(home.0)),
            column_of!(rows, (_, row) => row.seq.cast_signed()),
            column_of!(rows, (_, row) => stamp_column(row.stamp)),
            column_of!(rows, (_, row) => row.post_high.cast_signed()),
        ],
    );
}

/// Returns what an event is about beside its subject.
fn object_of(event: &Event) -> Option<i64> {
    match event.change {
        Change::Pair { object, .. } => Some(column(object)),
        Change::Post { id, .. } | Change::Liked { id, .. } | Change::Unliked { id, .. } => {
            Some(id.get().cast_signed())
        }
        _ => None,
    }
}
