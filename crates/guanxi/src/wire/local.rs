//! A data directory, opened by this process.

use super::descriptors::Descriptors;
use super::failpoints::Failing;
use super::jobs::Jobs;
use super::secret;
use crate::clock::SystemClock;
use crate::config::{Durability, Settings};
use crate::failure::{Context, Failure, Outcome};
use crate::lists::input::STANDARD;
use guanxi_api::Revocations;
use guanxi_centers::affinity::AffinityCenter;
use guanxi_centers::feed::FeedCenter;
use guanxi_centers::operator::{OperatorCenter, OperatorParts};
use guanxi_centers::relation::{Expiry, Unlock};
use guanxi_centers::retention::{KeptFor, Retention};
use guanxi_centers::user::passwords::{PasswordOptions, PasswordThread, Passwords};
use guanxi_centers::user::sessions::{SessionCenter, SessionTerms};
use guanxi_centers::user::{AccountCenter, ClaimSweep, Erasure, ErasureParts, UserCenter};
use guanxi_centers::{Centers, Ports, Random};
use guanxi_embedded::{
    DumpedTokens, FIXED_CACHES_BYTES, Inboxes, Mirror, OpenError, Options, RestoreError, Store, TABLES,
    mirror,
};
use guanxi_model::{Clock, HistoryId, Result, Uid};
use guanxi_ports::{
    CachedSessions, CheckedUids, Credentials, EndedUsers, Graph, Inbox, Log, Metered, NamedSessions, Posts,
    Progress, Sessions,
};
use serde::Serialize;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;

/// A mebibyte.
const MIB: u64 = 1 << 20;
/// Bytes of a dump that are read at once.
const BUFFER_LEN: usize = 256 << 10;

/// An open data directory.
#[derive(Clone)]
pub(crate) struct Local {
    store: Store,
    inboxes: Arc<Failing<Inboxes>>,
    /// One for the whole process, so that what it revokes shows at once.
    sessions: Arc<dyn Sessions>,
    /// What they, and credentials, tell of their ends.
    revocations: Revocations,
    descriptors: Descriptors,
    /// Where the store's files are when their directory cannot be written; the last to go.
    mirrored: Option<Arc<Mirrored>>,
}

/// A mirror of a directory, gone when it is dropped.
struct Mirrored {
    dir: TempDir,
    _lock: Mirror,
}

/// What a restore read.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Restored {
    /// Follows restored.
    pub edges: u64,
    /// Other records restored.
    pub records: u64,
    /// The last event that the dump includes.
    pub seq: u64,
    /// The position of the restored directory, in its new history.
    pub token: String,
    /// Bearer tokens in the dump.
    pub dumped_tokens: u64,
    /// Whether they were left out.
    pub tokens_revoked: bool,
}

impl Local {
    /// Opens a directory, creating it if it is new.
    pub(crate) fn open(dir: &Path, settings: &Settings) -> Outcome<Self> {
        let descriptors = Descriptors::raise()?;
        let options = options_within(settings, descriptors)?;
        let store = open_store(dir, options).map_err(|error| explain(error, dir))?;
        Ok(Self::of(store, settings, descriptors, None))
    }

    /// Opens a directory to read it, also one that cannot be written.
    pub(crate) fn open_to_read(dir: &Path, settings: &Settings) -> Outcome<Self> {
        let descriptors = Descriptors::raise()?;
        let options = options_within(settings, descriptors)?;
        match open_store(dir, options.clone()) {
            Ok(store) => Ok(Self::of(store, settings, descriptors, None)),
            Err(OpenError::NotWritable { .. }) => {
                let temporary = tempfile::Builder::new().prefix("guanxi-mirror-").tempdir();
                let temporary =
                    temporary.context("cannot make a directory for what changes when one is opened")?;
                let lock = mirror(dir, temporary.path()).map_err(|error| explain(error, dir))?;
                let store = open_store(temporary.path(), options);
                let store = store.map_err(|error| explain(error.of(dir), dir))?;
                let mirrored = Mirrored { dir: temporary, _lock: lock };
                Ok(Self::of(store, settings, descriptors, Some(Arc::new(mirrored))))
            }
            Err(error) => Err(explain(error, dir)),
        }
    }

    /// Where the copies of a directory are that cannot be written.
    pub(crate) fn mirrored(&self) -> Option<&Path> {
        self.mirrored.as_ref().map(|mirrored| mirrored.dir.path())
    }

    fn of(
        store: Store,
        settings: &Settings,
        descriptors: Descriptors,
        mirrored: Option<Arc<Mirrored>>,
    ) -> Self {
        let inboxes = Arc::new(Failing(Inboxes::new(store.history(), settings.inbox_mib * MIB)));
        let stored = Arc::new(store.clone());
        let revocations = Revocations::default();
        let sessions = revocations.sessions(Arc::new(CachedSessions::new(stored, Arc::new(SystemClock))));
        Self { store, inboxes, sessions, revocations, descriptors, mirrored }
    }

    /// What the system lets the process open.
    pub(crate) const fn descriptors(&self) -> Descriptors {
        self.descriptors
    }

    /// The ports.
    pub(crate) fn ports(&self) -> Ports {
        Ports {
            graph: self.graph(),
            posts: self.posts(),
            inbox: self.inbox(),
            log: self.log(),
            clock: Arc::new(SystemClock),
        }
    }

    /// The centers. Those of one call share a fan-out; those of two do not.
    pub(crate) fn centers(&self) -> Centers {
        Centers::new(&self.ports())
    }

    /// The operator center beside a feed center that has started.
    pub(crate) fn operator(&self, feed: &FeedCenter) -> OperatorCenter {
        let parts = OperatorParts {
            credentials: self.credentials(),
            sessions: self.sessions(),
            upkeep: Arc::new(self.store.clone()),
            random: random(),
            mint: guanxi_api::mint_token,
        };
        OperatorCenter::new(&self.ports(), feed, parts).minting(self.store.uids())
    }

    /// The accounts of users, with the threads that hash their passwords.
    ///
    /// # Errors
    /// When a thread cannot be started.
    pub(crate) fn accounts(&self, users: UserCenter, terms: SessionTerms) -> Result<AccountCenter> {
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let options = PasswordOptions { at_start: give_way, ..PasswordOptions::default() };
        let passwords = Passwords::start(options, clock.clone(), &random())?;
        let sessions = SessionCenter::new(self.sessions(), clock.clone(), random(), terms);
        Ok(AccountCenter::new(users, passwords, sessions, clock, random()).minting(self.store.uids()))
    }

    /// The job that removes what deleted users left.
    pub(crate) fn erasure(&self) -> Erasure {
        // Not behind the check of uids: whoever is to go goes, also one whom nobody may name any more.
        let store = Arc::new(Metered::new(self.store.clone()));
        Erasure::new(ErasureParts {
            graph: store.clone(),
            posts: store,
            sessions: self.sessions(),
            // As they are stored: the name of a token outlives the session that it names.
            credentials: self.revocations.credentials(Arc::new(self.store.clone())),
            log: self.log(),
            clock: Arc::new(SystemClock),
        })
    }

    /// The jobs of a server, with how long what has no other end is kept.
    pub(crate) fn jobs(&self, kept: KeptFor, affinity: AffinityCenter) -> Jobs {
        // Not behind the check of uids, as above.
        let store = Arc::new(Metered::new(self.store.clone()));
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        Jobs {
            erasure: self.erasure(),
            retention: Retention::new(store.clone(), store.clone(), clock.clone(), kept),
            claims: ClaimSweep::new(store.clone(), clock.clone()),
            expiry: Expiry::new(store.clone(), clock),
            unlock: Unlock::new(store),
            affinity,
        }
    }

    /// The graph, measured.
    pub(crate) fn graph(&self) -> Arc<dyn Graph> {
        Arc::new(CheckedUids::new(Metered::new(self.store.clone()), self.store.uids()))
    }

    /// The posts, and what feeds read of them, measured.
    pub(crate) fn posts(&self) -> Arc<dyn Posts> {
        Arc::new(CheckedUids::new(Metered::new(self.store.clone()), self.store.uids()))
    }

    /// The inboxes of this process; empty at first.
    pub(crate) fn inbox(&self) -> Arc<dyn Inbox> {
        self.inboxes.clone()
    }

    /// The log of changes.
    pub(crate) fn log(&self) -> Arc<dyn Log> {
        Arc::new(self.store.clone())
    }

    /// The stored tokens; those of end users are names for sessions.
    pub(crate) fn credentials(&self) -> Arc<dyn Credentials> {
        let named = NamedSessions::new(Arc::new(self.store.clone()), self.sessions());
        self.revocations.credentials(Arc::new(named))
    }

    /// Tells of credentials that go, as long as they go through this directory's.
    pub(crate) fn revocations(&self) -> Revocations {
        self.revocations.clone()
    }

    /// Whose credentials have ended.
    pub(crate) fn ended_users(&self) -> Arc<dyn EndedUsers> {
        Arc::new(self.store.clone())
    }

    /// The sessions of end users, cached.
    pub(crate) fn sessions(&self) -> Arc<dyn Sessions> {
        self.sessions.clone()
    }

    /// Completes when the store stopped because the disk failed, and says why.
    pub(crate) async fn stopped(&self) -> String {
        self.store.stopped().await
    }

    /// Rewrites every table into its smallest form, so that nothing of what was removed is on the disk any more.
    pub(crate) async fn compact(&self) -> Outcome {
        let store = self.store.clone();
        let compacted = tokio::task::spawn_blocking(move || store.compact()).await?;
        compacted.context("cannot compact the data directory")
    }

    /// Flushes and closes.
    pub(crate) async fn close(&self) -> Outcome {
        if self.mirrored.is_some() {
            // What was copied is thrown away.
            return Ok(());
        }
        self.store.close().await.context("cannot close the data directory cleanly")
    }
}

fn open_store(dir: &Path, options: Options) -> Result<Store, OpenError> {
    Store::open(dir, options, Arc::new(SystemClock))
}

/// The options of a store that has a share of the process's files.
fn options_within(settings: &Settings, descriptors: Descriptors) -> Outcome<Options> {
    Ok(Options { files_max: descriptors.store_files, ..options(settings)? })
}

/// Reads a dump into an empty directory.
pub(crate) async fn restore(
    file: &str,
    dir: &Path,
    settings: &Settings,
    revoke_tokens: bool,
    erased: Vec<Uid>,
    mut progress: impl FnMut(Progress) + Send + 'static,
) -> Outcome<Restored> {
    let input: Box<dyn Read + Send> = if file == STANDARD {
        Box::new(io::stdin())
    } else {
        Box::new(File::open(file).context(format_args!("cannot read {file}"))?)
    };
    let (options, into) = (options(settings)?, dir.to_owned());
    let tokens = if revoke_tokens { DumpedTokens::Revoke } else { DumpedTokens::Keep };
    let restore = move || {
        let mut dump = BufReader::with_capacity(BUFFER_LEN, input);
        guanxi_embedded::restore(&mut dump, &into, &options, tokens, &erased, &mut progress)
    };
    match tokio::task::spawn_blocking(restore).await? {
        Ok(report) => Ok(Restored {
            edges: report.edges,
            records: report.records,
            seq: report.position.event_count(),
            token: report.position.to_token(),
            dumped_tokens: report.tokens,
            tokens_revoked: revoke_tokens,
        }),
        Err(RestoreError::Open(error)) => Err(explain(error, dir)),
        Err(error) => Err(Failure::from(error).while_doing(format_args!("cannot restore {file}"))),
    }
}

/// MiB that caches and memtables take at most.
pub(crate) fn memory_mib(settings: &Settings) -> u64 {
    let Settings {
        user_cache_mib,
        block_cache_mib,
        author_cache_mib,
        item_cache_mib,
        inbox_mib,
        memtable_mib,
        ..
    } = *settings;
    let memtables = memtable_mib.saturating_mul(TABLES as u64);
    let fixed = FIXED_CACHES_BYTES.div_ceil(MIB);
    let caches = [user_cache_mib, block_cache_mib, author_cache_mib, item_cache_mib, inbox_mib, fixed];
    caches.into_iter().fold(memtables, u64::saturating_add)
}

/// The options of the backend that the settings ask for.
pub(crate) fn options(settings: &Settings) -> Outcome<Options> {
    let mut history = [0_u8; 8];
    secret::random(&mut history)?;
    Ok(Options {
        new_history: HistoryId(u64::from_be_bytes(history)),
        durability: match settings.durability {
            Durability::Sync => guanxi_embedded::Durability::Sync,
            Durability::Group => {
                guanxi_embedded::Durability::Group(Duration::from_millis(settings.group_window_ms))
            }
        },
        follow_limit: settings.follow_limit,
        user_cache_bytes: settings.user_cache_mib * MIB,
        block_cache_bytes: settings.block_cache_mib * MIB,
        author_cache_bytes: settings.author_cache_mib * MIB,
        item_cache_bytes: settings.item_cache_mib * MIB,
        memtable_bytes: settings.memtable_mib * MIB,
        journal_bytes: settings.journal_mib * MIB,
        log_events_max: settings.log_events_max,
        log_age_max: Duration::from_secs(settings.log_age_max_hours * 3_600),
        uids: settings.uids.map(|uids| uids.0),
        sign_outs_kept: settings.jwt_good_for(),
        free_space_reserve: settings.free_space_reserve_mib * MIB,
        ..Options::default()
    })
}

/// Why a directory does not open, with the way to a server that has it open.
pub(super) fn explain(error: OpenError, dir: &Path) -> Failure {
    let in_use = matches!(error, OpenError::InUse(_));
    let failure = Failure::from(error);
    match super::serve::Endpoints::read(dir) {
        Some(endpoints) if in_use => {
            failure.hint(format_args!("or ask the server that has it: --server {}", endpoints.admin_url()))
        }
        _ => failure,
    }
}

/// How much the threads that hash passwords promptly give way, as the engine's do: whoever answers calls has the core first,
/// and logins still have a tenth of one that is full.
const HASHING_NICE: i32 = 10;
/// How much the one gives way that hashes what a flood brings. A scheduler owes each thread a share by its niceness, and where
/// it is owed something it may go on with it until the next tick, though a call has woken: a few milliseconds each, and the
/// more often the larger the share.
const FLOOD_HASHING_NICE: i32 = 19;

/// Lowers the priority of this thread. Without it, a hash of 15 ms holds a core for as long as the scheduler lets it, and a
/// flood of logins makes everybody else wait that long.
fn give_way(which: PasswordThread) {
    let nice = match which {
        PasswordThread::Prompt => HASHING_NICE,
        PasswordThread::Patient => FLOOD_HASHING_NICE,
    };
    // Elsewhere the whole process would give way. A system that does not allow it hashes as before.
    if cfg!(target_os = "linux") {
        let _ = rustix::process::setpriority_process(None, nice);
    }
}

/// Random bits of the operating system.
fn random() -> Random {
    Arc::new(|| {
        let mut bytes = [0; 32];
        secret::random(&mut bytes).expect("the operating system has given random bytes before");
        bytes
    })
}
