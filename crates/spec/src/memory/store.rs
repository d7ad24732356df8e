//! The state behind its lock: commits, what arrives from other shards, and the logs.

use super::answers::KnownAnswers;
use super::carrier::{Carrier, Fate};
use super::message::Derivation;
use super::state::SessionMap;
use super::state::{Commit, Maps};
use super::{Carrying, Options};
use guanxi_model::limits::EVENT_BATCH_MAX;
use guanxi_model::{
    Clock, Command, Error, Event, EventAt, FriendRequest, LogId, Logs, MuteCommand, Op, PairCommand,
    Position, PostId, Reason, RestrictionKind, Result, Uid, Write,
};
use guanxi_ports::{Applied, EventBatch};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;
use tokio::sync::watch;

/// How long a read waits for a position that the store has not reached.
const POSITION_WAIT: Duration = Duration::from_secs(1);

/// What a store shares with its views.
pub(super) struct SharedMaps {
    clock: Arc<dyn Clock>,
    pub options: Options,
    inner: Mutex<Inner>,
    /// The number of commits, for readers that wait for a position.
    commits: watch::Sender<u64>,
}

/// What the lock is around.
pub(super) struct Inner {
    /// What views see. A write copies it if a view still holds it.
    pub state: Arc<Maps>,
    /// The last event of every log, once somebody has asked since the last commit.
    head: Option<Position>,
    /// The newest events of each log.
    logs: BTreeMap<LogId, VecDeque<Event>>,
    /// What is under way between shards.
    pub carrier: Carrier,
    answers: KnownAnswers,
}

impl SharedMaps {
    pub(super) fn new(clock: Arc<dyn Clock>, options: Options) -> Self {
        let inner = Inner {
            state: Arc::default(),
            head: None,
            logs: BTreeMap::new(),
            carrier: Carrier::new(options.carrying, options.logs),
            answers: KnownAnswers::default(),
        };
        Self { clock, options, inner: Mutex::new(inner), commits: watch::Sender::new(0) }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().expect("nobody panics while holding the store")
    }

    /// Returns what the clock says.
    pub(super) fn now_ms(&self) -> u64 {
        self.clock.now_ms()
    }

    /// The state of this moment.
    pub(super) fn now(&self) -> Arc<Maps> {
        self.lock().state.clone()
    }

    /// Returns where a post lies: with its author.
    pub(super) fn log_of_post(&self, id: PostId) -> LogId {
        match self.options.logs {
            Logs::One => LogId(0),
            Logs::PerGene => LogId(id.gene().0),
        }
    }

    pub(super) fn check_history(&self, position: &Position) -> Result<()> {
        if position.history() == self.options.history {
            return Ok(());
        }
        Err(Error::new(Reason::TokenFromOtherHistory))
    }

    /// Does a write, once under its request id.
    pub(super) fn apply(&self, write: &Write) -> Result<Applied> {
        let now_ms = self.clock.now_ms();
        let mut inner = self.lock();
        let inner = &mut *inner;
        self.arrive(inner, Carrier::due);
        if let Some(request) = &write.request
            && let Some(known) = inner.answers.find(request, now_ms)?
        {
            return Ok(known);
        }
        // Only who can repeat a write safely is left in doubt about it.
        let fate = if write.request.is_some() { inner.carrier.fate() } else { Fate::Answered };
        if fate == Fate::WriteLost {
            return Err(Error::new(Reason::OutcomeUnknown));
        }
        let (position, outcomes) =
            self.commit(inner, &actors(write), |state, commit| state.apply_write(write, commit))?;
        let answer = Applied { position, outcomes };
        if let Some(request) = &write.request {
            inner.answers.remember(request, now_ms, answer.clone());
        }
        if fate == Fate::AnswerLost {
            return Err(Error::new(Reason::OutcomeUnknown));
        }
        Ok(answer)
    }

    /// Changes sessions beside the commits.
    pub(super) fn with_sessions<T>(&self, act: impl FnOnce(&mut SessionMap, u64) -> T) -> T {
        let now_ms = self.now_ms();
        act(&mut Arc::make_mut(&mut self.lock().state).sessions, now_ms)
    }

    /// One commit: state, log, and only then the wake-up of the waiting readers.
    fn commit<T>(
        &self,
        inner: &mut Inner,
        actors: &[Uid],
        apply: impl FnOnce(&mut Maps, &mut Commit<'_>) -> Result<T>,
    ) -> Result<(Position, T)> {
        let state = Arc::make_mut(&mut inner.state);
        let (mut events, mut sent) = (Vec::new(), Vec::new());
        let now_ms = self.clock.now_ms();
        let mut commit = Commit { now_ms, options: &self.options, events: &mut events, sent: &mut sent };
        let outcomes = apply(state, &mut commit)?;
        // What it has changed of others is its act, too: who was asked keeps the request.
        let changed = events.iter().filter(|event| event.echo.is_none()).map(|event| event.subject);
        let actors: BTreeSet<Uid> =
            actors.iter().copied().chain(changed.filter(|_| !actors.is_empty())).collect();
        let position = written(state, &self.options, &actors);
        inner.head = None;
        inner.carrier.send(sent);
        for event in events {
            let log = inner.logs.entry(event.at.log()).or_default();
            log.push_back(event);
            if log.len() as u64 > self.options.log_events_max {
                log.pop_front();
            }
        }
        self.commits.send_modify(|commits| *commits += 1);
        Ok((position, outcomes))
    }

    /// Lets some of what is under way arrive, in commits of the receiving shards.
    fn arrive(&self, inner: &mut Inner, which: impl FnOnce(&mut Carrier) -> Vec<Derivation>) {
        let arrived = which(&mut inner.carrier);
        if arrived.is_empty() {
            return;
        }
        let derived = self.commit(inner, &[], |state, commit| {
            arrived.iter().for_each(|derivation| state.derive(derivation, commit));
            Ok(())
        });
        derived.expect("what follows from an event is never refused");
    }

    /// Lets everything arrive that is under way.
    pub(super) fn settle(&self) {
        self.arrive(&mut self.lock(), Carrier::all);
    }

    /// The state of a shard for a view, with what followed there from the acts that a position names.
    pub(super) fn pin(&self, log: LogId, at_least: Option<&Position>) -> Arc<Maps> {
        let mut inner = self.lock();
        self.arrive(&mut inner, Carrier::due);
        if let Some(position) = at_least {
            self.arrive(&mut inner, |carrier| carrier.acted(position, log));
        }
        inner.state.clone()
    }

    /// Completes when the state passes a test.
    pub(super) async fn reached(&self, passes: impl Fn(&Maps) -> bool) {
        let mut commits = self.commits.subscribe();
        while !passes(&self.now()) {
            // The sender lives as long as the store.
            let _ = commits.changed().await;
        }
    }

    /// Waits until the store has every event that a position has seen.
    pub(super) async fn reach(&self, wanted: &Position) -> Result<()> {
        self.check_history(wanted)?;
        let includes = |state: &Maps| wanted.marks().all(|(log, mark)| state.last_in(log) >= mark.seen);
        let reached = tokio::time::timeout(POSITION_WAIT, self.reached(includes));
        reached.await.map_err(|_| Error::new(Reason::TokenAhead))
    }

    /// Returns whether everything that followed from a user's acts up to an event stands where it belongs.
    pub(super) fn is_applied(&self, uid: Uid, at: EventAt) -> bool {
        let mut inner = self.lock();
        self.arrive(&mut inner, Carrier::due);
        inner.carrier.is_applied(uid, at)
    }

    /// The last event of every log.
    pub(super) fn head(&self) -> Position {
        let mut inner = self.lock();
        self.arrive(&mut inner, Carrier::due);
        let Inner { head, state, .. } = &mut *inner;
        head.get_or_insert_with(|| state.position(&self.options)).clone()
    }

    pub(super) fn read(&self, log: LogId, after: &Position, max: usize) -> Result<EventBatch> {
        self.check_history(after)?;
        let seq = after.in_log(log).seq();
        let mut inner = self.lock();
        self.arrive(&mut inner, Carrier::due);
        let head = inner.state.last_in(log);
        let kept = inner.logs.get(&log);
        let trimmed = head - kept.map_or(0, VecDeque::len) as u64;
        if seq > head {
            return Err(Error::new(Reason::TokenAhead));
        }
        if seq < trimmed {
            return Err(Error::new(Reason::Trimmed));
        }
        let max = max.min(EVENT_BATCH_MAX as usize);
        let newer = kept.into_iter().flatten().skip((seq - trimmed) as usize);
        let events: Vec<Event> = newer.take(max).copied().collect();
        let position = events.last().map_or_else(|| after.clone(), |last| after.after(last.at));
        Ok(EventBatch { events, unreadable: Vec::new(), position })
    }

    /// Returns whether a view is of one moment.
    pub(super) fn has_one_moment(&self) -> bool {
        self.options.carrying == Carrying::AtOnce
    }
}

/// Returns the position of a write: the acts of its actors, and nothing of other users.
fn written(state: &Maps, options: &Options, actors: &BTreeSet<Uid>) -> Position {
    let (history, logs) = (options.history, options.logs);
    let nobody = match logs {
        Logs::One => Position::one(history, state.last_in(LogId(0))),
        Logs::PerGene => Position::sparse(history, []),
    };
    actors.iter().fold(nobody, |position, uid| {
        let log = logs.of(*uid);
        let act = Position::acted(history, logs, EventAt::new(log, state.last_in(log)));
        position.joined(Some(&act))
    })
}

/// Returns whose facts a write may change: with an operation that ends a follow of the object's, the object's, too.
fn actors(write: &Write) -> Vec<Uid> {
    let mut actors = Vec::new();
    for command in &write.commands {
        match command {
            Command::Pair(PairCommand { op, subject, object }) => {
                actors.push(*subject);
                actors.extend(matches!(op, Op::Block | Op::RemoveFollower).then_some(*object));
            }
            Command::SendFriendRequest(FriendRequest { sender: uid, .. })
            | Command::Mute(MuteCommand { subject: uid, .. })
            | Command::ForgetRejection { owner: uid, .. }
            | Command::EndUnlock { uid, .. }
            | Command::MarkRequestsSeen { uid, .. }
            | Command::FollowLimit { uid, .. }
            | Command::MarkSeen { uid, .. } => actors.push(*uid),
            Command::ImportEdges { edges, .. } => actors.extend(edges.iter().map(|edge| edge.subject)),
            Command::ImportRestrictions { kind, restrictions } => {
                actors.extend(restrictions.iter().map(|edge| edge.subject));
                let objects = restrictions.iter().map(|edge| edge.object);
                actors.extend(objects.filter(|_| *kind == RestrictionKind::Block));
            }
            Command::DropTombstones { pairs, .. } => actors.extend(pairs.iter().map(|(subject, _)| *subject)),
            Command::User(command) => actors.push(command.uid()),
            Command::Post(command) => actors.push(command.actor()),
            Command::ImportPosts(posts) => actors.extend(posts.iter().map(|post| post.author)),
            Command::ImportLikes(likes) => actors.extend(likes.iter().map(|like| like.uid)),
            Command::Affinity(command) => actors.push(command.actor),
            Command::Dismiss(command) => actors.push(command.viewer),
            Command::FanoutPolicy(_) | Command::Credential(_) | Command::Audit(_) => {}
            Command::Session(command) => actors.extend(command.uid()),
            Command::Group(command) => actors.push(command.owner()),
        }
    }
    actors
}
