//! The right answers, found by going through the lists as docs/suggestions.md tells it.

use super::calls::{PeopleCall, RANKED_PAGE};
use super::circles::Circles;
use crate::calls::{Answer, Call, PAGE, Workload};
use guanxi_load::graph::{FollowGraph, Index};
use guanxi_model::limits::{LATEST_FOLLOWS, POPULAR_MIN, SUGGESTION_CANDIDATES, SUGGESTION_FOLLOWERS};
use guanxi_model::random::Rng;
use guanxi_model::suggestion::Evidence;
use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap, HashSet};

/// Blocks between users.
#[derive(Clone, Debug, Default)]
pub(crate) struct Blocks(BTreeSet<(u32, u32)>);

impl Blocks {
    /// Adds a block, unless one of the two follows the other: a block would end that.
    pub(crate) fn add(&mut self, index: &Index, subject: u32, object: u32) {
        if subject != object && index.state(subject, object) == 0 {
            self.0.insert((subject, object));
        }
    }

    /// All of them.
    pub(crate) const fn pairs(&self) -> &BTreeSet<(u32, u32)> {
        &self.0
    }

    /// Whether one of two blocks the other.
    fn part(&self, a: u32, b: u32) -> bool {
        self.0.contains(&(a, b)) || self.0.contains(&(b, a))
    }
}

/// Returns the users whom the users of a list follow, as far as `newest` goes, each with how many of them do.
fn followed_by(index: &Index, users: &[u32], newest: usize) -> HashMap<u32, u32> {
    let mut counts = HashMap::new();
    for user in users {
        for other in index.following(*user).iter().take(newest) {
            *counts.entry(*other).or_default() += 1;
        }
    }
    counts
}

/// The users with the highest counts, of as many the lower ones. Ids ascend with numbers.
fn highest(counts: impl Iterator<Item = (u32, u32)>, most: usize) -> Vec<(u32, u32)> {
    let mut counts: Vec<(u32, u32)> = counts.collect();
    counts.sort_unstable_by_key(|(user, count)| (Reverse(*count), *user));
    counts.truncate(most);
    counts
}

/// Returns the first page of the users that are followed by users whom a viewer follows, each with how many of them
/// do.
fn friends_of_friends(index: &Index, blocks: &Blocks, viewer: u32) -> Vec<(u32, u32)> {
    let circle: HashSet<u32> = index.following(viewer).iter().copied().collect();
    let counts = followed_by(index, index.following(viewer), usize::MAX).into_iter();
    let counts = counts.filter(|(user, _)| *user != viewer && !circle.contains(user));
    highest(counts.filter(|(user, _)| !blocks.part(viewer, *user)), PAGE)
}

/// The first page of suggestions, for all reasons.
fn suggestions(index: &Index, blocks: &Blocks, viewer: u32) -> Vec<u32> {
    let mut settled: HashSet<u32> = index.following(viewer).iter().copied().collect();
    settled.insert(viewer);
    settled.extend(blocks.0.range((viewer, 0)..=(viewer, u32::MAX)).map(|(_, object)| *object));
    let all = followed_by(index, index.following(viewer), usize::MAX);
    let mut lately = followed_by(index, index.following(viewer), LATEST_FOLLOWS);
    lately.retain(|_, count| *count >= POPULAR_MIN);
    let followers = (0..).zip(index.followers(viewer).iter().copied());
    let followers = followers.take(SUGGESTION_FOLLOWERS as usize).filter(|(_, user)| !settled.contains(user));
    let places: HashMap<u32, u32> =
        followers.take(SUGGESTION_CANDIDATES).map(|(place, user)| (user, place)).collect();
    let mut candidates: HashSet<u32> = places.keys().copied().collect();
    for counts in [&all, &lately] {
        let open = counts.iter().map(|(user, count)| (*user, *count));
        let open = open.filter(|(user, _)| !settled.contains(user));
        candidates.extend(highest(open, SUGGESTION_CANDIDATES).into_iter().map(|(user, _)| user));
    }
    let points = |user: &u32| Evidence {
        followed_by: all.get(user).copied().unwrap_or(0),
        lately_by: lately.get(user).copied().unwrap_or(0),
        follower_place: places.get(user).copied(),
        ..Evidence::default()
    };
    let mut best: Vec<u32> = candidates.into_iter().filter(|user| !blocks.part(viewer, *user)).collect();
    best.sort_unstable_by_key(|user| (Reverse(points(user).points()), *user));
    best.truncate(PAGE);
    best
}

/// What is asked for a viewer about its circle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum About {
    /// Friends of friends alone.
    FriendsOfFriends,
    /// Suggestions for all reasons.
    Suggestions,
}

/// So many calls of viewers in random order, drawn from a list in which one may stand several times.
pub(crate) fn workload(
    (graph, index, blocks): (&FollowGraph, &Index, &Blocks),
    viewers: &[u32],
    about: About,
    seed: u64,
    count: usize,
) -> Workload {
    let mut rng = Rng::new(seed);
    let mut known: HashMap<u32, Answer> = HashMap::new();
    let mut workload = Workload::default();
    for _ in 0..count {
        let number = viewers[rng.below(viewers.len())];
        let viewer = graph.uid(number);
        let (call, right) = match about {
            About::FriendsOfFriends => {
                let right = || {
                    let best = friends_of_friends(index, blocks, number).into_iter();
                    Answer::Counted(best.map(|(user, count)| (graph.uid(user), count)).collect())
                };
                (PeopleCall::FriendsOfFriends { viewer }, known.entry(number).or_insert_with(right))
            }
            About::Suggestions => {
                let right = || {
                    let best = suggestions(index, blocks, number).into_iter();
                    Answer::Ids(best.map(|user| graph.uid(user)).collect())
                };
                (PeopleCall::Suggestions { viewer }, known.entry(number).or_insert_with(right))
            }
        };
        workload.calls.push(Call::People(call));
        workload.answers.push(right.clone());
    }
    workload
}

/// Pages by affinity of the viewers who have scores.
pub(crate) fn ranked(circles: &Circles, seed: u64, count: usize) -> Workload {
    let pages = circles.scored.iter().map(|(viewer, scored)| {
        let followed: HashSet<u32> = circles.index.following(*viewer).iter().copied().collect();
        let page = scored.iter().filter(|user| followed.contains(user)).take(RANKED_PAGE);
        (circles.graph.uid(*viewer), page.map(|user| circles.graph.uid(*user)).collect::<Vec<u64>>())
    });
    let pages: Vec<(u64, Vec<u64>)> = pages.collect();
    let (mut rng, mut workload) = (Rng::new(seed), Workload::default());
    for _ in 0..count {
        let (viewer, page) = &pages[rng.below(pages.len())];
        workload.calls.push(Call::People(PeopleCall::ByAffinity { viewer: *viewer }));
        workload.answers.push(Answer::Ids(page.clone()));
    }
    workload
}

#[cfg(test)]
mod tests {
    use super::*;
    use guanxi_load::graph::DrawnFollow;

    /// 0 follows 1, 2 and 3, who follow some of 0 and 4 to 7; 8 follows 0.
    fn graph() -> (FollowGraph, Index) {
        let pairs = [(0, 1), (0, 2), (0, 3), (1, 4), (2, 4), (3, 4), (1, 5), (2, 5), (3, 6), (2, 1), (1, 0)];
        let pairs = pairs.into_iter().chain([(1, 7), (2, 7), (8, 0)]);
        let edges = pairs.zip(1..).map(|((subject, object), at_s)| DrawnFollow { subject, object, at_s });
        let graph = FollowGraph { users: 9, edges: edges.collect() };
        let index = Index::of(&graph);
        (graph, index)
    }

    #[test]
    fn friends_of_friends_are_neither_followed_nor_blocked() {
        let (_, index) = graph();
        let mut blocks = Blocks::default();
        assert_eq!(friends_of_friends(&index, &blocks, 0), [(4, 3), (5, 2), (7, 2), (6, 1)]);
        blocks.add(&index, 0, 5);
        blocks.add(&index, 7, 0);
        // They follow each other.
        blocks.add(&index, 0, 1);
        assert_eq!(friends_of_friends(&index, &blocks, 0), [(4, 3), (6, 1)]);
    }

    #[test]
    fn suggestions_add_what_is_new_and_who_follows() {
        let (_, index) = graph();
        // 750, 500 and 500 points, 400 of the newest follower, and 100.
        assert_eq!(suggestions(&index, &Blocks::default(), 0), [4, 5, 7, 8, 6]);
    }
}
