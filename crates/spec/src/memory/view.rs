//! What a read answers.

use super::Options;
use super::state::{Pairs, State};
use guanxi_model::{
    Counts, Edge, EdgePage, Error, List, Page, PageStart, Position, Reason, Relation, Result, Uid,
};
use guanxi_ports::{BoxFuture, ExportEdge, FollowLimit, GraphView, KnownFollowers};
use std::future::ready;
use std::ops::Bound;
use std::sync::Arc;

/// The graph at one commit: writers copy the state that a view still holds.
pub(super) struct MemoryView {
    pub state: Arc<State>,
    pub options: Arc<Options>,
}

impl MemoryView {
    pub fn new(state: Arc<State>, options: Arc<Options>) -> Self {
        Self { state, options }
    }

    /// A whole list, newest first.
    fn whole(&self, of: Uid, list: List) -> Vec<Edge> {
        let state = &*self.state;
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

    /// Whom a user follows and who passes a condition, counted and paged in the order of their following list.
    fn among_following(&self, uid: Uid, page: Page, passes: impl Fn(Uid) -> bool) -> KnownFollowers {
        let edges: Vec<Edge> =
            self.whole(uid, List::Following).into_iter().filter(|edge| passes(edge.uid)).collect();
        KnownFollowers { count: edges.len() as u32, page: cut(edges, page) }
    }

    pub fn follows(&self, subject: Uid, object: Uid) -> bool {
        self.state.follows.contains_key(&(subject, object))
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

impl GraphView for MemoryView {
    fn position(&self) -> Position {
        self.state.position(&self.options)
    }

    fn relations<'a>(&'a self, subject: Uid, objects: &'a [Uid]) -> BoxFuture<'a, Result<Vec<Relation>>> {
        now(objects.iter().map(|object| self.state.relation(subject, *object)).collect())
    }

    fn pairs<'a>(&'a self, pairs: &'a [(Uid, Uid)]) -> BoxFuture<'a, Result<Vec<Relation>>> {
        now(pairs.iter().map(|(subject, object)| self.state.relation(*subject, *object)).collect())
    }

    fn list(&self, of: Uid, list: List, page: Page) -> BoxFuture<'_, Result<EdgePage>> {
        if matches!(page.start(), PageStart::Offset(_)) && !list.is_bounded() {
            return Box::pin(ready(Err(Error::new(Reason::InvalidField { field: "offset" }))));
        }
        now(cut(self.whole(of, list), page))
    }

    fn counts<'a>(&'a self, uids: &'a [Uid]) -> BoxFuture<'a, Result<Vec<Counts>>> {
        now(uids.iter().map(|uid| self.state.counts(*uid)).collect())
    }

    fn known_followers(&self, viewer: Uid, target: Uid, page: Page) -> BoxFuture<'_, Result<KnownFollowers>> {
        now(self.among_following(viewer, page, |uid| self.follows(uid, target)))
    }

    fn mutual_following(&self, a: Uid, b: Uid, page: Page) -> BoxFuture<'_, Result<KnownFollowers>> {
        now(self.among_following(a, page, |uid| self.follows(b, uid)))
    }

    fn follow_limit(&self, uid: Uid) -> BoxFuture<'_, Result<FollowLimit>> {
        let own = self.state.limits.get(&uid).copied();
        now(FollowLimit { effective: own.unwrap_or(self.options.follow_limit), own })
    }

    fn import_position<'a>(&'a self, job: &'a str) -> BoxFuture<'a, Result<Option<u64>>> {
        now(self.state.jobs.get(job).copied())
    }

    fn edges(&self, after: Option<(Uid, Uid)>, max: usize) -> BoxFuture<'_, Result<Vec<ExportEdge>>> {
        let from = after.map_or(Bound::Unbounded, Bound::Excluded);
        let edges = self.state.follows.range((from, Bound::Unbounded)).take(max);
        now(edges
            .map(|((subject, object), at)| ExportEdge { subject: *subject, object: *object, at: *at })
            .collect())
    }
}
