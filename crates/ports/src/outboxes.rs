//! Outboxes, and what is asked of them in the name of a viewer: what feeds are made of.

use crate::BoxFuture;
use crate::graph::GraphView;
use guanxi_model::post::AuthorHead;
use guanxi_model::{EventAt, GroupId, MuteScope, PostHeader, PostId, Result, Stamp, Uid};

/// Part of an outbox to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutboxAsk {
    /// Whose.
    pub author: Uid,
    /// Only ids below this one; `None` starts at the newest.
    pub below: Option<PostId>,
}

/// Parts of several outboxes, one after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outboxes {
    /// The ids of all parts; each part newest first.
    pub ids: Vec<PostId>,
    /// Where each part ends in `ids`, and whether the outbox goes on below it.
    pub parts: Vec<OutboxPart>,
}

/// Where a part of an outbox ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutboxPart {
    /// The index in `ids` after its last id.
    pub end: u32,
    /// Whether the outbox may have more below.
    pub more: bool,
}

/// Who wrote what, without its content, beside what a viewer and the authors have said of each other, for feeds. Outboxes hold
/// every post, deleted and hidden ones too: rules are the reader's business.
///
/// A post that is created has an id above every one that its author had before, imported ones too. What was not imported
/// since an event therefore lies below all that was created since: readers of what is new stop there.
pub trait OutboxView: GraphView {
    /// What `viewer` has said about others, held still for many questions.
    fn viewer_relations(&self, viewer: Uid) -> BoxFuture<'_, Result<Box<dyn ViewerRelations>>>;

    /// The head of each author's outbox, in order.
    fn heads<'a>(&'a self, authors: &'a [Uid]) -> BoxFuture<'a, Result<Vec<AuthorHead>>>;

    /// Where the posts begin that each author created, in order: none has a lower id, so that what lies below was
    /// imported. `None` if there are none, and [`PostId::MIN`] if it is not known.
    fn created_from<'a>(&'a self, authors: &'a [Uid]) -> BoxFuture<'a, Result<Vec<Option<PostId>>>>;

    /// At most `max` ids of each part, newest first. A part may be shorter than `max` although its outbox goes on;
    /// it is never empty then.
    fn outboxes<'a>(&'a self, asks: &'a [OutboxAsk], max: usize) -> BoxFuture<'a, Result<Outboxes>>;

    /// Each post without its content, in order; `None` for one that does not exist at this view.
    fn headers<'a>(&'a self, ids: &'a [PostId]) -> BoxFuture<'a, Result<Vec<Option<PostHeader>>>>;

    /// Whether each subject follows `object`, in order: the subjects' own facts, as of the same moment as their posts.
    fn follow<'a>(&'a self, subjects: &'a [Uid], object: Uid) -> BoxFuture<'a, Result<Vec<bool>>>;

    /// Whether each author blocks the viewer, in order. From its acknowledgement on a block is known here, wherever
    /// the author's other facts stand.
    fn blocked_by<'a>(&'a self, viewer: Uid, authors: &'a [Uid]) -> BoxFuture<'a, Result<Vec<bool>>>;

    /// Whether a user is in each of some groups, named by owner and number, in order; in one that is not there nobody is.
    /// It is asked beside posts that are for groups: an owner's groups are as of the moment of its posts.
    fn in_groups<'a>(&'a self, uid: Uid, groups: &'a [(Uid, GroupId)]) -> BoxFuture<'a, Result<Vec<bool>>>;

    /// Whether what others have said of a user stands beside that user's own facts exactly as of the same moment, as on one
    /// machine. Then a follow excludes a block on either side and tells whether the other follows back. Otherwise readers
    /// ask [`blocked_by`](Self::blocked_by) and [`follow`](Self::follow) of everybody whose words or name they show.
    fn mirrors_are_exact(&self) -> bool;

    /// Whether what this view said of the viewer's relations holds still, asked outside of the view just before an
    /// answer leaves. Parts of a view may be of different moments: without this question a block could be answered as
    /// before it, and a post of the blocker's as after it. `false`: make the answer again, from a new view.
    fn confirm(&self, viewer: Uid) -> BoxFuture<'_, Result<bool>>;

    /// Posts of an author below an id, newest first, read from what is stored and from no cache: for proof.
    fn stored_headers(&self, ask: OutboxAsk, max: usize) -> BoxFuture<'_, Result<Vec<PostHeader>>>;
}

/// The state of a viewer's relations, opaque: two that are equal are of the same state, and nothing else is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RelationsVersion(pub u64);

/// Whom a viewer follows, mutes and blocks, at one position.
pub trait ViewerRelations: Send + Sync {
    /// Another one whenever anything here has changed, whoever caused it; never used for two different states, and the
    /// same after a restart.
    fn version(&self) -> RelationsVersion;

    /// The place of the last change of anything here in the viewer's own log, whoever caused it.
    fn changed(&self) -> EventAt;

    /// Whom the viewer follows, in any order.
    fn following(&self) -> &[Uid];

    /// Since when the viewer follows a user, and whether that one follows back; `None` if not followed.
    fn follow(&self, uid: Uid) -> Option<(Stamp, bool)>;

    /// What of a user's items the viewer mutes, if it mutes the user.
    fn mutes(&self, uid: Uid) -> Option<MuteScope>;

    /// Whether the viewer blocks a user.
    fn blocks(&self, uid: Uid) -> bool;
}
