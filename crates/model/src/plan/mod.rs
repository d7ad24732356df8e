//! What a write does to rows, decided by pure code.
//!
//! A backend plans a batch in two steps. [`needed`] says which rows the batch needs: it is asked again when the rows that
//! it named are there, until it names no other (a reply leads to its post, that one to its author). Then a [`Planner`]
//! goes through the commands in order, over a [`State`] that holds these rows and takes the changes, so that each command
//! sees what those before it did.
//!
//! A backend that reads rows when they are asked for needs the second step alone. One that is asked over a network fetches
//! them first, all of one round at once.
//!
//! A write that is refused as a whole changes nothing; neither does a command that is refused. An error of the state may
//! come in the midst of changes: then the whole batch is to be thrown away.

mod affinity;
mod audit;
mod contacts;
mod credentials;
mod external_ids;
mod groups;
mod import_users;
mod imports;
mod likes;
mod pairs;
mod posts;
mod rows;
mod sessions;
mod state;
mod suggestions;
mod takedowns;
mod users;
mod waiting;

pub use rows::{Fetched, RowKey, needed};
pub use state::{
    AuditRows, CredentialRows, EventRows, ExternalRows, FactLimits, FeedRows, GroupRows, PostRows,
    RelationRows, Remembered, RequestRows, Said, SessionRows, State, SuggestionRows, UserRows, WaitingRows,
};

use crate::command::{Command, ImportCursor, Outcome, Write};
use crate::error::{Error, Reason, Result};
use crate::id::Uid;
use crate::limits::REQUEST_ID_TTL_MS;
use crate::position::Position;
use crate::request_key::RequestKey;
use pairs::PairTerms;

/// What planning a write came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Planned {
    /// One outcome per command, or per thing that a command imports, in order.
    pub outcomes: Vec<Outcome>,
    /// The position of an earlier answer that is repeated; `None` for an answer that this batch commits.
    pub repeated: Option<Position>,
}

/// Why an operation does not take place.
#[derive(Debug)]
enum Stop<E> {
    /// It is refused: an outcome.
    Refused(Reason),
    /// The state cannot be read.
    Failed(E),
}

impl<E> From<Reason> for Stop<E> {
    fn from(reason: Reason) -> Self {
        Self::Refused(reason)
    }
}

/// What deciding about one operation comes to.
type Deciding<T, S> = Result<T, Stop<<S as EventRows>::Error>>;

/// What planning comes to; the error is the state's.
type Planning<T, S> = Result<T, <S as EventRows>::Error>;

/// Turns the state's error into a reason to stop.
fn failed<T, E>(read: Result<T, E>) -> Result<T, Stop<E>> {
    read.map_err(Stop::Failed)
}

/// Plans writes, one after the other, over a state.
#[derive(Debug)]
pub struct Planner<'a, S> {
    state: &'a mut S,
    now_ms: u64,
}

impl<'a, S: State> Planner<'a, S> {
    /// Returns a planner over a state; `now_ms` is the time of everything it plans, in Unix milliseconds.
    pub const fn new(state: &'a mut S, now_ms: u64) -> Self {
        Self { state, now_ms }
    }

    /// Plans one write.
    ///
    /// # Errors
    /// The outer error is the state's, the inner one the caller's: of what refuses the whole write.
    pub fn write(&mut self, write: Write) -> Planning<Result<Planned>, S> {
        if let Some(request) = &write.request
            && let Some(known) = self.recall(request)?.transpose()
        {
            return Ok(known);
        }
        self.write_new(write)
    }

    /// Plans a write that is not known under its request id, and keeps what it came to there.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn write_new(&mut self, write: Write) -> Planning<Result<Planned>, S> {
        // Checks that refuse the whole write run before its first command, so that no part of it is planned.
        if let Err(error) = self.check(&write) {
            return Ok(Err(error));
        }
        if let Some(cursor) = &write.cursor
            && let Err(error) = self.advance_job(cursor)?
        {
            return Ok(Err(error));
        }
        let mut outcomes = Vec::with_capacity(write.len());
        for command in write.commands {
            self.command(command, &mut outcomes)?;
        }
        if let Some(request) = &write.request {
            self.state.remember(request, self.now_ms, &outcomes);
        }
        Ok(Ok(Planned { outcomes, repeated: None }))
    }

    fn check(&self, write: &Write) -> Result<()> {
        write.check()?;
        write.commands.iter().try_for_each(|command| match command {
            Command::MarkSeen { seen, .. } => self.state.check_position(seen),
            _ => Ok(()),
        })
    }

    /// Returns the answer that was given under a request id, if it is known.
    ///
    /// # Errors
    /// The outer error is the state's; the inner one `IDEMPOTENCY_MISMATCH`, of a request with another fingerprint.
    pub fn recall(&mut self, request: &RequestKey) -> Planning<Result<Option<Planned>>, S> {
        let known = self.state.remembered(request)?;
        let known = known.filter(|answer| self.now_ms < answer.ms.saturating_add(REQUEST_ID_TTL_MS));
        if known.as_ref().is_some_and(|answer| answer.fingerprint != request.fingerprint) {
            return Ok(Err(Error::new(Reason::IdempotencyMismatch)));
        }
        let planned =
            |known: Remembered| Planned { outcomes: known.outcomes, repeated: Some(known.position) };
        Ok(Ok(known.map(planned)))
    }

    /// Returns what a command is answered that would keep something for a deleted user.
    fn refused_if_deleted(&mut self, uid: Uid) -> Planning<Option<Outcome>, S> {
        let is_deleted = self.state.standing(uid)?.status.is_deleted();
        Ok(is_deleted.then_some(Outcome::Plain(Err(Reason::UserDeleted))))
    }

    /// Moves an import job on, if it stands where the write continues from.
    fn advance_job(&mut self, cursor: &ImportCursor) -> Planning<Result<()>, S> {
        let position = self.state.job(&cursor.job)?;
        if position != cursor.from {
            return Ok(Err(Error::new(Reason::ImportPositionMismatch { position })));
        }
        self.state.put_job(&cursor.job, cursor.to);
        Ok(Ok(()))
    }

    /// Plans one command, and adds its outcomes.
    fn command(&mut self, command: Command, outcomes: &mut Vec<Outcome>) -> Planning<(), S> {
        match command {
            Command::Pair(command) => {
                outcomes.push(Outcome::Pair(self.pair(command, &PairTerms::default())?));
            }
            Command::ImportEdges { edges, revive } => {
                for edge in edges {
                    outcomes.push(Outcome::Pair(self.import_edge(edge, revive)?));
                }
            }
            Command::ImportRestrictions { kind, restrictions } => {
                for edge in restrictions {
                    outcomes.push(Outcome::Pair(self.import_restriction(kind, edge)?));
                }
            }
            Command::FollowLimit { uid, limit } => {
                let refused = if limit.is_some() { self.refused_if_deleted(uid)? } else { None };
                if refused.is_none() {
                    self.set_follow_limit(uid, limit)?;
                }
                outcomes.push(refused.unwrap_or(Outcome::Done));
            }
            Command::DropTombstones { pairs, until } => {
                for (subject, object) in pairs {
                    let is_due = match until {
                        Some(until) => self.state.removed_at(subject, object)?.is_some_and(|at| at <= until),
                        None => true,
                    };
                    if is_due {
                        self.state.forget_removed(subject, object)?;
                    }
                }
                outcomes.push(Outcome::Done);
            }
            Command::SendFriendRequest(_)
            | Command::Mute(_)
            | Command::ForgetRejection { .. }
            | Command::EndUnlock { .. }
            | Command::MarkRequestsSeen { .. } => outcomes.push(self.waiting_command(command)?),
            Command::User(command) => outcomes.push(Outcome::User(self.user_command(command)?)),
            Command::Post(command) => outcomes.push(Outcome::Post(self.post_command(command)?)),
            Command::ImportPosts(posts) => {
                for post in posts {
                    outcomes.push(Outcome::Post(self.import_outcome(post)?));
                }
            }
            Command::ImportLikes(likes) => {
                for like in &likes {
                    outcomes.push(Outcome::Post(self.import_like(like)?));
                }
            }
            Command::MarkSeen { uid, seen } => {
                let refused = self.refused_if_deleted(uid)?;
                if refused.is_none() {
                    self.state.raise_seen(uid, &seen)?;
                }
                outcomes.push(refused.unwrap_or(Outcome::Done));
            }
            Command::FanoutPolicy(policy) => outcomes.push(self.set_policy(&policy)),
            Command::Dismiss(command) => outcomes.push(Outcome::Plain(self.dismissal(command)?)),
            Command::Affinity(command) => outcomes.push(Outcome::Plain(self.affinity(&command)?)),
            Command::Group(command) => outcomes.push(Outcome::Group(self.group_command(command)?)),
            Command::Credential(command) => outcomes.push(self.credential_command(command)?),
            Command::Audit(command) => outcomes.push(self.audit_command(command)?),
            Command::Session(command) => outcomes.push(Outcome::Session(self.session_command(command)?)),
        }
        Ok(())
    }
}
