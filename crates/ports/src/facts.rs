//! Writing: one way for the commands of every domain.

use crate::BoxFuture;
use guanxi_model::post::PostOutcome;
use guanxi_model::user::UserOutcome;
use guanxi_model::{
    Error, GroupId, GroupOutcome, Outcome, PairOutcome, Position, PostId, Reason, Result, SessionOutcome,
    Uid, Write,
};
use std::sync::Arc;

/// What a write answers, once it is durable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Applied {
    /// Where the commit stands: a read at this position sees the write. No-ops and refusals have one, too.
    pub position: Position,
    /// One outcome per command, or per thing that a command imports, in order.
    pub outcomes: Vec<Outcome>,
}

impl Applied {
    /// Returns the outcomes of operations on pairs or of imported edges alone, in order.
    pub fn pairs(self) -> Vec<PairOutcome> {
        self.outcomes.into_iter().filter_map(Outcome::pair).collect()
    }

    /// Returns the outcomes of operations on posts or of imported posts alone, in order.
    pub fn posts(self) -> Vec<PostOutcome> {
        self.outcomes.into_iter().filter_map(Outcome::post).collect()
    }

    /// Returns how many of the outcomes say that something changed.
    pub fn changed(&self) -> u64 {
        self.outcomes.iter().filter(|outcome| outcome.result() == Ok(true)).count() as u64
    }

    /// Returns the outcome of a write of one operation on a pair.
    ///
    /// # Errors
    /// `INTERNAL` if the backend has answered something else.
    pub fn pair(self) -> Result<PairOutcome> {
        self.pairs().pop().ok_or_else(missing)
    }

    /// Returns the outcome of a write of one operation on a post.
    ///
    /// # Errors
    /// `INTERNAL` if the backend has answered something else.
    pub fn post(self) -> Result<PostOutcome> {
        self.posts().pop().ok_or_else(missing)
    }

    /// Returns whether a write of one operation that answers nothing else changed state.
    ///
    /// # Errors
    /// Why the operation was refused; `INTERNAL` if the backend has answered something else.
    pub fn plain(self) -> Result<bool> {
        let result = self.outcomes.into_iter().find_map(|outcome| match outcome {
            Outcome::Plain(result) => Some(result),
            _ => None,
        });
        result.ok_or_else(missing)?.map_err(Error::new)
    }

    /// Returns where a write of one command stands that answers nothing else.
    ///
    /// # Errors
    /// Why the command was refused.
    pub fn done(self) -> Result<Position> {
        match self.outcomes.first().map(Outcome::result) {
            Some(Err(reason)) => Err(Error::new(reason)),
            _ => Ok(self.position),
        }
    }

    /// Returns the outcome of a write of one operation on a user.
    ///
    /// # Errors
    /// `INTERNAL` if the backend has answered something else.
    pub fn user(self) -> Result<UserOutcome> {
        self.outcomes.into_iter().find_map(Outcome::user).ok_or_else(missing)
    }
}

impl Applied {
    /// Returns the outcome of a write of one operation on a group.
    ///
    /// # Errors
    /// `INTERNAL` if the backend has answered something else.
    pub fn group(self) -> Result<GroupOutcome> {
        self.outcomes.into_iter().find_map(Outcome::group).ok_or_else(missing)
    }

    /// Returns the outcome of a write of one operation on sessions.
    ///
    /// # Errors
    /// `INTERNAL` if the backend has answered something else.
    pub fn session(self) -> Result<SessionOutcome> {
        self.outcomes.into_iter().find_map(Outcome::session).ok_or_else(missing)
    }
}

/// The answer to a write of one post, user or group that was not refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Revised<I> {
    /// The post, user or group.
    pub id: I,
    /// Whether state changed.
    pub changed: bool,
    /// Its revision afterwards; 0 of a group that is not there.
    pub revision: u32,
    /// A read at this position sees the write.
    pub position: Position,
}

/// The ids of what has revisions.
pub trait RevisedId: Sized {
    /// Returns what an outcome says of such an id: whether state changed, the id, and its revision. `None` for the outcome of
    /// another domain.
    fn of(outcome: Outcome) -> Option<(Result<bool, Reason>, Option<Self>, u32)>;
}

impl RevisedId for PostId {
    fn of(outcome: Outcome) -> Option<(Result<bool, Reason>, Option<Self>, u32)> {
        outcome.post().map(|PostOutcome { result, id, revision }| (result, id, revision))
    }
}

impl RevisedId for Uid {
    fn of(outcome: Outcome) -> Option<(Result<bool, Reason>, Option<Self>, u32)> {
        outcome.user().map(|UserOutcome { result, uid, revision }| (result, Some(uid), revision))
    }
}

impl RevisedId for GroupId {
    fn of(outcome: Outcome) -> Option<(Result<bool, Reason>, Option<Self>, u32)> {
        outcome.group().map(|GroupOutcome { result, id, revision }| (result, id, revision))
    }
}

impl Applied {
    /// Returns the answer to a write of one operation on a post, a user or a group.
    ///
    /// # Errors
    /// Why the operation was refused; `INTERNAL` if the backend has answered something else.
    pub fn revised<I: RevisedId>(self) -> Result<Revised<I>> {
        let Self { position, outcomes } = self;
        let (result, id, revision) = outcomes.into_iter().find_map(I::of).ok_or_else(missing)?;
        let changed = result.map_err(Error::new)?;
        Ok(Revised { id: id.ok_or_else(missing)?, changed, revision, position })
    }
}

fn missing() -> Error {
    Error::with_detail(Reason::Internal, "a command has no outcome of its kind")
}

/// The facts that users state: of the graph, of posts, of feeds, in one log.
pub trait Facts: Send + Sync {
    /// Applies one write in one commit, in order, and answers when it is durable.
    ///
    /// Dropping the future does not undo the write: it is either whole or absent.
    ///
    /// # Errors
    /// Whole-request errors only (what [`Write::check`] refuses, a cursor that stands elsewhere, a full disk, a used
    /// `request_id`, ...); then nothing was changed. `OUTCOME_UNKNOWN` alone leaves open whether the write took place.
    /// What happens to a single command is its [`Outcome`]; self-relations and commands beyond a user's limit are
    /// refused there.
    fn apply(&self, write: Write) -> BoxFuture<'_, Result<Applied>>;
}

/// Shared facts are facts, so that wrappers can hold them.
impl<F: Facts + ?Sized> Facts for Arc<F> {
    fn apply(&self, write: Write) -> BoxFuture<'_, Result<Applied>> {
        (**self).apply(write)
    }
}
