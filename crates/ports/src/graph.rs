//! The social graph.

use guanxi_model::{EdgePage, MuteTerms, Stamp, Uid};

/// The users whom the viewer follows among the followers of a target.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownFollowers {
    /// How many there are, exactly.
    pub count: u32,
    /// A page of them, in the order of the viewer's following list.
    pub page: EdgePage,
}

/// Some users and how much of whom they follow is looked at.
#[derive(Clone, Copy, Debug)]
pub struct FollowsAsk<'a> {
    /// The users that follow; each at most once.
    pub subjects: &'a [Uid],
    /// How many of each one's follows count: the newest of them.
    pub newest: usize,
}

/// The users whom some users follow, counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FollowedCounts {
    /// Each user whom one of them follows at least, once, with how many of them do; in any order.
    pub users: Vec<(Uid, u32)>,
    /// How many of the subjects were counted, from the first on: each of them whole. Fewer than were asked about if their
    /// follows are more than may be looked at.
    pub subjects: usize,
}

/// An active follow, a block or a mute with its time, as exported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExportEdge {
    /// The user that follows, blocks or mutes.
    pub subject: Uid,
    /// The other user.
    pub object: Uid,
    /// The time when it began.
    pub at: Stamp,
    /// What a mute leaves out, and until when; the default of all else.
    pub terms: MuteTerms,
}

impl ExportEdge {
    /// Returns a follow or a block, or a mute of everything that has no end.
    pub const fn new(subject: Uid, object: Uid, at: Stamp) -> Self {
        Self { subject, object, at, terms: MuteTerms { reposts_only: false, until_ms: None } }
    }
}

/// A mark that a user has set on another, who does not learn of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MarkKind {
    /// A block.
    Block,
    /// A mute.
    Mute,
    /// That the user once followed the other, and does not any more.
    RemovedFollow,
}

impl MarkKind {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Block, Self::Mute, Self::RemovedFollow];
}
