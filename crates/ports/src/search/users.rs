//! Searching users by what they are called.

use super::index::{IndexDoc, SearchIndex};
use super::rows::{Row, UserColumn, UserState};
use crate::BoxFuture;
use guanxi_model::user::{LoginName, Sex};
use guanxi_model::{Counts, DAY_MS, Position, Result, Uid};
use guanxi_text::NameQuery;
use std::collections::BTreeMap;

/// Searches users.
pub trait UserSearch: SearchIndex {
    /// The users who fit, the best kind of match first, and of one kind by rising uids: all of those that stand at the answer's
    /// `as_of`, or as many as are asked for, and maybe some that do not stand.
    ///
    /// # Errors
    /// `SEARCH_UNAVAILABLE` when no index can be asked.
    fn search_users<'a>(&'a self, ask: UserAsk<'a>) -> BoxFuture<'a, Result<FoundUsers>>;
}

/// A question for users.
#[derive(Clone, Copy, Debug)]
pub struct UserAsk<'a> {
    /// What they are called.
    pub query: &'a NameQuery,
    /// The query as it was typed, which a whole login name is compared with.
    pub typed: &'a str,
    /// For whom it is asked.
    pub asks: NameAsker,
    /// Only these users, who stand in rising order.
    pub among: Option<&'a [Uid]>,
    /// How many at most; at least 1.
    pub max: usize,
}

/// The caller that looks for users by their names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NameAsker {
    /// An end user: it finds who is active, and login names only whole, as [`LoginName::is_typed`] says, since their beginnings would
    /// tell them.
    EndUser,
    /// A service: it finds every user that has a document, and login names as nicknames are found.
    Service,
}

/// Users who were found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundUsers {
    /// The users.
    pub uids: Vec<Uid>,
    /// Where the index stands: events up to here are in the answer.
    pub as_of: Position,
}

/// What an index is told of a user: what the user says of itself, how it stands, and its counters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserDoc {
    /// The user.
    pub uid: Uid,
    /// Its state: end users find active users, and no caller finds a deleted user by its name.
    pub state: UserState,
    /// What others call it. It is indexed, and not kept.
    pub nickname: String,
    /// Its login name, which is indexed and not kept either.
    pub login_name: Option<LoginName>,
    /// What the application keeps of it, which is indexed and not kept either.
    pub attributes: BTreeMap<String, String>,
    /// The sex.
    pub sex: Sex,
    /// The year of birth.
    pub birth_year: Option<u16>,
    /// When the account was registered, in Unix milliseconds.
    pub registered_ms: Option<u64>,
    /// The last day of a login, in days since 1970-01-01 UTC: as of when the document was written.
    pub login_day: Option<u32>,
    /// How many follow it, are followed by it and are its friends: as of when the document was written.
    pub counts: Counts,
    /// How many of its posts, replies, quotes and reposts stand: as of then, too.
    pub posts: u64,
    /// A digest of what the document is made of but counters and the last login, to compare it with the user.
    pub digest: u64,
}

impl UserDoc {
    /// Its numbers.
    pub fn row(&self) -> Row<UserColumn> {
        let Counts { following, followers, friends, .. } = self.counts;
        [
            (UserColumn::State, Some(self.state as u64)),
            (UserColumn::Sex, Some(sex_number(self.sex))),
            (UserColumn::BirthYear, self.birth_year.map(u64::from)),
            (UserColumn::Registered, self.registered_ms),
            (UserColumn::LastLogin, self.login_day.map(|day| u64::from(day) * DAY_MS)),
            (UserColumn::Followers, Some(followers)),
            (UserColumn::Following, Some(following.into())),
            (UserColumn::Friends, Some(friends.into())),
            (UserColumn::Posts, Some(self.posts)),
        ]
        .into_iter()
        .collect()
    }
}

/// The number of a sex in its column. It never changes.
pub const fn sex_number(sex: Sex) -> u64 {
    match sex {
        Sex::Unspecified => 0,
        Sex::Female => 1,
        Sex::Male => 2,
        Sex::Other => 3,
    }
}

impl IndexDoc for UserDoc {
    type Id = Uid;

    fn id(&self) -> Uid {
        self.uid
    }
}
