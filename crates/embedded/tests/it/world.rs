//! A small random world, everything that can be read of it, and a model that replays the log.

use guanxi_embedded::{EmbeddedStore, ErasedIdKey, Options};
use guanxi_model::event::PairChange;
use guanxi_model::{
    Change, Counts, Edge, Event, HistoryId, List, LogId, ManualClock, Op, Page, PageStart, PairCommand,
    Position, Relation, RequestKind, Result, Stamp, Uid, Write,
};
use guanxi_ports::{Facts as _, Log as _, RelationView, Store as _};
pub use guanxi_spec::conformance::Rng;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

pub const NOW_MS: u64 = 1_700_000_000_000;

/// Users: few, so that everything happens between them.
pub const USERS: u64 = 24;

pub fn uid(n: u64) -> Uid {
    Uid::new(n).unwrap()
}

pub fn users() -> Vec<Uid> {
    (1..=USERS).map(uid).collect()
}

pub fn options(history: u64) -> Options {
    Options {
        new_history: HistoryId(history),
        new_erased_id_key: ErasedIdKey([history as u8; 32]),
        free_space_reserve: 0,
        ..Options::default()
    }
}

pub fn clock() -> Arc<ManualClock> {
    Arc::new(ManualClock::new(NOW_MS))
}

pub fn open(dir: &Path, history: u64) -> EmbeddedStore {
    EmbeddedStore::open(dir, options(history), clock()).unwrap()
}

/// A random operation: mostly follows, so that the graph fills up.
pub fn command(rng: &mut Rng) -> PairCommand {
    let op = match rng.below(16) {
        0 | 1 => Op::Unfollow,
        2 => Op::RemoveFollower,
        3 => Op::Block,
        4 => Op::Unblock,
        5 => Op::Mute,
        6 => Op::Unmute,
        _ => Op::Follow,
    };
    PairCommand { op, subject: uid(1 + rng.below(USERS)), object: uid(1 + rng.below(USERS)) }
}

/// The last event of a store.
pub async fn head(store: &EmbeddedStore) -> Position {
    store.head().await.unwrap()
}

pub async fn write(store: &EmbeddedStore, commands: Vec<PairCommand>) -> Position {
    store.apply(Write::all(commands)).await.unwrap().position
}

/// Everything that can be read about the users of a world.
#[derive(Debug, PartialEq, Eq)]
pub struct Seen {
    pub lists: Vec<Vec<Edge>>,
    pub counts: Vec<Counts>,
    pub relations: Vec<Relation>,
}

/// Reads everything through the store.
pub async fn seen(store: &EmbeddedStore) -> Result<Seen> {
    let view = store.view(None).await?;
    let mut seen = Seen { lists: Vec::new(), counts: view.counts(&users()).await?, relations: Vec::new() };
    for user in users() {
        for list in List::ALL {
            seen.lists.push(walk(&*view, user, list).await?);
        }
        seen.relations.extend(view.relations(user, &users()).await?);
    }
    Ok(seen)
}

async fn walk(view: &dyn RelationView, user: Uid, list: List) -> Result<Vec<Edge>> {
    let (mut items, mut start) = (Vec::new(), PageStart::Newest);
    loop {
        let page = view.list(user, list, Page::new(start, 7)?).await?;
        items.extend(page.items);
        match page.next {
            Some(cursor) => start = PageStart::After(cursor),
            None => return Ok(items),
        }
    }
}

/// What the log says the state is.
#[derive(Default)]
pub struct Model {
    follows: BTreeMap<(Uid, Uid), Stamp>,
    blocks: BTreeMap<(Uid, Uid), Stamp>,
    mutes: BTreeMap<(Uid, Uid), Stamp>,
    /// By sender.
    asks: BTreeMap<(Uid, Uid), RequestKind>,
}

impl Model {
    /// Replays the log up to a position.
    pub async fn replay(store: &EmbeddedStore, to: &Position) -> Self {
        Self::replay_if_whole(store, to).await.unwrap()
    }

    /// Replays the log up to a position, if all of it can be read.
    pub async fn replay_if_whole(store: &EmbeddedStore, to: &Position) -> Result<Self> {
        let mut model = Self::default();
        let mut at = Position::one(to.history(), 0);
        while !at.covers(to) {
            let batch = store.read(LogId(0), &at, 1_000).await?;
            batch.events.iter().filter(|event| to.includes(event.at)).for_each(|event| model.apply(event));
            at = batch.position;
        }
        Ok(model)
    }

    fn apply(&mut self, event: &Event) {
        let Change::Pair { object, kind, .. } = event.change else { return };
        let pair = (event.subject, object);
        match kind {
            PairChange::Followed { at, .. } => drop(self.follows.insert(pair, at)),
            PairChange::Unfollowed => drop(self.follows.remove(&pair)),
            PairChange::Blocked { at } => drop(self.blocks.insert(pair, at)),
            PairChange::Unblocked => drop(self.blocks.remove(&pair)),
            PairChange::Muted { at, .. } => drop(self.mutes.insert(pair, at)),
            PairChange::Unmuted => drop(self.mutes.remove(&pair)),
            PairChange::Requested { kind, .. } => drop(self.asks.insert((object, event.subject), kind)),
            PairChange::RequestEnded { .. } => drop(self.asks.remove(&(object, event.subject))),
        }
    }

    /// What reads must answer.
    pub fn seen(&self) -> Seen {
        let users = users();
        let mut seen = Seen { lists: Vec::new(), counts: Vec::new(), relations: Vec::new() };
        for &user in &users {
            let lists = List::ALL.map(|list| self.list(user, list));
            seen.counts.push(Counts {
                following: lists[0].len() as u32,
                followers: lists[1].len() as u64,
                friends: lists[2].len() as u32,
                blocks: lists[3].len() as u32,
                mutes: lists[4].len() as u32,
            });
            seen.lists.extend(lists);
            seen.relations.extend(users.iter().map(|other| self.relation(user, *other)));
        }
        seen
    }

    fn list(&self, user: Uid, list: List) -> Vec<Edge> {
        let owned = |facts: &BTreeMap<(Uid, Uid), Stamp>| -> Vec<Edge> {
            let ours = facts.iter().filter(|((subject, _), _)| *subject == user);
            ours.map(|(&(_, uid), &at)| Edge { at, uid }).collect()
        };
        let mut items = match list {
            List::Following => owned(&self.follows),
            List::Blocks => owned(&self.blocks),
            List::Mutes => owned(&self.mutes),
            List::Followers => {
                let fans = self.follows.iter().filter(|((_, object), _)| *object == user);
                fans.map(|(&(uid, _), &at)| Edge { at, uid }).collect()
            }
            List::Friends => owned(&self.follows)
                .into_iter()
                .filter_map(|edge| Some(Edge { at: self.friends_since(user, edge.uid)?, uid: edge.uid }))
                .collect(),
        };
        items.sort_unstable_by(|a, b| b.cmp(a));
        items
    }

    fn friends_since(&self, a: Uid, b: Uid) -> Option<Stamp> {
        Some(*self.follows.get(&(a, b))?.max(self.follows.get(&(b, a))?))
    }

    fn relation(&self, a: Uid, b: Uid) -> Relation {
        Relation {
            following_since: self.follows.get(&(a, b)).copied(),
            followed_by: self.follows.contains_key(&(b, a)),
            friends_since: self.friends_since(a, b),
            blocking: self.blocks.contains_key(&(a, b)),
            blocked_by: self.blocks.contains_key(&(b, a)),
            muting: self.mutes.contains_key(&(a, b)),
            requested: self.asks.get(&(a, b)).copied(),
            requested_by: self.asks.get(&(b, a)).copied(),
        }
    }
}
