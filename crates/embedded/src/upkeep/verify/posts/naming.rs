//! Naming wrong rows: those of differing posts and cells are read again and looked up on the other side.

use super::{Counted, counted};
use crate::engine::{EngineResult, Table};
use crate::layout::{
    LIKE, LIKE_TIME, decode_header, decode_stamp, like_key, like_time_key, of_post_key, outbox_key,
    parse_like_key, parse_like_time_key, post_key,
};
use crate::progress::ProgressMeter;
use crate::upkeep::verify::cells::ComparedCells;
use crate::upkeep::verify::findings::Findings;
use crate::upkeep::verify::source;
use crate::view::View;
use guanxi_model::{Edge, PostId, Uid};
use guanxi_ports::DifferenceKind;
use std::collections::{BTreeMap, HashSet};

/// Differing cells of parents that are counted at a time: a 64th of all parents is held.
const CELLS_AT_ONCE: usize = 1_024;

/// Names the likes of a post that stand on one side only.
pub(super) fn likes(view: &View, raw: u64, author: Option<Uid>, findings: &mut Findings) -> EngineResult<()> {
    let Ok(id) = PostId::new(raw) else { return Ok(()) };
    let (snapshot, object) = (&view.snapshot, author.map(Uid::get));
    for row in snapshot.prefix(Table::Records, &of_post_key(LIKE, id)) {
        let (key, value) = row?;
        let Some(((_, uid), at)) = parse_like_key(&key).zip(decode_stamp(&value)) else { continue };
        if !snapshot.contains(Table::Records, &like_time_key(id, Edge { at, uid }))? {
            findings.add(DifferenceKind::LikeUnlisted, Some(uid.get()), object, || {
                format!("post {id}: liked at {at:?}, and not listed so")
            });
        }
    }
    for row in snapshot.prefix(Table::Records, &of_post_key(LIKE_TIME, id)) {
        let Some((_, edge)) = parse_like_time_key(&row?.0) else { continue };
        let like = snapshot.get(Table::Records, &like_key(id, edge.uid))?;
        if like.and_then(|bytes| decode_stamp(&bytes)) != Some(edge.at) {
            findings.add(DifferenceKind::LikeMissing, Some(edge.uid.get()), object, || {
                format!("post {id}: listed at {:?}, and not liked so", edge.at)
            });
        }
    }
    Ok(())
}

/// Names posts that are in no outbox, and places in outboxes without a post.
pub(super) fn outboxes(
    view: &View,
    cells: &ComparedCells,
    findings: &mut Findings,
    meter: &mut ProgressMeter<'_>,
) -> EngineResult<()> {
    let wanted: HashSet<u16> = cells.differing().into_iter().collect();
    if wanted.is_empty() {
        return Ok(());
    }
    let is_wanted = |author: Uid, id: PostId| wanted.contains(&cells.of(author.get(), id.get()));
    let mut posts = source::posts(&view.snapshot)?;
    while let Some(post) = next(&mut posts, meter)? {
        let Some(header) = post.map(|post| post.header).filter(|header| is_wanted(header.author, header.id))
        else {
            continue;
        };
        if !view.snapshot.contains(Table::Outbox, &outbox_key(header.author, header.id))? {
            findings.add(DifferenceKind::OutboxMissing, Some(header.author.get()), None, || {
                format!("post {} is not in the outbox of its author", header.id)
            });
        }
    }
    let mut places = source::outboxes(&view.snapshot)?;
    while let Some(author) = places.of() {
        let Some(id) = next(&mut places, meter)? else { break };
        let Ok(author) = Uid::new(author) else { continue };
        if is_wanted(author, id) && !is_by(view, id, author)? {
            findings.add(DifferenceKind::PostMissing, Some(author.get()), None, || {
                format!("the outbox has post {id}, which the author did not write")
            });
        }
    }
    Ok(())
}

/// Returns whether a post is by an author. One that cannot be decoded is named as such.
fn is_by(view: &View, id: PostId, author: Uid) -> EngineResult<bool> {
    let Some(bytes) = view.snapshot.get(Table::Posts, &post_key(id))? else { return Ok(false) };
    Ok(decode_header(id, &bytes).is_none_or(|(header, _)| header.author == author))
}

/// Counts the replies and reposts of parents in differing cells again, and names the wrong counters.
pub(super) fn children(
    view: &View,
    cells: &ComparedCells,
    findings: &mut Findings,
    meter: &mut ProgressMeter<'_>,
) -> EngineResult<()> {
    for wanted in cells.differing().chunks(CELLS_AT_ONCE) {
        let wanted: HashSet<u16> = wanted.iter().copied().collect();
        let is_wanted = |parent: u64, counted: Counted| wanted.contains(&cells.of(parent, counted as u64));
        let mut expected: BTreeMap<(u64, Counted), u64> = BTreeMap::new();
        let mut posts = source::posts(&view.snapshot)?;
        while let Some(post) = next(&mut posts, meter)? {
            let header = post.map(|post| post.header);
            let parent = header.as_ref().and_then(counted).map(|(parent, counted)| (parent.get(), counted));
            if let Some(key) = parent.filter(|(parent, counted)| is_wanted(*parent, *counted)) {
                *expected.entry(key).or_default() += 1;
            }
        }
        let mut stats = source::post_stats(&view.snapshot)?;
        while let Some(parent) = stats.of() {
            let stored = next(&mut stats, meter)?.flatten();
            for counted in [Counted::Replies, Counted::Reposts] {
                let expected = expected.remove(&(parent, counted)).unwrap_or_default();
                let stored = stored.map(|stats| match counted {
                    Counted::Replies => stats.replies,
                    Counted::Reposts => stats.reposts,
                });
                // Counters that cannot be decoded are named as such.
                if let Some(stored) = stored.filter(|_| is_wanted(parent, counted)) {
                    count(view, parent, counted, stored, expected, findings)?;
                }
            }
        }
        for ((parent, counted), expected) in expected {
            count(view, parent, counted, 0, expected, findings)?;
        }
    }
    Ok(())
}

/// Names a counter that is wrong.
fn count(
    view: &View,
    parent: u64,
    counted: Counted,
    stored: u64,
    expected: u64,
    findings: &mut Findings,
) -> EngineResult<()> {
    if stored == expected {
        return Ok(());
    }
    let kind = match counted {
        Counted::Replies => DifferenceKind::RepliesCount,
        Counted::Reposts => DifferenceKind::RepostsCount,
    };
    let header = match PostId::new(parent) {
        Ok(id) => view.snapshot.get(Table::Posts, &post_key(id))?.and_then(|bytes| decode_header(id, &bytes)),
        Err(_) => None,
    };
    findings.add(kind, header.map(|(header, _)| header.author.get()), None, || {
        format!("post {parent}: the counter says {stored}, expected {expected}")
    });
    Ok(())
}

/// Returns the next row, of any post.
pub(super) fn next<T>(
    rows: &mut source::RowSource<T>,
    meter: &mut ProgressMeter<'_>,
) -> EngineResult<Option<T>> {
    let Some(of) = rows.of() else { return Ok(None) };
    meter.expect(1);
    meter.row();
    rows.next_of(of)
}
