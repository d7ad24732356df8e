//! The followers of found users whom a viewer knows.

use super::matched::Matched;
use guanxi_model::limits::SUGGESTION_FOLLOWS_MAX;
use guanxi_model::user::Standing;
use guanxi_model::{Result, Uid};
use guanxi_ports::{FollowsAsk, StoreView};

/// The most follows that are read for one answer, over all users whom a viewer follows. It is a quarter of the limit of a
/// heavy call, so that a search is none.
const FOLLOWS_MAX: u64 = SUGGESTION_FOLLOWS_MAX as u64 / 4;

/// Counts for each user how many of the users whom a viewer follows follow it, without the edges that either end hides. The
/// count is left out where the users whom the viewer follows have more than [`FOLLOWS_MAX`] follows. Returns how many follows
/// were read.
pub(super) async fn count_known_followers(
    view: &dyn StoreView,
    viewer: Uid,
    followed: &[Uid],
    found: &mut [Matched],
) -> Result<u64> {
    if found.is_empty() {
        return Ok(0);
    }
    let counts = view.counts(followed).await?;
    let follows: u64 = counts.iter().map(|counts| u64::from(counts.following)).sum();
    if follows > FOLLOWS_MAX {
        return Ok(followed.len() as u64);
    }
    let uids: Vec<Uid> = found.iter().map(|matched| matched.user.uid).collect();
    let ask = FollowsAsk { subjects: followed, newest: usize::MAX };
    let followers = view.who_follows(ask, &uids).await?;
    let standings = if view.all_stand_by_default() { Vec::new() } else { view.standings(followed).await? };
    let hides = |place: u32| {
        let standing: Option<&Standing> = standings.get(place as usize);
        standing.is_some_and(|standing| standing.privacy.hides_following)
    };
    for (matched, places) in found.iter_mut().zip(followers) {
        // Who follows the viewer itself is no secret to it.
        let known = match matched.user.uid == viewer {
            true => places.len(),
            false if matched.user.privacy.hides_followers => 0,
            false => places.into_iter().filter(|place| !hides(*place)).count(),
        };
        matched.known_followers = u32::try_from(known).ok();
    }
    Ok(follows)
}
