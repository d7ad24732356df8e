//! What an operator asks of a backend: proof, mending and backup.

use crate::heat::HeatCell;
use guanxi_model::{Position, Result, Uid};
use std::collections::BTreeSet;
use std::io;

/// How far a long task is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Rows done.
    pub done: u64,
    /// Rows to do, as far as known; it may grow.
    pub total: u64,
}

/// What kind of row is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DifferenceKind {
    /// A forward edge has no reverse edge.
    ReverseMissing,
    /// A reverse edge has no forward edge.
    ForwardMissing,
    /// Forward and reverse edge disagree about the time.
    TimeDiffers,
    /// Both follow, but a forward edge is not marked mutual, or with another time.
    MutualMarkMissing,
    /// A forward edge is marked mutual, but the other side does not follow.
    MutualMarkWrong,
    /// The counter of followings is not the number of the user's forward edges.
    FollowingCount,
    /// The counter of followers is not the number of forward edges to the user.
    FollowersCount,
    /// The counter of friends is not the number of mutual edges.
    FriendsCount,
    /// The counter of blocks is not the number of blocks.
    BlocksCount,
    /// The counter of mutes is not the number of mutes.
    MutesCount,
    /// The counters of requests are not the number of requests from the user and to it.
    RequestsCount,
    /// A follow stands although one side blocks the other.
    FollowDespiteBlock,
    /// A post is not in the outbox of its author.
    OutboxMissing,
    /// An outbox, a like or a counter names a post that is not there, or is somebody else's.
    PostMissing,
    /// A like is not in the list of the post's likes, or with another time.
    LikeUnlisted,
    /// The list of a post's likes has an entry that no like stands for.
    LikeMissing,
    /// The likes by user lack one, have one that is not given, or have another time.
    LikeIndex,
    /// Deleted posts by time lack one, or have one that is not deleted since then; or a deleted post does not say since when.
    DeletedIndex,
    /// The list of users that have blocked, muted or left a user lacks one, or has one that did not.
    MarkIndex,
    /// The counter of likes is not the number of users who like the post.
    LikesCount,
    /// The counter of replies is not the number of replies that are not deleted.
    RepliesCount,
    /// The counter of reposts is not the number of reposts and quotes that are not deleted.
    RepostsCount,
    /// The index of a user's plain reposts lacks one, or has one that does not stand.
    RepostIndex,
    /// The head of an outbox does not know of the newest post in it.
    HeadBehind,
    /// Post ids go on at or below one that is taken.
    PostIdsBehind,
    /// Events are missing between the first and the last one of the log, or lie outside of them.
    LogGap,
    /// A row cannot be decoded.
    Undecodable,
    /// A row beside an account is not as the account says: a copy of how the user stands, a login name, a password or the claim
    /// of a contact.
    AccountCopy,
    /// A shard is not in the database that the map of the cluster says, or not as it says: its users cannot be reached.
    ShardMisplaced,
    /// The count and the sum of the follows or blocks between two genes are not those of the rows.
    Digest,
}

/// One wrong row.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Difference {
    /// What is wrong.
    pub kind: DifferenceKind,
    /// The user of the row.
    pub subject: Option<Uid>,
    /// The other user, for rows about a pair.
    pub object: Option<Uid>,
    /// What is stored and what was expected, in words.
    pub detail: String,
}

/// What a verification compared and found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyReport {
    /// Where the snapshot stands.
    pub position: Position,
    /// Forward edges compared.
    pub forward: u64,
    /// Reverse edges compared.
    pub reverse: u64,
    /// Users whose counters were compared.
    pub counters: u64,
    /// Mutual marks compared.
    pub mutual: u64,
    /// Blocks and mutes compared.
    pub marks: u64,
    /// Posts compared.
    pub posts: u64,
    /// Likes compared.
    pub likes: u64,
    /// All differences found, also those beyond the list.
    pub differences_total: u64,
    /// The first [`DIFFERENCES_MAX`] differences.
    pub differences: Vec<Difference>,
    /// Follows by groups of genes, and whether both sides agree: at most 256 cells.
    pub heat: Vec<HeatCell>,
}

/// Differences named in one report; more are only counted.
pub const DIFFERENCES_MAX: usize = 1_000;

impl VerifyReport {
    /// Returns whether everything agrees.
    pub const fn clean(&self) -> bool {
        self.differences_total == 0
    }
}

/// What an operator does about a difference that a mend leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Remedy {
    /// Mend again: the rows changed while they were looked at.
    MendAgain,
    /// Make a backup and restore it: that builds every derived row anew from the facts.
    RestoreDump,
    /// Restore a backup of before the damage: a fact or an event is lost.
    RestoreBackup,
    /// Two facts contradict each other: end the follow or the block.
    EndFact,
}

impl DifferenceKind {
    /// Returns what is done about a difference of this kind that a mend leaves.
    pub const fn remedy(self) -> Remedy {
        match self {
            Self::ReverseMissing
            | Self::ForwardMissing
            | Self::TimeDiffers
            | Self::MutualMarkMissing
            | Self::MutualMarkWrong
            | Self::FollowingCount
            | Self::FollowersCount
            | Self::FriendsCount
            | Self::BlocksCount
            | Self::MutesCount
            | Self::RequestsCount
            | Self::MarkIndex
            | Self::AccountCopy
            | Self::Digest => Remedy::MendAgain,
            Self::OutboxMissing
            | Self::PostMissing
            | Self::LikeUnlisted
            | Self::LikeMissing
            | Self::LikeIndex
            | Self::DeletedIndex
            | Self::LikesCount
            | Self::RepliesCount
            | Self::RepostsCount
            | Self::RepostIndex
            | Self::HeadBehind
            | Self::PostIdsBehind => Remedy::RestoreDump,
            Self::LogGap | Self::Undecodable | Self::ShardMisplaced => Remedy::RestoreBackup,
            Self::FollowDespiteBlock => Remedy::EndFact,
        }
    }
}

/// What a mend does at the moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MendStage {
    /// It compares rows.
    Comparing,
    /// It mends rows.
    Mending,
}

/// How far a mend is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MendProgress {
    /// What it does at the moment.
    pub stage: MendStage,
    /// How far it is with that.
    pub progress: Progress,
    /// How much it has mended.
    pub mended: u64,
}

/// What a mend found, mended and left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MendReport {
    /// Differences that the first comparison found.
    pub found: u64,
    /// How much was mended: rows on one machine, differences in a cluster.
    pub mended: u64,
    /// The comparison after the last mend: its differences are left.
    pub left: VerifyReport,
}

impl MendReport {
    /// Returns what is to be done about what is left, each once.
    pub fn remedies(&self) -> BTreeSet<Remedy> {
        self.left.differences.iter().map(|difference| difference.kind.remedy()).collect()
    }
}

/// Long tasks of an operator. They block, so the caller runs them on a thread of their own; they read one
/// snapshot while the store serves, or several in turn.
pub trait Upkeep: Send + Sync {
    /// Compares forward edges, reverse edges, counters and mutual marks, and posts with what follows from them, on
    /// disk at one snapshot.
    ///
    /// # Errors
    /// When the store cannot be read; a difference is a finding, not an error.
    fn verify(&self, progress: &mut dyn FnMut(Progress)) -> Result<VerifyReport>;

    /// Mends what [`Self::verify`] finds wrong with derived rows, while the store serves: edges of the reverse table, mutual marks,
    /// counters, and the lists of marks about users. Each row is derived anew from the facts as they are when it is written, so a
    /// change since the comparison is never undone. A second mend finds nothing to do.
    ///
    /// # Errors
    /// When the store cannot be read or written; what was mended before stays mended.
    fn mend(&self, progress: &mut dyn FnMut(MendProgress)) -> Result<MendReport>;

    /// Writes a consistent logical dump of the whole store, and answers where it stands.
    ///
    /// # Errors
    /// When the store cannot be read or the sink not written.
    fn dump(&self, sink: &mut dyn io::Write, progress: &mut dyn FnMut(Progress)) -> Result<Position>;
}
