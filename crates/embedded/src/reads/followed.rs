//! Whom many users follow: counted, and by whom of them. Every list is read once, from the front, in the form that memory
//! holds it in.

use super::PinnedView;
use crate::memory::relations::RelationsEntry;
use guanxi_model::{Result, Uid};
use guanxi_ports::{FollowedCounts, FollowsAsk};
use rustc_hash::FxBuildHasher;
use std::collections::HashMap;

/// Numbers by uid. Uids are no secret and nobody chooses many of them, so a fast hash does.
type ByUid = HashMap<u64, u32, FxBuildHasher>;

/// Users that a count has room for from the start, at most: growing takes longer than all the rest, and of a large circle
/// many follow the same.
const ROOM_MAX: usize = 1 << 17;

/// Users whose lists are held at once: a count that ends early has read few lists that it does not count, and whatever
/// somebody follows, little memory is held by themselves.
const USERS_AT_ONCE: usize = 128;

impl PinnedView {
    pub(super) fn count_of_followed(
        &self,
        ask: FollowsAsk<'_>,
        follows_max: usize,
    ) -> Result<FollowedCounts> {
        let (mut tally, mut looked_at, mut subjects) = (ByUid::default(), 0, 0);
        'counted: for some in ask.subjects.chunks(USERS_AT_ONCE) {
            let users = self.users(some)?;
            if subjects == 0 {
                let follows = users.iter().map(|user| user.packed().probe().len().min(ask.newest));
                // If all users are like the first ones.
                let room = follows.sum::<usize>() * ask.subjects.len() / some.len();
                tally.reserve(room.min(follows_max).min(ROOM_MAX));
            }
            for user in users {
                let probe = user.packed().probe();
                looked_at += probe.len().min(ask.newest);
                if looked_at > follows_max {
                    break 'counted;
                }
                probe.newest_uids(ask.newest).for_each(|uid| *tally.entry(uid).or_default() += 1);
                subjects += 1;
            }
        }
        let users = tally.into_iter().filter_map(|(uid, count)| Some((Uid::new(uid).ok()?, count)));
        Ok(FollowedCounts { users: users.collect(), subjects })
    }

    pub(super) fn followers_among(&self, ask: FollowsAsk<'_>, objects: &[Uid]) -> Result<Vec<Vec<u32>>> {
        // A user who is asked for twice has one place.
        let places: ByUid = objects.iter().map(|uid| uid.get()).zip(0..).collect();
        let mut found = vec![Vec::new(); objects.len()];
        let mut subjects = 0..;
        for some in ask.subjects.chunks(USERS_AT_ONCE) {
            for (user, subject) in self.users(some)?.iter().zip(&mut subjects) {
                for uid in user.packed().probe().newest_uids(ask.newest) {
                    if let Some(place) = places.get(&uid) {
                        found[*place as usize].push(subject);
                    }
                }
            }
        }
        let of = |uid: &Uid| places.get(&uid.get()).map_or_else(Vec::new, |at| found[*at as usize].clone());
        Ok(objects.iter().map(of).collect())
    }

    /// Users as of this view. They are held by themselves, so that the writer waits for none of what is counted.
    fn users(&self, uids: &[Uid]) -> Result<Vec<RelationsEntry>> {
        let held: Vec<Option<RelationsEntry>> = {
            let users = self.shared.relations.read(&self.view);
            users.get_many(uids).into_iter().map(Option::<&RelationsEntry>::cloned).collect()
        };
        self.shared.relations.count_hits(held.iter().flatten().count());
        uids.iter().zip(held).map(|(uid, held)| held.map_or_else(|| self.user(*uid), Ok)).collect()
    }
}
