//! The owner of the data of each kind of row, and what the calls that concern all data of a user do with it.
//!
//! The match has no wildcard: a new kind of row does not compile before its terms are given. Tests hold directories, dumps and
//! the tables of a cluster to them.

use crate::DumpSection;
use crate::layout::{
    AFFINITY, ANSWER, ANSWER_TIME, AUDIT, AUTHOR, BLOCK, CLAIM, COOLDOWN, COUNTERS, CREDENTIAL, DELETED_POST,
    DELETED_USER, DISMISSED, DISMISSED_BY, ERASED_ID, ERASED_USER, EXTERNAL_ID, EXTERNAL_UID, GROUP_MEMBER,
    GROUP_NUMBER, JOB, LIKE, LIKE_OF_USER, LIKE_TIME, LOGIN_NAME, MARKED_BY, MEMBER_OF, MUTE, NAME, PAIR_END,
    PASSWORD, POST_STATS, REPOST_OF, REPOSTED, REQUEST, REQUESTS_SEEN, REVISION, SCORED_BY, SEEN,
    SENT_REQUEST, SESSION, SESSION_END, SESSION_OF_USER, SIGNED_OUT, SOURCE, STANDING, TOMBSTONE, UNLOCKING,
    USER, USER_GROUP,
};

/// A kind of row of a dump.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RowKind {
    /// An active follow.
    Follow,
    /// A post.
    Post,
    /// A record, by the first byte of its key.
    Record(RecordKind),
}

/// The owner of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowOwner {
    /// That of a user.
    User,
    /// That of two users: it goes with either.
    Both,
    /// That of an author, as part of a post.
    Post,
    /// That of the store.
    Store,
}

/// The end of the rows of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowEnd {
    /// There is none any more.
    Gone,
    /// What they say about people is taken out of them, and the rest stays.
    Emptied,
    /// They stay, for a reason.
    Stays(&'static str),
}

/// The terms of a kind of row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KindTerms {
    /// The owner of the data.
    pub owner: RowOwner,
    /// What the erasure of a user does with its rows.
    pub erased: RowEnd,
    /// The record of ExportUser that tells it.
    pub told: Option<&'static str>,
    /// The list of `guanxi export` that carries it.
    pub list: Option<&'static str>,
}

/// Declares the kinds of records with the first bytes of their keys.
macro_rules! records {
    ($($(#[$doc:meta])* $name:ident = $byte:expr;)+) => {
        /// A kind of record.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum RecordKind {
            $($(#[$doc])* $name,)+
        }

        impl RecordKind {
            /// All kinds.
            pub const ALL: &[Self] = &[$(Self::$name,)+];

            /// The kind of the records whose keys begin with a byte.
            pub const fn of(byte: u8) -> Option<Self> {
                match byte {
                    $(byte if byte == $byte => Some(Self::$name),)+
                    _ => None,
                }
            }
        }
    };
}

records! {
    /// The last post of an author's outbox.
    Author = AUTHOR;
    /// A block.
    Block = BLOCK;
    /// Counters and the limit of a user.
    Counters = COUNTERS;
    /// Since when a post is deleted.
    DeletedPost = DELETED_POST;
    /// The users that unlock themselves.
    Unlocking = UNLOCKING;
    /// How home timelines are pushed.
    Policy = b'F';
    /// A group.
    Group = USER_GROUP;
    /// A session.
    Session = SESSION;
    /// A remembered answer.
    Answer = ANSWER;
    /// An import job.
    Job = JOB;
    /// A token of a service, an operator or an end user.
    Credential = CREDENTIAL;
    /// What an operator did.
    Audit = AUDIT;
    /// A like.
    Like = LIKE;
    /// A mute.
    Mute = MUTE;
    /// The post of a source's name.
    Source = SOURCE;
    /// The last number of a group.
    GroupNumber = GROUP_NUMBER;
    /// Where post ids go on.
    PostHigh = b'P';
    /// A request, at its sender.
    SentRequest = SENT_REQUEST;
    /// An earlier revision of a post.
    Revision = REVISION;
    /// What others did with a post, in numbers.
    PostStats = POST_STATS;
    /// A removed follow.
    Tombstone = TOMBSTONE;
    /// A session, by user.
    SessionOfUser = SESSION_OF_USER;
    /// Since when relations say when they changed.
    RelationsSince = b'V';
    /// The score of a user with another, and their half-life.
    Affinity = AFFINITY;
    /// The state of the store.
    State = b'X';
    /// An upgrade under way.
    Upgrade = b'Z';
    /// An account.
    User = USER;
    /// When a user signed out everywhere.
    SignedOut = SIGNED_OUT;
    /// A reserved or bound contact.
    Claim = CLAIM;
    /// How a user stands.
    Standing = STANDING;
    /// When a session expires.
    SessionEnd = SESSION_END;
    /// A repost, by its original.
    RepostOf = REPOST_OF;
    /// A user who is to be erased.
    DeletedUser = DELETED_USER;
    /// A user who is erased.
    ErasedUser = ERASED_USER;
    /// When a remembered answer ends.
    AnswerTime = ANSWER_TIME;
    /// A rejection.
    Cooldown = COOLDOWN;
    /// A like, by user.
    LikeOfUser = LIKE_OF_USER;
    /// A like, by time.
    LikeTime = LIKE_TIME;
    /// A block, mute or removed follow, by the other user.
    MarkedBy = MARKED_BY;
    /// The names under which a post was imported.
    Name = NAME;
    /// The user of a login name.
    LoginName = LOGIN_NAME;
    /// Up to where requests were seen.
    RequestsSeen = REQUESTS_SEEN;
    /// A request, at its receiver.
    Request = REQUEST;
    /// Plain reposts of an original.
    Reposted = REPOSTED;
    /// Up to where a home was seen.
    Seen = SEEN;
    /// What of a pair ends by itself.
    PairEnd = PAIR_END;
    /// The policy of uids.
    Uids = b'u';
    /// A member of a group.
    GroupMember = GROUP_MEMBER;
    /// A password.
    Password = PASSWORD;
    /// The user of an external id.
    ExternalUid = EXTERNAL_UID;
    /// The external id of a user.
    ExternalId = EXTERNAL_ID;
    /// A suggestion that is dismissed.
    Dismissed = DISMISSED;
    /// The same, by who is dismissed.
    DismissedBy = DISMISSED_BY;
    /// A member of a group, by who it is.
    MemberOf = MEMBER_OF;
    /// The users that have a score with a user.
    ScoredBy = SCORED_BY;
    /// An external id that led to an erased user.
    ErasedId = ERASED_ID;
    /// The key of the hashes of those.
    ErasedIdKey = b'5';
}

/// Why rejections, and requests that were taken back, stay: both shards of a cluster forget them by time alone.
const REJECTED: &str = "numbers alone, until it may be asked again: within a week";

/// Terms of rows that erasure removes.
const fn gone(owner: RowOwner, told: Option<&'static str>, list: Option<&'static str>) -> KindTerms {
    KindTerms { owner, erased: RowEnd::Gone, told, list }
}

/// Terms of rows that stay.
const fn stays(owner: RowOwner, why: &'static str) -> KindTerms {
    KindTerms { owner, erased: RowEnd::Stays(why), told: None, list: None }
}

impl RowKind {
    /// The kind of a row of a dump; `None` for one that no layout knows.
    pub fn of(section: DumpSection, key: &[u8]) -> Option<Self> {
        match section {
            DumpSection::Forward => Some(Self::Follow),
            DumpSection::Posts => Some(Self::Post),
            DumpSection::Records => RecordKind::of(*key.first()?).map(Self::Record),
        }
    }

    /// Its terms.
    pub const fn terms(self) -> KindTerms {
        match self {
            Self::Follow => gone(RowOwner::Both, Some("following"), Some("edges")),
            Self::Post => KindTerms {
                owner: RowOwner::Post,
                erased: RowEnd::Emptied,
                told: Some("post"),
                list: Some("posts"),
            },
            Self::Record(record) => record.terms(),
        }
    }
}

impl RecordKind {
    const fn terms(self) -> KindTerms {
        use RowOwner::{Both, Post, Store, User};
        match self {
            Self::Block => gone(Both, Some("block"), Some("blocks")),
            Self::Mute => gone(Both, Some("mute"), Some("mutes")),
            Self::Tombstone => gone(Both, Some("removedFollow"), None),
            Self::SentRequest | Self::Request => gone(Both, Some("request"), Some("requests")),
            Self::Cooldown => KindTerms { told: Some("rejection"), ..stays(Both, REJECTED) },
            Self::PairEnd => stays(Both, REJECTED),
            Self::MarkedBy | Self::ScoredBy | Self::DismissedBy | Self::MemberOf => gone(Both, None, None),
            Self::Affinity => gone(Both, Some("affinity"), None),
            Self::Dismissed => gone(Both, Some("dismissed"), None),
            Self::Group | Self::GroupMember => gone(User, Some("group"), None),
            Self::User => {
                KindTerms { owner: User, erased: RowEnd::Emptied, told: Some("account"), list: Some("users") }
            }
            Self::Password => gone(User, None, Some("users")),
            Self::LoginName | Self::Claim | Self::ExternalUid | Self::ExternalId => {
                gone(User, Some("account"), Some("users"))
            }
            Self::Session | Self::SessionOfUser | Self::SessionEnd | Self::Credential => {
                gone(User, Some("session"), None)
            }
            Self::Seen | Self::RequestsSeen | Self::Unlocking => gone(User, Some("account"), None),
            Self::DeletedUser => gone(User, None, None),
            Self::Revision => gone(Post, Some("revision"), None),
            Self::Source | Self::Name => gone(Post, Some("importedName"), Some("posts")),
            Self::DeletedPost => gone(Post, None, None),
            Self::Like | Self::LikeOfUser | Self::LikeTime => gone(Both, Some("like"), Some("likes")),
            Self::Counters => stays(User, "zeros, and when relations last changed"),
            Self::GroupNumber => stays(User, "a number alone, so that no group has the number of another"),
            Self::SignedOut => stays(User, "what was issued before is refused until it has expired"),
            Self::Standing | Self::ErasedUser => stays(User, "the uid is never used again"),
            Self::Author | Self::PostStats => stays(Post, "others' answers and reposts hang on ids"),
            Self::RepostOf | Self::Reposted => stays(Post, "ids of posts alone"),
            Self::Answer | Self::AnswerTime => stays(User, "numbers alone, for a day"),
            Self::ErasedId => stays(User, "a keyed hash, by which lists that name it are refused"),
            Self::Job | Self::Policy | Self::PostHigh | Self::RelationsSince | Self::State => {
                stays(Store, "nobody's")
            }
            Self::Audit => stays(Store, "what operators did, as ids alone, outlives whom it was about"),
            Self::Upgrade | Self::Uids | Self::ErasedIdKey => stays(Store, "nobody's"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_begins_the_keys_of_one_kind_or_none() {
        let found: Vec<RecordKind> = (0..=u8::MAX).filter_map(RecordKind::of).collect();
        let mut sorted = found.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, RecordKind::ALL, "each has a byte of its own");
    }
}
