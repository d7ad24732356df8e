//! Inboxes: a cache of home timelines that knows for what it is valid.
//!
//! An inbox may forget anything at any time, and a push may be late, partial or absent: a reader pulls whatever an
//! inbox does not vouch for. What it vouches for is said by four numbers. With `F` = the viewer and those whom the
//! viewer follows at the inbox's `follow_version`:
//!
//! - it holds every item of `F` with an id of at least `floor` (or down to the first, without a floor) that was there at
//!   event `built_seq`;
//! - and every such item that came until event `covered`, except those of authors with a skip after `built_seq`.
//!
//! Inboxes hold items unfiltered: deleted and hidden ones too. All rules are the reader's.

use crate::BoxFuture;
use guanxi_model::{FanoutPolicy, PostId, Result, Uid};
use std::collections::HashMap;
use std::sync::Arc;

/// Authors whose items were not offered to every inbox, with the last such event.
pub type Skips = HashMap<Uid, u64>;

/// Skips that are kept one by one; beyond, all inboxes are dropped instead.
pub const SKIPS_MAX: usize = 1_024;

/// What a reader learns from its inbox.
#[derive(Clone, Debug, Default)]
pub struct InboxRead {
    /// Every item event up to this one was offered to every inbox that was registered before it, or is skipped. Read
    /// before the inbox itself.
    pub covered: u64,
    /// What was skipped. Read after `covered`.
    pub skips: Arc<Skips>,
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
    /// The event up to which the store was read to fill it.
    pub built_seq: u64,
    /// The version of the viewer's viewer_relations that it was filled for.
    pub follow_version: u64,
}

/// A registered inbox that waits for its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FillTicket {
    /// Whose.
    pub viewer: Uid,
    /// Which registration, so that an overtaken fill is refused.
    pub ticket: u64,
}

/// The content of an inbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InboxFill {
    /// Every item of the viewer and those whom it follows from `floor` on, newest first, unfiltered.
    pub ids: Vec<PostId>,
    /// The lowest id that is complete; `None` if `ids` reach the first post ever.
    pub floor: Option<PostId>,
    /// The position of the view that it was read from.
    pub built_seq: u64,
    /// The version of the viewer's viewer_relations in that view.
    pub follow_version: u64,
}

/// What became of an offer.
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
    /// Those whose reader was here in this activity bucket or the one before.
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
    /// Takes a policy over. Any change of it drops every inbox: it is rebuilt from posts at the next visit.
    fn configure(&self, policy: &FanoutPolicy);

    /// A visit of a viewer: marks it active, and answers at most `max` ids below a place.
    ///
    /// Time never goes back in here: whoever names an earlier time than another before is taken to call at that time,
    /// so that a reader whom [`active`](Self::active) left out is away at its next visit, too.
    ///
    /// Under [`Hybrid`](guanxi_model::FanoutMode::Hybrid) an inbox whose viewer was here neither in this activity
    /// bucket nor in the one before is dropped, registered ones too, since celebrities may not have been offered to
    /// it. Now is the latest time that any call has named, here and elsewhere, so that a clock that jumps back brings
    /// nobody back who was passed over.
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

    /// Fills a registered inbox; what was offered meanwhile is kept, from the fill's floor on. Answers whether it was
    /// still registered; the fill is dropped if not.
    ///
    /// Beyond the policy's `inbox_cap` the oldest ids are dropped, one or some at once, and the lowest that is kept is
    /// the floor: here, at each offer, and while an inbox is registered.
    fn fill(&self, ticket: FillTicket, fill: InboxFill) -> BoxFuture<'_, Result<bool>>;

    /// Offers an item to those of `readers` who have an inbox, registered ones included. Offering twice is a no-op; an
    /// id below the floor is left out.
    fn offer<'a>(&'a self, id: PostId, readers: &'a [Uid]) -> BoxFuture<'a, Result<Offered>>;

    /// Everybody with an inbox, registered ones included, who was here in this activity bucket or the one before, for
    /// a celebrity's items; in any order.
    fn active(&self, now_ms: u64) -> BoxFuture<'_, Result<Vec<Uid>>>;

    /// Notes that an event's item of an author is not offered to everybody, or not yet. It holds from before
    /// [`advance`](Self::advance) passes the event. More than [`SKIPS_MAX`] authors drop every inbox and every skip.
    fn skip(&self, author: Uid, seq: u64);

    /// Takes back a skip of exactly this event, because the item was offered to everybody by now. `earlier` is what
    /// still holds of the author, if anything.
    fn unskip(&self, author: Uid, seq: u64, earlier: Option<u64>);

    /// Says that every item event up to this one was offered or skipped. Never goes back.
    fn advance(&self, covered: u64);

    /// How far the fan-out is.
    fn covered(&self) -> u64;

    /// Drops the inbox of a viewer, registered or resident.
    fn evict(&self, viewer: Uid);

    /// Drops the inboxes that were not visited for the policy's `cold_after_ms`, registered ones too, and answers how
    /// many were resident.
    fn sweep(&self, now_ms: u64) -> u64;

    /// The state of all inboxes.
    fn stats(&self, now_ms: u64) -> InboxStats;
}
