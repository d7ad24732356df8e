//! The in-memory backend: the specification.
//!
//! Plain ordered maps behind one mutex, made to be read rather than to be fast. Any difference between it and
//! another backend is a bug of one of them. [`MemoryStore`] and [`MemoryInbox`] are the whole public surface; what a write does is in
//! `state` for the graph and `posts` and `posts_import` for posts, what a read answers in `view` and `posts_view`, proof and dump in
//! `upkeep`; `sessions` stands alone.

mod answers;
mod inbox;
mod posts;
mod posts_import;
mod posts_view;
mod sessions;
mod state;
mod upkeep;
mod view;

use guanxi_ports::{
    Applied, BoxFuture, Credentials, EventBatch, Facts, Graph, GraphView, Log, PostView, Posts,
};
pub use inbox::MemoryInbox;

use answers::Answers;
use guanxi_model::limits::{
    BLOCK_LIMIT, CREDENTIAL_NAME_LEN_MAX, CREDENTIALS_MAX, EVENT_BATCH_MAX, FOLLOW_LIMIT_DEFAULT, MUTE_LIMIT,
};
use guanxi_model::{
    Clock, Command, Credential, Error, Event, EventAt, HistoryId, LogId, Logs, Op, PairCommand, Position,
    Reason, Result, Uid, Write,
};
use sessions::SessionMap;
use state::{Commit, State};
use std::collections::{BTreeMap, VecDeque};
use std::future::ready;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;
use tokio::sync::watch;
use view::MemoryView;

/// How long a read waits for a position that the store has not reached.
const POSITION_WAIT: Duration = Duration::from_secs(1);

/// How a memory store is made.
#[derive(Clone, Debug)]
pub struct Options {
    /// The identity of its history.
    pub history: HistoryId,
    /// How users are spread over logs. What follows from an event stands at once, whatever its log.
    pub logs: Logs,
    /// Follows per user, unless the operator set a user's own limit.
    pub follow_limit: u32,
    /// Blocks per user.
    pub block_limit: u32,
    /// Mutes per user.
    pub mute_limit: u32,
    /// Events kept in the log; older ones are trimmed by the commit that adds new ones.
    pub log_events_max: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            history: HistoryId(1),
            logs: Logs::One,
            follow_limit: FOLLOW_LIMIT_DEFAULT,
            block_limit: BLOCK_LIMIT,
            mute_limit: MUTE_LIMIT,
            log_events_max: 10_000_000,
        }
    }
}

/// A store in memory, whose content ends with it.
pub struct MemoryStore {
    clock: Arc<dyn Clock>,
    options: Arc<Options>,
    inner: Mutex<Inner>,
    /// How many commits there were, for whoever waits for a position.
    commits: watch::Sender<u64>,
}

struct Inner {
    /// What views see. A write copies it if a view still holds it.
    state: Arc<State>,
    /// The newest events of each log.
    logs: BTreeMap<LogId, VecDeque<Event>>,
    answers: Answers,
    credentials: BTreeMap<String, Credential>,
    sessions: SessionMap,
}

impl MemoryStore {
    /// An empty store.
    pub fn new(clock: Arc<dyn Clock>, options: Options) -> Self {
        let inner = Inner {
            state: Arc::default(),
            logs: BTreeMap::new(),
            answers: Answers::default(),
            credentials: BTreeMap::new(),
            sessions: SessionMap::default(),
        };
        Self { clock, options: Arc::new(options), inner: Mutex::new(inner), commits: watch::Sender::new(0) }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().expect("nobody panics while holding the store")
    }

    fn check_history(&self, position: &Position) -> Result<()> {
        if position.history() == self.options.history {
            return Ok(());
        }
        Err(Error::new(Reason::TokenFromOtherHistory))
    }

    /// Does a write, once under its request id.
    fn apply_now(&self, write: &Write) -> Result<Applied> {
        let now_ms = self.clock.now_ms();
        let mut inner = self.lock();
        let inner = &mut *inner;
        if let Some(request) = &write.request
            && let Some(known) = inner.answers.find(request, now_ms)?
        {
            return Ok(known);
        }
        let (position, outcomes) =
            self.commit(inner, now_ms, &actors(write), |state, commit| state.apply_write(write, commit))?;
        let answer = Applied { position, outcomes };
        if let Some(request) = &write.request {
            inner.answers.remember(request, now_ms, answer.clone());
        }
        Ok(answer)
    }

    /// One commit: state, log, and only then the wake-up of those who wait.
    fn commit<T>(
        &self,
        inner: &mut Inner,
        now_ms: u64,
        actors: &[Uid],
        apply: impl FnOnce(&mut State, &mut Commit<'_>) -> Result<T>,
    ) -> Result<(Position, T)> {
        let state = Arc::make_mut(&mut inner.state);
        let mut events = Vec::new();
        let mut commit = Commit { now_ms, options: &self.options, events: &mut events };
        let outcomes = apply(state, &mut commit)?;
        let position = written(&state.position(&self.options), actors);
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

    /// Completes when the state passes a test.
    async fn reached(&self, passes: impl Fn(&State) -> bool) {
        let mut commits = self.commits.subscribe();
        while !passes(&self.lock().state) {
            // The sender lives as long as the store.
            let _ = commits.changed().await;
        }
    }

    /// A view that includes a position, once the store has reached it.
    async fn view_now(&self, at_least: Option<&Position>) -> Result<MemoryView> {
        if let Some(wanted) = at_least {
            self.check_history(wanted)?;
            let includes = |state: &State| wanted.marks().all(|(log, mark)| state.last_in(log) >= mark.seen);
            let reached = tokio::time::timeout(POSITION_WAIT, self.reached(includes));
            reached.await.map_err(|_| Error::new(Reason::TokenAhead))?;
        }
        let state = self.lock().state.clone();
        Ok(MemoryView::new(state, self.options.clone()))
    }

    fn read_now(&self, log: LogId, after: &Position, max: usize) -> Result<EventBatch> {
        self.check_history(after)?;
        let seq = after.in_log(log).seq();
        let inner = self.lock();
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
        Ok(EventBatch { events, position })
    }

    fn add_now(&self, credential: Credential) -> Result<()> {
        if credential.name.is_empty() {
            return Err(Error::new(Reason::MissingField { field: "name" }));
        }
        if credential.name.len() > CREDENTIAL_NAME_LEN_MAX as usize {
            return Err(Error::new(Reason::TooLong { field: "name", limit: CREDENTIAL_NAME_LEN_MAX }));
        }
        let credentials = &mut self.lock().credentials;
        if credentials.contains_key(&credential.name) {
            return Err(Error::new(Reason::AlreadyExists));
        }
        if credentials.len() >= CREDENTIALS_MAX as usize {
            return Err(Error::new(Reason::LimitReached { limit: CREDENTIALS_MAX }));
        }
        credentials.insert(credential.name.clone(), credential);
        Ok(())
    }
}

/// What the position of a write says: the acts of those who acted, and nothing of anybody else.
fn written(head: &Position, actors: &[Uid]) -> Position {
    let acted = |uid: &Uid| Position::acted(head.history(), head.logs(), head.of(*uid));
    let mut acts = actors.iter().map(acted);
    let first = acts.next().unwrap_or_else(|| head.only(|_| false));
    acts.fold(first, |position, act| position.joined(Some(&act)))
}

/// Whose facts a write may change: with an operation that ends a follow of the object's, the object's, too.
fn actors(write: &Write) -> Vec<Uid> {
    let mut actors = Vec::new();
    for command in &write.commands {
        match command {
            Command::Pair(PairCommand { op, subject, object }) => {
                actors.push(*subject);
                actors.extend(matches!(op, Op::Block | Op::RemoveFollower).then_some(*object));
            }
            Command::ImportEdges { edges, .. } => actors.extend(edges.iter().map(|edge| edge.subject)),
            Command::Post(command) => actors.push(command.actor()),
            Command::ImportPosts(posts) => actors.extend(posts.iter().map(|post| post.author)),
            Command::FollowLimit { uid, .. } | Command::MarkSeen { uid, .. } => actors.push(*uid),
            Command::FanoutPolicy(_) => {}
        }
    }
    actors
}

impl Facts for MemoryStore {
    fn apply(&self, write: Write) -> BoxFuture<'_, Result<Applied>> {
        Box::pin(async move { self.apply_now(&write) })
    }
}

impl Graph for MemoryStore {
    fn view<'a>(&'a self, at_least: Option<&'a Position>) -> BoxFuture<'a, Result<Box<dyn GraphView>>> {
        Box::pin(async move { Ok(Box::new(self.view_now(at_least).await?) as Box<dyn GraphView>) })
    }
}

impl Posts for MemoryStore {
    fn post_view<'a>(&'a self, at_least: Option<&'a Position>) -> BoxFuture<'a, Result<Box<dyn PostView>>> {
        Box::pin(async move { Ok(Box::new(self.view_now(at_least).await?) as Box<dyn PostView>) })
    }

    fn is_applied(&self, _uid: Uid, _at: EventAt) -> BoxFuture<'_, Result<bool>> {
        Box::pin(ready(Ok(true)))
    }
}

impl Log for MemoryStore {
    fn logs(&self) -> Logs {
        self.options.logs
    }

    fn head(&self) -> BoxFuture<'_, Result<Position>> {
        Box::pin(ready(Ok(self.lock().state.position(&self.options))))
    }

    fn read<'a>(&'a self, log: LogId, after: &'a Position, max: usize) -> BoxFuture<'a, Result<EventBatch>> {
        Box::pin(async move { self.read_now(log, after, max) })
    }

    fn wait<'a>(&'a self, after: &'a Position) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let moved = |state: &State| after.marks().any(|(log, mark)| state.last_in(log) > mark.seen);
            self.reached(moved).await;
            Ok(())
        })
    }
}

impl Credentials for MemoryStore {
    fn add(&self, credential: Credential) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move { self.add_now(credential) })
    }

    fn find(&self, hash: [u8; 32]) -> BoxFuture<'_, Result<Option<Credential>>> {
        let inner = self.lock();
        let found = inner.credentials.values().find(|credential| credential.hash == hash).cloned();
        Box::pin(ready(Ok(found)))
    }

    fn list(&self) -> BoxFuture<'_, Result<Vec<Credential>>> {
        Box::pin(ready(Ok(self.lock().credentials.values().cloned().collect())))
    }

    fn revoke(&self, name: &str) -> BoxFuture<'_, Result<bool>> {
        Box::pin(ready(Ok(self.lock().credentials.remove(name).is_some())))
    }
}
