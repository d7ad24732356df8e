//! What is done in one shard for two users of different shards, when a request may be between them.

use crate::apply::{Minter, begin};
use crate::cells::{AskedRow, Asking, NotFetched, Pair, Rows, Told};
use guanxi_model::plan::{
    EventRows as _, Planned, RelationRows as _, RequestRows as _, RowKey, UserRows as _, WaitingRows as _,
};
use guanxi_model::{
    Command, Op, Outcome, PairCommand, PairOutcome, Position, Reason, Relation, RequestKey, RequestKind,
    Result, Stamp, Write,
};
use std::collections::BTreeSet;

/// How long after it was marked a reservation may still become a request, in milliseconds: less than it is kept.
const ASK_MAX_MS: u64 = 30_000;

/// The end of a write that the shard of the other user has decided.
#[derive(Clone, Debug)]
pub struct FinishWork {
    /// The write.
    pub write: Write,
    /// The two users.
    pub pair: Pair,
    /// What it came to there.
    pub result: Result<bool, Reason>,
    /// The position of that.
    pub position: Position,
    /// The mark of the reservation that was made for it.
    pub mark: Option<Stamp>,
}

impl FinishWork {
    /// The end of a write, for which a place was reserved if something is asked.
    pub fn of(
        (write, command): (Write, PairCommand),
        (result, position): (Result<bool, Reason>, Position),
        asking: Option<&Asking>,
    ) -> Self {
        let pair = (command.subject, command.object);
        Self { write, pair, result, position, mark: asking.map(|asking| asking.request.at) }
    }
}

/// The result of a piece of work.
type Done = Result<Planned, NotFetched>;

/// Returns the rows about two users, for every operation between them in a shard.
pub(crate) fn rows_between((a, b): Pair, request: Option<&RequestKey>) -> BTreeSet<RowKey> {
    let mut keys = BTreeSet::from([RowKey::Said(a, b), RowKey::Said(b, a)]);
    keys.extend([a, b].into_iter().flat_map(|uid| [RowKey::User(uid), RowKey::Account(uid)]));
    keys.extend(request.map(|request| RowKey::Answer(request.actor, request.id.clone())));
    keys
}

/// Returns what each thing of a write is about, if it is about a follow: whether it is imported, and by which
/// operation.
fn follows(command: &Command) -> Vec<Option<(bool, Op, Pair)>> {
    match command {
        Command::Pair(PairCommand { op: op @ (Op::Follow | Op::Unfollow), subject, object }) => {
            vec![Some((false, *op, (*subject, *object)))]
        }
        Command::ImportEdges { edges, .. } => {
            edges.iter().map(|edge| Some((true, Op::Follow, (edge.subject, edge.object)))).collect()
        }
        _ => vec![None],
    }
}

/// Returns which things of a write meet a request, or are to become one, so that the other user's shard has to be
/// asked.
pub(crate) fn concerned(rows: &mut Rows, write: &Write) -> Result<Vec<usize>, NotFetched> {
    let mut concerned = Vec::new();
    for (place, thing) in write.commands.iter().flat_map(follows).enumerate() {
        let Some((is_import, op, pair)) = thing else { continue };
        if rows.is_home(pair.1) {
            continue;
        }
        let follows = rows.follows.get(pair)?.active;
        let is_concerned = match op {
            Op::Unfollow => asks_to_follow(rows, pair)?,
            _ => {
                rows.has_request(pair.0, pair.1)?
                    || !is_import && !follows && rows.standing(pair.1)?.privacy.locked
            }
        };
        if is_concerned {
            concerned.push(place);
        }
    }
    Ok(concerned)
}

/// Returns whether a user only asks to follow another, so that to stop is to take that back.
pub(crate) fn asks_to_follow(rows: &Rows, pair: Pair) -> Result<bool, NotFetched> {
    Ok(!rows.follows.get(pair)?.active && rows.sent.get(pair)?.waiting() == Some(RequestKind::Follow))
}

/// Remembers the result of a step in the receiver's shard. The actor's shard tells the relation at the end.
fn answered(
    rows: &mut Rows,
    request: Option<&RequestKey>,
    result: Result<bool, Reason>,
    now_ms: u64,
) -> Planned {
    let outcomes = vec![Outcome::Pair(PairOutcome { result, relation: Relation::default() })];
    if let Some(request) = request {
        rows.remember(request, now_ms, &outcomes);
    }
    Planned { outcomes, repeated: None }
}

/// In the shard of the receiver: the sender of a request takes it back.
pub(crate) fn take_back(
    rows: &mut Rows,
    (command, request): (PairCommand, Option<&RequestKey>),
    now_ms: u64,
) -> Done {
    let PairCommand { op, subject, object } = command;
    let kind = if op == Op::Unfollow { RequestKind::Follow } else { RequestKind::Friend };
    let asked = rows.requests.get((object, subject))?.asked.as_ref();
    let waits = asked.is_some_and(|asked| asked.kind == kind);
    if waits {
        let version = rows.stamp(object, now_ms);
        rows.take_back_asked((object, subject), (version, op), now_ms)?;
    }
    Ok(answered(rows, request, Ok(waits), now_ms))
}

/// In the shard of the receiver: a reservation becomes a request, unless something has come between.
pub(crate) fn ask(rows: &mut Rows, asking: &Asking, request: Option<&RequestKey>, now_ms: u64) -> Done {
    let result = asked(rows, asking, now_ms)?;
    Ok(answered(rows, request, result, now_ms))
}

fn asked(rows: &mut Rows, asking: &Asking, now_ms: u64) -> Result<Result<bool, Reason>, NotFetched> {
    let request = &asking.request;
    let (own, kind, mark) = (request.receiver, request.kind, request.at);
    let pair = (own, request.sender);
    let known = rows.requests.get(pair)?.asked.as_ref().map(|asked| (asked.kind, asked.mark));
    if known.is_some_and(|(_, known)| known == mark) {
        return Ok(Ok(true));
    }
    if let Some(reason) = refusal(rows, pair, (kind, mark), now_ms)? {
        return Ok(Err(reason));
    }
    let (follows, followed) = (rows.follows.get(pair)?.active, rows.fans.get(pair)?.active);
    let asks = rows.sent.get(pair)?.asked.as_ref().map(|asked| asked.kind);
    let is_there = match kind {
        RequestKind::Follow => followed || known.is_some(),
        RequestKind::Friend => followed && follows,
    };
    if is_there {
        return Ok(Ok(false));
    }
    let (cause, mut minter) = (asking.cause(), Minter::new(rows, own, now_ms));
    if known.is_some() {
        rows.end_asked(pair, |rows| (minter.version(rows, own, asking.end_version), cause))?;
    }
    let version = minter.version(rows, own, Some(request.at));
    let (expires_ms, message) = (request.expires_ms, request.message.clone());
    let past = rows.requests.get(pair)?.past;
    let at = past.and_then(|row| row.past.first_place(now_ms)).unwrap_or(version);
    rows.put_asked(pair, AskedRow { kind, at, mark, expires_ms, message }, (version, cause))?;
    if asks == Some(RequestKind::Friend) {
        // Both ask at once: a user that wants to be friends lets the other follow.
        let cause = Op::SendFriendRequest;
        rows.end_asked(pair, |rows| (minter.version(rows, own, None), cause))?;
        // Its shard forgets any rejection as it takes that in, also where no follow begins by it.
        rows.requests.change(pair)?.past = None;
        if kind == RequestKind::Friend {
            rows.change_sent(pair, |row| row.asked = None)?;
            begin(rows, pair, (Told::default(), cause, false), &mut minter)?;
        }
    } else if kind == RequestKind::Follow && !rows.standing(own)?.privacy.locked {
        // It has unlocked itself meanwhile: the job behind that lets the other follow.
        rows.put_unlocking(own, Some(version));
    }
    Ok(Ok(true))
}

/// Returns why a user of the shard cannot be asked now.
fn refusal(
    rows: &mut Rows,
    pair: Pair,
    (kind, mark): (RequestKind, Stamp),
    now_ms: u64,
) -> Result<Option<Reason>, NotFetched> {
    if mark.ms().saturating_add(ASK_MAX_MS) < now_ms {
        return Ok(Some(Reason::SHARD_UNAVAILABLE));
    }
    if rows.blocks.get(pair)?.active || rows.blocked_by.get(pair)?.active {
        return Ok(Some(Reason::Blocked));
    }
    if let Some(reason) = rows.standing(pair.0)?.refusal() {
        return Ok(Some(reason));
    }
    // A user that asks to be friends, too, is not held up by its own rejection.
    let asks = rows.sent.get(pair)?.asked.as_ref().map(|asked| asked.kind);
    let accepts = asks == Some(RequestKind::Friend) && kind == RequestKind::Friend;
    let until = rows.requests.get(pair)?.rejected_until_ms().filter(|until| *until > now_ms && !accepts);
    Ok(until.map(|until_ms| Reason::RequestRejected { until_ms }))
}

/// In the shard of the actor: an abandoned reservation is given back, and a rejection whose time is over is forgotten.
pub(crate) fn release(
    rows: &mut Rows,
    pair: Pair,
    mark: Option<Stamp>,
    now_ms: u64,
) -> Result<(), NotFetched> {
    let sent = rows.sent.get(pair)?;
    let is_over = sent.cooling_ms.is_some_and(|until| until <= now_ms);
    if !sent.waits && sent.asked.as_ref().is_some_and(|asked| Some(asked.mark) == mark) {
        rows.change_sent(pair, |row| row.asked = None)?;
    }
    if is_over {
        rows.sent.change(pair)?.cooling_ms = None;
    }
    Ok(())
}

/// In the shard of the actor, after that of the other: the answer is as of here, but for the result of the other
/// shard.
pub(crate) fn finish(rows: &mut Rows, work: &FinishWork, now_ms: u64) -> Done {
    let FinishWork { write, pair, result, position, mark } = work;
    let mut result = result.clone();
    if let Some(mark) = mark {
        let is_open = rows.sent.get(*pair)?.asked.as_ref().is_some_and(|asked| asked.mark == *mark);
        let are_friends = rows.follows.get(*pair)?.active && rows.fans.get(*pair)?.active;
        // The other has asked at the same time, and took this for its acceptance.
        if result == Ok(false) && !is_open && are_friends {
            result = Ok(true);
        }
        if result != Ok(true) {
            release(rows, *pair, Some(*mark), now_ms)?;
        }
    }
    let mut relation = relation(rows, *pair)?;
    if pair_of(write).is_some_and(|command| command.op == Op::RemoveFollower) && result.is_ok() {
        // The removed user may follow again before this step: the answer is that of the removal.
        (relation.followed_by, relation.friends_since) = (false, None);
    }
    let outcomes = vec![Outcome::Pair(PairOutcome { result, relation })];
    if let Some(request) = &write.request {
        rows.remember(request, now_ms, &outcomes);
        let joined = rows.written(request.actor.gene()).joined(Some(position));
        rows.seal(request, &joined);
    }
    Ok(Planned { outcomes, repeated: None })
}

/// The relation of a user of the shard to another.
fn relation(rows: &mut Rows, (subject, object): Pair) -> Result<Relation, NotFetched> {
    let (said, back) = (rows.said(subject, object)?, rows.said(object, subject)?);
    let are_friends = said.follow.is_some() && back.follow.is_some();
    Ok(Relation {
        following_since: said.follow.map(|(at, _)| at),
        followed_by: back.follow.is_some(),
        friends_since: if are_friends { rows.friends_since(subject, object)? } else { None },
        blocking: said.blocks,
        blocked_by: back.blocks,
        muting: said.mutes,
        requested: said.asks,
        requested_by: back.asks,
    })
}

/// Keeps what the parts of a write came to, which were done one by one.
pub(crate) fn keep(
    rows: &mut Rows,
    (request, outcomes, position): (&RequestKey, &[Outcome], &Position),
    now_ms: u64,
) {
    rows.remember(request, now_ms, outcomes);
    let joined = rows.written(request.actor.gene()).joined(Some(position));
    rows.seal(request, &joined);
}

/// The two users of a write of one command.
pub fn pair_of(write: &Write) -> Option<PairCommand> {
    match write.commands.first()? {
        Command::Pair(command) => Some(*command),
        Command::SendFriendRequest(request) => {
            let (subject, object) = (request.sender, request.receiver);
            Some(PairCommand { op: Op::SendFriendRequest, subject, object })
        }
        Command::ImportEdges { edges, .. } => {
            let edge = edges.first()?;
            Some(PairCommand { op: Op::Follow, subject: edge.subject, object: edge.object })
        }
        _ => None,
    }
}
