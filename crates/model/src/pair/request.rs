//! What waits or ends between two users: requests, and the terms of mutes.

use crate::id::Uid;
use crate::stamp::Stamp;

crate::kinds! {
    /// What a user asks of another.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum RequestKind {
        /// To follow it, which is locked.
        Follow,
        /// To be friends.
        Friend,
    }
}

/// Which end of its requests a user looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RequestDirection {
    /// Those that others sent to it.
    Incoming,
    /// Those that it sent.
    Outgoing,
}

/// A request that waits. Of two users there is at most one each way.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RelationRequest {
    /// The user that sends the request.
    pub sender: Uid,
    /// The user that receives the request.
    pub receiver: Uid,
    /// For what.
    pub kind: RequestKind,
    /// Its place in lists, and since when it waits.
    pub at: Stamp,
    /// When it ends by itself, in Unix milliseconds.
    pub expires_ms: u64,
    /// What the sender says; at most [`REQUEST_MESSAGE_LEN_MAX`](crate::limits::REQUEST_MESSAGE_LEN_MAX) bytes.
    pub message: String,
}

/// What is remembered for a time of a request that is over: its receiver and its sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PastRequest {
    /// It was rejected.
    Rejected {
        /// When it may be asked again, in Unix milliseconds.
        until_ms: u64,
    },
    /// The sender took it back.
    TakenBack {
        /// Until when another one takes its place, in Unix milliseconds.
        until_ms: u64,
        /// Its place in lists.
        first: Stamp,
    },
}

impl PastRequest {
    /// Returns until when it is remembered, in Unix milliseconds.
    pub const fn until_ms(self) -> u64 {
        match self {
            Self::Rejected { until_ms } | Self::TakenBack { until_ms, .. } => until_ms,
        }
    }

    /// Returns when it may be asked again, in Unix milliseconds, if it was rejected.
    pub const fn rejected_until_ms(self) -> Option<u64> {
        match self {
            Self::Rejected { until_ms } => Some(until_ms),
            Self::TakenBack { .. } => None,
        }
    }

    /// Returns the place that a request gets which is sent at a time, if that is an earlier one.
    pub const fn first_place(self, now_ms: u64) -> Option<Stamp> {
        match self {
            Self::TakenBack { until_ms, first } if now_ms < until_ms => Some(first),
            Self::TakenBack { .. } | Self::Rejected { .. } => None,
        }
    }
}

/// What a mute leaves out, and until when. The default is every item, for ever.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MuteTerms {
    /// Only what the other shares: its plain reposts.
    pub reposts_only: bool,
    /// When it ends by itself, in Unix milliseconds.
    pub until_ms: Option<u64>,
}

/// What of somebody's items a mute leaves out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MuteScope {
    /// Every one.
    All,
    /// Plain reposts.
    Reposts,
}

impl MuteTerms {
    /// Returns what it leaves out.
    pub const fn scope(self) -> MuteScope {
        if self.reposts_only { MuteScope::Reposts } else { MuteScope::All }
    }
}

/// Something between two users that ends when its time is over: in the shard of the first, by an ordinary command of the
/// server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PairEnd {
    /// What it is.
    pub kind: PairEndKind,
    /// The user of the row: the receiver, the former receiver, or the user that mutes.
    pub owner: Uid,
    /// The other user: the sender, the rejected or former sender, or the muted user.
    pub other: Uid,
}

crate::kinds! {
    /// What ends by itself.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum PairEndKind: code {
        /// A request.
        Request = 1,
        /// What is remembered of a request that is over: a [`PastRequest`].
        Cooldown = 2,
        /// A mute.
        Mute = 3,
    }
}
