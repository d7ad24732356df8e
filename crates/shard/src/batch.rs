//! Pieces of work in the shards of a batch: which rows each needs, and its plan in its home.

use crate::cells::{Asking, ForeignRows, NotFetched, Pair, Peer, Rows};
use crate::meet::{self, FinishWork};
use guanxi_model::plan::{Planned, Planner, RowKey, needed};
use guanxi_model::{Gene, Op, Outcome, PairCommand, Position, Reason, RequestKey, Result, Stamp, Write};
use std::collections::BTreeSet;
use std::sync::Arc;

/// What is done in one shard.
#[derive(Clone, Debug)]
pub enum ShardWork {
    /// A write, all of whose commands have their home there.
    Write(Write),
    /// A write of one command, for every state between the two users: its caller goes on in the other's shard.
    Meet(Write),
    /// The sender of a request takes it back, in the shard of the receiver.
    TakeBack(PairCommand, Option<RequestKey>),
    /// What was reserved in the shard of the sender is asked in that of the receiver.
    Ask(Asking, Option<RequestKey>),
    /// An abandoned reservation is given back, if there is one of a mark, and a rejection whose time is over is forgotten.
    Release(Pair, Option<Stamp>),
    /// The end of a write whose step before was in the shard of the other user.
    Finish(Box<FinishWork>),
    /// What the parts of a write came to that were done one by one, and where that stands.
    Keep(RequestKey, Vec<Outcome>, Position),
    /// A write about posts, all of whose commands have their home there, with what other shards said of the rows that it reads.
    Judged(Write, Arc<ForeignRows>),
    /// Says of what was answered under a request id where it stands in the shards of both users.
    Seal(RequestKey, Position),
    /// Only what was answered under a request id.
    Recall(RequestKey),
}

/// The result of the work.
#[derive(Clone, Debug)]
pub struct ShardAnswer {
    /// The outcomes; none of what was asked for and is not there.
    pub planned: Planned,
    /// Where the shard stands after it.
    pub position: Position,
    /// Which things of the write meet a request: nothing is done then, since they have to be done one by one.
    pub concerned: Vec<usize>,
    /// What is to be asked in the shards of others, for which places are reserved.
    pub asking: Vec<Asking>,
    /// The only command takes a request back, which the other's shard decides: nothing is done here.
    pub takes_back: bool,
    /// Whether it reads rows of other shards that were not asked for, so that nothing of it took place.
    pub is_behind: bool,
    /// Whether other shards have to take in something of it.
    pub is_told: bool,
}

impl ShardWork {
    /// The request id whose answer, if there is one, is the answer to the work.
    const fn request(&self) -> Option<&RequestKey> {
        match self {
            Self::Write(write) | Self::Meet(write) | Self::Judged(write, _) => write.request.as_ref(),
            Self::TakeBack(_, request) | Self::Ask(_, request) => request.as_ref(),
            Self::Finish(work) => work.write.request.as_ref(),
            Self::Recall(request) => Some(request),
            Self::Release(..) | Self::Keep(..) | Self::Seal(..) => None,
        }
    }

    /// Returns how many commands it counts as.
    pub fn commands(&self) -> usize {
        match self {
            Self::Write(write) | Self::Meet(write) | Self::Judged(write, _) => write.len().max(1),
            _ => 1,
        }
    }
}

/// What comes after the plan of a write about two users in the shard of its actor.
#[derive(Clone, Debug)]
pub enum ShardNext {
    /// A request is taken back in the other's shard.
    TakeBack,
    /// The other's shard is asked for what a place was reserved for.
    Ask(Asking),
    /// What was done is to stand in the other's shard.
    Stand,
}

impl ShardAnswer {
    /// The answer to work that changes nothing, where its shard stands.
    const fn at(position: Position) -> Self {
        Self {
            planned: Planned { outcomes: Vec::new(), repeated: None },
            position,
            concerned: Vec::new(),
            asking: Vec::new(),
            takes_back: false,
            is_behind: false,
            is_told: false,
        }
    }

    /// Returns what comes next of a write about two users.
    pub fn next(&self) -> ShardNext {
        match self.asking.first() {
            _ if self.takes_back => ShardNext::TakeBack,
            Some(asking) => ShardNext::Ask(asking.clone()),
            None => ShardNext::Stand,
        }
    }

    /// Returns whether it was given before, and stands in all shards that it is about.
    pub fn is_sealed(&self) -> bool {
        self.planned.repeated.as_ref().is_some_and(|position| position.marks().count() > 1)
    }

    /// Returns what its only operation came to.
    pub fn result(&self) -> Option<Result<bool, Reason>> {
        self.planned.outcomes.first().map(Outcome::result)
    }
}

/// The rows that some work needs and that are not there yet.
pub fn missing_rows(rows: &mut Rows, work: &[(Gene, ShardWork)]) -> BTreeSet<(Gene, RowKey)> {
    let mut missing = BTreeSet::new();
    for (home, work) in work {
        let named = named(rows, *home, work);
        missing.extend(rows.missing(*home, named));
    }
    missing
}

/// The rows that some work needs, as far as can be told from those that are there.
fn named(rows: &mut Rows, home: Gene, work: &ShardWork) -> BTreeSet<RowKey> {
    enter(rows, home, work);
    match work {
        ShardWork::Write(write) | ShardWork::Meet(write) | ShardWork::Judged(write, _) => needed(write, rows),
        ShardWork::TakeBack(command, request) => {
            meet::rows_between((command.subject, command.object), request.as_ref())
        }
        ShardWork::Ask(Asking { request: asked, .. }, request) => {
            meet::rows_between((asked.sender, asked.receiver), request.as_ref())
        }
        ShardWork::Release(pair, _) => meet::rows_between(*pair, None),
        ShardWork::Finish(work) => meet::rows_between(work.pair, work.write.request.as_ref()),
        ShardWork::Recall(request) | ShardWork::Seal(request, _) | ShardWork::Keep(request, ..) => {
            BTreeSet::from([RowKey::Answer(request.actor, request.id.clone())])
        }
    }
}

/// Goes to where some work is planned, with what other shards said for it.
fn enter(rows: &mut Rows, home: Gene, work: &ShardWork) {
    match work {
        ShardWork::Judged(_, foreign) => rows.enter_with(home, foreign.clone()),
        _ => rows.enter(home),
    }
}

/// Plans one piece of work, or returns what was answered under its request id. The inner error is its caller's.
pub fn one(
    rows: &mut Rows,
    home: Gene,
    work: &ShardWork,
    now_ms: u64,
) -> Result<Result<ShardAnswer>, NotFetched> {
    enter(rows, home, work);
    let known = match work.request().map(|request| Planner::new(rows, now_ms).recall(request)).transpose()? {
        Some(Err(error)) => return Ok(Err(error)),
        known => known.and_then(Result::ok).flatten(),
    };
    let mut answer = ShardAnswer::at(rows.written(home));
    if let Some(known) = known {
        answer.planned = known;
        return Ok(Ok(answer));
    }
    let from = rows.shards.events().len();
    if let Err(error) = plan(rows, work, &mut answer, now_ms)? {
        return Ok(Err(error));
    }
    answer.asking = rows.told(from);
    if let ShardWork::Meet(Write { request: Some(request), .. }) = work
        && !answer.asking.is_empty()
    {
        rows.forget(request);
    }
    answer.position = rows.written(home);
    answer.is_told =
        rows.shards.events()[from..].iter().any(|logged| logged.peer.is_some_and(Peer::is_stored));
    Ok(Ok(answer))
}

/// Plans work that is not known under its request id.
fn plan(
    rows: &mut Rows,
    work: &ShardWork,
    answer: &mut ShardAnswer,
    now_ms: u64,
) -> Result<Result<()>, NotFetched> {
    match work {
        ShardWork::Judged(write, _) => {
            answer.is_behind = !rows.has_foreign(&needed(write, rows));
            if !answer.is_behind {
                return write_new(rows, write, answer, now_ms);
            }
        }
        ShardWork::Write(write) => {
            answer.concerned = meet::concerned(rows, write)?;
            if answer.concerned.is_empty() {
                return write_new(rows, write, answer, now_ms);
            }
        }
        ShardWork::Meet(write) => {
            answer.takes_back = match meet::pair_of(write) {
                Some(PairCommand { op: Op::Unfollow, subject, object }) => {
                    meet::asks_to_follow(rows, (subject, object))?
                }
                _ => false,
            };
            if !answer.takes_back {
                return write_new(rows, write, answer, now_ms);
            }
        }
        ShardWork::TakeBack(command, request) => {
            answer.planned = meet::take_back(rows, (*command, request.as_ref()), now_ms)?;
        }
        ShardWork::Ask(asking, request) => {
            answer.planned = meet::ask(rows, asking, request.as_ref(), now_ms)?;
        }
        ShardWork::Release(pair, mark) => meet::release(rows, *pair, *mark, now_ms)?,
        ShardWork::Finish(work) => answer.planned = meet::finish(rows, work, now_ms)?,
        ShardWork::Keep(request, outcomes, position) => {
            meet::keep(rows, (request, outcomes, position), now_ms);
        }
        ShardWork::Seal(request, position) => rows.seal(request, position),
        ShardWork::Recall(_) => {}
    }
    Ok(Ok(()))
}

/// Plans a write that is not known under its request id.
fn write_new(
    rows: &mut Rows,
    write: &Write,
    answer: &mut ShardAnswer,
    now_ms: u64,
) -> Result<Result<()>, NotFetched> {
    let planned = Planner::new(rows, now_ms).write_new(write.clone())?;
    Ok(planned.map(|planned| answer.planned = planned))
}
