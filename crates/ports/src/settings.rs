//! What operators and readers have set, and what operators did.

/// A user's follow limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FollowLimit {
    /// The limit that holds.
    pub effective: u32,
    /// The user's own limit, if the operator set one.
    pub own: Option<u32>,
}
