//! Posts, and what a feed reads of them.

use crate::graph::GraphView;
use crate::{BoxFuture, Facts};
use guanxi_model::limits::READ_BYTES_MAX;
use guanxi_model::post::{AuthorHead, Post, PostHeader, PostStats, Revision};
use guanxi_model::{EdgePage, EventAt, FanoutPolicy, Page, Position, PostId, Result, Stamp, Uid};
use std::sync::Arc;

/// The posts of users, their likes, and what readers have noted of their feeds: facts beside the graph's, in the
/// same log.
pub trait Posts: Facts {
    /// Pins a view that includes every event that `at_least` has seen, and what follows from those that its holder
    /// did, wherever it is asked; waiting for it if need be.
    ///
    /// # Errors
    /// `TokenFromOtherHistory`, or `TokenAhead` when the store does not reach the position within a second.
    fn post_view<'a>(&'a self, at_least: Option<&'a Position>) -> BoxFuture<'a, Result<Box<dyn PostView>>>;

    /// Whether everything that follows from a user's acts up to an event of that user's log stands wherever it belongs:
    /// each follow in the followers list of the other, which the fan-out reads. Always so on one machine.
    fn is_applied(&self, uid: Uid, at: EventAt) -> BoxFuture<'_, Result<bool>>;
}

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

/// Posts, and the graph, at one position. All answers of one view agree with each other. Outboxes hold every post,
/// deleted and hidden ones too: rules are the reader's business.
///
/// A post that is created has an id above every one that its author had before, imported ones too. What was not imported
/// since an event therefore lies below all that was created since: readers of what is new stop there.
pub trait PostView: GraphView {
    /// What `viewer` has said about others, held still for many questions.
    fn viewer_relations(&self, viewer: Uid) -> BoxFuture<'_, Result<Box<dyn ViewerRelations>>>;

    /// The head of each author's outbox, in order.
    fn heads<'a>(&'a self, authors: &'a [Uid]) -> BoxFuture<'a, Result<Vec<AuthorHead>>>;

    /// At most `max` ids of each part, newest first. A part may be shorter than `max` although its outbox goes on;
    /// it is never empty then.
    fn outboxes<'a>(&'a self, asks: &'a [OutboxAsk], max: usize) -> BoxFuture<'a, Result<Outboxes>>;

    /// Each post without its content, in order; `None` for one that does not exist at this view.
    fn headers<'a>(&'a self, ids: &'a [PostId]) -> BoxFuture<'a, Result<Vec<Option<PostHeader>>>>;

    /// Each post, in order, deleted ones too; `None` for one that does not exist at this view. The answer ends early with
    /// the post whose body brings all of them to [`READ_BYTES_MAX`]: who asked for more asks again for the rest.
    fn posts<'a>(&'a self, ids: &'a [PostId]) -> BoxFuture<'a, Result<Vec<Option<Post>>>>;

    /// Earlier revisions of a post, newest first, below a revision; at most `max`.
    fn revisions(&self, id: PostId, below: Option<u32>, max: usize) -> BoxFuture<'_, Result<Vec<Revision>>>;

    /// The counters of each post, in order; all zero for one without.
    fn stats<'a>(&'a self, ids: &'a [PostId]) -> BoxFuture<'a, Result<Vec<PostStats>>>;

    /// Whether `viewer` likes each post, in order.
    fn likes<'a>(&'a self, viewer: Uid, ids: &'a [PostId]) -> BoxFuture<'a, Result<Vec<bool>>>;

    /// Whether a plain repost of each post by `viewer` stands, in order.
    fn reposted<'a>(&'a self, viewer: Uid, ids: &'a [PostId]) -> BoxFuture<'a, Result<Vec<bool>>>;

    /// Who likes a post, newest like first. No offset.
    fn likers(&self, id: PostId, page: Page) -> BoxFuture<'_, Result<EdgePage>>;

    /// Whether each subject follows `object`, in order: the subjects' own facts, as of the same moment as their posts.
    fn follow<'a>(&'a self, subjects: &'a [Uid], object: Uid) -> BoxFuture<'a, Result<Vec<bool>>>;

    /// Whether each author blocks the viewer, in order. From its acknowledgement on a block is known here, wherever
    /// the author's other facts stand.
    fn blocked_by<'a>(&'a self, viewer: Uid, authors: &'a [Uid]) -> BoxFuture<'a, Result<Vec<bool>>>;

    /// Whether what others have said of a user stands beside that user's own facts exactly as of the same moment, as on one
    /// machine. Then a follow excludes a block on either side and tells whether the other follows back. Otherwise readers
    /// ask [`blocked_by`](Self::blocked_by) and [`follow`](Self::follow) of everybody whose words or name they show.
    fn mirrors_are_exact(&self) -> bool;

    /// Whether what this view said of the viewer's relations holds still, asked outside of the view just before an
    /// answer leaves. Parts of a view may be of different moments: without this question a block could be answered as
    /// before it, and a post of the blocker's as after it. `false`: make the answer again, from a new view.
    fn confirm(&self, viewer: Uid) -> BoxFuture<'_, Result<bool>>;

    /// Up to where a user has seen its home: its read marker; the beginning if never marked.
    fn seen(&self, uid: Uid) -> BoxFuture<'_, Result<Position>>;

    /// How home timelines are pushed; the default until it was set.
    fn fanout_policy(&self) -> BoxFuture<'_, Result<FanoutPolicy>>;

    /// Posts of an author below an id, newest first, read from what is stored and from no cache: for proof.
    fn stored_headers(&self, ask: OutboxAsk, max: usize) -> BoxFuture<'_, Result<Vec<PostHeader>>>;
}

/// The first of some posts, up to the one whose body brings all of them to [`READ_BYTES_MAX`]: what [`PostView::posts`]
/// answers.
///
/// # Errors
/// The first error of the posts taken.
pub fn first_posts(posts: impl Iterator<Item = Result<Option<Post>>>) -> Result<Vec<Option<Post>>> {
    let mut first = Vec::with_capacity(posts.size_hint().0);
    let mut room = READ_BYTES_MAX;
    for post in posts {
        let post = post?;
        room = room.saturating_sub(post.as_ref().map_or(0, |post| post.body.bytes()));
        first.push(post);
        if room == 0 {
            break;
        }
    }
    Ok(first)
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

    /// Whether the viewer mutes a user.
    fn mutes(&self, uid: Uid) -> bool;

    /// Whether the viewer blocks a user.
    fn blocks(&self, uid: Uid) -> bool;
}

/// Shared posts are posts, so that wrappers can hold them.
impl<P: Posts + ?Sized> Posts for Arc<P> {
    fn post_view<'a>(&'a self, at_least: Option<&'a Position>) -> BoxFuture<'a, Result<Box<dyn PostView>>> {
        (**self).post_view(at_least)
    }

    fn is_applied(&self, uid: Uid, at: EventAt) -> BoxFuture<'_, Result<bool>> {
        (**self).is_applied(uid, at)
    }
}
