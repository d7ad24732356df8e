//! Posts: what they are, how they are written, and who may see them.

mod body;
mod id;
mod visibility;
mod write;

pub use body::{Attachment, AttachmentKind, Body};
pub use id::{PostId, PostIds};
pub use visibility::{Hidden, check_visibility, home_hides, visible};
pub use write::{
    Draft, Edit, ImportLike, ImportPost, PostCommand, PostOutcome, check_body, check_draft,
    check_takedown_reason, id_of_key,
};

use crate::group::GroupId;
use crate::id::Uid;
use crate::log::EventAt;

/// The audience of a post. Blocks hide it all the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Visibility {
    /// Everybody.
    #[default]
    Public,
    /// Followers of the author.
    Followers,
    /// Friends of the author: mutual follows.
    Friends,
    /// Members of a group of the author; the author alone once that group is deleted.
    Group(GroupId),
}

impl Visibility {
    /// Returns whether all users who saw a post with `self` still see it with `other`, and more users do, for all
    /// follows and members of groups. A group is only within the public.
    pub const fn is_widened_by(self, other: Self) -> bool {
        match (self, other) {
            (Self::Public, _) => false,
            (_, Self::Public) | (Self::Friends, Self::Followers) => true,
            _ => false,
        }
    }

    /// Returns the group of the author that a post is for, if it is for one.
    pub const fn group(self) -> Option<GroupId> {
        match self {
            Self::Group(id) => Some(id),
            Self::Public | Self::Followers | Self::Friends => None,
        }
    }
}

/// What a post is to other posts. It never changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A post of its own.
    #[default]
    Post,
    /// A reply.
    Reply {
        /// To which post.
        to: PostId,
        /// The author of the post that it answers.
        author: Uid,
    },
    /// A plain repost: it says nothing of its own, and stands for its original. A user has one of an original at a time.
    Repost {
        /// Of which original; never of a plain repost.
        of: PostId,
        /// The author of the original.
        author: Uid,
    },
    /// A quote: a repost that says something, and so a post of its own, which does not need its original.
    Quote {
        /// What it quotes; never a plain repost.
        of: PostId,
        /// The author of the post that it quotes.
        author: Uid,
    },
}

impl Kind {
    /// Returns the post that a repost or quote shows beside itself, and its author.
    pub const fn shared(self) -> Option<(PostId, Uid)> {
        match self {
            Self::Repost { of, author } | Self::Quote { of, author } => Some((of, author)),
            Self::Post | Self::Reply { .. } => None,
        }
    }
}

/// What a feed needs to know of a post: everything but its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PostHeader {
    /// Which post.
    pub id: PostId,
    /// The author.
    pub author: Uid,
    /// What it is to other posts.
    pub kind: Kind,
    /// Its audience.
    pub visibility: Visibility,
    /// Whether it is gone: its author has deleted it, or an operator has taken it down. It can come back.
    pub deleted: bool,
    /// Whether it is gone only because it is taken down, so that its author still sees it. Never without `deleted`, and not of
    /// a post that its author has deleted, too.
    pub taken_down: bool,
    /// The event that made it; `None` for an imported post, which is never new to anybody.
    pub event: Option<EventAt>,
}

impl PostHeader {
    /// Returns the group that it is for, with its owner, if it is for one.
    pub fn audience(&self) -> Option<(Uid, GroupId)> {
        Some((self.author, self.visibility.group()?))
    }
}

/// A whole post.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Post {
    /// What it is.
    pub header: PostHeader,
    /// What it says.
    pub body: Body,
    /// 1 for a post as created, one more for each edit; 0 for one that was imported as deleted, of whose content nothing
    /// is here.
    pub revision: u32,
    /// When this revision was written, in Unix milliseconds.
    pub update_ms: u64,
    /// When it was created, in Unix milliseconds; the given time of an imported post. The id has a time of its own,
    /// which runs ahead after the clock was set back.
    pub create_ms: u64,
    /// Since when it is deleted, in Unix milliseconds, for as long as something of it is here that a purge removes:
    /// [`PURGING_MS`] for one that is purged but for likes. `None` while it is not deleted, when nothing is left of it, and
    /// when it was imported as deleted. A post that is taken down has one if its author has deleted it, too.
    pub deleted_ms: Option<u64>,
    /// Why an operator has taken it down, for as long as that holds: [`check_takedown_reason`] says what it may be. A
    /// second takedown changes nothing. A purge ends it.
    pub takedown: Option<String>,
}

/// The time since when a post is deleted of which a purge has removed all but the likes: earlier than any other.
pub const PURGING_MS: u64 = 0;

/// An earlier revision of a post.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Revision {
    /// Which one, from 1.
    pub revision: u32,
    /// When it was written, in Unix milliseconds.
    pub update_ms: u64,
    /// Its visibility at that time.
    pub visibility: Visibility,
    /// What it said.
    pub body: Body,
}

/// Exact counters of a post.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct PostStats {
    /// Users who like it.
    pub likes: u64,
    /// Replies that are not deleted.
    pub replies: u64,
    /// Reposts and quotes that are not deleted.
    pub reposts: u64,
}

/// The newest of an author's outbox, and when it last changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AuthorHead {
    /// No post of the author has a higher id; `None` for an author without posts.
    pub last_id: Option<PostId>,
    /// The last event by which a post of the author came, went, or changed who may see it; the beginning of the
    /// author's log for none. An answer may be newer than the view, never older.
    pub last: EventAt,
    /// The last event by which something below the newest changed (deleted, restored, imported, narrowed or widened);
    /// the beginning for none, and as new as `last` may be.
    pub changed: EventAt,
}

/// What is kept of an author beside its posts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AuthorRow {
    /// The head of its outbox.
    pub head: AuthorHead,
    /// No post that the author created has a lower id, so that what lies below was imported; `None` for an author that
    /// created none, and [`PostId::MIN`] if it is not known, as with authors of old data.
    pub created_from: Option<PostId>,
}

/// The counters of a post, and the viewer's marks on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PostMarks {
    /// Its counters.
    pub stats: PostStats,
    /// Whether the viewer likes it.
    pub liked: bool,
    /// Whether a plain repost of it by the viewer stands.
    pub reposted: bool,
}

/// Which posts of an author a list shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum AuthorFilter {
    /// Posts and reposts.
    #[default]
    Posts,
    /// Replies only.
    Replies,
    /// Everything.
    All,
}

impl AuthorFilter {
    /// Returns whether the list shows an item.
    pub const fn takes(self, kind: Kind) -> bool {
        match self {
            Self::All => true,
            Self::Replies => matches!(kind, Kind::Reply { .. }),
            Self::Posts => !matches!(kind, Kind::Reply { .. }),
        }
    }
}
