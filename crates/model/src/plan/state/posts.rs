//! Rows of posts and feeds.

use super::EventRows;
use crate::error::Result;
use crate::feed::FanoutPolicy;
use crate::id::Uid;
use crate::log::EventAt;
use crate::page::Edge;
use crate::position::Position;
use crate::post::{AuthorRow, Post, PostId, PostStats, Revision};
use crate::stamp::Stamp;

/// Posts, and what goes with them.
pub trait PostRows: EventRows {
    /// Mints the id of a post that is written now: above every one before.
    fn mint_post(&mut self, author: Uid, now_ms: u64) -> PostId;

    /// Takes the wanted id of a post if that is free, else the first free one of a post that was written at a given time;
    /// `None` if the last one is taken: then the millisecond is full.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn take_post(
        &mut self,
        author: Uid,
        at_ms: u64,
        wanted: Option<PostId>,
    ) -> Result<Option<PostId>, Self::Error>;

    /// Returns a post.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn post(&mut self, id: PostId) -> Result<Option<&Post>, Self::Error>;

    /// Adds a post to its author's outbox; it is put as well.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn add_to_outbox(&mut self, author: Uid, id: PostId) -> Result<(), Self::Error>;

    /// Adds or changes a post, which an event did.
    fn put_post(&mut self, post: Post, changed: EventAt);

    /// Forgets that likes of a purged post are to be taken back, which no event did.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn end_purge(&mut self, id: PostId) -> Result<(), Self::Error>;

    /// Keeps what a post was.
    fn put_revision(&mut self, id: PostId, revision: &Revision);

    /// Removes what a post was.
    fn remove_revision(&mut self, id: PostId, revision: u32);

    /// Removes the name that an imported post came with; `false` if it came with none.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn remove_source(&mut self, author: Uid, id: PostId) -> Result<bool, Self::Error>;

    /// Returns what is kept of an author.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn author(&mut self, author: Uid) -> Result<AuthorRow, Self::Error>;

    /// Changes what is kept of an author.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn put_author(&mut self, author: Uid, row: AuthorRow) -> Result<(), Self::Error>;

    /// Returns the counters of a post, to change them.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn stats(&mut self, id: PostId) -> Result<&mut PostStats, Self::Error>;

    /// Returns since when a user likes a post.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn like(&mut self, id: PostId, uid: Uid) -> Result<Option<Stamp>, Self::Error>;

    /// Adds a like.
    fn put_like(&mut self, id: PostId, like: Edge);

    /// Removes a like.
    fn remove_like(&mut self, id: PostId, like: Edge);

    /// Returns a user's plain reposts of an original that stand, oldest first.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn reposts(&mut self, user: Uid, original: PostId) -> Result<&[PostId], Self::Error>;

    /// Adds a repost or quote to the list of those of its original, or takes it out of that.
    fn list_repost(&mut self, original: PostId, repost: PostId, stands: bool);

    /// Changes which plain reposts of an original stand, oldest first.
    fn put_reposts(&mut self, user: Uid, original: PostId, reposts: Vec<PostId>);

    /// Returns the post that was imported under a source's name for it.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn source(&mut self, author: Uid, key: &str) -> Result<Option<PostId>, Self::Error>;

    /// Keeps a source's name for an imported post. A new post is exported under it; what stood before keeps its name.
    fn put_source(&mut self, author: Uid, key: String, id: PostId, is_new: bool);

    /// Removes all names that sources have for posts of an author.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn remove_sources(&mut self, author: Uid) -> Result<(), Self::Error>;
}

/// What readers and operators note of feeds.
pub trait FeedRows: EventRows {
    /// Raises a user's read marker.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn raise_seen(&mut self, uid: Uid, seen: &Position) -> Result<(), Self::Error>;

    /// Removes a user's read marker.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn remove_seen(&mut self, uid: Uid) -> Result<(), Self::Error>;

    /// Sets how home timelines are pushed.
    fn put_policy(&mut self, policy: &FanoutPolicy);
}
