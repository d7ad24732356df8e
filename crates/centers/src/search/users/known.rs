//! Whom a viewer knows among the followers of users who are found.

use super::matched::Matched;
use guanxi_model::limits::FOLLOW_LIMIT_DEFAULT;
use guanxi_model::user::Standing;
use guanxi_model::{Result, Uid};
use guanxi_ports::{FollowsAsk, StoreView};

/// The most whom a viewer follows that are asked whom they follow, since all their follows are read for one answer.
const FOLLOWED_MAX: usize = FOLLOW_LIMIT_DEFAULT as usize;

/// Counts how many of those whom a viewer follows follow each user, without the edges that either of the two hides. It is left
/// out for a viewer who follows more than [`FOLLOWED_MAX`].
pub(super) async fn count_known_followers(
    view: &dyn StoreView,
    viewer: Uid,
    followed: &[Uid],
    found: &mut [Matched],
) -> Result<()> {
    if followed.len() > FOLLOWED_MAX {
        return Ok(());
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
    Ok(())
}
