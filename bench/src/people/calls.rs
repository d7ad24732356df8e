//! What is asked about the people around a user.

/// Items of a page by affinity.
pub(crate) const RANKED_PAGE: usize = 50;

/// One call about the people around a user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PeopleCall {
    /// The best 20 users that are followed by users whom `viewer` follows, each with the number of these.
    FriendsOfFriends { viewer: u64 },
    /// The best 20 suggestions to `viewer`, for all reasons.
    Suggestions { viewer: u64 },
    /// The first [`RANKED_PAGE`] of the users whom `viewer` follows, in the order of affinity.
    ByAffinity { viewer: u64 },
    /// The newest page of a group of `viewer`.
    Group { viewer: u64, group: u32 },
}

impl PeopleCall {
    /// What its statement is called on PostgreSQL.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::FriendsOfFriends { .. } => "friends_of_friends",
            Self::Suggestions { .. } => "suggestions",
            Self::ByAffinity { .. } => "by_affinity",
            Self::Group { .. } => "group",
        }
    }
}
