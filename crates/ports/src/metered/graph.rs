//! Calls of the graph.

use super::{Metered, MeteredView};
use crate::{
    BoxFuture, ExportEdge, FollowedCounts, FollowsAsk, Graph, GraphView, KnownFollowers, MarkKind, StoreView,
};
use guanxi_model::user::Standing;
use guanxi_model::{
    Counts, Edge, EdgePage, List, Op, Page, Position, Relation, RestrictionKind, Result, Uid,
};

/// What a call is counted as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub(super) enum Call {
    // Operations on a pair come first, in the order of their codes.
    Batch = Op::ALL.len(),
    Import,
    SetFollowLimit,
    View,
    Relations,
    Pairs,
    Following,
    Followers,
    Friends,
    Blocks,
    Mutes,
    Counts,
    KnownFollowers,
    MutualFollowing,
    FollowLimit,
    ImportPosition,
    Edges,
    Restrictions,
    Standings,
    MarkedBy,
    RemovedFollows,
    AllRemovedFollows,
    DropTombstones,
    ForgetRejection,
    EndUnlock,
    MarkRequestsSeen,
    Requests,
    UnseenRequests,
    Rejections,
    UserNotes,
    MuteTerms,
    DueEnds,
    Unlocking,
    CountFollowed,
    WhoFollows,
    Dismiss,
    Dismissed,
    DismissedBy,
    AddAffinity,
    Affinities,
    ScoredBy,
}

/// The labels of the calls that are no operation on a pair, in the order of [`Call`].
const OTHERS: [&str; Call::ScoredBy as usize + 1 - Op::ALL.len()] = [
    "batch",
    "import",
    "set_follow_limit",
    "view",
    "relations",
    "pairs",
    "list_following",
    "list_followers",
    "list_friends",
    "list_blocks",
    "list_mutes",
    "counts",
    "known_followers",
    "mutual_following",
    "follow_limit",
    "import_position",
    "edges",
    "restrictions",
    "standings",
    "marked_by",
    "removed_follows",
    "all_removed_follows",
    "drop_tombstones",
    "forget_rejection",
    "end_unlock",
    "mark_requests_seen",
    "requests",
    "unseen_requests",
    "rejections",
    "user_notes",
    "mute_terms",
    "due_ends",
    "unlocking",
    "count_followed",
    "who_follows",
    "dismiss",
    "dismissed",
    "dismissed_by",
    "add_affinity",
    "affinities",
    "scored_by",
];

/// The label of each call: operations on a pair by their codes, then [`Call`]s.
pub const LABELS: [&str; Call::ScoredBy as usize + 1] = {
    let mut labels = [""; Call::ScoredBy as usize + 1];
    let mut n = 0;
    while n < labels.len() {
        labels[n] = if n < Op::ALL.len() { Op::ALL[n].name() } else { OTHERS[n - Op::ALL.len()] };
        n += 1;
    }
    labels
};

impl Call {
    const fn of_list(list: List) -> Self {
        match list {
            List::Following => Self::Following,
            List::Followers => Self::Followers,
            List::Friends => Self::Friends,
            List::Blocks => Self::Blocks,
            List::Mutes => Self::Mutes,
        }
    }
}

impl<G: Graph> Graph for Metered<G> {
    fn view<'a>(&'a self, at_least: Option<&'a Position>) -> BoxFuture<'a, Result<Box<dyn StoreView>>> {
        Box::pin(async move {
            let inner = self.meters.graph[Call::View as usize].time(self.inner.view(at_least)).await?;
            Ok(Box::new(MeteredView { inner, meters: self.meters.clone() }) as Box<dyn StoreView>)
        })
    }
}

impl MeteredView {
    pub(super) fn time<'a, T: Send + 'a>(
        &'a self,
        call: Call,
        answer: BoxFuture<'a, Result<T>>,
    ) -> BoxFuture<'a, Result<T>> {
        Box::pin(self.meters.graph[call as usize].time(answer))
    }
}

impl GraphView for MeteredView {
    fn position(&self) -> Position {
        self.inner.position()
    }

    fn relations<'a>(&'a self, subject: Uid, objects: &'a [Uid]) -> BoxFuture<'a, Result<Vec<Relation>>> {
        self.time(Call::Relations, self.inner.relations(subject, objects))
    }

    fn pairs<'a>(&'a self, pairs: &'a [(Uid, Uid)]) -> BoxFuture<'a, Result<Vec<Relation>>> {
        self.time(Call::Pairs, self.inner.pairs(pairs))
    }

    fn list(&self, of: Uid, list: List, page: Page) -> BoxFuture<'_, Result<EdgePage>> {
        self.time(Call::of_list(list), self.inner.list(of, list, page))
    }

    fn counts<'a>(&'a self, uids: &'a [Uid]) -> BoxFuture<'a, Result<Vec<Counts>>> {
        self.time(Call::Counts, self.inner.counts(uids))
    }

    fn known_followers(
        &self,
        viewer: Uid,
        target: Uid,
        page: Page,
        told: Option<Uid>,
    ) -> BoxFuture<'_, Result<KnownFollowers>> {
        self.time(Call::KnownFollowers, self.inner.known_followers(viewer, target, page, told))
    }

    fn mutual_following(
        &self,
        a: Uid,
        b: Uid,
        page: Page,
        told: Option<Uid>,
    ) -> BoxFuture<'_, Result<KnownFollowers>> {
        self.time(Call::MutualFollowing, self.inner.mutual_following(a, b, page, told))
    }

    fn count_followed<'a>(
        &'a self,
        ask: FollowsAsk<'a>,
        follows_max: usize,
    ) -> BoxFuture<'a, Result<FollowedCounts>> {
        self.time(Call::CountFollowed, self.inner.count_followed(ask, follows_max))
    }

    fn who_follows<'a>(
        &'a self,
        ask: FollowsAsk<'a>,
        objects: &'a [Uid],
    ) -> BoxFuture<'a, Result<Vec<Vec<u32>>>> {
        self.time(Call::WhoFollows, self.inner.who_follows(ask, objects))
    }

    fn standings<'a>(&'a self, uids: &'a [Uid]) -> BoxFuture<'a, Result<Vec<Standing>>> {
        self.time(Call::Standings, self.inner.standings(uids))
    }

    fn all_stand_by_default(&self) -> bool {
        self.inner.all_stand_by_default()
    }

    fn edges(&self, after: Option<(Uid, Uid)>, max: usize) -> BoxFuture<'_, Result<Vec<ExportEdge>>> {
        self.time(Call::Edges, self.inner.edges(after, max))
    }

    fn restrictions(
        &self,
        kind: RestrictionKind,
        after: Option<(Uid, Uid)>,
        max: usize,
    ) -> BoxFuture<'_, Result<Vec<ExportEdge>>> {
        self.time(Call::Restrictions, self.inner.restrictions(kind, after, max))
    }

    fn marked_by(
        &self,
        object: Uid,
        kind: MarkKind,
        after: Option<Uid>,
        max: usize,
    ) -> BoxFuture<'_, Result<Vec<Uid>>> {
        self.time(Call::MarkedBy, self.inner.marked_by(object, kind, after, max))
    }

    fn all_removed_follows(
        &self,
        after: Option<(Uid, Uid)>,
        max: usize,
    ) -> BoxFuture<'_, Result<Vec<ExportEdge>>> {
        self.time(Call::AllRemovedFollows, self.inner.all_removed_follows(after, max))
    }

    fn removed_follows(
        &self,
        subject: Uid,
        after: Option<Uid>,
        max: usize,
    ) -> BoxFuture<'_, Result<Vec<Edge>>> {
        self.time(Call::RemovedFollows, self.inner.removed_follows(subject, after, max))
    }
}
