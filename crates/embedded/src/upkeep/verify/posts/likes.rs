//! Likes against the same by user.

use super::naming::next;
use crate::engine::{EngineResult, Table};
use crate::layout::{decode_stamp, like_key, like_of_user_key};
use crate::progress::ProgressMeter;
use crate::upkeep::verify::cells::ComparedCells;
use crate::upkeep::verify::findings::Findings;
use crate::upkeep::verify::source;
use crate::view::View;
use guanxi_model::{PostId, Uid};
use guanxi_ports::DifferenceKind;
use std::collections::HashSet;

/// Folds the likes of users, the likes of posts being folded already, and names what is on one side only.
pub(super) fn compare(
    view: &View,
    folded: &mut ComparedCells,
    meter: &mut ProgressMeter<'_>,
) -> EngineResult<Findings> {
    let snapshot = &view.snapshot;
    let mut rows = source::likes_of_users(snapshot)?;
    while let Some(user) = rows.of() {
        let Some((id, at)) = next(&mut rows, meter)? else { break };
        folded.reverse(user, id.get(), at.raw());
    }
    let mut findings = rows.into_undecodable();
    let wanted: HashSet<u16> = folded.differing().into_iter().collect();
    if wanted.is_empty() {
        return Ok(findings);
    }
    let is_wanted = |user: u64, id: PostId| wanted.contains(&folded.of(user, id.get()));
    let mut likes = source::likes(snapshot)?;
    while let Some(raw) = likes.of() {
        let (Ok(id), Some(like)) = (PostId::new(raw), next(&mut likes, meter)?) else { break };
        if !is_wanted(like.uid.get(), id) {
            continue;
        }
        let row = snapshot.get(Table::Records, &like_of_user_key(like.uid, id))?;
        if row.and_then(|bytes| decode_stamp(&bytes)) != Some(like.at) {
            findings.add(DifferenceKind::LikeIndex, Some(like.uid.get()), None, || {
                format!("post {id}: liked at {:?}, and not so among the likes of the user", like.at)
            });
        }
    }
    let mut rows = source::likes_of_users(snapshot)?;
    while let Some(user) = rows.of() {
        let (Ok(uid), Some((id, at))) = (Uid::new(user), next(&mut rows, meter)?) else { break };
        // One at another time was named with the like.
        if is_wanted(user, id) && !snapshot.contains(Table::Records, &like_key(id, uid))? {
            findings.add(DifferenceKind::LikeIndex, Some(user), None, || {
                format!("post {id}: among the likes of the user at {at:?}, and not liked")
            });
        }
    }
    Ok(findings)
}
