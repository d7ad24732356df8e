//! The rules of who may be suggested to a viewer, and whose follows it may be told of.

use crate::turn::yield_now;
use guanxi_model::affinity::Score;
use guanxi_model::limits::PAGE_SIZE_MAX;
use guanxi_model::user::Standing;
use guanxi_model::{List, Page, PageStart, Relation, Result, Uid};
use guanxi_ports::StoreView;
use std::collections::HashMap;

/// A viewer and those around it.
pub(super) struct ViewerCircle {
    of: Uid,
    /// Whether the answer is for an end user, who is the viewer itself. The viewer is no end of the edges between the users
    /// whom it follows and the suggested users, so it learns of no edge that either end hides.
    is_end_user: bool,
    /// The users whom the viewer follows and whose follows count, most telling first.
    followed: Vec<Uid>,
    /// The users that are never suggested, in order: the viewer, and the users whom it follows, mutes or has dismissed. Users
    /// whom it blocks or has sent a request are looked up among the best candidates alone ([`stays_away`]).
    settled: Vec<Uid>,
    /// The scores that the viewer has with others, in hundredths of the highest.
    closeness: HashMap<Uid, u64>,
    /// The closeness of each of `followed`, in the same order.
    followed_closeness: Vec<u64>,
}

impl ViewerCircle {
    /// The circle of a viewer.
    pub(super) async fn of(view: &dyn StoreView, of: Uid, is_end_user: bool) -> Result<Self> {
        let following = whole(view, of, List::Following).await?;
        let mut muted = whole(view, of, List::Mutes).await?;
        muted.sort_unstable();
        let mut settled = vec![of];
        settled.extend(following.iter().chain(&muted));
        settled.extend(view.dismissed(of).await?.into_iter().map(|edge| edge.uid));
        settled.sort_unstable();
        settled.dedup();
        let mut followed = following;
        followed.retain(|uid| muted.binary_search(uid).is_err());
        if !view.all_stand_by_default() {
            let standings = view.standings(&followed).await?;
            let hides = |standing: &Standing| is_end_user && standing.privacy.hides_following;
            let tells = |standing: &Standing| !standing.is_gone() && !hides(standing);
            let telling = followed.iter().zip(&standings).filter(|(_, standing)| tells(standing));
            followed = telling.map(|(uid, _)| *uid).collect();
        }
        let affinities = view.affinities(of).await?.all;
        let places: HashMap<Uid, usize> = (0..).zip(&affinities).map(|(n, known)| (known.uid, n)).collect();
        // Stable: those without a score stay in the order of the list.
        followed.sort_by_key(|uid| places.get(uid).copied().unwrap_or(usize::MAX));
        let highest = affinities.first().map_or(Score::NONE, |known| known.score);
        let percent = affinities.iter().map(|known| (known.uid, known.score.percent_of(highest)));
        let closeness: HashMap<Uid, u64> = percent.collect();
        let followed_closeness =
            followed.iter().map(|uid| closeness.get(uid).copied().unwrap_or(0)).collect();
        Ok(Self { of, is_end_user, followed, settled, closeness, followed_closeness })
    }

    /// The viewer.
    pub(super) const fn viewer(&self) -> Uid {
        self.of
    }

    /// Returns the users whom the viewer follows and whose follows count, most telling first: neither muted, nor gone, nor
    /// hiding their follows.
    pub(super) fn followed(&self) -> &[Uid] {
        &self.followed
    }

    /// The score that the viewer has with a user, in hundredths of its highest one.
    pub(super) fn closeness(&self, uid: Uid) -> u64 {
        self.closeness.get(&uid).copied().unwrap_or(0)
    }

    /// Returns the same score for one of the users whom the viewer follows, by its place.
    pub(super) fn closeness_at(&self, place: u32) -> u64 {
        self.followed_closeness.get(place as usize).copied().unwrap_or(0)
    }

    /// Returns how many users are never suggested, for any reason of theirs.
    pub(super) const fn settled_len(&self) -> usize {
        self.settled.len()
    }

    /// Returns whether a user is never suggested.
    pub(super) fn is_settled(&self, uid: Uid) -> bool {
        self.settled.binary_search(&uid).is_ok()
    }

    /// Returns whether it may be told who of others follows a user.
    pub(super) const fn tells_followers(&self, standing: &Standing) -> bool {
        !(self.is_end_user && standing.privacy.hides_followers)
    }
}

/// Returns whether a user may be suggested to any user.
pub(super) const fn is_found(standing: &Standing) -> bool {
    !standing.is_gone() && standing.privacy.discoverable
}

/// Returns whether a user must not be suggested because of its relation with the viewer: one of the two blocks the other, or
/// a request of one to the other waits for an answer.
pub(super) const fn stays_away(relation: &Relation) -> bool {
    let asks = relation.requested.is_some() || relation.requested_by.is_some();
    relation.blocking || relation.blocked_by || asks
}

/// The users of a whole list, newest first. It is a list that has an end.
async fn whole(view: &dyn StoreView, of: Uid, list: List) -> Result<Vec<Uid>> {
    let (mut uids, mut start) = (Vec::new(), PageStart::Newest);
    loop {
        let page = view.list(of, list, Page::new(start, PAGE_SIZE_MAX.cast_signed())?).await?;
        uids.extend(page.items.iter().map(|edge| edge.uid));
        match page.next {
            Some(next) => start = PageStart::After(next),
            None => return Ok(uids),
        }
        yield_now().await;
    }
}
