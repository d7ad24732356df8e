//! How home timelines are made: the fan-out's policies, and cursors of home.

use crate::error::{Error, Reason, Result};
use crate::limits::{
    ACTIVE_BUCKET_MS_MIN, CELEBRITY_FOLLOWERS_DEFAULT, COLD_AFTER_MS_DEFAULT, INBOX_CAP_DEFAULT,
    INBOX_CAP_MAX,
};
use crate::post::PostId;

crate::kinds! {
    /// Which posts are pushed to inboxes. Every mode gives the same pages; it only moves work between writes and reads.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub enum FanoutMode: code {
        /// None: a home page is merged from the authors' newest posts when it is read.
        #[default]
        Pull = 0,
        /// All, to every follower with a resident inbox.
        Push = 1,
        /// Authors up to the celebrity threshold as in `Push`; celebrities only to active readers.
        Hybrid = 2,
    }
}

/// How posts are pushed to inboxes. Changeable at any time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FanoutPolicy {
    /// Which posts are pushed.
    pub mode: FanoutMode,
    /// An author with more followers is a celebrity, from the moment that the fan-out counts them until it counts
    /// fewer.
    pub celebrity_followers: u64,
    /// The length of an activity bucket in milliseconds: a reader is active in the bucket of its last visit and in
    /// the next one. A day gives the two daily buckets of seed 003; minutes give its heartbeat window.
    pub active_bucket_ms: u64,
    /// An inbox not visited for so long is dropped, in milliseconds.
    pub cold_after_ms: u64,
    /// Items of an inbox at most; older ones are pulled.
    pub inbox_cap: u32,
}

impl Default for FanoutPolicy {
    fn default() -> Self {
        Self {
            mode: FanoutMode::Pull,
            celebrity_followers: CELEBRITY_FOLLOWERS_DEFAULT,
            active_bucket_ms: 24 * 3_600 * 1_000,
            cold_after_ms: COLD_AFTER_MS_DEFAULT,
            inbox_cap: INBOX_CAP_DEFAULT,
        }
    }
}

impl FanoutPolicy {
    /// Checks the bounds of each field.
    ///
    /// # Errors
    /// `INVALID_FIELD` with the field's name.
    pub const fn check(&self) -> Result<()> {
        let field = if self.active_bucket_ms < ACTIVE_BUCKET_MS_MIN {
            "active_bucket"
        } else if self.cold_after_ms < self.active_bucket_ms {
            "cold_after"
        } else if self.inbox_cap == 0 || self.inbox_cap > INBOX_CAP_MAX {
            "inbox_cap"
        } else {
            return Ok(());
        };
        Err(Error::new(Reason::InvalidField { field }))
    }
}

/// A place in a list of posts: after this post. It names an id, so it stays valid when the post is gone, and it
/// holds nothing of policies or caches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PostCursor(pub PostId);

/// Which part of a list of posts is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PostPage {
    /// Only posts with ids below this one; `None` starts at the newest.
    pub below: Option<PostId>,
    /// How many at most; at least 1.
    pub size: usize,
}
