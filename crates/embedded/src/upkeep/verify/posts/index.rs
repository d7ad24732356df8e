//! The index of plain reposts against the posts.

use super::indexed;
use super::naming::next;
use crate::engine::{EngineResult, Table};
use crate::layout::{decode_header, decode_reposts, post_key, reposted_key};
use crate::progress::ProgressMeter;
use crate::upkeep::verify::cells::ComparedCells;
use crate::upkeep::verify::findings::Findings;
use crate::upkeep::verify::source;
use crate::view::View;
use guanxi_model::{Post, PostHeader, PostId, Uid};
use guanxi_ports::DifferenceKind;
use std::collections::HashSet;

/// Folds the index, the posts being folded already, and names what is on one side only.
pub(super) fn compare(
    view: &View,
    folded: &mut ComparedCells,
    meter: &mut ProgressMeter<'_>,
) -> EngineResult<Findings> {
    let mut rows = source::reposted(&view.snapshot)?;
    while let Some(user) = rows.of() {
        let Some((original, reposts)) = next(&mut rows, meter)? else { break };
        reposts.iter().for_each(|repost| folded.reverse(user, original.get(), repost.get()));
    }
    let mut findings = rows.into_undecodable();
    let wanted: HashSet<u16> = folded.differing().into_iter().collect();
    if wanted.is_empty() {
        return Ok(findings);
    }
    let is_wanted = |user: u64, original: PostId| wanted.contains(&folded.of(user, original.get()));
    let mut posts = source::posts(&view.snapshot)?;
    while posts.of().is_some() {
        let Some(Post { header: item, .. }) = next(&mut posts, meter)?.flatten() else { continue };
        let Some((user, original)) = indexed(&item).filter(|(user, of)| is_wanted(user.get(), *of)) else {
            continue;
        };
        let row = view.snapshot.get(Table::Records, &reposted_key(user, original))?;
        let listed = row.and_then(|bytes| decode_reposts(&bytes)).unwrap_or_default();
        if !listed.contains(&item.id) {
            findings.add(DifferenceKind::RepostIndex, Some(user.get()), None, || {
                format!("repost {} of post {original} is not in the index", item.id)
            });
        }
    }
    let mut rows = source::reposted(&view.snapshot)?;
    while let Some(user) = rows.of() {
        let Some((original, reposts)) = next(&mut rows, meter)? else { break };
        for repost in reposts.into_iter().filter(|_| is_wanted(user, original)) {
            if !stands(view, user, original, repost)? {
                findings.add(DifferenceKind::RepostIndex, Some(user), None, || {
                    format!("the index has repost {repost} of post {original}, which does not stand")
                });
            }
        }
    }
    Ok(findings)
}

/// Returns whether a post is a plain repost of an original by a user, and not deleted. One that cannot be decoded is
/// named as such.
fn stands(view: &View, user: u64, original: PostId, repost: PostId) -> EngineResult<bool> {
    let Some(bytes) = view.snapshot.get(Table::Posts, &post_key(repost))? else { return Ok(false) };
    let is_it =
        |item: &PostHeader| indexed(item).map(|(user, of)| (Uid::get(user), of)) == Some((user, original));
    Ok(decode_header(repost, &bytes).is_none_or(|(item, _)| is_it(&item)))
}
