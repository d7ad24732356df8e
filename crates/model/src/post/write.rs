//! What can be asked of posts, and what it answers.

use super::{Attachment, Body, PostId, Visibility};
use crate::error::{Error, Reason, Result};
use crate::id::Uid;
use crate::limits::{
    ATTACHMENT_LEN_MAX, ATTACHMENTS_MAX, FACT_AHEAD_MAX_MS, IMPORT_GROUP_MAX, IMPORT_ID_AHEAD_MS,
    POST_TEXT_CHARS_MAX, SOURCE_KEY_LEN_MAX, TAKEDOWN_REASON_LEN_MAX,
};
use crate::stamp::Stamp;

/// A post to create.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Draft {
    /// The author.
    pub author: Uid,
    /// What.
    pub body: Body,
    /// For whom.
    pub visibility: Visibility,
    /// The post that it answers; a plain repost stands for its original.
    pub reply_to: Option<PostId>,
    /// The post that it reposts, or quotes if it says something; a plain repost stands for its original. Not together
    /// with `reply_to`.
    pub repost_of: Option<PostId>,
}

/// A change of a post's content; what is `None` stays.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Edit {
    /// The new text.
    pub text: Option<String>,
    /// The new attachments.
    pub attachments: Option<Vec<Attachment>>,
    /// The new visibility.
    pub visibility: Option<Visibility>,
    /// The revision that the caller has seen; another one is refused with its number.
    pub expected_revision: Option<u32>,
}

/// One operation of a user on posts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum PostCommand {
    /// Writes a post. A reply, repost or quote needs an original that the author may see; of a followers' or friends'
    /// post only its own author can make a repost or quote. A plain repost of what the author has reposted already is
    /// a no-op that answers the repost that stands.
    Create(Draft),
    /// Changes a post of the author. Nothing changed is a no-op. A plain repost says nothing, and cannot begin to.
    Update {
        /// The author of the post.
        author: Uid,
        /// Which.
        id: PostId,
        /// How.
        edit: Edit,
    },
    /// Deletes a post of the author, so that it can be restored. Deleting twice is a no-op.
    Delete {
        /// The author of the post.
        author: Uid,
        /// Which.
        id: PostId,
    },
    /// Brings a deleted post back to its place. It is never new again. A plain repost does not come back while another
    /// of the same original stands; that one is answered.
    Restore {
        /// The author of the post.
        author: Uid,
        /// Which.
        id: PostId,
    },
    /// Likes a post that the user may see. Liking twice is a no-op.
    Like {
        /// The user that likes the post.
        uid: Uid,
        /// What.
        id: PostId,
    },
    /// Takes a like back, also when the post cannot be seen any more.
    Unlike {
        /// The user that liked the post.
        uid: Uid,
        /// What.
        id: PostId,
    },
    /// Deletes the user's plain repost of a post, also when the post cannot be seen any more. Without one it is a
    /// no-op.
    UndoRepost {
        /// The user that reposted.
        uid: Uid,
        /// What; a plain repost stands for its original.
        id: PostId,
    },
    /// Deletes a post for good: what it said, its earlier revisions, and the source's name of an imported one. That it was
    /// stays, as of a post that was imported deleted. Nothing of it here is a no-op. Its likes are others' facts, and are
    /// taken back one by one; until [`EndPurge`](Self::EndPurge) it is among the deleted posts, since
    /// [`PURGING_MS`](super::PURGING_MS).
    Purge {
        /// The author that the post must have.
        author: Uid,
        /// Which.
        id: PostId,
        /// Only if it is deleted, and was no later, in Unix milliseconds: another post is left alone.
        deleted_until: Option<u64>,
    },
    /// Notes that the likes of a purged post are taken back: nothing is left to do about it. Any other post is left alone, and
    /// there is no event of it.
    EndPurge {
        /// The author that the post must have.
        author: Uid,
        /// Which.
        id: PostId,
    },
    /// Takes a post down, for an operator: to others it is as deleted, and its author may only delete it. One that is taken
    /// down already keeps its first reason, which is a no-op, so that a repeat that comes late changes nothing. A post of which
    /// nothing is here is refused with `POST_DELETED`.
    TakeDown {
        /// The author that the post must have.
        author: Uid,
        /// Which.
        id: PostId,
        /// Why: see [`check_takedown_reason`].
        reason: String,
    },
    /// Ends that a post is taken down. It is as it was, unless its author has deleted it meanwhile, which stays. A plain repost
    /// comes back as deleted while another of the same original stands. One that is not taken down is a no-op.
    Reinstate {
        /// The author that the post must have.
        author: Uid,
        /// Which.
        id: PostId,
    },
}

impl PostCommand {
    /// Returns the acting user.
    pub const fn actor(&self) -> Uid {
        match self {
            Self::Create(draft) => draft.author,
            Self::Update { author, .. }
            | Self::Delete { author, .. }
            | Self::Restore { author, .. }
            | Self::Purge { author, .. }
            | Self::EndPurge { author, .. }
            | Self::TakeDown { author, .. }
            | Self::Reinstate { author, .. } => *author,
            Self::Like { uid, .. } | Self::Unlike { uid, .. } | Self::UndoRepost { uid, .. } => *uid,
        }
    }

    /// Returns the post that it names; `None` for one that is to be written.
    pub const fn id(&self) -> Option<PostId> {
        match self {
            Self::Create(_) => None,
            Self::Update { id, .. }
            | Self::Delete { id, .. }
            | Self::Restore { id, .. }
            | Self::Like { id, .. }
            | Self::Unlike { id, .. }
            | Self::UndoRepost { id, .. }
            | Self::Purge { id, .. }
            | Self::EndPurge { id, .. }
            | Self::TakeDown { id, .. }
            | Self::Reinstate { id, .. } => Some(*id),
        }
    }
}

/// Checks why a post or user is taken down: it says something, in at most [`TAKEDOWN_REASON_LEN_MAX`] bytes.
///
/// # Errors
/// `MISSING_FIELD`, `TOO_LONG`.
pub fn check_takedown_reason(reason: &str) -> Result<()> {
    if reason.is_empty() {
        return Err(Error::new(Reason::MissingField { field: "reason" }));
    }
    if reason.len() > TAKEDOWN_REASON_LEN_MAX as usize {
        return Err(Error::new(Reason::TooLong { field: "reason", limit: TAKEDOWN_REASON_LEN_MAX }));
    }
    Ok(())
}

/// A post to import, or as exported: with its given time, and a key that makes a repeat a no-op.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ImportPost {
    /// Its id in the store that it was exported from; `None` for a post of any other source. It keeps the id if that is
    /// free. What was checked there when it was written is not checked again: what it refers to need only be here.
    pub id: Option<PostId>,
    /// The source's name for it, unique among the author's posts; at most
    /// [`SOURCE_KEY_LEN_MAX`](crate::limits::SOURCE_KEY_LEN_MAX) bytes.
    pub key: String,
    /// The author.
    pub author: Uid,
    /// When, in Unix milliseconds; not before 2000, and at most [`FACT_AHEAD_MAX_MS`] ahead of the clock, which counts as now.
    pub at_ms: u64,
    /// What.
    pub body: Body,
    /// For whom.
    pub visibility: Visibility,
    /// The post that it answers, by author and source key; imported earlier.
    pub reply_to: Option<(Uid, String)>,
    /// The post that it reposts or quotes, by author and source key; imported earlier.
    pub repost_of: Option<(Uid, String)>,
    /// Whether it is deleted. Then it has no content, and cannot be restored.
    pub deleted: bool,
}

impl ImportPost {
    /// Returns the key of the post that it answers or shares, with its author.
    pub fn refers_to(&self) -> Option<&(Uid, String)> {
        self.reply_to.as_ref().or(self.repost_of.as_ref())
    }

    /// Checks a post to import by itself; `now_ms` is the time of the import in Unix milliseconds.
    ///
    /// # Errors
    /// The reason, with the field.
    pub fn check(&self, now_ms: u64) -> Result<(), Reason> {
        self.check_content()?;
        if self.at_ms < PostId::EPOCH_MS || self.at_ms > now_ms.saturating_add(FACT_AHEAD_MAX_MS) {
            return Err(Reason::TimeOutOfRange);
        }
        check_key(&self.key, "key")?;
        self.reply_to.iter().try_for_each(|(_, key)| check_key(key, "reply_to"))?;
        self.repost_of.iter().try_for_each(|(_, key)| check_key(key, "repost_of"))?;
        let ahead = now_ms.saturating_add(IMPORT_ID_AHEAD_MS);
        if self.visibility.group().is_some_and(|group| group.get() > IMPORT_GROUP_MAX) {
            return Err(Reason::InvalidField { field: "group_id" });
        }
        match self.id {
            Some(id) if id.gene() != self.author.gene() || id.ms() > ahead => {
                Err(Reason::InvalidField { field: "post_id" })
            }
            _ => Ok(()),
        }
    }

    fn check_content(&self) -> Result<(), Reason> {
        if self.reply_to.is_some() && self.repost_of.is_some() {
            return Err(Reason::InvalidField { field: "repost_of" });
        }
        if self.deleted {
            return if self.body.is_empty() { Ok(()) } else { Err(Reason::InvalidField { field: "text" }) };
        }
        check_body(&self.body)?;
        // What leaves no mark could be written once, so that an export may have it.
        let says_nothing = if self.id.is_some() { self.body.is_empty() } else { self.body.says_nothing() };
        let is_plain_repost = self.repost_of.is_some() && self.body.is_empty();
        if says_nothing && !is_plain_repost {
            return Err(Reason::MissingField { field: "text" });
        }
        Ok(())
    }
}

fn check_key(key: &str, field: &'static str) -> Result<(), Reason> {
    match key.len() {
        0 => Err(Reason::MissingField { field }),
        len if len > SOURCE_KEY_LEN_MAX as usize => Err(Reason::TooLong { field, limit: SOURCE_KEY_LEN_MAX }),
        _ => Ok(()),
    }
}

/// A like to import: with its given time. It was given when its user could see the post, so that is not asked again.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ImportLike {
    /// The user that likes the post.
    pub uid: Uid,
    /// The author of the post.
    pub author: Uid,
    /// The key of the post, which was there before the write.
    pub key: String,
    /// The time when it began; now if not given.
    pub at: Option<Stamp>,
}

impl ImportLike {
    /// Checks a like to import by itself.
    ///
    /// # Errors
    /// The reason, with the field.
    pub fn check(&self) -> Result<(), Reason> {
        check_key(&self.key, "key")
    }
}

/// Returns the post that a key may mean which nothing was imported under: a post that was written in a store, and not
/// imported, has its id for a key. Pluses behind it set it apart from another post that was imported under that name.
pub fn id_of_key(key: &str) -> Option<PostId> {
    let digits = key.trim_end_matches('+');
    let id = PostId::new(digits.parse().ok()?).ok()?;
    (id.get().to_string() == digits).then_some(id)
}

/// The outcome of one operation or imported post.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostOutcome {
    /// Whether state changed; a refusal is a reason.
    pub result: Result<bool, Reason>,
    /// The post in question, if there is one.
    pub id: Option<PostId>,
    /// Its revision afterwards; 0 without a post.
    pub revision: u32,
}

/// Checks the bounds of a post's content.
///
/// # Errors
/// `TOO_LONG` with the field, or `TOO_MANY` attachments.
pub fn check_body(body: &Body) -> Result<(), Reason> {
    if body.text.chars().count() > POST_TEXT_CHARS_MAX as usize {
        return Err(Reason::TextTooLong { limit: POST_TEXT_CHARS_MAX });
    }
    if body.attachments.len() > ATTACHMENTS_MAX as usize {
        return Err(Reason::BatchTooLarge { limit: ATTACHMENTS_MAX });
    }
    let too_long = |a: &Attachment| a.reference.len() > ATTACHMENT_LEN_MAX as usize;
    if body.attachments.iter().any(too_long) {
        return Err(Reason::TooLong { field: "attachments.reference", limit: ATTACHMENT_LEN_MAX });
    }
    if body.attachments.iter().any(|a| a.reference.is_empty()) {
        return Err(Reason::MissingField { field: "attachments.reference" });
    }
    Ok(())
}

/// Checks a draft by itself: its bounds, that it says something unless it is a plain repost, and that it is not a reply
/// and a repost at once.
///
/// # Errors
/// The reason, with the field.
pub fn check_draft(draft: &Draft) -> Result<()> {
    check_body(&draft.body).map_err(Error::new)?;
    if draft.reply_to.is_some() && draft.repost_of.is_some() {
        return Err(Error::new(Reason::InvalidField { field: "repost_of" }));
    }
    let is_plain_repost = draft.repost_of.is_some() && draft.body.is_empty();
    if draft.body.says_nothing() && !is_plain_repost {
        return Err(Error::new(Reason::MissingField { field: "text" }));
    }
    Ok(())
}
