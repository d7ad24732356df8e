//! The users whom many users follow: counted, and with their followers among these. Every list is read once, from the
//! front, in the form that memory holds it in. That may be a million follows, so others have their turn in between.

use super::PinnedView;
use guanxi_memory::relations::RelationsEntry;
use guanxi_model::{Result, Uid};
use guanxi_ports::{FollowedCounts, FollowsAsk};
use rustc_hash::FxBuildHasher;
use std::collections::HashMap;
use std::vec;
use tokio::task::yield_now;

/// Numbers by uid. Uids are no secret and no caller chooses many of them, so a fast hash does.
type ByUid = HashMap<u64, u32, FxBuildHasher>;

/// Users whose lists are held at once. A count that ends early has read few lists that it does not count, and lists of
/// any length hold little memory by themselves.
const USERS_AT_ONCE: usize = 128;

/// Follows in memory that are looked at in one turn: part of a millisecond.
const FOLLOWS_PER_TURN: usize = 1 << 14;

/// How many follows in memory one costs that is read from the tables.
const READ_COST: usize = 16;

/// Users that a count has room for from the start, at most: growing takes longer than all the rest, and of a large circle
/// many follow the same.
const ROOM_MAX: usize = 1 << 17;

impl PinnedView {
    pub(super) async fn count_of_followed(
        &self,
        ask: FollowsAsk<'_>,
        follows_max: usize,
    ) -> Result<FollowedCounts> {
        let mut lists = Lists::of(self, ask);
        let room = lists.follows_expected().min(follows_max).min(ROOM_MAX);
        let mut tally = ByUid::with_capacity_and_hasher(room, FxBuildHasher);
        let (mut looked_at, mut subjects) = (0, 0);
        while let Some(user) = lists.next().await? {
            let probe = user.packed().probe();
            looked_at += probe.count().min(ask.newest);
            if looked_at > follows_max {
                break;
            }
            probe.newest_uids(ask.newest).for_each(|uid| *tally.entry(uid).or_default() += 1);
            subjects += 1;
        }
        Ok(FollowedCounts { users: counts(tally).await, subjects })
    }

    pub(super) async fn followers_among(
        &self,
        ask: FollowsAsk<'_>,
        objects: &[Uid],
    ) -> Result<Vec<Vec<u32>>> {
        // A user that is asked for twice has one place, the last: its result goes to the earlier places as a copy.
        let places: ByUid = objects.iter().map(|uid| uid.get()).zip(0..).collect();
        let mut hits: Vec<(u32, u32)> = Vec::new();
        let (mut lists, mut subjects) = (Lists::of(self, ask), 0..);
        while let Some((user, subject)) = lists.next().await?.zip(subjects.next()) {
            let probe = user.packed().probe();
            let places = probe.newest_uids(ask.newest).filter_map(|uid| places.get(&uid));
            hits.extend(places.map(|place| (*place, subject)));
        }
        let mut found = by_place(&hits, objects.len()).await;
        let of = |(uid, at): (&Uid, usize)| match places.get(&uid.get()) {
            Some(place) if *place as usize != at => found[*place as usize].clone(),
            _ => std::mem::take(&mut found[at]),
        };
        Ok(objects.iter().zip(0..).map(of).collect())
    }

    /// Users as of this view whom memory holds. They are held by themselves, so that the writer waits for none of what is
    /// counted.
    fn held(&self, uids: &[Uid]) -> Vec<Option<RelationsEntry>> {
        let held: Vec<Option<RelationsEntry>> = {
            let users = self.shared.relations.read(self.view());
            users.get_many(uids).into_iter().map(Option::<&RelationsEntry>::cloned).collect()
        };
        self.shared.relations.count_hits(held.iter().flatten().count());
        held
    }
}

/// Users one after the other, with turns for others in between.
struct Lists<'a> {
    view: &'a PinnedView,
    newest: usize,
    /// The next users, and their lists where memory has them.
    some: &'a [Uid],
    held: vec::IntoIter<Option<RelationsEntry>>,
    rest: &'a [Uid],
    /// Follows that may be looked at before others have their turn.
    left: usize,
    /// What was done for the last user.
    cost: usize,
}

impl<'a> Lists<'a> {
    fn of(view: &'a PinnedView, ask: FollowsAsk<'a>) -> Self {
        let FollowsAsk { subjects, newest } = ask;
        let (some, rest) = subjects.split_at(subjects.len().min(USERS_AT_ONCE));
        let held = view.held(some).into_iter();
        Self { view, newest, some, held, rest, left: FOLLOWS_PER_TURN, cost: 0 }
    }

    /// Returns how many follows are looked at, if all users are like the first ones; those that memory does not hold
    /// have none.
    fn follows_expected(&self) -> usize {
        let held = self.held.as_slice().iter().flatten();
        let follows = held.map(|user| user.packed().probe().count().min(self.newest)).sum::<usize>();
        follows * (self.some.len() + self.rest.len()) / self.some.len().max(1)
    }

    /// The next user, whose list is looked at before the one after it is asked for.
    async fn next(&mut self) -> Result<Option<RelationsEntry>> {
        if self.cost > self.left {
            yield_now().await;
            (self.left, self.cost) = (FOLLOWS_PER_TURN, 0);
        }
        self.left -= self.cost;
        if self.some.is_empty() {
            let ask = FollowsAsk { subjects: self.rest, newest: self.newest };
            *self = Self { left: self.left, ..Self::of(self.view, ask) };
        }
        let (Some((uid, some)), Some(held)) = (self.some.split_first(), self.held.next()) else {
            return Ok(None);
        };
        self.some = some;
        let is_held = held.is_some();
        let user = held.map_or_else(|| self.view.user(*uid), Ok)?;
        let len = user.packed().probe().count();
        self.cost = 1 + if is_held { len.min(self.newest) } else { len * READ_COST };
        Ok(Some(user))
    }
}

/// Groups what was found, pairs of a place and its value, by place.
async fn by_place(found: &[(u32, u32)], places: usize) -> Vec<Vec<u32>> {
    let mut lens = vec![0; places];
    for some in found.chunks(FOLLOWS_PER_TURN) {
        some.iter().for_each(|(place, _)| lens[*place as usize] += 1);
        turn(some.len()).await;
    }
    let mut all: Vec<Vec<u32>> = lens.into_iter().map(Vec::with_capacity).collect();
    for some in found.chunks(FOLLOWS_PER_TURN) {
        some.iter().for_each(|(place, what)| all[*place as usize].push(*what));
        turn(some.len()).await;
    }
    all
}

/// Lets others have their turn after as many as are looked at in one.
async fn turn(looked_at: usize) {
    if looked_at == FOLLOWS_PER_TURN {
        yield_now().await;
    }
}

/// The counts of a table, in any order.
async fn counts(tally: ByUid) -> Vec<(Uid, u32)> {
    let mut counts = Vec::with_capacity(tally.len());
    let mut entries = tally.into_iter();
    loop {
        let some = entries.by_ref().take(FOLLOWS_PER_TURN);
        counts.extend(some.filter_map(|(uid, count)| Some((Uid::new(uid).ok()?, count))));
        if entries.len() == 0 {
            return counts;
        }
        yield_now().await;
    }
}
