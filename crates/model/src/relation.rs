//! What one user is to another.

use crate::pair::RequestKind;
use crate::stamp::Stamp;

/// The follows between two users, seen from the subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RelationState {
    /// `--`: neither follows the other.
    None,
    /// `->`: the subject follows the object.
    Following,
    /// `<-`: the object follows the subject.
    FollowedBy,
    /// `<->`: both; they are friends.
    Mutual,
}

/// The relation of a subject to an object.
///
/// `blocked_by` is for services: the centers hide it from end users, since a block is never visible to the other
/// side.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own, in any combination")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Relation {
    /// When the subject began to follow the object.
    pub following_since: Option<Stamp>,
    /// Whether the object follows the subject.
    pub followed_by: bool,
    /// When the two became friends; set if and only if both follow.
    pub friends_since: Option<Stamp>,
    /// The subject blocks the object.
    pub blocking: bool,
    /// The object blocks the subject.
    pub blocked_by: bool,
    /// The subject mutes the object.
    pub muting: bool,
    /// What the subject has asked of the object, if that waits.
    pub requested: Option<RequestKind>,
    /// What the object has asked of the subject, if that waits.
    pub requested_by: Option<RequestKind>,
}

impl Relation {
    /// Returns whether one of the two blocks the other.
    pub const fn is_apart(&self) -> bool {
        self.blocking || self.blocked_by
    }

    /// The relation enumeration of seed 000.
    pub const fn state(&self) -> RelationState {
        match (self.following_since.is_some(), self.followed_by) {
            (false, false) => RelationState::None,
            (true, false) => RelationState::Following,
            (false, true) => RelationState::FollowedBy,
            (true, true) => RelationState::Mutual,
        }
    }
}
