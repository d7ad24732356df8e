//! The social graph.

use crate::BoxFuture;
use guanxi_model::user::Standing;
use guanxi_model::{
    Counts, Edge, EdgePage, List, MuteTerms, Page, Position, Relation, RestrictionKind, Result, Stamp, Uid,
};

/// Whom the viewer follows among the followers of a target.
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
    /// Who follows; each at most once.
    pub subjects: &'a [Uid],
    /// How many of each one's follows count: the newest of them.
    pub newest: usize,
}

/// Whom some users follow, counted.
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
    /// Who follows, blocks or mutes.
    pub subject: Uid,
    /// Whom.
    pub object: Uid,
    /// Since when.
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

/// What a user has set on another, who is not told of it.
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

/// The graph at one position. What a view is asked of one user stands still from the first question on, and all that
/// it says of that user agrees. On one machine all answers agree with each other; with many logs each shard's part of
/// the view begins at its first question.
pub trait GraphView: Send + Sync {
    /// Where it stands: the logs that its questions touched so far, as something seen.
    fn position(&self) -> Position;

    /// The relation of `subject` to each of `objects`, in order. The relation to oneself is empty.
    fn relations<'a>(&'a self, subject: Uid, objects: &'a [Uid]) -> BoxFuture<'a, Result<Vec<Relation>>>;

    /// The relation of the first to the second user of each pair, in order.
    fn pairs<'a>(&'a self, pairs: &'a [(Uid, Uid)]) -> BoxFuture<'a, Result<Vec<Relation>>>;

    /// A page of a list, newest first.
    ///
    /// # Errors
    /// `InvalidField{offset}` for an offset into a list that is not bounded.
    fn list(&self, of: Uid, list: List, page: Page) -> BoxFuture<'_, Result<EdgePage>>;

    /// The counters of each user, in order; all zero for a user without edges.
    fn counts<'a>(&'a self, uids: &'a [Uid]) -> BoxFuture<'a, Result<Vec<Counts>>>;

    /// Whom `viewer` follows that follows `target`; in the order of the viewer's following list. `told` is the end user
    /// who is told of it, if it is one: edges that are hidden from it are left out and not counted.
    fn known_followers(
        &self,
        viewer: Uid,
        target: Uid,
        page: Page,
        told: Option<Uid>,
    ) -> BoxFuture<'_, Result<KnownFollowers>>;

    /// Whom both `a` and `b` follow, with their count; in the order of `a`'s following list. `told` as above.
    fn mutual_following(
        &self,
        a: Uid,
        b: Uid,
        page: Page,
        told: Option<Uid>,
    ) -> BoxFuture<'_, Result<KnownFollowers>>;

    /// Whom some users follow, each with how many of them do. At most `follows_max` follows are looked at: the first subject
    /// whose follows would be more than that ends the count. It may be much work, so others on the thread have their turn in
    /// between; so it is below.
    fn count_followed<'a>(
        &'a self,
        ask: FollowsAsk<'a>,
        follows_max: usize,
    ) -> BoxFuture<'a, Result<FollowedCounts>>;

    /// Which of some users follow each of `objects`, in order: their places among the subjects, ascending. It never reads
    /// the followers list of an object.
    fn who_follows<'a>(
        &'a self,
        ask: FollowsAsk<'a>,
        objects: &'a [Uid],
    ) -> BoxFuture<'a, Result<Vec<Vec<u32>>>>;

    /// How each user stands, in order.
    fn standings<'a>(&'a self, uids: &'a [Uid]) -> BoxFuture<'a, Result<Vec<Standing>>>;

    /// Whether it is known without asking that everybody stands as the default says, so that nobody need be asked.
    fn all_stand_by_default(&self) -> bool;

    /// Active follows in the order of (subject, object), after the given pair; at most `max`. Fewer than `max`
    /// means the end.
    fn edges(&self, after: Option<(Uid, Uid)>, max: usize) -> BoxFuture<'_, Result<Vec<ExportEdge>>>;

    /// Blocks or mutes of all users, as [`GraphView::edges`] has follows.
    fn restrictions(
        &self,
        kind: RestrictionKind,
        after: Option<(Uid, Uid)>,
        max: usize,
    ) -> BoxFuture<'_, Result<Vec<ExportEdge>>>;

    /// Who has set a mark of a kind on a user, in the order of their uids, after one; at most `max`. Fewer than `max`
    /// means the end. It costs what it finds.
    fn marked_by(
        &self,
        object: Uid,
        kind: MarkKind,
        after: Option<Uid>,
        max: usize,
    ) -> BoxFuture<'_, Result<Vec<Uid>>>;

    /// Whom a user once followed and does not any more, with the time at which that ended, in the order of their uids,
    /// after one; at most `max`. Fewer than `max` means the end.
    fn removed_follows(
        &self,
        subject: Uid,
        after: Option<Uid>,
        max: usize,
    ) -> BoxFuture<'_, Result<Vec<Edge>>>;

    /// What is kept of removed follows of all users, each with the time at which it ended, in the order of (subject, object),
    /// after the given pair; at most `max`. Fewer than `max` means the end. A backend may still keep that a follow once ended
    /// which stands again, and then says that, too.
    fn all_removed_follows(
        &self,
        after: Option<(Uid, Uid)>,
        max: usize,
    ) -> BoxFuture<'_, Result<Vec<ExportEdge>>>;
}
