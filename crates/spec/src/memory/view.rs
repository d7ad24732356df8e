//! What a read answers.

use super::state::{Maps, Pairs};
use super::store::SharedMaps;
use guanxi_model::{
    Edge, EdgePage, EventAt, Gene, List, LogId, Page, PageStart, Position, PostId, Result, Uid,
};
use guanxi_ports::{BoxFuture, ExportEdge, FollowedCounts, FollowsAsk, KnownFollowers};
use std::collections::{BTreeMap, BTreeSet};
use std::future::ready;
use std::ops::Bound;
use std::sync::{Arc, Mutex};

/// What is read at some moment, or at one for each shard: writers copy the state that a view still holds.
pub(super) struct MemoryView {
    pub shared: Arc<SharedMaps>,
    pub parts: Parts,
}

/// The moments of a view.
pub(super) enum Parts {
    /// One for all shards.
    Whole(Arc<Maps>),
    /// For each shard that of the first question about it.
    Shards { at_least: Option<Position>, pinned: Mutex<BTreeMap<LogId, Arc<Maps>>> },
}

impl MemoryView {
    /// The state of one moment.
    pub(super) const fn of_one_moment(shared: Arc<SharedMaps>, state: Arc<Maps>) -> Self {
        Self { shared, parts: Parts::Whole(state) }
    }

    /// The state of each shard as of the first question about it. It includes what followed there from the acts that a
    /// position names.
    pub(super) const fn by_shard(shared: Arc<SharedMaps>, at_least: Option<Position>) -> Self {
        Self { shared, parts: Parts::Shards { at_least, pinned: Mutex::new(BTreeMap::new()) } }
    }

    /// The state in which the rows of a shard are read.
    fn shard(&self, log: LogId) -> Arc<Maps> {
        match &self.parts {
            Parts::Whole(state) => state.clone(),
            Parts::Shards { at_least, pinned } => {
                let mut pinned = pinned.lock().expect("nobody panics while holding a view");
                pinned.entry(log).or_insert_with(|| self.shared.pin(log, at_least.as_ref())).clone()
            }
        }
    }

    /// Returns whether all shards are read at one moment, in which what follows from an event stands wherever it
    /// belongs.
    pub(super) const fn is_of_one_moment(&self) -> bool {
        matches!(self.parts, Parts::Whole(_))
    }

    /// The state in which the rows of a user are read.
    pub(super) fn of(&self, uid: Uid) -> Arc<Maps> {
        self.shard(self.shared.options.logs.of(uid))
    }

    /// The state in which the rows of a gene are read.
    pub(super) fn of_gene(&self, gene: Gene) -> Arc<Maps> {
        self.shard(self.shared.options.logs.of_gene(gene))
    }

    /// The state in which the rows of a post are read: it lies in its author's shard.
    pub(super) fn of_post(&self, id: PostId) -> Arc<Maps> {
        self.shard(self.shared.log_of_post(id))
    }

    /// Returns the state for reads of what belongs to no user: it lies in the first shard.
    pub(super) fn of_all(&self) -> Arc<Maps> {
        self.shard(LogId(0))
    }

    /// Returns whether what a user's shard said of the user's relations holds still.
    pub(super) fn holds_still(&self, uid: Uid) -> bool {
        let Parts::Shards { pinned, .. } = &self.parts else { return true };
        let pinned = pinned.lock().expect("nobody panics while holding a view");
        let Some(then) = pinned.get(&self.shared.options.logs.of(uid)) else { return true };
        let now = self.shared.now();
        let changed = |state: &Maps| -> (Option<EventAt>, Option<EventAt>) {
            (state.viewer_relations.get(&uid).copied(), state.blocked_at.get(&uid).copied())
        };
        changed(then) == changed(&now)
    }

    /// Every state that shards of this view are read in, and whether it is the one of a user's shard.
    pub(super) fn states(&self) -> Vec<(Arc<Maps>, impl Fn(Uid) -> bool + use<>)> {
        let logs = self.shared.options.logs;
        let mut states: Vec<(Arc<Maps>, BTreeSet<LogId>)> = Vec::new();
        for log in logs.all() {
            let state = self.shard(log);
            match states.iter_mut().find(|(known, _)| Arc::ptr_eq(known, &state)) {
                Some((_, read_in_it)) => drop(read_in_it.insert(log)),
                None => states.push((state, BTreeSet::from([log]))),
            }
        }
        let with_own = |(state, read_in_it): (_, BTreeSet<LogId>)| {
            (state, move |uid: Uid| read_in_it.contains(&logs.of(uid)))
        };
        states.into_iter().map(with_own).collect()
    }

    /// Every pair of a kind, each as its subject's shard says.
    pub(super) fn pairs_of_all(
        &self,
        pairs: impl Fn(&Maps) -> &Pairs,
        after: Option<(Uid, Uid)>,
        max: usize,
    ) -> Vec<ExportEdge> {
        let from = after.map_or(Bound::Unbounded, Bound::Excluded);
        let mut edges: Vec<ExportEdge> = Vec::new();
        for (state, is_own) in self.states() {
            let all = pairs(&state).range((from, Bound::Unbounded));
            let part = all.filter(|(pair, _)| is_own(pair.0)).take(max);
            edges.extend(part.map(|((subject, object), at)| ExportEdge::new(*subject, *object, *at)));
        }
        edges.sort_unstable();
        edges.truncate(max);
        edges
    }

    /// A whole list, newest first.
    pub(super) fn whole(&self, of: Uid, list: List) -> Vec<Edge> {
        let state = &*self.of(of);
        let mut edges = match list {
            List::Following => of_owner(&state.follows, of),
            List::Followers => of_owner(&state.followers, of),
            List::Friends => {
                let friends = of_owner(&state.follows, of).into_iter().filter_map(|edge| {
                    state.relation(of, edge.uid).friends_since.map(|at| Edge { at, uid: edge.uid })
                });
                friends.collect()
            }
            List::Blocks => of_owner(&state.blocks, of),
            List::Mutes => of_owner(&state.mutes, of),
        };
        edges.sort_unstable_by(|a, b| b.cmp(a));
        edges
    }

    /// Returns whether an end user may know of an edge: it is one of its ends, or neither end hides it.
    pub(super) fn tells(&self, told: Option<Uid>, (subject, object): (Uid, Uid)) -> bool {
        let hidden = || {
            self.of(subject).standing(subject).privacy.hides_following
                || self.of(object).standing(object).privacy.hides_followers
        };
        told.is_none_or(|told| told == subject || told == object || !hidden())
    }

    /// Returns the users whom a user follows and who pass a condition, counted and paged in the order of their
    /// following list.
    pub(super) fn among_following(
        &self,
        uid: Uid,
        page: Page,
        passes: impl Fn(Uid) -> bool,
    ) -> KnownFollowers {
        let edges: Vec<Edge> =
            self.whole(uid, List::Following).into_iter().filter(|edge| passes(edge.uid)).collect();
        KnownFollowers { count: edges.len() as u32, page: cut(edges, page) }
    }
}

impl MemoryView {
    /// Returns the users whom a user follows, of the newest so many.
    fn newest_followed(&self, uid: Uid, newest: usize) -> Vec<Uid> {
        self.whole(uid, List::Following).into_iter().take(newest).map(|edge| edge.uid).collect()
    }

    pub(super) fn followed_by(&self, ask: FollowsAsk<'_>, follows_max: usize) -> FollowedCounts {
        let (mut counts, mut looked_at, mut subjects) = (BTreeMap::<Uid, u32>::new(), 0, 0);
        for subject in ask.subjects {
            let followed = self.newest_followed(*subject, ask.newest);
            looked_at += followed.len();
            if looked_at > follows_max {
                break;
            }
            followed.into_iter().for_each(|uid| *counts.entry(uid).or_default() += 1);
            subjects += 1;
        }
        FollowedCounts { users: counts.into_iter().collect(), subjects }
    }

    pub(super) fn followers_among(&self, ask: FollowsAsk<'_>, objects: &[Uid]) -> Vec<Vec<u32>> {
        let lists: Vec<Vec<Uid>> =
            ask.subjects.iter().map(|subject| self.newest_followed(*subject, ask.newest)).collect();
        let who = |object: &Uid| {
            let subjects = (0..).zip(&lists).filter(|(_, list)| list.contains(object));
            subjects.map(|(place, _)| place).collect()
        };
        objects.iter().map(who).collect()
    }
}

pub(super) fn of_owner(pairs: &Pairs, owner: Uid) -> Vec<Edge> {
    pairs
        .range((owner, Uid::MIN)..=(owner, Uid::MAX))
        .map(|((_, uid), at)| Edge { at: *at, uid: *uid })
        .collect()
}

/// A page of a list. A cursor is a place in the order, so its own row may be gone.
pub(super) fn cut(edges: Vec<Edge>, page: Page) -> EdgePage {
    match page.start() {
        PageStart::Newest => EdgePage::cut(edges, page.size()),
        PageStart::After(cursor) => {
            EdgePage::cut(edges.into_iter().filter(|edge| *edge < cursor.0), page.size())
        }
        PageStart::Offset(skip) => EdgePage::cut(edges.into_iter().skip(skip as usize), page.size()),
    }
}

pub(super) fn now<'a, T: Send + 'a>(answer: T) -> BoxFuture<'a, Result<T>> {
    Box::pin(ready(Ok(answer)))
}
