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

/// What is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Question {
    /// Friends of friends of viewers who follow 75 who follow 75.
    SmallCircle,
    /// The same of 300 who follow 300.
    LargeCircle,
    /// Suggestions for all reasons to the first.
    SmallSuggestions,
    /// The same to the second.
    LargeSuggestions,
    /// A page of 5,000 followings by affinity.
    ByAffinity,
    /// Friends of friends in the graph of seed 000.
    FriendsOfFriends,
    /// Suggestions for all reasons there.
    Suggestions,
    /// Home pages of readers who follow 500.
    Home,
    /// Pages of a group of the users whom the reader follows.
    Group,
    /// Pages of a group of others.
    GroupOfOthers,
}

impl Question {
    /// All of them, in the order of the report.
    pub(crate) const ALL: [Self; 10] = [
        Self::SmallCircle,
        Self::LargeCircle,
        Self::SmallSuggestions,
        Self::LargeSuggestions,
        Self::FriendsOfFriends,
        Self::Suggestions,
        Self::Home,
        Self::Group,
        Self::GroupOfOthers,
        Self::ByAffinity,
    ];

    /// What the report calls it.
    pub(crate) const fn title(self) -> &'static str {
        match self {
            Self::SmallCircle => "friends of friends, 75 x 75",
            Self::LargeCircle => "friends of friends, 300 x 300",
            Self::SmallSuggestions => "20 suggestions, 75 x 75",
            Self::LargeSuggestions => "20 suggestions, 300 x 300",
            Self::ByAffinity => "5,000 followings by affinity, a page of 50",
            Self::FriendsOfFriends => "friends of friends, graph",
            Self::Suggestions => "20 suggestions, graph",
            Self::Home => "home of 500 followings",
            Self::Group => "group of 500 followings",
            Self::GroupOfOthers => "group of 500 others",
        }
    }
}
