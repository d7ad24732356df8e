//! Searching users by what they are called.

use super::index::{IndexDoc, SearchIndex};
use crate::BoxFuture;
use guanxi_model::user::LoginName;
use guanxi_model::{Position, Result, Uid};
use guanxi_text::NameQuery;

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

/// Who asks for users by their names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NameAsker {
    /// An end user: it finds who is active, and login names only whole, as [`LoginName::is_typed`] says, since their beginnings would
    /// tell them.
    EndUser,
    /// A service: it finds everybody who has a document, and login names as nicknames are found.
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

/// What an index is told of a user: only what the user says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserDoc {
    /// The user.
    pub uid: Uid,
    /// Whether the user is there.
    pub is_active: bool,
    /// What others call it. It is indexed, and not kept.
    pub nickname: String,
    /// Its login name, which is indexed and not kept either.
    pub login_name: Option<LoginName>,
    /// A digest of what the document is made of, to compare it with the user.
    pub digest: u64,
}

impl IndexDoc for UserDoc {
    type Id = Uid;

    fn id(&self) -> Uid {
        self.uid
    }
}
