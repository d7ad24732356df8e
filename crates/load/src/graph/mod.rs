//! A social graph with the statistics of seed 000, from a seed.
//!
//! 40 % of the users follow 7.9 others on average, 35 % have 9.2 followers, and the 26 % that do both follow 8.3 and
//! have 10.4. The shares of edges in and out of these figures differ by 2 % (3.16 and 3.22 per user), so each mean is
//! met within 1 %. Out-degrees are log-normal, in-degrees a power law, and about one edge in eight is returned.

mod degrees;
mod index;
#[cfg(test)]
mod tests;

use crate::world::{FIRST_FOLLOW_MS, FOLLOWEES_MAX, spread_id};
use degrees::{Skew, draw};
use guanxi_model::random::Rng;
use std::collections::HashSet;

pub use index::Index;

/// Users of the default graph.
pub const USERS_DEFAULT: u32 = 200_000;
/// Edges per user, between the two figures that the seed's shares give.
const EDGES_PER_USER: f64 = 3.19;
/// Share of edges that are made as mutual pairs.
const MUTUAL_SHARE: f64 = 0.12;
/// No user has more than this share of all users as followers.
const FOLLOWERS_MAX_SHARE: f64 = 0.05;
/// The follows spread over so many seconds, or one second each if there are more.
const SPREAD_S: u64 = 31_536_000;
/// Attempts to mend a pair that is a self-follow or there already.
const MEND_ATTEMPTS_MAX: u32 = 200;

/// One follow; users are given by index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawnFollow {
    /// The user that follows.
    pub subject: u32,
    /// The other user.
    pub object: u32,
    /// Since when, in Unix seconds. Both edges of a mutual pair have the same time, since the single table of seed
    /// 000 holds one time per pair; all other times differ.
    pub at_s: u64,
}

/// A generated graph.
#[derive(Clone, Debug)]
pub struct FollowGraph {
    /// How many users there are.
    pub users: u32,
    /// All follows, oldest first.
    pub edges: Vec<DrawnFollow>,
}

/// How many users only follow, are only followed, or do both.
struct Classes {
    both: usize,
    only_follow: usize,
    only_followed: usize,
}

impl Classes {
    const fn of(users: usize) -> Self {
        let both = users * 26 / 100;
        Self { both, only_follow: users * 40 / 100 - both, only_followed: users * 35 / 100 - both }
    }
}

impl FollowGraph {
    /// Draws the graph of `users` users (at least 100) that belongs to `seed`.
    pub fn generate(users: u32, seed: u64) -> Self {
        assert!(users >= 100, "a graph of seed 000's statistics needs at least 100 users");
        let mut rng = Rng::new(seed);
        let mut order: Vec<u32> = (0..users).collect();
        rng.shuffle(&mut order);
        let mut stubs = Stubs::draw(&mut rng, &order);
        let mut builder = Builder::default();
        stubs.pair_mutually(&mut rng, &mut builder);
        stubs.pair_rest(&mut rng, &mut builder);
        let edges = with_times(&mut rng, builder.pairs);
        Self { users, edges }
    }

    /// The id of a user given by index; ids ascend with indexes.
    pub const fn uid(&self, index: u32) -> u64 {
        spread_id(index)
    }
}

/// Edge ends that are not connected yet.
struct Stubs {
    out: Vec<u32>,
    ins: Vec<u32>,
    both: Vec<u32>,
    out_degree: Vec<u32>,
    in_degree: Vec<u32>,
}

impl Stubs {
    fn draw(rng: &mut Rng, order: &[u32]) -> Self {
        let users = order.len();
        let classes = Classes::of(users);
        let (both, rest) = order.split_at(classes.both);
        let (only_follow, rest) = rest.split_at(classes.only_follow);
        let only_followed = &rest[..classes.only_followed];

        let edges = (EDGES_PER_USER * users as f64) as usize;
        let out_both = (8.3 * both.len() as f64 * EDGES_PER_USER / (0.40 * 7.9)) as usize;
        let in_both = (10.4 * both.len() as f64 * EDGES_PER_USER / (0.35 * 9.2)) as usize;
        let followers_max = ((users as f64 * FOLLOWERS_MAX_SHARE) as u32).max(50);
        let following_max = FOLLOWEES_MAX.min(followers_max);

        let mut stubs = Self {
            out: vec![],
            ins: vec![],
            both: both.to_vec(),
            out_degree: vec![0; users],
            in_degree: vec![0; users],
        };
        let follow = |rng: &mut Rng, n, sum| draw(rng, Skew::LogNormal, n, sum, following_max);
        let followed = |rng: &mut Rng, n, sum| draw(rng, Skew::PowerLaw, n, sum, followers_max);
        set(&mut stubs.out_degree, both, follow(rng, both.len(), out_both));
        set(&mut stubs.out_degree, only_follow, follow(rng, only_follow.len(), edges - out_both));
        set(&mut stubs.in_degree, both, followed(rng, both.len(), in_both));
        set(&mut stubs.in_degree, only_followed, followed(rng, only_followed.len(), edges - in_both));
        stubs
    }

    /// Makes mutual pairs among the users who both follow and are followed, out of the degrees that both sides have.
    fn pair_mutually(&mut self, rng: &mut Rng, builder: &mut Builder) {
        let edges: usize = self.out_degree.iter().map(|&degree| degree as usize).sum();
        let wanted = (edges as f64 * MUTUAL_SHARE / 2.0) as usize;
        let mut ends = Vec::new();
        for &user in &self.both {
            let shared = self.out_degree[user as usize].min(self.in_degree[user as usize]);
            ends.extend(std::iter::repeat_n(user, shared as usize));
        }
        rng.shuffle(&mut ends);
        let mut made = 0;
        for pair in ends.chunks_exact(2) {
            if made == wanted {
                break;
            }
            if builder.add(pair[0], pair[1]) {
                builder.add(pair[1], pair[0]);
                for &user in pair {
                    self.out_degree[user as usize] -= 1;
                    self.in_degree[user as usize] -= 1;
                }
                made += 1;
            }
        }
    }

    /// Connects all ends that are left at random, and mends what would be a self-follow or a repeat.
    fn pair_rest(&mut self, rng: &mut Rng, builder: &mut Builder) {
        for (user, (&out, &ins)) in self.out_degree.iter().zip(&self.in_degree).enumerate() {
            self.out.extend(std::iter::repeat_n(user as u32, out as usize));
            self.ins.extend(std::iter::repeat_n(user as u32, ins as usize));
        }
        rng.shuffle(&mut self.ins);
        let first = builder.pairs.len();
        let mut bad = Vec::new();
        for (&subject, &object) in self.out.iter().zip(&self.ins) {
            if !builder.add(subject, object) {
                bad.push((subject, object));
            }
        }
        for pair in bad {
            builder.mend(rng, pair, first);
        }
    }
}

fn set(degrees: &mut [u32], users: &[u32], drawn: Vec<u32>) {
    for (&user, degree) in users.iter().zip(drawn) {
        degrees[user as usize] = degree;
    }
}

/// Edges made so far.
#[derive(Default)]
struct Builder {
    pairs: Vec<(u32, u32)>,
    known: HashSet<(u32, u32)>,
}

impl Builder {
    /// Adds an edge unless it is a self-follow or there already.
    fn add(&mut self, subject: u32, object: u32) -> bool {
        let new = subject != object && self.known.insert((subject, object));
        if new {
            self.pairs.push((subject, object));
        }
        new
    }

    /// Gives a bad pair the object of another edge, and that edge the object of the pair: degrees stay as drawn.
    /// Edges before `first` are left alone. A pair that resists all attempts is dropped.
    fn mend(&mut self, rng: &mut Rng, (subject, object): (u32, u32), first: usize) {
        for _ in 0..MEND_ATTEMPTS_MAX {
            let place = first + rng.below(self.pairs.len() - first);
            let (other_subject, other_object) = self.pairs[place];
            let one = (subject, other_object);
            let two = (other_subject, object);
            let fits = |pair: &(u32, u32)| pair.0 != pair.1 && !self.known.contains(pair);
            if one != two && fits(&one) && fits(&two) {
                self.known.remove(&(other_subject, other_object));
                self.known.extend([one, two]);
                self.pairs[place] = two;
                self.pairs.push(one);
                return;
            }
        }
    }
}

/// Gives each pair of users its time, both directions the same, and sorts by it.
fn with_times(rng: &mut Rng, pairs: Vec<(u32, u32)>) -> Vec<DrawnFollow> {
    let unordered = |&(a, b): &(u32, u32)| (a.min(b), a.max(b));
    let mut pairs = pairs;
    pairs.sort_unstable_by_key(unordered);
    let groups: Vec<&[(u32, u32)]> = pairs.chunk_by(|a, b| unordered(a) == unordered(b)).collect();
    let step_s = (SPREAD_S / groups.len() as u64).max(1);
    let mut turn: Vec<u32> = (0..groups.len() as u32).collect();
    rng.shuffle(&mut turn);
    let mut edges: Vec<DrawnFollow> = Vec::with_capacity(pairs.len());
    for (group, turn) in groups.into_iter().zip(turn) {
        let at_s = FIRST_FOLLOW_MS / 1_000 + u64::from(turn) * step_s;
        edges.extend(group.iter().map(|&(subject, object)| DrawnFollow { subject, object, at_s }));
    }
    edges.sort_unstable_by_key(|edge| (edge.at_s, edge.subject));
    edges
}
