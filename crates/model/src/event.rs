//! What the log holds.

use crate::group::{GroupChange, GroupId};
use crate::id::Uid;
use crate::log::EventAt;
use crate::pair::{MuteTerms, Op, RequestKind};
use crate::post::PostId;
use crate::stamp::Stamp;

/// One change of state, in the order of commits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// Its place: gapless in its log, from 1.
    pub at: EventAt,
    /// The version of the changed fact, and the time of the change.
    pub version: Stamp,
    /// The user whose fact changed.
    pub subject: Uid,
    /// What changed.
    pub change: Change,
    /// For an event of a derived change: the event of the subject's own log that it follows from. It stands in the log
    /// of the other user, so that one user's log tells all that changed about that user. `None` for a fact; on one
    /// machine facts and derivations share a log and a commit, so that there are no echoes.
    pub echo: Option<EventAt>,
}

impl Event {
    /// Returns the other user whom the event names: of a change of a pair the object, of a like the author.
    pub const fn object(&self) -> Option<Uid> {
        match self.change {
            Change::Pair { object, .. } => Some(object),
            Change::Liked { author, .. } | Change::Unliked { author, .. } => Some(author),
            Change::FollowLimit(_)
            | Change::Post { .. }
            | Change::User(_)
            | Change::Interacted
            | Change::Group { .. } => None,
        }
    }

    /// Returns whether the event tells readers of a user's own log something about that user. Recorded affinities are left
    /// out. An echo of an act of the user is in another user's log: the user's own log has the act itself.
    pub fn tells_of(&self, user: Uid) -> bool {
        match self.change {
            Change::Interacted => false,
            _ if self.subject == user => self.echo.is_none(),
            _ => self.object() == Some(user),
        }
    }
}

/// The change itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// A fact about a pair changed.
    Pair {
        /// The other user.
        object: Uid,
        /// What the pair's fact became.
        kind: PairChange,
        /// Which operation caused it: a block, for example, also unfollows.
        cause: Op,
    },
    /// The subject's own follow limit was set, or went back to the default.
    FollowLimit(Option<u32>),
    /// A post of the subject changed.
    Post {
        /// Which.
        id: PostId,
        /// What it became.
        kind: PostChange,
    },
    /// The subject likes a post.
    Liked {
        /// Which.
        id: PostId,
        /// The author.
        author: Uid,
        /// Its place in the list of likers; differs from the version for imported ones.
        at: Stamp,
    },
    /// The subject no longer likes a post.
    Unliked {
        /// Which.
        id: PostId,
        /// The author.
        author: Uid,
    },
    /// What is kept of the subject beside relations and posts changed.
    User(UserChange),
    /// The affinity of the subject to others was recorded. The event says neither to whom nor how much, and watchers of
    /// changes are not told of it.
    Interacted,
    /// A group of the subject changed.
    Group {
        /// Which of the subject's.
        id: GroupId,
        /// The change of the group.
        kind: GroupChange,
    },
}

crate::kinds! {
    /// The change of a user.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum UserChange: code {
        /// An account was made.
        Registered = 0,
        /// What the user says of itself changed.
        ProfileUpdated = 1,
        /// What others may know changed.
        PrivacySet = 2,
        /// The password changed.
        PasswordSet = 3,
        /// It went: its profile, posts and likes are hidden.
        Deactivated = 4,
        /// It is there again.
        Reactivated = 5,
        /// Another phone number, or none.
        PhoneSet = 16,
        /// Another mail address, or none.
        EmailSet = 17,
        /// The uid was made for an external id. Which one it is does not stand in the log, which outlives what people may ask
        /// to have erased.
        ExternalIdAssigned = 32,
        /// It went for good: its profile, posts and likes are hidden, and what it left is removed.
        Deleted = 48,
        /// Nothing is kept of it any more.
        Erased = 49,
        /// It signed out everywhere: what others had issued to it by then has ended.
        SignedOut = 64,
        /// It logged in for the first time on a day (UTC): later logins of the day leave no event.
        LoggedIn = 65,
        /// One of its sessions ended before its time: by a logout, as the oldest of too many, or because a refresh secret was used
        /// twice. What ends all of them is told by a change of its own.
        SessionEnded = 66,
        /// An operator took it down: it is as deactivated.
        TakenDown = 80,
        /// It is taken down no more.
        Reinstated = 81,
    }
}

impl UserChange {
    /// Returns whether it ends what others have issued to the user until then.
    pub const fn signs_out(self) -> bool {
        matches!(self, Self::SignedOut | Self::PasswordSet | Self::Deactivated | Self::TakenDown)
    }

    /// Returns whether the user's posts came or went with it.
    pub const fn resets(self) -> bool {
        matches!(
            self,
            Self::Deactivated | Self::Reactivated | Self::Deleted | Self::TakenDown | Self::Reinstated
        )
    }
}

crate::kinds! {
    /// The change of a post.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum PostChange: code {
        /// It was written now.
        Created = 0,
        /// It was imported with a given time; it is never new.
        Imported = 1,
        /// Its content changed.
        Edited = 2,
        /// Its content may have changed, and some users may see it who did not.
        Widened = 3,
        /// Its content may have changed, and fewer users may see it.
        Narrowed = 4,
        /// It was deleted.
        Deleted = 5,
        /// It is back in its place.
        Restored = 6,
        /// What it said is gone for good, with its earlier revisions; it is deleted.
        Purged = 7,
        /// An operator took it down: to others it is as deleted.
        TakenDown = 8,
        /// It is taken down no more. It is back in its place, unless it is deleted.
        Reinstated = 9,
    }
}

impl PostChange {
    /// Returns whether readers may see an item that they did not see before, so that the fan-out offers it to
    /// inboxes.
    pub const fn offers(self) -> bool {
        matches!(self, Self::Created | Self::Imported | Self::Widened | Self::Restored | Self::Reinstated)
    }

    /// Returns whether what readers have seen below the newest may have changed: pollers are told to start over.
    pub const fn resets(self) -> bool {
        !matches!(self, Self::Created | Self::Edited)
    }
}

/// The change of the fact subject -> object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PairChange {
    /// The subject follows the object.
    Followed {
        /// The edge's place in lists; differs from the version for imported edges.
        at: Stamp,
        /// The object follows back, so that the two are friends now.
        mutual: bool,
    },
    /// The subject no longer follows the object.
    Unfollowed,
    /// The subject blocks the object.
    Blocked {
        /// Its place in lists; differs from the version for imported ones.
        at: Stamp,
    },
    /// The subject no longer blocks the object.
    Unblocked,
    /// The subject mutes the object, or on other terms.
    Muted {
        /// Its place in lists; differs from the version for imported ones, and where only its terms changed.
        at: Stamp,
        /// What it leaves out, and until when.
        terms: MuteTerms,
    },
    /// The subject no longer mutes the object.
    Unmuted,
    /// The object has asked the subject: a fact of the subject, who decides.
    Requested {
        /// For what.
        kind: RequestKind,
        /// When it ends by itself, in Unix milliseconds.
        expires_ms: u64,
    },
    /// What the object had asked of the subject no longer waits; the cause says why.
    RequestEnded {
        /// What it was.
        kind: RequestKind,
    },
}
