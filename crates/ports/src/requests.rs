//! What waits between users, and what ends by itself.

use crate::BoxFuture;
use guanxi_model::{
    Cursor, MuteTerms, Page, PairEnd, RelationRequest, RequestDirection, RequestKind, Result, Stamp, Uid,
};

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
    /// When.
    pub at_ms: u64,
    /// What.
    pub end: PairEnd,
}

/// What is noted of a user and shown to nobody else.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UserNotes {
    /// Up to where it has seen the requests to it.
    pub requests_seen: Option<Stamp>,
    /// When it signed out everywhere last, in Unix milliseconds; it is forgotten once nothing that was issued before can be good.
    pub signed_out_ms: Option<u64>,
}

/// Requests that wait, the terms of mutes, and what ends when.
pub trait RequestView: Send + Sync {
    /// A page of the requests of a kind that a user got or sent, newest first.
    ///
    /// # Errors
    /// `InvalidField{offset}` for an offset: there is no bound of how many one may get.
    fn requests(
        &self,
        of: Uid,
        direction: RequestDirection,
        kind: RequestKind,
        page: Page,
    ) -> BoxFuture<'_, Result<RequestPage>>;

    /// How many requests of a kind a user got since those that it has seen, counted up to `cap`. It costs what it counts.
    fn unseen_requests(&self, of: Uid, kind: RequestKind, cap: u32) -> BoxFuture<'_, Result<u32>>;

    /// Whom a user has rejected who may not ask it again yet, and until when, in Unix milliseconds: in the order of their uids,
    /// after one, at most `max`. Fewer than `max` means the end. Times that are over may be among them.
    fn rejections(&self, of: Uid, after: Option<Uid>, max: usize) -> BoxFuture<'_, Result<Vec<(Uid, u64)>>>;

    /// What is noted of a user.
    fn user_notes(&self, uid: Uid) -> BoxFuture<'_, Result<UserNotes>>;

    /// On which terms a user mutes each of others, in order; the default of whom it does not mute.
    fn mute_terms<'a>(&'a self, of: Uid, others: &'a [Uid]) -> BoxFuture<'a, Result<Vec<MuteTerms>>>;

    /// What ends no later than a time, in Unix milliseconds, after something: the earliest first; at most `max`. It costs what
    /// it finds.
    fn due_ends(
        &self,
        after: Option<DueEnd>,
        until_ms: u64,
        max: usize,
    ) -> BoxFuture<'_, Result<Vec<DueEnd>>>;

    /// Who has unlocked itself and may have others who wait to follow it, and since when, in the order of their uids, after one;
    /// at most `max`. Fewer than `max` means the end.
    fn unlocking(&self, after: Option<Uid>, max: usize) -> BoxFuture<'_, Result<Vec<(Uid, Stamp)>>>;
}
