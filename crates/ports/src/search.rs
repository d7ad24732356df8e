//! Searching posts by what they say: asking an index, and keeping one.
//!
//! An index is derived from posts and may be late. It proposes ids, newest first, and says up to which events it has
//! taken in; what a reader sees of them, and whether the present text still fits, is decided over the facts.

use crate::BoxFuture;
use guanxi_model::{Position, PostId, Result, Uid};
use guanxi_text::Query;

/// Searches posts.
pub trait PostSearch: Send + Sync {
    /// The newest posts that fit, below the ask's cursor: all of those that stand at the answer's `as_of` and maybe
    /// some that do not.
    ///
    /// # Errors
    /// `SEARCH_UNAVAILABLE` when no index can be asked; `BAD_QUERY` for a prefix that too many words begin with.
    fn search<'a>(&'a self, ask: PostAsk<'a>) -> BoxFuture<'a, Result<FoundPosts>>;

    /// Which events the index has taken in. It goes back when an index is opened again after a crash.
    ///
    /// # Errors
    /// `SEARCH_UNAVAILABLE` when no index can be asked.
    fn as_of(&self) -> Result<Position>;

    /// Completes when the index has taken in every event that a position includes. The caller gives up by dropping it.
    ///
    /// # Errors
    /// `SEARCH_UNAVAILABLE` when no index can be asked.
    fn wait<'a>(&'a self, at_least: &'a Position) -> BoxFuture<'a, Result<()>>;
}

/// Keeps an index: the effect of a follower of the logs. Documents are kept together with the position that they stand at, so
/// that after a crash the index stands at an earlier position and lacks nothing of it.
///
/// After an error the follower ends, and another one takes a new [`PostIndexing`], which stands at what is kept.
pub trait PostIndexing: Send {
    /// After which events it stands. What is kept may stand at an earlier position.
    fn position(&self) -> &Position;

    /// Whether there is an index.
    fn stage(&self) -> IndexStage;

    /// Takes in what stands now of the posts of some events, and the position after these events. Without changes only the
    /// position moves, which may be kept much later.
    ///
    /// # Errors
    /// `SEARCH_UNAVAILABLE` when it cannot be written.
    fn apply(&mut self, changes: Vec<IndexChange>, position: Position) -> BoxFuture<'_, Result<()>>;

    /// Completes when what was taken in is kept, and found. It may let a moment pass first, to keep more at once.
    ///
    /// # Errors
    /// As [`apply`](Self::apply).
    fn keep(&mut self) -> BoxFuture<'_, Result<()>>;

    /// Begins to build an empty index beside the one that is searched, which answers until [`finish`](Self::finish). The
    /// changes that follow are of posts by rising ids, and go to the new one, which stands at `head`.
    ///
    /// # Errors
    /// As [`apply`](Self::apply).
    fn begin_anew(&mut self, head: Position) -> BoxFuture<'_, Result<()>>;

    /// Keeps the index that was built, and lets it be searched in place of the one before.
    ///
    /// # Errors
    /// As [`apply`](Self::apply).
    fn finish(&mut self) -> BoxFuture<'_, Result<()>>;
}

/// What there is of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexStage {
    /// None that can be used: one is to be built from all posts.
    Absent,
    /// One that is being built, and has the posts up to this one.
    Building(Option<PostId>),
    /// One that follows the logs.
    Whole,
}

/// Whose restricted posts may be proposed. Public ones always may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Circle<'a> {
    /// Nobody's.
    Public,
    /// Those of these authors, who stand in rising order. Each of the posts is the caller's to judge.
    Of(&'a [Uid]),
    /// Everybody's: for services, and for proofs.
    All,
}

impl Circle<'_> {
    /// Whether a post of an author may be proposed.
    pub fn takes(self, author: Uid, audience: Audience) -> bool {
        match self {
            Self::All => true,
            Self::Public => audience == Audience::Public,
            Self::Of(authors) => audience == Audience::Public || authors.binary_search(&author).is_ok(),
        }
    }
}

/// A question. `Q` is what the posts must say, as whoever answers takes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostAsk<'a, Q = &'a Query> {
    /// What the posts must say.
    pub query: Q,
    /// Only posts of this author.
    pub author: Option<Uid>,
    /// Only replies, or only what is none.
    pub replies: Option<bool>,
    /// Only this post and later ones.
    pub from: Option<PostId>,
    /// Only posts before this one: the end of the time that is asked for, or [`FoundPosts::next`] of the page before,
    /// whichever is earlier.
    pub below: Option<PostId>,
    /// Whose restricted posts count.
    pub circle: Circle<'a>,
    /// How many ids at most; at least 1.
    pub max: usize,
}

/// A page of posts, newest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundPosts {
    /// The posts. Fewer than were asked for do not mean that there are no more.
    pub ids: Vec<PostId>,
    /// The cursor of the next page; `None` when this was the last one.
    pub next: Option<PostId>,
    /// Where the index stands: events up to here are in the answer.
    pub as_of: Position,
}

/// Whom a post is for, as far as an index tells it apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Audience {
    /// Everybody.
    Public,
    /// Followers, friends or a group: who sees it is decided by the caller, post by post.
    Restricted,
}

/// What an index is told of a post. `T` is what the post says, as a text or as the words of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostDoc<T = String> {
    /// The post. Ids order by time, so it says when as well.
    pub id: PostId,
    /// Who wrote it.
    pub author: Uid,
    /// Whether it answers another post.
    pub is_reply: bool,
    /// Whom it is for.
    pub audience: Audience,
    /// The revision of the post that the document was made of.
    pub revision: u32,
    /// A digest of what the document was made of, to compare it with the post.
    pub digest: u64,
    /// What it says. It is indexed, and not kept.
    pub text: T,
}

/// A change of an index. Doing one twice is doing it once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IndexChange<T = String> {
    /// This is what stands now; a document of the same post that is there goes.
    Put(PostDoc<T>),
    /// The post has no document.
    Remove(PostId),
}
