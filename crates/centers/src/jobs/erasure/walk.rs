//! The order in which the rows of a user are removed, and the writes that remove them.
//!
//! A walk goes on after the last row that it has removed. It does not look for the first row that is left: an engine that
//! keeps removed rows for a while would look at all of them again each time. Walks are repeated until one has found nothing.
//!
//! In a cluster, derived rows reach other shards later. There a walk reads views that include the acts of all users so far: an
//! act that began before the deletion is then visible, and none begins after it.

use guanxi_model::affinity::AffinityCommand;
use guanxi_model::post::PostCommand;
use guanxi_model::suggestion::DismissCommand;
use guanxi_model::{
    Command, Cursor, Edge, GroupCommand, GroupId, List, Op, Page, PageStart, PairCommand, Position,
    PostHeader, PostId, RelationRequest, RequestDirection, RequestKind, Result, Uid, Write,
};
use guanxi_ports::{MarkKind, OutboxAsk, StoreView, Walk};

/// Rows of one step: as many as share a commit without holding up others.
const ROWS_AT_ONCE: usize = 64;

/// The same as a page of a list has it.
const PAGE_SIZE: i32 = 64;

/// A kind of rows, and after which one they go on.
#[derive(Clone, Copy)]
pub(super) enum ErasurePart {
    /// Requests of the user or to it, ended by their senders.
    Requests(RequestDirection, RequestKind, Option<Edge>),
    /// Edges of a list, ended by an operation of the user.
    Listed(List, Op, Option<Edge>),
    /// Settings of others on the user, each ended by an operation of theirs.
    Marked(MarkKind, Op, Option<Uid>),
    /// The memory that others once followed the user.
    Left(Option<Uid>),
    /// The memory that the user once followed others.
    Removed(Option<Uid>),
    /// Dismissals of the user as a suggestion, by others.
    Dismissed(Option<Uid>),
    /// Scores of others with the user.
    Scored(Option<Uid>),
    /// Groups of the user.
    Groups(Option<GroupId>),
    /// Groups of others that the user is in.
    Memberships(Option<(Uid, GroupId)>),
    /// Likes of the user.
    Likes(Option<PostId>),
    /// Posts of the user.
    Posts(Option<PostId>),
}

impl ErasurePart {
    pub(super) const fn is_of_posts(self) -> bool {
        matches!(self, Self::Posts(_))
    }
}

/// The parts that others see, in the order in which they are removed. The end of a follow leaves a memory of it, so the
/// memories come later.
const SEEN: [ErasurePart; 17] = [
    ErasurePart::Requests(RequestDirection::Outgoing, RequestKind::Follow, None),
    ErasurePart::Requests(RequestDirection::Outgoing, RequestKind::Friend, None),
    ErasurePart::Requests(RequestDirection::Incoming, RequestKind::Follow, None),
    ErasurePart::Requests(RequestDirection::Incoming, RequestKind::Friend, None),
    ErasurePart::Listed(List::Following, Op::Unfollow, None),
    ErasurePart::Listed(List::Followers, Op::RemoveFollower, None),
    ErasurePart::Listed(List::Blocks, Op::Unblock, None),
    ErasurePart::Listed(List::Mutes, Op::Unmute, None),
    ErasurePart::Marked(MarkKind::Block, Op::Unblock, None),
    ErasurePart::Marked(MarkKind::Mute, Op::Unmute, None),
    ErasurePart::Left(None),
    ErasurePart::Removed(None),
    ErasurePart::Dismissed(None),
    ErasurePart::Scored(None),
    ErasurePart::Groups(None),
    ErasurePart::Memberships(None),
    ErasurePart::Likes(None),
];

/// Where the job is with a user.
pub(super) struct ErasureWalk {
    uid: Uid,
    /// Whether the user's posts go, too.
    is_due: bool,
    /// The position that the views of the walk include.
    since: Option<Position>,
    /// Which of the parts is under way.
    nth: usize,
    part: Option<ErasurePart>,
    has_found: bool,
}

impl ErasureWalk {
    /// At the beginning.
    pub(super) fn new(uid: Uid, is_due: bool, since: Option<Position>) -> Self {
        Self { uid, is_due, since, nth: 0, part: SEEN.first().copied(), has_found: false }
    }

    /// Returns whether it is the walk over a user's rows.
    pub(super) fn is_of(&self, uid: Uid, is_due: bool) -> bool {
        (self.uid, self.is_due) == (uid, is_due)
    }

    /// Returns the position that the views of the walk include.
    pub(super) const fn since(&self) -> Option<&Position> {
        self.since.as_ref()
    }

    /// Returns the next part, if there is one.
    pub(super) const fn part(&self) -> Option<ErasurePart> {
        self.part
    }

    /// A part is at its end.
    pub(super) fn go_on(&mut self) {
        self.nth += 1;
        let posts = (self.is_due && self.nth == SEEN.len()).then_some(ErasurePart::Posts(None));
        self.part = SEEN.get(self.nth).copied().or(posts);
    }

    /// Rows of a part were there, which goes on after them.
    pub(super) fn found(&mut self, next: ErasurePart, anything: bool) {
        self.part = Some(next);
        self.has_found |= anything;
    }

    /// Returns whether there was anything to remove.
    pub(super) const fn has_found(&self) -> bool {
        self.has_found
    }
}

/// Rows to remove.
pub(super) struct ErasureRows {
    /// The writes that remove them: one per shard.
    pub writes: Vec<Write>,
    /// Which posts are among them.
    pub posts: Vec<PostId>,
    /// The part after them.
    pub next: ErasurePart,
}

/// The next rows of a part; `None` at its end.
pub(super) async fn rows(view: &dyn StoreView, uid: Uid, part: ErasurePart) -> Result<Option<ErasureRows>> {
    let max = ROWS_AT_ONCE;
    let of = |writes, next| Some(ErasureRows { writes, posts: Vec::new(), next });
    let others = |op, by: Vec<Uid>| -> Vec<Write> {
        let command = |subject| PairCommand { op, subject, object: uid };
        by.into_iter().map(|subject| Write::of(command(subject))).collect()
    };
    Ok(match part {
        ErasurePart::Requests(direction, kind, after) => next_requests(view, uid, direction, kind, after)
            .await?
            .and_then(|(writes, last)| of(writes, ErasurePart::Requests(direction, kind, Some(last)))),
        ErasurePart::Listed(list, op, after) => {
            let start = after.map_or(PageStart::Newest, |edge| PageStart::After(Cursor(edge)));
            let items = view.list(uid, list, Page::new(start, PAGE_SIZE)?).await?.items;
            items.last().copied().and_then(|last| {
                let command = |edge: &Edge| PairCommand { op, subject: uid, object: edge.uid };
                of(vec![Write::all(items.iter().map(command))], ErasurePart::Listed(list, op, Some(last)))
            })
        }
        ErasurePart::Marked(kind, op, after) => {
            let by = view.marked_by(uid, kind, Walk::new(after, max)).await?;
            by.last().copied().and_then(|last| of(others(op, by), ErasurePart::Marked(kind, op, Some(last))))
        }
        ErasurePart::Left(after) => {
            let by = view.marked_by(uid, MarkKind::RemovedFollow, Walk::new(after, max)).await?;
            let pair = |subject: &Uid| vec![(*subject, uid)];
            let drop = |subject| Write::of(Command::DropTombstones { pairs: pair(subject), until: None });
            by.last()
                .copied()
                .and_then(|last| of(by.iter().map(drop).collect(), ErasurePart::Left(Some(last))))
        }
        ErasurePart::Removed(after) => {
            let whom = view.removed_follows(uid, Walk::new(after, max)).await?;
            whom.last().and_then(|last| {
                let pairs = whom.iter().map(|edge| (uid, edge.uid)).collect();
                let drop = Command::DropTombstones { pairs, until: None };
                of(vec![Write::of(drop)], ErasurePart::Removed(Some(last.uid)))
            })
        }
        ErasurePart::Dismissed(after) => {
            let by = view.dismissed_by(uid, Walk::new(after, max)).await?;
            let undo = |viewer: &Uid| Write::of(DismissCommand { viewer: *viewer, uid, dismissed: false });
            by.last()
                .copied()
                .and_then(|last| of(by.iter().map(undo).collect(), ErasurePart::Dismissed(Some(last))))
        }
        ErasurePart::Scored(after) => {
            let by = view.scored_by(uid, Walk::new(after, max)).await?;
            let forget = |actor: &Uid| Write::of(AffinityCommand::forget(*actor, [uid]));
            by.last()
                .copied()
                .and_then(|last| of(by.iter().map(forget).collect(), ErasurePart::Scored(Some(last))))
        }
        ErasurePart::Groups(after) => next_group(view, uid, after)
            .await?
            .and_then(|(write, id)| of(vec![write], ErasurePart::Groups(Some(id)))),
        ErasurePart::Memberships(after) => next_memberships(view, uid, after)
            .await?
            .and_then(|(writes, last)| of(writes, ErasurePart::Memberships(Some(last)))),
        ErasurePart::Likes(after) => {
            let likes = view.likes_by(uid, Walk::new(after, max)).await?;
            likes.last().and_then(|last| {
                let unlike = likes.iter().map(|like| PostCommand::Unlike { uid, id: like.id });
                of(vec![Write::all(unlike)], ErasurePart::Likes(Some(last.id)))
            })
        }
        ErasurePart::Posts(below) => next_posts(view, uid, below).await?,
    })
}

/// The next posts of a user below one, newest first, and what purges them.
async fn next_posts(view: &dyn StoreView, author: Uid, below: Option<PostId>) -> Result<Option<ErasureRows>> {
    let posts = view.stored_headers(OutboxAsk { author, below }, ROWS_AT_ONCE).await?;
    let posts: Vec<PostId> = posts.iter().map(|PostHeader { id, .. }| *id).collect();
    Ok(posts.last().copied().map(|last| {
        let purge = posts.iter().map(|id| PostCommand::Purge { author, id: *id, deleted_until: None });
        ErasureRows { writes: vec![Write::all(purge)], posts, next: ErasurePart::Posts(Some(last)) }
    }))
}

/// Returns the write that ends a request, in the name of its sender.
fn cancel(request: &RelationRequest) -> Write {
    let op = match request.kind {
        RequestKind::Follow => Op::Unfollow,
        RequestKind::Friend => Op::CancelFriendRequest,
    };
    Write::of(PairCommand { op, subject: request.sender, object: request.receiver })
}

/// The next group of a user, and what removes it: one at a time, since a group may have hundreds of members.
async fn next_group(
    view: &dyn StoreView,
    owner: Uid,
    after: Option<GroupId>,
) -> Result<Option<(Write, GroupId)>> {
    let groups = view.groups(owner).await?;
    let next = groups.into_iter().map(|group| group.id).find(|id| after.is_none_or(|after| *id > after));
    Ok(next.map(|id| (Write::of(GroupCommand::Delete { owner, id }), id)))
}

/// The next requests of a kind of a user or to it, what ends them, and the last of them.
async fn next_requests(
    view: &dyn StoreView,
    uid: Uid,
    direction: RequestDirection,
    kind: RequestKind,
    after: Option<Edge>,
) -> Result<Option<(Vec<Write>, Edge)>> {
    let start = after.map_or(PageStart::Newest, |edge| PageStart::After(Cursor(edge)));
    let items = view.requests(uid, direction, kind, Page::new(start, PAGE_SIZE)?).await?.items;
    let place = |request: &RelationRequest| {
        let incoming = direction == RequestDirection::Incoming;
        Edge { at: request.at, uid: if incoming { request.sender } else { request.receiver } }
    };
    Ok(items.last().map(|last| (items.iter().map(cancel).collect(), place(last))))
}

/// The next groups of others that a user is in, what takes it out of them, and the last of them.
async fn next_memberships(
    view: &dyn StoreView,
    uid: Uid,
    after: Option<(Uid, GroupId)>,
) -> Result<Option<(Vec<Write>, (Uid, GroupId))>> {
    let places = view.memberships(uid, Walk::new(after, ROWS_AT_ONCE)).await?;
    let leave = |(owner, id): &(Uid, GroupId)| {
        Write::of(GroupCommand::RemoveMembers { owner: *owner, id: *id, members: vec![uid] })
    };
    Ok(places.last().map(|last| (places.iter().map(leave).collect(), *last)))
}
