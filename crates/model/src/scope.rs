//! What a service may do: named scopes, and sets of them.

use crate::error::{Error, Reason, Result};
use crate::limits::{SCOPE_NAME_LEN_MAX, SCOPES_MAX};

crate::kinds! {
    /// What a service may be let do for its users. Each RPC asks for one; an end user needs none for what is its own. The names
    /// are stored and shown. The order is that of the bits in a [`Scopes`].
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Scope: name {
        /// Read relations, lists and counts.
        RelationRead = "relation.read",
        /// Change relations on behalf of any user.
        RelationWrite = "relation.write",
        /// Read posts, their revisions, counters and likers.
        PostRead = "post.read",
        /// Write, edit, delete and like posts on behalf of any user.
        PostWrite = "post.write",
        /// Read home timelines, with the posts in them, and unread counts.
        FeedRead = "feed.read",
        /// Mark home timelines as seen.
        FeedWrite = "feed.write",
        /// Follow all changes of relations, of every user.
        Watch = "watch",
        /// Read users, whole, and find them by their names.
        UserRead = "user.read",
        /// Change profiles and privacy on behalf of any user.
        UserWrite = "user.write",
        /// Read with whom users have most to do, and the scores.
        AffinityRead = "affinity.read",
        /// Record what users did about each other.
        AffinityWrite = "affinity.write",
        /// Search posts and users.
        SearchRead = "search.read",
        /// Look at what operators look at, on the admin listener, and change nothing. No word for several scopes has it.
        AdminRead = "admin.read",
    }
}

impl Scope {
    /// The scopes of the main listener: what a service may do for its users.
    pub const FOR_USERS: [Self; 12] = [
        Self::RelationRead,
        Self::RelationWrite,
        Self::PostRead,
        Self::PostWrite,
        Self::FeedRead,
        Self::FeedWrite,
        Self::Watch,
        Self::UserRead,
        Self::UserWrite,
        Self::AffinityRead,
        Self::AffinityWrite,
        Self::SearchRead,
    ];

    const fn bit(self) -> u32 {
        1 << self as u32
    }
}

/// What reads, and what writes, for a token that is made now.
const READ: [Scope; 7] = [
    Scope::RelationRead,
    Scope::PostRead,
    Scope::FeedRead,
    Scope::Watch,
    Scope::UserRead,
    Scope::AffinityRead,
    Scope::SearchRead,
];
const WRITE: [Scope; 5] =
    [Scope::RelationWrite, Scope::PostWrite, Scope::FeedWrite, Scope::UserWrite, Scope::AffinityWrite];

/// Words for several scopes, understood where a token is made and never stored: what a token may do stays as it
/// was made when a later program knows more scopes.
const GROUPS: [(&str, &[Scope]); 7] = [
    ("relation.*", &[Scope::RelationRead, Scope::RelationWrite]),
    ("post.*", &[Scope::PostRead, Scope::PostWrite]),
    ("feed.*", &[Scope::FeedRead, Scope::FeedWrite]),
    ("user.*", &[Scope::UserRead, Scope::UserWrite]),
    ("affinity.*", &[Scope::AffinityRead, Scope::AffinityWrite]),
    ("read", &READ),
    ("write", &WRITE),
];

/// A set of scopes. Names that this program does not know, stored by a newer one, are kept and grant nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Scopes {
    /// The known ones, as bits.
    known: u32,
    /// The others, in ascending order, each once.
    unknown: Vec<String>,
}

impl Scopes {
    /// Returns the set of all scopes of the main listener: what a service may read and write for its users.
    pub fn all() -> Self {
        Scope::FOR_USERS.into_iter().collect()
    }

    /// Returns the set of all scopes that read for users.
    pub fn reading() -> Self {
        READ.into_iter().collect()
    }

    /// Returns the scopes of words that a caller gives for a new token: names, `relation.*`, `post.*`, `feed.*`,
    /// `user.*`, `affinity.*`, and the words `read` and `write` for all that reads and all that writes.
    ///
    /// # Errors
    /// `InvalidField` for a word that stands for no scope of this program.
    pub fn of_words<'a>(words: impl IntoIterator<Item = &'a str>) -> Result<Self> {
        let mut scopes = Self::default();
        for word in words {
            let group = GROUPS.iter().find(|(name, _)| *name == word).map(|(_, group)| *group);
            match (Scope::of_name(word), group) {
                (Some(scope), _) => scopes.insert(scope),
                (None, Some(group)) => group.iter().for_each(|scope| scopes.insert(*scope)),
                (None, None) => return Err(Error::new(Reason::InvalidField { field: "scopes" })),
            }
        }
        Ok(scopes)
    }

    /// Returns the words that [`Scopes::of_words`] takes, for messages.
    pub fn words() -> impl Iterator<Item = &'static str> {
        Scope::ALL.into_iter().map(Scope::name).chain(GROUPS.into_iter().map(|(name, _)| name))
    }

    /// Returns the set of stored names; `None` if there are too many or one is too long to have been stored.
    pub fn of_names<'a>(names: impl IntoIterator<Item = &'a str>) -> Option<Self> {
        let mut scopes = Self::default();
        for (count, name) in (1..).zip(names) {
            if count > SCOPES_MAX || name.is_empty() || name.len() > SCOPE_NAME_LEN_MAX as usize {
                return None;
            }
            match Scope::of_name(name) {
                Some(scope) => scopes.insert(scope),
                None => scopes.unknown.push(name.to_owned()),
            }
        }
        scopes.unknown.sort_unstable();
        scopes.unknown.dedup();
        Some(scopes)
    }

    /// Returns the names: the known ones in the order of their bits, then the unknown ones.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let known = Scope::ALL.into_iter().filter(|scope| self.allows(*scope));
        known.map::<&str, _>(|scope| scope.name()).chain(self.unknown.iter().map(String::as_str))
    }

    /// Returns whether a scope is in the set.
    pub const fn allows(&self, scope: Scope) -> bool {
        self.known & scope.bit() != 0
    }

    const fn insert(&mut self, scope: Scope) {
        self.known |= scope.bit();
    }
}

impl FromIterator<Scope> for Scopes {
    fn from_iter<T: IntoIterator<Item = Scope>>(scopes: T) -> Self {
        let mut set = Self::default();
        scopes.into_iter().for_each(|scope| set.insert(scope));
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(scopes: &Scopes) -> Vec<&str> {
        scopes.names().collect()
    }

    #[test]
    fn every_scope_has_a_name_and_a_bit_of_its_own() {
        for (at, scope) in Scope::ALL.into_iter().enumerate() {
            assert_eq!(scope as usize, at);
            assert_eq!(Scope::of_name(scope.name()), Some(scope));
            assert!(scope.name().len() <= SCOPE_NAME_LEN_MAX as usize);
        }
        assert_eq!(Scope::of_name("user.reads"), None);
        assert!(Scope::ALL.len() <= SCOPES_MAX);
    }

    #[test]
    fn words_stand_for_scopes() {
        let of = |words: &[&str]| Scopes::of_words(words.iter().copied());
        let shown = |words| names(&of(words).unwrap()).join(" ");
        assert_eq!(shown(&[]), "");
        assert_eq!(shown(&["watch", "post.write", "watch"]), "post.write watch");
        assert_eq!(shown(&["relation.*", "feed.read"]), "relation.read relation.write feed.read");
        assert_eq!(
            shown(&["read"]),
            "relation.read post.read feed.read watch user.read affinity.read search.read"
        );
        assert_eq!(shown(&["write"]), "relation.write post.write feed.write user.write affinity.write");
        assert_eq!(of(&["read", "write"]).unwrap(), Scopes::all());
        for bad in ["", "*", "relation", "Read", "relation.reads", "user", "relation.read "] {
            assert_eq!(of(&["watch", bad]).unwrap_err().reason, Reason::InvalidField { field: "scopes" });
        }
        assert!(!Scopes::all().allows(Scope::AdminRead), "services of users are no operators");
        for word in Scopes::words() {
            assert_ne!(of(&[word]).unwrap(), Scopes::default(), "{word}");
        }
    }

    #[test]
    fn unknown_names_are_kept_and_grant_nothing() {
        let stored = ["zebra.ride", "watch", "relation.*", "zebra.ride"];
        let scopes = Scopes::of_names(stored).unwrap();
        assert_eq!(names(&scopes), ["watch", "relation.*", "zebra.ride"]);
        assert!(Scope::ALL.iter().all(|scope| scopes.allows(*scope) == (*scope == Scope::Watch)));
        assert_eq!(Scopes::of_names(names(&scopes)), Some(scopes));
    }

    #[test]
    fn stored_names_are_bounded() {
        let long = "x".repeat(SCOPE_NAME_LEN_MAX as usize);
        assert!(Scopes::of_names([long.as_str()]).is_some());
        assert_eq!(Scopes::of_names([format!("{long}x").as_str()]), None);
        assert_eq!(Scopes::of_names([""]), None);
        assert!(Scopes::of_names(std::iter::repeat_n("a", SCOPES_MAX)).is_some());
        assert_eq!(Scopes::of_names(std::iter::repeat_n("a", SCOPES_MAX + 1)), None);
    }
}
