//! Questions and answers as they travel.

use guanxi_model::{Error, Position, PostId, Reason, Result, Uid};
use guanxi_ports::{Circle, FoundPosts, FoundUsers, NameAsker, PostAsk, UserAsk};
use guanxi_text::ANALYSER_VERSION;
use serde::{Deserialize, Serialize};

/// Where questions go.
pub(super) const POSTS: &str = "/index/posts";
pub(super) const USERS: &str = "/index/users";
pub(super) const WAIT: &str = "/index/wait";
pub(super) const REBUILD: &str = "/index/rebuild";

/// Which index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum IndexKind {
    Posts,
    Users,
}

/// [`PostAsk`].
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct PostsAsked {
    /// The version of the words by which the query was read: another one may read it otherwise.
    pub(super) analyser: u32,
    /// The query as it was typed.
    pub(super) typed: String,
    /// Whether those that fit best are asked for, and not the newest.
    pub(super) is_best: bool,
    author: Option<u64>,
    replies: Option<bool>,
    from: Option<u64>,
    below: Option<u64>,
    circle: CircleAsked,
    max: usize,
}

/// [`Circle`].
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum CircleAsked {
    Public,
    Of(Vec<u64>),
    All,
}

impl PostsAsked {
    pub(super) fn of(ask: &PostAsk<'_>, is_best: bool) -> Self {
        let PostAsk { query, author, replies, from, below, circle, max } = *ask;
        let circle = match circle {
            Circle::Public => CircleAsked::Public,
            Circle::Of(authors) => CircleAsked::Of(authors.iter().map(|uid| uid.get()).collect()),
            Circle::All => CircleAsked::All,
        };
        Self {
            analyser: ANALYSER_VERSION,
            typed: query.typed().to_owned(),
            is_best,
            author: author.map(Uid::get),
            replies,
            from: from.map(PostId::get),
            below: below.map(PostId::get),
            circle,
            max,
        }
    }

    /// Returns the authors whose restricted posts count, in rising order; `None` where the text is no list.
    pub(super) fn authors(&self) -> Result<Option<Vec<Uid>>> {
        match &self.circle {
            CircleAsked::Of(authors) => uids(authors).map(Some),
            CircleAsked::Public | CircleAsked::All => Ok(None),
        }
    }

    /// The question, with the query and the authors that were read of it.
    pub(super) fn ask<'a, Q>(&self, query: Q, authors: Option<&'a [Uid]>) -> Result<PostAsk<'a, Q>> {
        let post = |id: Option<u64>| id.map(PostId::new).transpose();
        let circle = match (authors, &self.circle) {
            (Some(authors), _) => Circle::Of(authors),
            (None, CircleAsked::All) => Circle::All,
            (None, _) => Circle::Public,
        };
        let (from, below) = (post(self.from)?, post(self.below)?);
        let author = self.author.map(Uid::new).transpose()?;
        Ok(PostAsk { query, author, replies: self.replies, from, below, circle, max: self.max.max(1) })
    }
}

/// [`UserAsk`].
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct UsersAsked {
    pub(super) analyser: u32,
    pub(super) typed: String,
    is_service: bool,
    among: Option<Vec<u64>>,
    max: usize,
}

impl UsersAsked {
    pub(super) fn of(ask: &UserAsk<'_>) -> Self {
        let UserAsk { query: _, typed, asks, among, max } = *ask;
        Self {
            analyser: ANALYSER_VERSION,
            typed: typed.to_owned(),
            is_service: asks == NameAsker::Service,
            among: among.map(|among| among.iter().map(|uid| uid.get()).collect()),
            max,
        }
    }

    pub(super) fn among(&self) -> Result<Option<Vec<Uid>>> {
        self.among.as_deref().map(uids).transpose()
    }

    pub(super) const fn asks(&self) -> NameAsker {
        if self.is_service { NameAsker::Service } else { NameAsker::EndUser }
    }

    pub(super) fn max(&self) -> usize {
        self.max.max(1)
    }
}

fn uids(all: &[u64]) -> Result<Vec<Uid>> {
    all.iter().map(|uid| Uid::new(*uid)).collect()
}

/// The posts or users that were found.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct WireFound {
    ids: Vec<u64>,
    next: Option<u64>,
    /// Zero of a process that does not tell.
    #[serde(default)]
    looked: u64,
    as_of: String,
}

impl From<FoundPosts> for WireFound {
    fn from(FoundPosts { ids, next, looked, as_of }: FoundPosts) -> Self {
        let ids = ids.into_iter().map(PostId::get).collect();
        Self { ids, next: next.map(PostId::get), looked, as_of: as_of.to_token() }
    }
}

impl From<FoundUsers> for WireFound {
    fn from(FoundUsers { uids, as_of }: FoundUsers) -> Self {
        let ids = uids.into_iter().map(Uid::get).collect();
        Self { ids, next: None, looked: 0, as_of: as_of.to_token() }
    }
}

impl TryFrom<WireFound> for FoundPosts {
    type Error = Error;

    fn try_from(WireFound { ids, next, looked, as_of }: WireFound) -> Result<Self> {
        let ids = ids.into_iter().map(PostId::new).collect::<Result<_>>()?;
        let (next, as_of) = (next.map(PostId::new).transpose()?, Position::from_token(&as_of)?);
        Ok(Self { ids, next, looked, as_of })
    }
}

impl TryFrom<WireFound> for FoundUsers {
    type Error = Error;

    fn try_from(WireFound { ids, as_of, .. }: WireFound) -> Result<Self> {
        Ok(Self { uids: uids(&ids)?, as_of: Position::from_token(&as_of)? })
    }
}

/// A wish to wait for a position.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct WaitAsked {
    pub(super) index: IndexKind,
    /// The position that is waited for.
    pub(super) at_least: String,
}

/// Where the index stands by then, whether or not that is far enough.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Stands {
    pub(super) as_of: String,
}

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum WireRefusal {
    /// The signature is none of ours.
    Unsigned,
    /// It is no question of this version.
    Unknown,
    /// No index can be asked here now.
    Unavailable,
    /// Too many words begin with a prefix; the same is true everywhere.
    Prefix,
    /// A walk is kept no more, or by another one.
    Stale,
    /// A sum has more than so many steps or values.
    Limit(u32),
}

impl WireRefusal {
    /// Returns the error that every replica would answer, or `None` if another replica may answer the question.
    pub(super) fn everywhere(self) -> Option<Error> {
        Some(Error::new(match self {
            Self::Prefix => Reason::BadQuery { position: 0, expected: "a_longer_prefix" },
            Self::Limit(limit) => Reason::LimitReached { limit },
            Self::Stale | Self::Unsigned | Self::Unknown | Self::Unavailable => return None,
        }))
    }

    /// Returns the refusal for an error of an index.
    pub(super) fn of(error: &Error) -> Self {
        match error.reason {
            Reason::BadQuery { .. } => Self::Prefix,
            Reason::StaleCursor => Self::Stale,
            Reason::LimitReached { limit } => Self::Limit(limit),
            _ => Self::Unavailable,
        }
    }
}

/// A refusal as it travels.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct WireRefused {
    pub(super) refused: WireRefusal,
}
