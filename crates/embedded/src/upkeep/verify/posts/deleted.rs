//! Deleted posts against the same by the time of that.

use super::naming::next;
use crate::engine::{EngineResult, Table};
use crate::layout::deleted_post_key;
use crate::progress::ProgressMeter;
use crate::rows;
use crate::upkeep::verify::cells::ComparedCells;
use crate::upkeep::verify::findings::Findings;
use crate::upkeep::verify::source;
use crate::view::View;
use guanxi_model::{Post, PostId};
use guanxi_ports::DifferenceKind;
use std::collections::HashSet;

/// Folds deleted posts by time, the posts being folded already, and names what is on one side only.
pub(super) fn compare(
    view: &View,
    folded: &mut ComparedCells,
    meter: &mut ProgressMeter<'_>,
) -> EngineResult<Findings> {
    let snapshot = &view.snapshot;
    let mut rows = source::deleted_posts(snapshot)?;
    while let Some(ms) = rows.of() {
        let Some(id) = next(&mut rows, meter)? else { break };
        folded.reverse(id.get(), 0, ms);
    }
    let mut findings = rows.into_undecodable();
    let wanted: HashSet<u16> = folded.differing().into_iter().collect();
    if wanted.is_empty() {
        return Ok(findings);
    }
    let is_wanted = |id: PostId| wanted.contains(&folded.of(id.get(), 0));
    let mut posts = source::posts(snapshot)?;
    while posts.of().is_some() {
        let Some(Post { header, deleted_ms: Some(ms), .. }) = next(&mut posts, meter)?.flatten() else {
            continue;
        };
        let place = deleted_post_key(ms, header.id);
        if is_wanted(header.id) && !snapshot.contains(Table::Records, &place)? {
            findings.add(DifferenceKind::DeletedIndex, Some(header.author.get()), None, || {
                format!("post {} is deleted since {ms}, and not in the index", header.id)
            });
        }
    }
    let mut rows = source::deleted_posts(snapshot)?;
    while let Some(ms) = rows.of() {
        let Some(id) = next(&mut rows, meter)? else { break };
        // A post that cannot be decoded is named as such.
        let Ok(post) = rows::posts::post(snapshot, id) else { continue };
        let post = post.map(|value| value.post);
        if is_wanted(id) && post.as_ref().and_then(|post| post.deleted_ms) != Some(ms) {
            let author = post.map(|post| post.header.author.get());
            findings.add(DifferenceKind::DeletedIndex, author, None, || {
                format!("the index has post {id} as deleted since {ms}, which it is not")
            });
        }
    }
    Ok(findings)
}
