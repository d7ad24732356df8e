//! The store: opening, queueing writes, closing.

mod engine_watch;
mod log;
mod posts;
mod sessions;

use crate::directory::file_head::HeadFile;
use crate::directory::lock::FileLock;
use crate::directory::open::{OpenError, open};
use crate::engine::Table;
use crate::options::Options;
use crate::reads::PinnedView;
use crate::rows;
use crate::shared::{Shared, seq_of};
use crate::signed_out::SignedOut;
use crate::standings::Standings;
use crate::view::{Committing, Published, View};
use crate::writer::{AnswerSender, Job, MendTarget, QUEUE_LEN, Writer};
use engine_watch::EngineWatch;
use guanxi_memory::affinities::AffinityCache;
use guanxi_memory::credentials::CredentialTable;
use guanxi_memory::headers::HeaderCache;
use guanxi_memory::lists::Lists;
use guanxi_memory::outboxes::OutboxCache;
use guanxi_memory::recent_events::RecentEvents;
use guanxi_memory::relations::RelationsCache;
use guanxi_memory::user_groups::GroupMembersCache;
use guanxi_model::user::UidPolicy;
use guanxi_model::{
    Clock, Command, Credential, Error, GroupCommand, HistoryId, Position, Reason, Result, Uid, Write,
};
use guanxi_ports::{Applied, BoxFuture, Credentials, EndedUsers, Facts};
use std::future::ready;
use std::path::Path;
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::sync::{oneshot, watch};

/// What an overloaded store tells its callers to wait, in milliseconds: about the time to work off the queue.
const RETRY_AFTER_MS: u32 = 100;

/// How long a read waits for a position that is not published yet.
const POSITION_WAIT: Duration = Duration::from_secs(1);

/// How long the writer may take to end once it has answered, or once the store has stopped.
const WRITER_END: Duration = Duration::from_secs(2);

/// From this many users on, filling the cache for a write goes to a blocking thread.
const WARM_INLINE_MAX: usize = 64;

/// Bytes on the disk, by part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DiskUse {
    /// Forward edges.
    pub forward: u64,
    /// Reverse edges.
    pub reverse: u64,
    /// Counters, blocks, mutes, tombstones and other small records.
    pub records: u64,
    /// Events.
    pub log: u64,
    /// Posts.
    pub posts: u64,
    /// Outboxes: which posts an author has.
    pub outbox: u64,
    /// The engine's journals, allocated ahead.
    pub journal: u64,
}

/// An open data directory. Cheap to clone; the last clone to go stops the writer.
#[derive(Clone)]
pub struct EmbeddedStore(Arc<OpenStore>);

struct OpenStore {
    shared: Arc<Shared>,
    /// Present until dropped.
    queue: Option<SyncSender<Job>>,
    writer: Mutex<Option<JoinHandle<()>>>,
    /// Present until dropped.
    engine_watch: Option<EngineWatch>,
    /// Keeps other processes out; dropped after the writer and the engine.
    _lock: FileLock,
}

impl Drop for OpenStore {
    /// Waits for the writer, so that the directory can be opened again as soon as the last handle is gone.
    fn drop(&mut self) {
        drop(self.engine_watch.take());
        drop(self.queue.take());
        let writer = self.writer.get_mut().ok().and_then(Option::take);
        // A panic in the writer has been reported by its thread.
        let _ = writer.map(JoinHandle::join);
    }
}

impl EmbeddedStore {
    /// Opens a data directory, creating it if it is new.
    ///
    /// # Errors
    /// [`OpenError`] says what is wrong with the directory and what to do.
    pub fn open(dir: &Path, options: Options, clock: Arc<dyn Clock>) -> Result<Self, OpenError> {
        crate::meters::describe();
        let opened = open(dir, &options)?;
        let io = |source| OpenError::Io { dir: dir.to_owned(), source };
        let (state, ids) = (opened.state, opened.ids);
        let snapshot = opened.engine.snapshot();
        let standings = rows::users::standings(&snapshot).map_err(|error| OpenError::engine(dir, error))?;
        let standings = Standings::new(standings.into_iter());
        let signed_out = rows::users::signed_out(&snapshot).map_err(|error| OpenError::engine(dir, error))?;
        let any_members =
            rows::user_groups::any_members(&snapshot).map_err(|error| OpenError::engine(dir, error))?;
        let credentials =
            rows::settings::credentials(&snapshot).map_err(|error| OpenError::engine(dir, error))?;
        let shared = Arc::new(Shared {
            dir: dir.to_owned(),
            history: state.history,
            erased_id_key: opened.erased_id_key,
            committing: Committing::new(state.last_seq),
            unnoted: opened.unnoted,
            relations: RelationsCache::new(options.user_cache_bytes),
            lists: Lists::new(options.first_page_cache_bytes),
            outboxes: OutboxCache::new(options.author_cache_bytes),
            headers: HeaderCache::new(options.item_cache_bytes),
            group_members: GroupMembersCache::new(any_members),
            affinities: AffinityCache::default(),
            credentials: CredentialTable::new(credentials),
            uids: opened.uids,
            signed_out: SignedOut::new(signed_out),
            recent_events: RecentEvents::default(),
            clock: clock.clone(),
            published: Published::new(View {
                seq: state.last_seq,
                commit: 0,
                group_changes: 0,
                first_seq: state.first_seq,
                ids_high: ids.last(),
                standings: standings.clone(),
                snapshot,
            }),
            engine: opened.engine,
            options,
            stopped: OnceLock::new(),
            ended: watch::Sender::new(false),
        });
        shared.gauges();
        let head = HeadFile::open(dir, state.history).map_err(io)?;
        let (queue, jobs) = sync_channel(QUEUE_LEN);
        let engine_watch = EngineWatch::start(shared.clone()).map_err(io)?;
        let writer = Writer::new(shared.clone(), clock, head, state, ids, standings);
        let thread =
            std::thread::Builder::new().name("guanxi-writer".into()).spawn(move || writer.run(&jobs));
        let writer = Mutex::new(Some(thread.map_err(io)?));
        let (queue, engine_watch) = (Some(queue), Some(engine_watch));
        Ok(Self(Arc::new(OpenStore { shared, queue, writer, engine_watch, _lock: opened.lock })))
    }

    /// Finishes what is queued, flushes everything to table files, and stops. Later writes are refused; opening
    /// again has nothing to replay.
    ///
    /// # Errors
    /// When the disk fails; what was acknowledged is in the journal all the same.
    pub async fn close(&self) -> Result<()> {
        self.0.shared.ended.send_replace(true);
        let closed = tokio::select! {
            biased;
            closed = self.ask(Job::Close) => closed,
            // The engine may hold the writer for ever once its own threads have died of an error.
            why = self.stopped() => Err(Error::with_detail(Reason::Stopped, why)),
        };
        let thread = self.0.writer.lock().expect("nobody panics while holding the handle").take();
        if let Some(thread) = thread {
            // The writer has answered and returns at once; a panic in it has been reported by its thread.
            let joined = tokio::task::spawn_blocking(move || thread.join());
            let _ = tokio::time::timeout(WRITER_END, joined).await;
        }
        closed
    }

    /// Completes when the store has stopped by itself because the disk failed, and says why. The process should
    /// end then: a restart recovers what was acknowledged.
    pub async fn stopped(&self) -> String {
        let mut ended = self.0.shared.ended.subscribe();
        loop {
            if let Some(why) = self.0.shared.stopped.get() {
                return why.clone();
            }
            if ended.changed().await.is_err() {
                return std::future::pending().await;
            }
        }
    }

    /// The identity of the directory's past.
    pub fn history(&self) -> HistoryId {
        self.0.shared.history
    }

    /// Returns whose numbers the uids of the directory are.
    pub fn uids(&self) -> UidPolicy {
        self.0.shared.uids
    }

    /// Bytes of each part on the disk. What is still in memtables counts as journal.
    ///
    /// # Errors
    /// When the engine cannot tell.
    pub fn disk_use(&self) -> Result<DiskUse> {
        let engine = &self.0.shared.engine;
        Ok(DiskUse {
            forward: engine.table_len(Table::Forward),
            reverse: engine.table_len(Table::Reverse),
            records: engine.table_len(Table::Records),
            log: engine.table_len(Table::Log),
            posts: engine.table_len(Table::Posts),
            outbox: engine.table_len(Table::Outbox),
            journal: engine.journal_len()?,
        })
    }

    /// Flushes and rewrites every table into its smallest form. It blocks for long, and nothing needs it but
    /// measuring: compaction in the background does the same little by little.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn compact(&self) -> Result<()> {
        let engine = &self.0.shared.engine;
        engine.flush()?;
        Ok(engine.compact()?)
    }

    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.0.shared
    }

    /// Queues a job and waits for its answer.
    pub(crate) async fn ask<T>(&self, job: impl FnOnce(AnswerSender<T>) -> Job) -> Result<T> {
        let (answer, answered) = oneshot::channel();
        let queue = self.0.queue.as_ref().ok_or_else(|| self.gone())?;
        queue.try_send(job(answer)).map_err(|error| match error {
            TrySendError::Full(_) => Error::new(Reason::Overloaded { retry_after_ms: RETRY_AFTER_MS }),
            TrySendError::Disconnected(_) => self.gone(),
        })?;
        answered.await.unwrap_or_else(|_| Err(self.gone()))
    }

    /// Has the writer derive rows anew, and returns how many were wrong. It blocks, and waits while the queue is full.
    pub(crate) fn mend_rows(&self, targets: Vec<MendTarget>) -> Result<u64> {
        let (answer, answered) = sync_channel(1);
        let queue = self.0.queue.as_ref().ok_or_else(|| self.gone())?;
        queue.send(Job::Mend(targets, answer)).map_err(|_| self.gone())?;
        answered.recv().unwrap_or_else(|_| Err(self.gone()))
    }

    /// Pins a view that includes everything up to `at_least`, waiting for it if need be.
    pub(crate) async fn pin(&self, at_least: Option<&Position>) -> Result<PinnedView> {
        let shared = &self.0.shared;
        let mut view = shared.published.pin();
        if let Some(wanted) = at_least {
            if wanted.history() != shared.history {
                return Err(Error::new(Reason::TokenFromOtherHistory));
            }
            let seq = seq_of(wanted);
            if view.seq < seq {
                let waited = tokio::time::timeout(POSITION_WAIT, shared.published.wait_for(seq)).await;
                view = waited.map_err(|_| Error::new(Reason::TokenAhead))?;
            }
        }
        Ok(PinnedView::new(shared.clone(), view))
    }

    /// The error that says why the writer does not answer any more.
    fn gone(&self) -> Error {
        self.0.shared.check_running().err().unwrap_or(Error::new(Reason::ShuttingDown))
    }

    /// Fills the cache with the users that a write touches, so that the writer finds them in memory.
    async fn warm(&self, write: &Write) {
        let mut users = Vec::new();
        for command in &write.commands {
            match command {
                Command::Pair(command) => users.extend([command.subject, command.object]),
                Command::ImportEdges { edges, .. }
                | Command::ImportRestrictions { restrictions: edges, .. } => {
                    users.extend(edges.iter().flat_map(|edge| [edge.subject, edge.object]));
                }
                Command::SendFriendRequest(asked) => users.extend([asked.sender, asked.receiver]),
                Command::Mute(mute) => users.extend([mute.subject, mute.object]),
                Command::FollowLimit { uid, .. } => users.push(*uid),
                // Whether a block parts the owner from somebody is asked of who is to come in alone.
                Command::Group(
                    GroupCommand::AddMembers { owner, members, .. }
                    | GroupCommand::SetMembers { owner, members, .. },
                ) => users.extend(members.iter().chain([owner])),
                Command::Post(command) => users.extend(self.deciding(command).into_iter().flatten()),
                Command::User(_)
                | Command::Session(_)
                | Command::ForgetRejection { .. }
                | Command::EndUnlock { .. }
                | Command::MarkRequestsSeen { .. }
                | Command::ImportPosts(_)
                | Command::ImportLikes(_)
                | Command::DropTombstones { .. }
                | Command::MarkSeen { .. }
                | Command::Dismiss(_)
                | Command::Affinity(_)
                | Command::Group(_)
                | Command::Credential(_)
                | Command::Audit(_)
                | Command::FanoutPolicy(_) => {}
            }
        }
        let shared = self.0.shared.clone();
        let large = users.len() > WARM_INLINE_MAX;
        // A failed read shows again, and is reported, when the writer plans.
        let fill = move || users.iter().for_each(|uid| drop(shared.latest_user(*uid)));
        if large {
            let _ = tokio::task::spawn_blocking(fill).await;
        } else {
            fill();
        }
    }
}

impl Facts for EmbeddedStore {
    fn apply(&self, write: Write) -> BoxFuture<'_, Result<Applied>> {
        Box::pin(async move {
            self.warm(&write).await;
            self.ask(|answer| Job::Write(write, answer)).await
        })
    }
}

impl EndedUsers for EmbeddedStore {
    fn is_gone(&self, uid: Uid) -> bool {
        self.0.shared.published.pin().standings.of(uid).is_gone()
    }

    fn not_before_ms(&self, uid: Uid) -> u64 {
        // A user who comes back has signed out before that can be seen.
        if self.is_gone(uid) { u64::MAX } else { self.0.shared.signed_out.not_before_ms(uid) }
    }
}

impl Credentials for EmbeddedStore {
    fn find(&self, hash: [u8; 32]) -> BoxFuture<'_, Result<Option<Credential>>> {
        Box::pin(ready(Ok(self.0.shared.credentials.find(&hash))))
    }

    fn list(&self) -> BoxFuture<'_, Result<Vec<Credential>>> {
        Box::pin(ready(Ok(self.0.shared.credentials.list())))
    }
}
