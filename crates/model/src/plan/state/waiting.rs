//! Rows of what waits between two users.

use super::EventRows;
use crate::error::Result;
use crate::id::Uid;
use crate::pair::{MuteTerms, PairEnd, PastRequest, RelationRequest};
use crate::stamp::Stamp;

/// What waits between two users, and ends by itself when its time is over.
pub trait WaitingRows: EventRows {
    /// Returns since when a user mutes another, and on which terms.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn mute(&mut self, owner: Uid, other: Uid) -> Result<Option<(Stamp, MuteTerms)>, Self::Error>;

    /// Returns what a user has asked of another, if that waits. The message may be left out.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn request(&mut self, sender: Uid, receiver: Uid) -> Result<Option<RelationRequest>, Self::Error>;

    /// Adds a request, which holds a place of the sender's from then on.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn put_request(&mut self, request: RelationRequest) -> Result<(), Self::Error>;

    /// Removes a request that is there.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn remove_request(&mut self, request: &RelationRequest) -> Result<(), Self::Error>;

    /// Returns how many requests of a user wait.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn sent_requests(&mut self, sender: Uid) -> Result<u32, Self::Error>;

    /// Returns what a user remembers of the last request of another, which is over.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn past_request(&mut self, owner: Uid, other: Uid) -> Result<Option<PastRequest>, Self::Error>;

    /// Sets or removes that.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn put_past_request(
        &mut self,
        owner: Uid,
        other: Uid,
        past: Option<PastRequest>,
    ) -> Result<(), Self::Error>;

    /// Notes that something ends by itself at a time, in Unix milliseconds.
    fn put_end(&mut self, at_ms: u64, end: PairEnd);

    /// Takes that note away: it has ended, or ends at another time.
    fn remove_end(&mut self, at_ms: u64, end: PairEnd);

    /// Returns the time since when the users that wait to follow a user are to be approved, if that is noted.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn unlocking(&mut self, uid: Uid) -> Result<Option<Stamp>, Self::Error>;

    /// Notes the time since when the users that wait to follow a user are to be approved, or removes that note.
    fn put_unlocking(&mut self, uid: Uid, since: Option<Stamp>);

    /// Raises the place of the newest request to a user that it has seen.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn raise_requests_seen(&mut self, uid: Uid, seen: Stamp) -> Result<(), Self::Error>;

    /// Removes that place, if there is one.
    fn remove_requests_seen(&mut self, uid: Uid);
}
