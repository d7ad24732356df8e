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

/// Plans one piece of work. The inner error is its caller's.
pub fn one(
    rows: &mut Rows,
    home: Gene,
    work: &ShardWork,
    now_ms: u64,
) -> Result<Result<ShardAnswer>, NotFetched> {
    enter(rows, home, work);
    let (from, nothing) = (rows.shards.events().len(), || Planned { outcomes: Vec::new(), repeated: None });
    let (mut concerned, mut takes_back) = (Vec::new(), false);
    let is_behind = match work {
        ShardWork::Judged(write, _) => !rows.has_foreign(&needed(write, rows)),
        _ => false,
    };
    let planned = match work {
        ShardWork::Judged(..) if is_behind => Ok(nothing()),
        ShardWork::Judged(write, _) => Planner::new(rows, now_ms).write(write.clone())?,
        ShardWork::Write(write) => {
            concerned = meet::concerned(rows, write)?;
            if concerned.is_empty() {
                Planner::new(rows, now_ms).write(write.clone())?
            } else {
                Ok(nothing())
            }
        }
        ShardWork::Meet(write) => {
            takes_back = match meet::pair_of(write) {
                Some(PairCommand { op: Op::Unfollow, subject, object }) => {
                    meet::asks_to_follow(rows, (subject, object))?
                }
                _ => false,
            };
            if takes_back { Ok(nothing()) } else { Planner::new(rows, now_ms).write(write.clone())? }
        }
        ShardWork::TakeBack(command, request) => meet::take_back(rows, (*command, request.as_ref()), now_ms)?,
        ShardWork::Ask(asking, request) => meet::ask(rows, asking, request.as_ref(), now_ms)?,
        ShardWork::Release(pair, mark) => {
            meet::release(rows, *pair, *mark, now_ms)?;
            Ok(nothing())
        }
        ShardWork::Finish(work) => meet::finish(rows, work, now_ms)?,
        ShardWork::Keep(request, outcomes, position) => {
            Ok(meet::keep(rows, (request, outcomes, position), now_ms))
        }
        ShardWork::Seal(request, position) => {
            rows.seal(request, position);
            Ok(nothing())
        }
        ShardWork::Recall(request) => Planner::new(rows, now_ms).recall(request)?.map(|known| {
            let (outcomes, repeated) = known.map(|known| (known.outcomes, known.position)).unzip();
            Planned { outcomes: outcomes.unwrap_or_default(), repeated }
        }),
    };
    let asking = rows.told(from);
    if let ShardWork::Meet(Write { request: Some(request), .. }) = work
        && !asking.is_empty()
    {
        rows.forget(request);
    }
    let position = rows.written(home);
    let is_told = rows.shards.events()[from..].iter().any(|logged| logged.peer.is_some_and(Peer::is_stored));
    let answer =
        |planned| ShardAnswer { planned, position, concerned, asking, takes_back, is_behind, is_told };
    Ok(planned.map(answer))
}
