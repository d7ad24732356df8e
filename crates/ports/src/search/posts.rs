//! Searching posts by what they say.

use super::index::{IndexDoc, SearchIndex};
use super::rows::{Audience, PostColumn, PostForm, PostState, Row};
use crate::BoxFuture;
use guanxi_model::post::PostStats;
use guanxi_model::{Position, PostId, Result, Uid};
use guanxi_text::Query;

/// Searches posts.
pub trait PostSearch: SearchIndex {
    /// The newest posts that fit, below the ask's cursor: all of those that stand at the answer's `as_of` and maybe
    /// some that do not.
    ///
    /// # Errors
    /// `SEARCH_UNAVAILABLE` when no index can be asked; `BAD_QUERY` for a prefix that too many words begin with.
    fn search<'a>(&'a self, ask: PostAsk<'a>) -> BoxFuture<'a, Result<FoundPosts>>;

    /// The posts that fit best, the best first, at most the ask's `max`, without a cursor. An index that has no measure of
    /// that answers the newest.
    ///
    /// # Errors
    /// As [`search`](Self::search).
    fn best<'a>(&'a self, ask: PostAsk<'a>) -> BoxFuture<'a, Result<FoundPosts>> {
        self.search(ask)
    }
}

/// The authors whose restricted posts may be proposed. Public posts always may. A post that an operator has taken down is
/// restricted to its author.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Circle<'a> {
    /// No restricted posts.
    Public,
    /// Those of these authors, who stand in rising order. Each of the posts is the caller's to judge.
    Of(&'a [Uid]),
    /// Everybody's: for services, and for proofs.
    All,
}

impl Circle<'_> {
    /// Returns whether a post of an author may be proposed.
    pub fn takes(self, author: Uid, is_public: bool) -> bool {
        match self {
            Self::All => true,
            Self::Public => is_public,
            Self::Of(authors) => is_public || authors.binary_search(&author).is_ok(),
        }
    }
}

/// A question. `Q` is what the posts must say, in the form that the index takes.
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
    /// The authors whose restricted posts count.
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
    /// How many of its documents the index looked at, those of these posts among them: what the answer cost.
    pub looked: u64,
    /// Where the index stands: events up to here are in the answer.
    pub as_of: Position,
}

/// What an index is told of a post. `T` is what the post says, as a text or as the words of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostDoc<T = String> {
    /// The post. Ids order by time, so it says when as well.
    pub id: PostId,
    /// The author.
    pub author: Uid,
    /// What it is to other posts.
    pub form: PostForm,
    /// Its audience.
    pub audience: Audience,
    /// How it stands: only live posts are found by readers.
    pub state: PostState,
    /// When it was created, in Unix milliseconds.
    pub created_ms: u64,
    /// How often it is liked, answered and shared: as of when the document was written.
    pub stats: PostStats,
    /// The revision of the post that the document was made of.
    pub revision: u32,
    /// A digest of what the document was made of but counters, to compare it with the post.
    pub digest: u64,
    /// What it says. It is indexed, and not kept.
    pub text: T,
}

impl<T> PostDoc<T> {
    /// Its numbers.
    pub fn row(&self) -> Row<PostColumn> {
        let PostStats { likes, replies, reposts } = self.stats;
        let numbers = [
            (PostColumn::State, self.state as u64),
            (PostColumn::Author, self.author.get()),
            (PostColumn::Form, self.form as u64),
            (PostColumn::Audience, self.audience as u64),
            (PostColumn::Created, self.created_ms),
            (PostColumn::Likes, likes),
            (PostColumn::Replies, replies),
            (PostColumn::Reposts, reposts),
        ];
        numbers.into_iter().map(|(column, number)| (column, Some(number))).collect()
    }
}

impl<T: Send + 'static> IndexDoc for PostDoc<T> {
    type Id = PostId;

    fn id(&self) -> PostId {
        self.id
    }
}
