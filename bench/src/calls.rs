//! The operations that are compared: what is asked, and what the right answer is.

use crate::people::PeopleCall;
use crate::search::SearchCall;
use guanxi_load::accounts;
use guanxi_load::graph::{FollowGraph, Index};
use guanxi_model::random::{Rng, mix};
use guanxi_model::user::{PasswordHash, UserCommand};
use guanxi_model::{LoginName, Uid};
use std::collections::HashSet;

/// Items of a page, and objects of a relation check.
pub(crate) const PAGE: usize = 20;
/// Objects of a check that are related to the subject, as far as it has so many relations.
const RELATED_MAX: usize = 10;

/// One kind of operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, clap::ValueEnum, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Operation {
    /// Durable follow, then unfollow of the same pair.
    Write,
    /// Page of the following list, with the relation of a third user to each item.
    Following,
    /// First page of the followers list.
    Followers,
    /// Relation of one user to twenty others, both directions.
    Check,
    /// Whom the viewer follows that follows the target: count and first page.
    Known,
}

impl Operation {
    /// All of them, in the order of the report.
    pub(crate) const ALL: [Self; 5] =
        [Self::Write, Self::Following, Self::Followers, Self::Check, Self::Known];

    /// What the report calls it.
    pub(crate) const fn title(self) -> &'static str {
        match self {
            Self::Write => "durable follow / unfollow",
            Self::Following => "following page of 20 with relation",
            Self::Followers => "followers page of 20",
            Self::Check => "relation check of 20, both directions",
            Self::Known => "known followers, count and 20",
        }
    }

    /// Calls that belong together and run one after the other on one connection.
    pub(crate) const fn unit(self) -> usize {
        match self {
            Self::Write => 2,
            _ => 1,
        }
    }
}

/// One call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Call {
    /// `a` follows `b`.
    Follow { a: u64, b: u64 },
    /// `a` follows `b` no longer.
    Unfollow { a: u64, b: u64 },
    /// The users whom `uid` follows, and the relation of `viewer` to each of them.
    Following { uid: u64, viewer: u64 },
    /// The followers of `uid`.
    Followers { uid: u64 },
    /// What `subject` is to each object.
    Check { subject: u64, objects: Vec<u64> },
    /// The users whom `viewer` follows that follow `target`.
    Known { viewer: u64, target: u64 },
    /// The newest home page of `uid`: ids, or whole posts.
    Home { uid: u64, with_posts: bool },
    /// Something about an account.
    User(UserCall),
    /// Something about the people around a user.
    People(PeopleCall),
    /// A search.
    Search(SearchCall),
}

/// One call about the account of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UserCall {
    /// Makes it; with a password, if it is to log in.
    Register(u64),
    /// Finds it by its uid.
    ByUid(u64),
    /// Finds it by its login name.
    ByName(u64),
    /// Finds it by its phone number.
    ByPhone(u64),
    /// Finds it by its mail address.
    ByEmail(u64),
    /// Logs in.
    LogIn(u64),
    /// Asks for the uids of [`RESOLVED`] external ids.
    Resolve {
        /// The first of their numbers.
        first: u64,
        /// Makes those that there are not.
        create: bool,
    },
}

/// External ids of one call: as many as a call may have.
pub(crate) const RESOLVED: u64 = 1_000;

impl UserCall {
    /// The first number of users that log in, above all that are looked up.
    pub(crate) const FIRST_LOGIN: u64 = 1 << 50;
    /// The password of those.
    pub(crate) const PASSWORD: &str = "correct horse battery";

    /// The login name of a number.
    pub(crate) fn name_of(n: u64) -> String {
        format!("user{n}")
    }

    /// The phone number of a number.
    pub(crate) fn phone_of(n: u64) -> String {
        format!("+1{}", 2_000_000_000 + n)
    }

    /// The mail address of a number.
    pub(crate) fn email_of(n: u64) -> String {
        format!("user{n}@example.com")
    }

    /// The uid that guanxi gives the account of a number while a directory is made.
    pub(crate) fn uid_of(n: u64) -> Uid {
        accounts::uid_of(n, &LoginName::stored(Self::name_of(n)))
    }

    /// The account of a number.
    pub(crate) fn account_of(n: u64, nickname: String, password: Option<PasswordHash>) -> UserCommand {
        accounts::registration(n, Self::name_of(n), nickname, password)
    }

    /// The external id of a number: a UUID, as random as they are.
    pub(crate) fn external_id_of(n: u64) -> String {
        let (high, low) = (mix(n), mix(!n));
        let [a, b, c] = [high >> 32, high >> 16 & 0xffff, high & 0xfff | 0x4000];
        format!("{a:08x}-{b:04x}-{c:04x}-{:04x}-{:012x}", low >> 48 & 0x3fff | 0x8000, low & 0xffff_ffff_ffff)
    }

    /// The external ids of a [`Resolve`](Self::Resolve).
    pub(crate) fn external_ids_from(first: u64) -> Vec<String> {
        (first..first + RESOLVED).map(Self::external_id_of).collect()
    }
}

/// An answer in the words of seed 000, where a relation is 0 none, 1 followed by, 2 following, 3 both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// Whether the write changed anything, and the relation of `a` to `b` afterwards.
    Write { changed: bool, state: u8 },
    /// Users and the viewer's relation to each; 0 when there is no viewer.
    Page(Vec<(u64, u8)>),
    /// One relation per object.
    Relations(Vec<u8>),
    /// How many, and the first page.
    Known { count: usize, first: Vec<u64> },
    /// The ids of a page, in order.
    Ids(Vec<u64>),
    /// Users, the best first, each with the number of users whom the viewer follows that follow it.
    Counted(Vec<(u64, u32)>),
    /// The account of which number it is.
    User(u64),
    /// So many ids have uids.
    Resolved(usize),
    /// It was done.
    Done,
}

/// Calls with their right answers; a multiple of [`Operation::unit`].
#[derive(Default)]
pub(crate) struct Workload {
    /// What is asked.
    pub(crate) calls: Vec<Call>,
    /// What must be answered.
    pub(crate) answers: Vec<Answer>,
}

impl Workload {
    /// Draws `count` units. Users are drawn by edge: who follows more is read more often, so that pages are mostly
    /// full. Written pairs are distinct and not in the graph, and each is taken back.
    pub(crate) fn draw(
        graph: &FollowGraph,
        index: &Index,
        operation: Operation,
        seed: u64,
        count: usize,
    ) -> Self {
        let mut drawer = Drawer { graph, index, rng: Rng::new(seed), pairs: HashSet::new() };
        let mut workload = Self::default();
        for _ in 0..count {
            for (call, answer) in drawer.unit(operation) {
                workload.calls.push(call);
                workload.answers.push(answer);
            }
        }
        workload
    }
}

struct Drawer<'a> {
    graph: &'a FollowGraph,
    index: &'a Index,
    rng: Rng,
    pairs: HashSet<(u32, u32)>,
}

impl Drawer<'_> {
    fn unit(&mut self, operation: Operation) -> Vec<(Call, Answer)> {
        match operation {
            Operation::Write => self.write(),
            Operation::Following => vec![self.following()],
            Operation::Followers => vec![self.followers()],
            Operation::Check => vec![self.check()],
            Operation::Known => vec![self.known()],
        }
    }

    fn subject(&mut self) -> u32 {
        self.graph.edges[self.rng.below(self.graph.edges.len())].subject
    }

    fn object(&mut self) -> u32 {
        self.graph.edges[self.rng.below(self.graph.edges.len())].object
    }

    fn uid(&self, user: u32) -> u64 {
        self.graph.uid(user)
    }

    /// A follow of somebody new, of whom one in eight follows back already, and its unfollow.
    fn write(&mut self) -> Vec<(Call, Answer)> {
        let (a, b) = loop {
            let edge = self.graph.edges[self.rng.below(self.graph.edges.len())];
            let (a, b) = if self.rng.below(8) == 0 {
                (edge.object, edge.subject)
            } else {
                (self.subject(), self.object())
            };
            let pair = (a.min(b), a.max(b));
            if a != b && !self.index.follows(a, b) && self.pairs.insert(pair) {
                break (a, b);
            }
        };
        let before = self.index.state(a, b);
        let (a, b) = (self.uid(a), self.uid(b));
        vec![
            (Call::Follow { a, b }, Answer::Write { changed: true, state: before | 2 }),
            (Call::Unfollow { a, b }, Answer::Write { changed: true, state: before }),
        ]
    }

    fn following(&mut self) -> (Call, Answer) {
        let (user, viewer) = (self.subject(), self.subject());
        let items = self.index.following(user).iter().take(PAGE);
        // The relation of somebody to itself is empty.
        let page = items.map(|&item| (self.uid(item), self.index.state(viewer, item))).collect();
        (Call::Following { uid: self.uid(user), viewer: self.uid(viewer) }, Answer::Page(page))
    }

    fn followers(&mut self) -> (Call, Answer) {
        let user = self.object();
        let page = self.index.followers(user).iter().take(PAGE).map(|&item| (self.uid(item), 0)).collect();
        (Call::Followers { uid: self.uid(user) }, Answer::Page(page))
    }

    /// Twenty distinct objects: up to ten that the subject follows or is followed by, the others at random.
    fn check(&mut self) -> (Call, Answer) {
        let subject = self.subject();
        let mut related = [self.index.following(subject), self.index.followers(subject)].concat();
        self.rng.shuffle(&mut related);
        let mut objects: Vec<u32> = Vec::with_capacity(PAGE);
        for user in related {
            if objects.len() < RELATED_MAX && !objects.contains(&user) {
                objects.push(user);
            }
        }
        while objects.len() < PAGE {
            let user = self.rng.below(self.graph.users as usize) as u32;
            if user != subject && !objects.contains(&user) {
                objects.push(user);
            }
        }
        self.rng.shuffle(&mut objects);
        let states = objects.iter().map(|&object| self.index.state(subject, object)).collect();
        let objects = objects.into_iter().map(|object| self.uid(object)).collect();
        (Call::Check { subject: self.uid(subject), objects }, Answer::Relations(states))
    }

    /// A viewer and somebody whom one of its followed users follows.
    fn known(&mut self) -> (Call, Answer) {
        let (viewer, target) = loop {
            let viewer = self.subject();
            let between = self.pick(self.index.following(viewer));
            let second = self.index.following(between);
            if !second.is_empty() {
                let target = self.pick(second);
                if target != viewer {
                    break (viewer, target);
                }
            }
        };
        let known = |&&user: &&u32| self.index.follows(user, target);
        let users: Vec<u64> =
            self.index.following(viewer).iter().filter(known).map(|&user| self.uid(user)).collect();
        let first = users.iter().copied().take(PAGE).collect();
        let answer = Answer::Known { count: users.len(), first };
        (Call::Known { viewer: self.uid(viewer), target: self.uid(target) }, answer)
    }

    fn pick(&mut self, users: &[u32]) -> u32 {
        users[self.rng.below(users.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draw(operation: Operation) -> (FollowGraph, Workload) {
        let graph = FollowGraph::generate(2_000, 4);
        let index = Index::of(&graph);
        let workload = Workload::draw(&graph, &index, operation, 5, 300);
        (graph, workload)
    }

    #[test]
    fn every_operation_draws_whole_units_and_repeats_with_the_seed() {
        for operation in Operation::ALL {
            let (_, workload) = draw(operation);
            assert_eq!(workload.calls.len(), 300 * operation.unit());
            assert_eq!(workload.calls.len(), workload.answers.len());
            assert_eq!(workload.calls, draw(operation).1.calls);
        }
    }

    #[test]
    fn writes_are_of_distinct_pairs_and_some_make_friends() {
        let (_, workload) = draw(Operation::Write);
        let friends =
            workload.answers.iter().filter(|answer| matches!(answer, Answer::Write { state: 3, .. }));
        assert!((10..100).contains(&friends.count()));
        let mut seen = HashSet::new();
        for unit in workload.calls.chunks(2) {
            let [Call::Follow { a, b }, Call::Unfollow { a: same, b: other }] = unit else {
                panic!("{unit:?}")
            };
            assert_eq!((a, b), (same, other));
            assert!(seen.insert((a.min(b).to_owned(), a.max(b).to_owned())));
        }
    }

    #[test]
    fn checks_are_of_twenty_distinct_objects_and_find_relations() {
        let (_, workload) = draw(Operation::Check);
        for (call, answer) in workload.calls.iter().zip(&workload.answers) {
            let (Call::Check { objects, .. }, Answer::Relations(states)) = (call, answer) else {
                panic!("{call:?}")
            };
            assert_eq!(objects.iter().collect::<HashSet<_>>().len(), PAGE);
            assert!(states.iter().any(|&state| state != 0));
        }
    }

    #[test]
    fn known_followers_are_never_none() {
        let (_, workload) = draw(Operation::Known);
        for answer in workload.answers {
            let Answer::Known { count, first } = answer else { panic!("{answer:?}") };
            assert!(count >= 1);
            assert_eq!(first.len(), count.min(PAGE));
        }
    }
}
