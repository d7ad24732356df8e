//! Circles: viewers who follow so many users, each of whom follows as many; and viewers who follow very many and have
//! scores with some of them.

use super::right::Blocks;
use guanxi_load::graph::{DrawnFollow, FollowGraph, Index};
use guanxi_model::limits::AFFINITIES_MAX;
use guanxi_model::random::Rng;
use std::collections::HashSet;

/// How many users a viewer of affinity follows: as many as the product allows by default.
pub(crate) const FOLLOWINGS: usize = 5_000;
/// The exponent of popularity, as the worlds of feeds have it.
const POPULARITY: f64 = 2.5;
/// One follow in so many is of somebody else of the circle, whom the viewer follows already.
const INSIDE_ONE_IN: usize = 10;
/// One in so many of a circle follows the viewer back.
const BACK_ONE_IN: usize = 4;
/// Blocks of each viewer in each direction.
const BLOCKS_EACH: usize = 3;
/// They are of the most popular, who would be suggested.
const MOST_POPULAR: usize = 40;
/// One score in so many is with somebody whom the viewer does not follow.
const STRANGER_ONE_IN: usize = 10;
/// When the first follow came, in Unix seconds; one more each second.
const FIRST_S: u64 = 1_700_000_000;

/// Viewers of one kind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kind {
    /// How many users each of them follows, and each of these.
    pub(crate) degree: usize,
    /// How many viewers.
    pub(crate) viewers: usize,
}

/// The follows of all circles, and what else is said there.
pub(crate) struct Circles {
    /// The follows.
    pub(crate) graph: FollowGraph,
    /// The same as lists.
    pub(crate) index: Index,
    /// Blocks between users; no follows are between them.
    pub(crate) blocks: Blocks,
    /// The viewers of each kind.
    pub(crate) viewers: Vec<Vec<u32>>,
    /// Viewers of affinity, each with those with whom it has a score, the highest first.
    pub(crate) scored: Vec<(u32, Vec<u32>)>,
}

impl Circles {
    /// Draws circles of some kinds among so many users, and so many viewers of affinity.
    pub(crate) fn draw(kinds: &[Kind], scored: usize, users: u32, seed: u64) -> Self {
        let mut drawer = Drawer::new(users, seed);
        let viewers = kinds.iter().map(|kind| drawer.circles(*kind)).collect::<Vec<Vec<u32>>>();
        let scored: Vec<u32> = (0..scored).map(|_| drawer.far_reaching()).collect();
        let graph = drawer.graph();
        let index = Index::of(&graph);
        let mut rng = drawer.rng;
        let mut blocks = Blocks::default();
        for viewer in viewers.iter().flatten() {
            for _ in 0..BLOCKS_EACH {
                let [one, other] = [0, 1].map(|_| rng.below(MOST_POPULAR) as u32);
                blocks.add(&index, *viewer, one);
                blocks.add(&index, other, *viewer);
            }
        }
        let scored = scored.into_iter().map(|viewer| (viewer, with_scores(&mut rng, &index, viewer, users)));
        Self { viewers, scored: scored.collect(), graph, index, blocks }
    }
}

/// Returns the users with whom a viewer has a score: mostly users whom it follows.
fn with_scores(rng: &mut Rng, index: &Index, viewer: u32, users: u32) -> Vec<u32> {
    let mut followed = index.following(viewer).to_vec();
    rng.shuffle(&mut followed);
    let (mut others, mut seen) = (Vec::new(), HashSet::from([viewer]));
    seen.extend(&followed);
    let count = AFFINITIES_MAX as usize;
    while others.len() < count / STRANGER_ONE_IN {
        let other = rng.below(users as usize) as u32;
        others.extend(seen.insert(other).then_some(other));
    }
    others.extend(followed.into_iter().take(count - others.len()));
    rng.shuffle(&mut others);
    others
}

struct Drawer {
    rng: Rng,
    users: u32,
    /// Users without a list, whom few others follow.
    free: Vec<u32>,
    lists: Vec<(u32, HashSet<u32>)>,
}

impl Drawer {
    fn new(users: u32, seed: u64) -> Self {
        let mut rng = Rng::new(seed);
        let mut free: Vec<u32> = (users / 2..users).collect();
        rng.shuffle(&mut free);
        Self { rng, users, free, lists: Vec::new() }
    }

    fn take(&mut self, count: usize) -> Vec<u32> {
        assert!(count <= self.free.len(), "there are too few users for the circles");
        self.free.split_off(self.free.len() - count)
    }

    /// Circles of their own for all viewers of a kind, who are answered.
    fn circles(&mut self, kind: Kind) -> Vec<u32> {
        let viewers = self.take(kind.viewers);
        for viewer in &viewers {
            let circle = self.take(kind.degree);
            for user in &circle {
                let list = self.list_inside(*user, *viewer, &circle);
                self.lists.push((*user, list));
            }
            self.lists.push((*viewer, circle.into_iter().collect()));
        }
        viewers
    }

    /// Returns the followees of a user in a circle: as many as the viewer has.
    fn list_inside(&mut self, user: u32, viewer: u32, circle: &[u32]) -> HashSet<u32> {
        let mut list = HashSet::new();
        if self.rng.below(BACK_ONE_IN) == 0 {
            list.insert(viewer);
        }
        while list.len() < circle.len() {
            let other = if self.rng.below(INSIDE_ONE_IN) == 0 {
                circle[self.rng.below(circle.len())]
            } else {
                (f64::from(self.users) * self.rng.unit().powf(POPULARITY)) as u32
            };
            if other != user {
                list.insert(other);
            }
        }
        list
    }

    /// Somebody who follows [`FOLLOWINGS`] others.
    fn far_reaching(&mut self) -> u32 {
        let viewer = self.take(1)[0];
        let mut list = HashSet::new();
        while list.len() < FOLLOWINGS {
            let other = self.rng.below(self.users as usize) as u32;
            if other != viewer {
                list.insert(other);
            }
        }
        self.lists.push((viewer, list));
        viewer
    }

    /// All follows, in random order.
    fn graph(&mut self) -> FollowGraph {
        let lists = std::mem::take(&mut self.lists);
        let pairs = lists.into_iter().flat_map(|(subject, list)| {
            // The order of a set differs from run to run.
            let mut list: Vec<u32> = list.into_iter().collect();
            list.sort_unstable();
            list.into_iter().map(move |object| (subject, object))
        });
        let mut pairs: Vec<(u32, u32)> = pairs.collect();
        self.rng.shuffle(&mut pairs);
        let times = FIRST_S..;
        let edges = pairs.into_iter().zip(times);
        let edges = edges.map(|((subject, object), at_s)| DrawnFollow { subject, object, at_s });
        FollowGraph { users: self.users, edges: edges.collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn circles_are_of_the_size_they_are_said_to_be() {
        let kinds = [Kind { degree: 20, viewers: 4 }, Kind { degree: 50, viewers: 2 }];
        let circles = Circles::draw(&kinds, 1, 40_000, 3);
        for (kind, viewers) in kinds.iter().zip(&circles.viewers) {
            assert_eq!(viewers.len(), kind.viewers);
            for viewer in viewers {
                let circle = circles.index.following(*viewer);
                assert_eq!(circle.len(), kind.degree);
                assert!(circle.iter().all(|user| circles.index.following(*user).len() == kind.degree));
            }
        }
        assert!(!circles.blocks.pairs().is_empty());
        let (viewer, scored) = &circles.scored[0];
        assert_eq!(circles.index.following(*viewer).len(), FOLLOWINGS);
        assert_eq!(scored.len(), AFFINITIES_MAX as usize);
        let strangers = scored.iter().filter(|other| !circles.index.follows(*viewer, **other)).count();
        assert_eq!(strangers, scored.len() / STRANGER_ONE_IN);
    }

    #[test]
    fn the_same_seed_draws_the_same_circles() {
        let draw = || Circles::draw(&[Kind { degree: 20, viewers: 4 }], 1, 40_000, 3);
        assert_eq!(draw().graph.edges, draw().graph.edges);
        assert_eq!(draw().blocks.pairs(), draw().blocks.pairs());
    }
}
