//! A tiny model of the graph, built from events alone.

use guanxi_model::event::PairChange;
use guanxi_model::{Change, Counts, Edge, Event, List, RequestKind, Stamp, Uid};
use guanxi_ports::ExportEdge;
use std::collections::{BTreeMap, BTreeSet};

/// Which fact of a pair an event is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fact {
    Follow,
    Block,
    Mute,
    /// What the other has asked the owner: a kind each.
    FollowRequest,
    FriendRequest,
}

const fn request(kind: RequestKind) -> Fact {
    match kind {
        RequestKind::Follow => Fact::FollowRequest,
        RequestKind::Friend => Fact::FriendRequest,
    }
}

/// What the log says. The newer version of a fact wins, so events may be applied twice, late and in any order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replay {
    /// Each fact ever touched: its newest version, and since when it holds if it does.
    facts: BTreeMap<(Fact, Uid, Uid), (Stamp, Option<Stamp>)>,
    limits: BTreeMap<Uid, (Stamp, Option<u32>)>,
}

impl Replay {
    /// Applies an event.
    fn apply(&mut self, event: &Event) {
        let Event { version, subject, change, .. } = *event;
        let (object, kind) = match change {
            Change::FollowLimit(limit) => {
                let stored = self.limits.entry(subject).or_default();
                if version >= stored.0 {
                    *stored = (version, limit);
                }
                return;
            }
            Change::Pair { object, kind, .. } => (object, kind),
            // Facts about posts and users are replayed by their own cases.
            Change::Post { .. }
            | Change::Liked { .. }
            | Change::Unliked { .. }
            | Change::User(_)
            | Change::Interacted
            | Change::Group { .. } => return,
        };
        let (fact, since) = match kind {
            PairChange::Followed { at, .. } => (Fact::Follow, Some(at)),
            PairChange::Unfollowed => (Fact::Follow, None),
            PairChange::Blocked { at } => (Fact::Block, Some(at)),
            PairChange::Unblocked => (Fact::Block, None),
            PairChange::Muted { at, .. } => (Fact::Mute, Some(at)),
            PairChange::Unmuted => (Fact::Mute, None),
            PairChange::Requested { kind, .. } => (request(kind), Some(version)),
            PairChange::RequestEnded { kind } => (request(kind), None),
        };
        let stored = self.facts.entry((fact, subject, object)).or_default();
        if version >= stored.0 {
            *stored = (version, since);
        }
    }

    /// Applies events, in the order given.
    pub fn apply_all(&mut self, events: &[Event]) {
        for event in events {
            self.apply(event);
        }
    }

    /// All users who ever appeared.
    pub fn users(&self) -> BTreeSet<Uid> {
        let pairs = self.facts.keys().flat_map(|(_, subject, object)| [*subject, *object]);
        pairs.chain(self.limits.keys().copied()).collect()
    }

    /// The active follows, as exported.
    pub fn edges(&self) -> Vec<ExportEdge> {
        self.holding(Fact::Follow).map(|(subject, object, at)| ExportEdge::new(subject, object, at)).collect()
    }

    /// Follows that were removed and not renewed.
    pub fn removed(&self) -> impl Iterator<Item = (Uid, Uid)> {
        let gone = |((fact, subject, object), (_, since)): (&(Fact, Uid, Uid), &(Stamp, Option<Stamp>))| {
            (*fact == Fact::Follow && since.is_none()).then_some((*subject, *object))
        };
        self.facts.iter().filter_map(gone)
    }

    /// The requests of a kind that a user got, newest first: from whom, and since when.
    pub fn requests(&self, receiver: Uid, kind: RequestKind) -> Vec<Edge> {
        let own = self.holding(request(kind)).filter(|(of, ..)| *of == receiver);
        let mut edges: Vec<Edge> = own.map(|(_, uid, at)| Edge { at, uid }).collect();
        edges.sort_unstable_by(|a, b| b.cmp(a));
        edges
    }

    /// A user's own limit.
    pub fn limit(&self, uid: Uid) -> Option<u32> {
        self.limits.get(&uid).and_then(|(_, limit)| *limit)
    }

    /// A whole list, newest first.
    pub fn list(&self, of: Uid, list: List) -> Vec<Edge> {
        let owned = |fact| self.holding(fact).filter(move |(subject, ..)| *subject == of);
        let edge = |(_, uid, at)| Edge { at, uid };
        let mut edges: Vec<Edge> = match list {
            List::Following => owned(Fact::Follow).map(edge).collect(),
            List::Blocks => owned(Fact::Block).map(edge).collect(),
            List::Mutes => owned(Fact::Mute).map(edge).collect(),
            List::Followers => {
                let followers = self.holding(Fact::Follow).filter(|(_, object, _)| *object == of);
                followers.map(|(uid, _, at)| Edge { at, uid }).collect()
            }
            List::Friends => {
                let friend = |(_, uid, at): (Uid, Uid, Stamp)| {
                    self.since(Fact::Follow, uid, of).map(|back| Edge { at: at.max(back), uid })
                };
                owned(Fact::Follow).filter_map(friend).collect()
            }
        };
        edges.sort_unstable_by(|a, b| b.cmp(a));
        edges
    }

    /// The counters of every user.
    pub fn counts(&self) -> BTreeMap<Uid, Counts> {
        let mut counts: BTreeMap<Uid, Counts> =
            self.users().into_iter().map(|uid| (uid, Counts::default())).collect();
        for (subject, object, _) in self.holding(Fact::Follow) {
            counts.entry(subject).or_default().following += 1;
            counts.entry(object).or_default().followers += 1;
            if self.since(Fact::Follow, object, subject).is_some() {
                counts.entry(subject).or_default().friends += 1;
            }
        }
        self.holding(Fact::Block).for_each(|(uid, ..)| counts.entry(uid).or_default().blocks += 1);
        self.holding(Fact::Mute).for_each(|(uid, ..)| counts.entry(uid).or_default().mutes += 1);
        counts
    }

    fn since(&self, fact: Fact, subject: Uid, object: Uid) -> Option<Stamp> {
        self.facts.get(&(fact, subject, object)).and_then(|(_, since)| *since)
    }

    fn holding(&self, wanted: Fact) -> impl Iterator<Item = (Uid, Uid, Stamp)> {
        let all = (wanted, Uid::MIN, Uid::MIN)..=(wanted, Uid::MAX, Uid::MAX);
        self.facts
            .range(all)
            .filter_map(|((_, subject, object), (_, since))| Some((*subject, *object, (*since)?)))
    }
}
