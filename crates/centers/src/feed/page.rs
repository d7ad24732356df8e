//! A page of home, or of the timeline of a group, and where it came from.

use crate::post::Behind;
use guanxi_model::{Position, PostCursor, PostHeader, PostId};

/// Where a page came from. It tells an operator what a read cost; the page is the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// From the viewer's inbox and from so many authors that it did not vouch for.
    Inbox {
        /// The authors pulled beside the inbox.
        pulled: u32,
    },
    /// From the outboxes of all authors.
    Pull,
}

/// A page of home.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HomePage {
    /// The items, newest first.
    pub ids: Vec<PostId>,
    /// Where the next page starts; `None` if and only if the list ended.
    pub next: Option<PostCursor>,
    /// How many candidates were looked at: a page shorter than asked for with a `next` has used up its budget of
    /// [`HOME_SCAN_MAX`](guanxi_model::limits::HOME_SCAN_MAX).
    pub scanned: u32,
    /// Where the page came from.
    pub source: Source,
    /// Where the answer stands.
    pub position: Position,
}

/// The items of a page, with the facts that decided them; empty for a page of ids.
#[derive(Default)]
pub(super) struct ShownItems {
    pub headers: Vec<PostHeader>,
    pub behind: Behind,
}
