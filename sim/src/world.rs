//! A backend with the centers over it, and what it takes to let the process die.

use crate::mutants::{Mutant, MutantGraph, Mutation};
use crate::ports::{RemovalPort, Removals, StagedInbox, StagedLog, StagedPosts};
use crate::stage::Stage;
use crate::trace::{START_MS, Settings};
use guanxi_centers::feed::{FanoutWorker, FeedCenter};
use guanxi_centers::jobs::{Erasure, ErasureParts};
use guanxi_centers::jobs::{Expiry, Unlock};
use guanxi_centers::log_readers::Hub;
use guanxi_centers::post::PostCenter;
use guanxi_embedded::{Durability, EmbeddedStore, Inboxes, Options};
use guanxi_model::{Clock, FanoutMode, FanoutPolicy, Logs, ManualClock, Position, Result};
use guanxi_ports::{BoxFuture, Credentials, Inbox, Log, Store};
use guanxi_spec::memory::{self, Carrying, MemoryInbox, MemoryStore};
use std::future::ready;
use std::sync::Arc;
use std::time::Duration;

/// The store that keeps the posts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keeper {
    /// The memory backend, with its own inboxes.
    Memory,
    /// The same with a log for each gene.
    MemoryByGene,
    /// The same, and what follows from an event in other logs comes later.
    MemoryDelayed,
    /// The same, and it comes in any order and sometimes twice; some writes have an unknown outcome.
    MemoryDisordered,
    /// The memory backend with the inboxes of the embedded one, which are of a bounded size.
    MemoryAndEmbeddedInboxes,
    /// The embedded backend, in a directory of its own.
    Embedded,
    /// A backend that the caller gives, with a log for each gene; what follows from an event comes to other logs later.
    Given,
}

/// Lets everything arrive that is under way between shards.
pub type Arrives = Box<dyn Fn() -> BoxFuture<'static, Result<()>> + Send + Sync>;

/// What centers ask of a backend that a caller gives.
pub struct GivenPorts {
    /// Facts and questions.
    pub store: Arc<dyn Store>,
    /// Its logs.
    pub log: Arc<dyn Log>,
    /// Credentials, for the erasure of users.
    pub credentials: Arc<dyn Credentials>,
    /// Waits until everything has arrived.
    pub arrives: Arrives,
}

/// A backend of another crate.
pub trait Given: Send + Sync {
    /// Opens it as a process that starts does: what was written through ports of before is there.
    fn open(&self, clock: Arc<dyn Clock>) -> BoxFuture<'_, Result<GivenPorts>>;
}

impl Keeper {
    /// Whether what follows from an event comes to other logs later.
    pub const fn lags(self) -> bool {
        matches!(self, Self::MemoryDelayed | Self::MemoryDisordered | Self::Given)
    }

    /// Whether a bug does any harm here. With one log nothing is mistaken for another's, with effects at once nothing
    /// comes late, and a view of one moment is not overtaken.
    pub fn is_harmed_by(self, mutation: Mutation) -> bool {
        match mutation {
            Mutation::WrongLog | Mutation::EchoForgotten => self == Self::MemoryByGene || self.lags(),
            Mutation::AppliedAssumed | Mutation::AppliedAskedLate | Mutation::ConfirmForgotten => self.lags(),
            _ => true,
        }
    }

    /// How the memory backend is shaped. Moments of arrival come from a seed.
    const fn shape(self, seed: u64) -> (Logs, Carrying) {
        match self {
            Self::Memory | Self::MemoryAndEmbeddedInboxes | Self::Embedded => (Logs::One, Carrying::AtOnce),
            Self::MemoryByGene | Self::Given => (Logs::PerGene, Carrying::AtOnce),
            Self::MemoryDelayed => (Logs::PerGene, Carrying::Delayed { seed }),
            Self::MemoryDisordered => (Logs::PerGene, Carrying::Disordered { seed }),
        }
    }
}

/// What a trace is played against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subject {
    /// The store that keeps the posts.
    pub keeper: Keeper,
    /// The fan-out's mode throughout; `None` is the mode that the trace says.
    pub mode: Option<FanoutMode>,
    /// A bug, put in on purpose.
    pub mutation: Option<Mutation>,
}

impl Subject {
    /// A policy of a trace as this subject takes it.
    pub fn policy(&self, policy: FanoutPolicy) -> FanoutPolicy {
        FanoutPolicy { mode: self.mode.unwrap_or(policy.mode), ..policy }
    }
}

/// What lies below the centers and survives the process, as far as it does.
enum Ground {
    Memory(Arc<MemoryStore>),
    Embedded(tempfile::TempDir),
    Given(Arc<dyn Given>),
}

/// A running process.
pub(crate) struct World {
    pub graph: Arc<dyn Store>,
    pub posts: PostCenter,
    /// For imports, which the post center has none of.
    pub post_port: Arc<dyn Store>,
    pub feed: FeedCenter,
    pub log: Arc<dyn Log>,
    pub inbox: Arc<dyn Inbox>,
    /// Away while it takes a step.
    pub worker: Option<FanoutWorker>,
    /// The job that removes what deleted users left; away while it takes a step.
    pub erasure: Option<Erasure>,
    /// What it is made of.
    pub erasure_parts: ErasureParts,
    /// The jobs behind relations; away while they take a step.
    pub expiry: Option<Expiry>,
    pub unlock: Option<Unlock>,
    /// What jobs work on.
    pub job_port: Arc<RemovalPort>,
    /// Removals that jobs have done and no check has taken in.
    pub removals: Removals,
    pub clock: Arc<ManualClock>,
    pub stage: Arc<Stage>,
    ground: Ground,
    arrives: Arrives,
    subject: Subject,
    settings: Settings,
}

impl World {
    /// Starts with nothing written.
    pub(crate) async fn begin(
        subject: Subject,
        settings: Settings,
        seed: u64,
        given: Option<Arc<dyn Given>>,
    ) -> std::result::Result<Self, String> {
        let clock = Arc::new(ManualClock::new(START_MS));
        let ground = match subject.keeper {
            Keeper::Given => Ground::Given(given.ok_or("no backend was given")?),
            Keeper::Embedded => Ground::Embedded(tempfile::tempdir().map_err(|error| error.to_string())?),
            keeper => {
                let (logs, carrying) = keeper.shape(seed);
                let log_events_max = settings.log_events_max;
                let options =
                    memory::Options { logs, carrying, log_events_max, ..memory::Options::default() };
                Ground::Memory(Arc::new(MemoryStore::new(clock.clone(), options)))
            }
        };
        let world = Self::start(ground, subject, settings, clock).await?;
        let policy = subject.policy(settings.policy);
        world.feed.put_policy(policy).await.map_err(|error| format!("the policy: {error:?}"))?;
        Ok(world)
    }

    /// The process dies, and another one starts on what is left.
    pub(crate) async fn crash(self) -> std::result::Result<Self, String> {
        let Self {
            graph,
            posts,
            post_port,
            feed,
            log,
            inbox,
            worker,
            erasure,
            erasure_parts,
            expiry,
            unlock,
            job_port,
            arrives,
            ground,
            subject,
            settings,
            clock,
            ..
        } = self;
        // The store holds its directory for as long as anything holds the store.
        drop((graph, posts, post_port, feed, log, inbox, worker));
        drop((erasure, erasure_parts, expiry, unlock, job_port, arrives));
        Self::start(ground, subject, settings, clock).await
    }

    /// Lets everything arrive that is under way between shards.
    pub(crate) async fn settle(&self) -> Result<()> {
        (self.arrives)().await
    }

    async fn start(
        ground: Ground,
        subject: Subject,
        settings: Settings,
        clock: Arc<ManualClock>,
    ) -> std::result::Result<Self, String> {
        let opened = ports(&ground, &settings, clock.clone()).await?;
        let GivenPorts { store: posts, log, credentials, arrives } = opened;
        let graph = with_bug(posts.clone(), subject.mutation);
        let head = log.head().await.map_err(|error| format!("the head: {error:?}"))?;
        let inbox = empty_inboxes(subject.keeper, &settings, &head);
        let asked = Arc::default();
        let inbox = match subject.mutation {
            Some(mutation) => Arc::new(Mutant::new(inbox, posts.clone(), mutation, Arc::clone(&asked))),
            None => inbox,
        };
        let stage = Arc::new(Stage::new(&settings, subject.keeper != Keeper::Given));
        let inbox: Arc<dyn Inbox> = Arc::new(StagedInbox { inner: inbox, stage: stage.clone() });
        let mutation = subject.mutation;
        let posts = StagedPosts { inner: posts, log: log.clone(), stage: stage.clone(), mutation, asked };
        let log: Arc<dyn Log> = Arc::new(StagedLog { inner: log, stage: stage.clone(), mutation });
        let posts: Arc<dyn Store> = Arc::new(posts);
        let feed = FeedCenter::new(posts.clone(), inbox.clone(), Hub::new(log.clone()), clock.clone());
        feed.start().await.map_err(|error| format!("the start: {error:?}"))?;
        let worker = Some(feed.worker().await.map_err(|error| format!("the worker: {error:?}"))?);
        let removals = Removals::default();
        let port = RemovalPort {
            graph: graph.clone(),
            posts: posts.clone(),
            log: log.clone(),
            stage: stage.clone(),
            removals: removals.clone(),
            is_pinned: false,
        };
        let job_port = Arc::new(RemovalPort { is_pinned: true, ..port.clone() });
        let port = Arc::new(port);
        let erasure_parts = ErasureParts { store: port, credentials, log: log.clone(), clock: clock.clone() };
        let erasure = Some(Erasure::new(erasure_parts.clone()));
        let expiry = Some(Expiry::new(job_port.clone(), clock.clone()));
        let unlock = Some(Unlock::new(job_port.clone()));
        let post_port = posts.clone();
        let posts = PostCenter::new(posts);
        Ok(Self {
            graph,
            posts,
            post_port,
            feed,
            log,
            inbox,
            worker,
            erasure,
            erasure_parts,
            expiry,
            unlock,
            job_port,
            removals,
            clock,
            stage,
            ground,
            arrives,
            subject,
            settings,
        })
    }
}

/// The inboxes of a keeper.
fn empty_inboxes(keeper: Keeper, settings: &Settings, head: &Position) -> Arc<dyn Inbox> {
    match keeper {
        Keeper::MemoryAndEmbeddedInboxes | Keeper::Embedded => {
            Arc::new(Inboxes::new(head.history(), settings.cache_bytes))
        }
        _ => Arc::new(MemoryInbox::new(head.history(), head.logs())),
    }
}

/// A graph with the bug of a subject, if it has one there.
fn with_bug(graph: Arc<dyn Store>, mutation: Option<Mutation>) -> Arc<dyn Store> {
    match mutation {
        Some(mutation) if mutation.is_of_graph() => Arc::new(MutantGraph::new(graph, mutation)),
        _ => graph,
    }
}

/// Opens the backend.
async fn ports(
    ground: &Ground,
    settings: &Settings,
    clock: Arc<dyn Clock>,
) -> std::result::Result<GivenPorts, String> {
    Ok(match ground {
        Ground::Memory(store) => {
            let settled = store.clone();
            let arrives = move || {
                settled.settle();
                Box::pin(ready(Ok(()))) as BoxFuture<'static, _>
            };
            let (store, log, credentials) = (store.clone(), store.clone(), store.clone());
            GivenPorts { store, log, credentials, arrives: Box::new(arrives) }
        }
        Ground::Embedded(dir) => {
            let store = EmbeddedStore::open(dir.path(), options(settings), clock);
            let store = Arc::new(store.map_err(|error| error.to_string())?);
            let arrives: Arrives = Box::new(|| Box::pin(ready(Ok(()))));
            GivenPorts { store: store.clone(), log: store.clone(), credentials: store, arrives }
        }
        Ground::Given(given) => given.open(clock).await.map_err(|error| format!("the backend: {error:?}"))?,
    })
}

/// Small caches, and no wait for the disk: the process dies, the machine does not.
fn options(settings: &Settings) -> Options {
    let bytes = settings.cache_bytes;
    Options {
        durability: Durability::Group(Duration::from_hours(1)),
        user_cache_bytes: bytes,
        first_page_cache_bytes: bytes,
        block_cache_bytes: bytes,
        memtable_bytes: 1 << 20,
        free_space_reserve: 0,
        ..Options::default()
    }
}
