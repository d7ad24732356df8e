//! What waits between users, and what ends by itself.

use guanxi_model::{Cursor, PairEnd, RelationRequest, Stamp};

/// A page of requests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RequestPage {
    /// The items, newest first.
    pub items: Vec<RelationRequest>,
    /// Where the next page starts; `None` if and only if the list ended.
    pub next: Option<Cursor>,
}

/// Something between two users that ends by itself, and when, in Unix milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DueEnd {
    /// Its time, in Unix milliseconds.
    pub at_ms: u64,
    /// What.
    pub end: PairEnd,
}

/// Notes on a user that no other user is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UserNotes {
    /// Up to where it has seen the requests to it.
    pub requests_seen: Option<Stamp>,
    /// When it signed out everywhere last, in Unix milliseconds; it is forgotten once nothing that was issued before can be good.
    pub signed_out_ms: Option<u64>,
}
