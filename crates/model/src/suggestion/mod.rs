//! Suggestions: whom a user may want to follow, and why.

mod points;

pub use points::Evidence;

use crate::id::Uid;

crate::kinds! {
    /// Why somebody is suggested, in the order in which those with as many points are told.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum SuggestionKind {
        /// Users whom the viewer follows follow it.
        FriendsOfFriends,
        /// It follows the viewer.
        FollowsYou,
        /// Several users whom the viewer follows have lately begun to follow it.
        Popular,
    }
}

/// A reason of a suggestion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuggestionReason {
    /// Which one.
    pub kind: SuggestionKind,
    /// How many users it is about, beside the viewer and the suggested user; 0 for a user that follows the viewer.
    pub count: u32,
    /// Some of them, most telling first; at most [`SUGGESTION_NAMES_MAX`](crate::limits::SUGGESTION_NAMES_MAX).
    pub uids: Vec<Uid>,
}

/// Says that somebody is not to be suggested to a viewer, or may be again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DismissCommand {
    /// To whom.
    pub viewer: Uid,
    /// The user.
    pub uid: Uid,
    /// Whether it is not to be suggested.
    pub dismissed: bool,
}
