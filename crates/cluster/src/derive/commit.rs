//! One transaction that applies events of many logs, and moves their marks.

use super::Marks;
use super::marks::{AppliedMarks, lock_marks, put_marks, read_locked};
use super::source::SourceRead;
use crate::rows::{
    BEGIN_SOON, Rows, UserStanding, fetch_derived, fetch_derived_of_posts, not_fetched, put_changes,
    put_standings,
};
use crate::store::{ClusterCore, lock_free_rows, lock_rows};
use guanxi_model::{Change, Gene};
use guanxi_postgres::{Connection, Fault, Statements, term};
use guanxi_shard::apply::{self, AppliedMark, Arriving};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Events that were trimmed before they were applied are noted in the commit that passes over them.
const REBUILD: &str = "insert into gx.rebuild as r (source, upto) \
    select * from unnest($1::smallint[], $2::bigint[]) \
    on conflict (source) do update set upto = greatest(r.upto, excluded.upto)";

/// Which events a transaction applies.
#[derive(Clone, Copy, Debug)]
pub(super) enum Pass<'a> {
    /// Those beyond the marks. It waits for a moment for the rows of shards.
    Next,
    /// The same, for shards whose rows no other session holds. The others are behind from then on.
    NextOfFree,
    /// Those that some shards wait for which are behind.
    Behind(&'a BTreeSet<Gene>),
}

/// Applies what was read, but for what somebody else has applied meanwhile.
pub(super) async fn commit(
    shared: &Arc<ClusterCore>,
    connection: &Connection,
    (pass, applied): (Pass<'_>, &AppliedMarks),
    read: &mut BTreeMap<Gene, SourceRead>,
) -> Result<(), Fault> {
    let begin = if matches!(pass, Pass::NextOfFree) { "begin" } else { BEGIN_SOON };
    let before = read_locked(&lock_marks(read.keys()).send(connection, begin, "").await?)?;
    let mut after = before.clone();
    let mut arriving = Vec::new();
    for (source, mark) in &mut after {
        let Some(read) = read.get_mut(source) else { continue };
        arriving.extend(match pass {
            Pass::Next | Pass::NextOfFree => next(mark, read),
            Pass::Behind(targets) => behind(mark, read, targets),
        });
    }
    let (mut changes, mut heads) = (Statements::default(), Marks::new());
    if let Some(mut rows) = lock(shared, connection, pass, (&mut arriving, &mut after)).await? {
        derive(shared, connection, &mut rows, arriving).await?;
        heads = rows.shards.changed().map(|(gene, row)| (gene, row.seq)).collect();
        changes = put_changes(&rows);
    }
    let standings: Vec<UserStanding> = read.values().flat_map(|read| &read.standings).copied().collect();
    put_standings(&standings, &mut changes);
    put_marks(&before, &after, &mut changes);
    let trimmed = read.iter().filter_map(|(source, read)| Some((source, read.trimmed?)));
    let (sources, seqs): (Vec<i16>, Vec<i64>) =
        trimmed.map(|(source, seq)| (i16::from(source.0), seq.cast_signed())).unzip();
    if !sources.is_empty() {
        changes.add(REBUILD, vec![term(sources), term(seqs)]);
    }
    changes.send(connection, "", "commit").await?;
    heads.into_iter().for_each(|(gene, seq)| shared.note_wrote(gene, seq));
    after.into_iter().for_each(|(source, mark)| applied.note(source, mark));
    Ok(())
}

/// Moves a mark over what was read behind it. Returns the events to apply.
fn next(mark: &mut AppliedMark, read: &mut SourceRead) -> Vec<Arriving> {
    read.trimmed = read.trimmed.filter(|trimmed| *trimmed > mark.seq);
    let mut arriving: Vec<Arriving> = read.arriving().collect();
    arriving.retain(|one| mark.is_next(one.other.gene(), one.event.at.seq()));
    mark.pass(read.upto, read.versions.0);
    arriving
}

/// Brings shards on that are behind a mark, by what was read for them. Returns the events to apply.
fn behind(mark: &mut AppliedMark, read: &mut SourceRead, targets: &BTreeSet<Gene>) -> Vec<Arriving> {
    let due = mark.due(targets, read.after);
    read.trimmed = read.trimmed.filter(|trimmed| due.first().is_some_and(|first| *trimmed >= first));
    mark.bring_on(&due, read.upto);
    read.arriving().filter(|one| due.contains(one.other.gene(), one.event.at.seq())).collect()
}

/// Locks the shards that events concern. Those that others hold are behind from then on, where the pass says so. Returns none if no
/// event is left.
async fn lock(
    shared: &Arc<ClusterCore>,
    connection: &Connection,
    pass: Pass<'_>,
    (arriving, marks): (&mut Vec<Arriving>, &mut BTreeMap<Gene, AppliedMark>),
) -> Result<Option<Rows>, Fault> {
    let genes: BTreeSet<Gene> = arriving.iter().map(|one| one.other.gene()).collect();
    if genes.is_empty() {
        return Ok(None);
    }
    let moved = || Fault::Away("a shard is moving".to_owned());
    if !matches!(pass, Pass::NextOfFree) {
        return Ok(Some(lock_rows(shared, connection, "", &genes).await?.ok_or_else(moved)?));
    }
    let (rows, held) = lock_free_rows(shared, connection, &genes).await?.ok_or_else(moved)?;
    for one in arriving.iter().filter(|one| held.contains(&one.other.gene())) {
        if let Some(mark) = marks.get_mut(&Gene(one.event.at.log().0)) {
            mark.hold(one.other.gene(), one.event.at.seq());
        }
    }
    arriving.retain(|one| !held.contains(&one.other.gene()));
    Ok(Some(rows).filter(|_| !arriving.is_empty()))
}

/// Changes the rows of locked shards by what events tell.
async fn derive(
    shared: &Arc<ClusterCore>,
    connection: &Connection,
    rows: &mut Rows,
    arriving: Vec<Arriving>,
) -> Result<(), Fault> {
    fetch(connection, rows, &arriving).await?;
    let now_ms = shared.clock.now_ms();
    for one in arriving {
        apply::derive(rows, one, now_ms).map_err(not_fetched)?;
    }
    Ok(())
}

/// Fetches the rows that events change.
pub(super) async fn fetch(
    connection: &Connection,
    rows: &mut Rows,
    arriving: &[Arriving],
) -> Result<(), Fault> {
    let pairs = arriving.iter().filter(|one| matches!(one.event.change, Change::Pair { .. }));
    let pairs: Vec<_> = pairs.map(|one| ((one.other, one.event.subject), apply::parts(&one.event))).collect();
    fetch_derived(connection, rows, pairs).await?;
    let likes = arriving.iter().filter_map(|one| match one.event.change {
        Change::Liked { id, .. } | Change::Unliked { id, .. } => Some((id, one.event.subject)),
        _ => None,
    });
    let references = arriving.iter().filter_map(|one| one.post.map(|post| (post.original, post.id)));
    fetch_derived_of_posts(connection, rows, likes, references).await
}
