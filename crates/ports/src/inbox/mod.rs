//! Inboxes: a cache of home timelines that knows for what it is valid.
//!
//! An inbox may forget anything at any time, and a push may be late, partial or absent: a reader pulls everything
//! that an inbox does not vouch for. With `F` = the viewer and the users whom the viewer follows at the inbox's
//! `relations_version`:
//!
//! - it holds every item of `F` with an id of at least `floor` (or down to the first, without a floor) that was there at
//!   the position `built`;
//! - and every such item that came until the [`Coverage`] of the fan-out, except those of authors with a skip after
//!   `built`.
//!
//! All of it is said per author: `built` and the coverage name, for each author, a place in that author's log.
//! Inboxes hold items unfiltered: deleted and hidden ones too. All rules are the reader's.

mod absent;
mod coverage;
mod layer;

pub use absent::AbsentInbox;
pub use coverage::{Coverage, Skips};
pub use layer::InboxLayer;

use crate::BoxFuture;
use crate::outboxes::RelationsVersion;
use guanxi_model::{EventAt, FanoutPolicy, Position, PostId, Result, Uid};

/// Authors with a skip that are kept one by one; beyond, all inboxes are dropped instead.
pub const SKIPS_MAX: usize = 1_024;

/// Where to go on among active readers; the backend's own affair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ActiveCursor(pub u64);

/// Some of the active readers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ActivePage {
    /// The readers.
    pub readers: Vec<Uid>,
    /// Where to go on; `None` at the end.
    pub next: Option<ActiveCursor>,
}

/// What a reader learns from its inbox.
#[derive(Clone, Debug)]
pub struct InboxRead {
    /// How far the fan-out was. Read before the inbox itself.
    pub coverage: Coverage,
    /// The inbox, if it is resident and usable.
    pub slice: Option<InboxSlice>,
}

/// Part of a resident inbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InboxSlice {
    /// Ids below the place asked for and not below the floor, newest first; at most as many as asked for, and fewer
    /// only if the inbox has no more.
    pub ids: Vec<PostId>,
    /// Below this id the inbox says nothing; `None` if it reaches the first post ever.
    pub floor: Option<PostId>,
    /// The position up to which the store was read to fill it; names the logs of all of `F`.
    pub built: Position,
    /// The version of the viewer's relations that it was filled for.
    pub relations_version: RelationsVersion,
}

/// A registered inbox that waits for its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FillTicket {
    /// The viewer.
    pub viewer: Uid,
    /// Which registration, so that an overtaken fill is refused.
    pub ticket: u64,
    /// How far the fan-out was when the inbox was registered: a fill that lacks an event that this has passed is no
    /// fill for it, since what was offered before the registration is nowhere.
    pub covered: Position,
}

/// The content of an inbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InboxFill {
    /// Every item of the viewer and of the users whom it follows from `floor` on, newest first, unfiltered.
    pub ids: Vec<PostId>,
    /// The lowest id that is complete; `None` if `ids` reach the first post ever.
    pub floor: Option<PostId>,
    /// The position of the view that it was read from; names the logs of all of `F`.
    pub built: Position,
    /// The version of the viewer's relations in that view.
    pub relations_version: RelationsVersion,
}

/// An item that is offered to some readers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offer<'a> {
    /// The item.
    pub id: PostId,
    /// To whom.
    pub readers: &'a [Uid],
}

/// The outcome of offers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Offered {
    /// Ids inserted into resident inboxes: deliveries. What a registered inbox collects is none.
    pub delivered: u64,
    /// Resident inboxes that had the id, or whose floor is above it afterwards.
    pub unchanged: u64,
}

/// The state of all inboxes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InboxStats {
    /// Inboxes held that are filled; registered ones count nowhere here.
    pub resident: u64,
    /// Readers who were here in this activity bucket or the one before.
    pub active: u64,
    /// Ids held.
    pub entries: u64,
    /// Bytes taken, headers and tables included, about.
    pub bytes: u64,
    /// Deliveries since the start.
    pub delivered: u64,
    /// Authors with a skip.
    pub skips: u64,
}

/// Resident inboxes. Only the fan-out offers, skips and advances; only readers visit and fill.
pub trait Inbox: Send + Sync {
    /// Returns whether there can be any: where there cannot, every page is pulled under any policy.
    fn keeps_any(&self) -> bool {
        true
    }

    /// Takes a policy over. Any change of it drops every inbox: it is rebuilt from posts at the next visit.
    fn configure<'a>(&'a self, policy: &'a FanoutPolicy) -> BoxFuture<'a, Result<()>>;

    /// A visit of a viewer: marks it active, and returns at most `max` ids below a place.
    ///
    /// Time never goes back in here. A call that names an earlier time than a call before it is taken to be at the
    /// later time, so that a reader whom [`active`](Self::active) left out is away at its next visit, too.
    ///
    /// Under [`Hybrid`](guanxi_model::FanoutMode::Hybrid) an inbox whose viewer was here neither in this activity
    /// bucket nor in the one before is dropped, registered ones too, since celebrities may not have been offered to
    /// it. Now is the latest time that any call has named, here and elsewhere, so that a clock that jumps back does
    /// not make a reader active that was passed over.
    fn read(
        &self,
        viewer: Uid,
        below: Option<PostId>,
        max: usize,
        now_ms: u64,
    ) -> BoxFuture<'_, Result<InboxRead>>;

    /// Registers an inbox as a target of offers, before the view is pinned from which it will be filled: a visit, too.
    /// It takes the place of an earlier registration or inbox of the viewer. `None` under the policy `Pull`.
    fn begin(&self, viewer: Uid, now_ms: u64) -> BoxFuture<'_, Result<Option<FillTicket>>>;

    /// Fills a registered inbox; what was offered meanwhile is kept, from the fill's floor on. Returns whether it was
    /// still registered; the fill is dropped if not.
    ///
    /// Beyond the policy's `inbox_cap` the oldest ids are dropped, one or some at once, and the lowest that is kept is
    /// the floor: here, at each offer, and while an inbox is registered.
    fn fill(&self, ticket: FillTicket, fill: InboxFill) -> BoxFuture<'_, Result<bool>>;

    /// Offers items, each to those of its readers who have an inbox, registered ones included. Returns the outcome of
    /// each, in order. Offering twice is a no-op; an id below the floor is left out.
    fn offer<'a>(&'a self, offers: &'a [Offer<'a>]) -> BoxFuture<'a, Result<Vec<Offered>>>;

    /// A page of a superset of the author's followers who have an inbox, registered ones included, and who were here
    /// in this activity bucket or the one before: for a celebrity's items. In any order, in pages of the backend's
    /// choice; a page may be empty although there are more. A reader that is active when the first page is asked for,
    /// and stays so, is in one of the pages.
    fn active(
        &self,
        author: Uid,
        after: Option<ActiveCursor>,
        now_ms: u64,
    ) -> BoxFuture<'_, Result<ActivePage>>;

    /// Notes that an event's item of an author is not offered to everybody, or not yet. It holds from before
    /// [`advance`](Self::advance) passes the event. More than [`SKIPS_MAX`] authors drop every inbox and every skip.
    fn skip(&self, author: Uid, at: EventAt) -> BoxFuture<'_, Result<()>>;

    /// Takes back a skip of exactly this event, because the item was offered to everybody by now. `earlier` is what
    /// still holds of the author, if anything.
    fn unskip(&self, author: Uid, at: EventAt, earlier: Option<EventAt>) -> BoxFuture<'_, Result<()>>;

    /// Says that every item event of a log up to this one was offered or skipped. Never goes back.
    fn advance(&self, covered: EventAt) -> BoxFuture<'_, Result<()>>;

    /// Returns how far the fan-out is.
    fn covered(&self) -> BoxFuture<'_, Result<Position>>;

    /// Drops the inbox of a viewer, registered or resident.
    fn evict(&self, viewer: Uid) -> BoxFuture<'_, Result<()>>;

    /// Drops the inboxes that were not visited for the policy's `cold_after_ms`, registered ones too, and returns how
    /// many were resident.
    fn sweep(&self, now_ms: u64) -> BoxFuture<'_, Result<u64>>;

    /// The state of all inboxes.
    fn stats(&self, now_ms: u64) -> BoxFuture<'_, Result<InboxStats>>;
}
