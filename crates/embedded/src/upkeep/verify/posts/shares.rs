//! The lists of reposts and quotes against the posts.

use super::naming::next;
use super::shared;
use crate::engine::{EngineResult, Table};
use crate::layout::{decode_header, post_key, repost_of_key};
use crate::progress::ProgressMeter;
use crate::upkeep::verify::cells::ComparedCells;
use crate::upkeep::verify::findings::Findings;
use crate::upkeep::verify::source;
use crate::view::View;
use guanxi_model::{Post, PostHeader, PostId};
use guanxi_ports::DifferenceKind;
use std::collections::HashSet;

/// Folds the lists, the posts being folded already, and names what is on one side only.
pub(super) fn compare(
    view: &View,
    folded: &mut ComparedCells,
    meter: &mut ProgressMeter<'_>,
) -> EngineResult<Findings> {
    let mut rows = source::reposts_of(&view.snapshot)?;
    while let Some(original) = rows.of() {
        let Some(repost) = next(&mut rows, meter)? else { break };
        folded.reverse(original, repost.get(), 0);
    }
    let mut findings = rows.into_undecodable();
    let wanted: HashSet<u16> = folded.differing().into_iter().collect();
    if wanted.is_empty() {
        return Ok(findings);
    }
    let is_wanted = |original: u64, repost: PostId| wanted.contains(&folded.of(original, repost.get()));
    let mut posts = source::posts(&view.snapshot)?;
    while posts.of().is_some() {
        let Some(Post { header: item, .. }) = next(&mut posts, meter)?.flatten() else { continue };
        let Some(original) = shared(&item).filter(|of| is_wanted(of.get(), item.id)) else { continue };
        if !view.snapshot.contains(Table::Records, &repost_of_key(original, item.id))? {
            findings.add(DifferenceKind::RepostIndex, Some(item.author.get()), None, || {
                format!("{} is not in the list of reposts of post {original}", item.id)
            });
        }
    }
    let mut rows = source::reposts_of(&view.snapshot)?;
    while let Some(original) = rows.of() {
        let Some(repost) = next(&mut rows, meter)? else { break };
        if is_wanted(original, repost) && !stands(view, original, repost)? {
            findings.add(DifferenceKind::RepostIndex, None, None, || {
                format!("the list of reposts of post {original} has {repost}, which does not stand")
            });
        }
    }
    Ok(findings)
}

/// Returns whether a post shares an original and is not deleted. One that cannot be decoded is named as such.
fn stands(view: &View, original: u64, repost: PostId) -> EngineResult<bool> {
    let Some(bytes) = view.snapshot.get(Table::Posts, &post_key(repost))? else { return Ok(false) };
    let is_it = |item: &PostHeader| shared(item).map(PostId::get) == Some(original);
    Ok(decode_header(repost, &bytes).is_none_or(|(item, _)| is_it(&item)))
}
