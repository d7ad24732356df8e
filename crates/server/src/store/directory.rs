//! A data directory, opened by this process.

use crate::clock::SystemClock;
use crate::config::{Durability, Settings};
use crate::descriptors::Descriptors;
use crate::failure::{Context, Failure, Outcome};
use crate::ports::{ProcessTerms, StorePorts, StoreTerms};
use crate::secret;
use guanxi_centers::HeavyWork;
use guanxi_embedded::{
    DumpedTokens, EmbeddedStore, ErasedIdKey, FIXED_CACHES_BYTES, Inboxes, Mirror, OpenError, Options,
    RestoreError, TABLES, mirror,
};
use guanxi_model::{HistoryId, Position, Result, Uid};
use guanxi_ports::Progress;
use serde::Serialize;
use std::io::{BufReader, Read};
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
pub struct Directory {
    store: EmbeddedStore,
    ports: StorePorts,
    descriptors: Descriptors,
    /// Where the store's files are when their directory cannot be written; the last to go.
    mirrored: Option<Arc<Mirrored>>,
}

/// A mirror of a directory, gone when it is dropped.
struct Mirrored {
    dir: TempDir,
    _lock: Mirror,
}

/// A dump that is opened to be read.
pub struct Dump {
    /// What it is called.
    pub name: String,
    /// Its bytes.
    pub bytes: Box<dyn Read + Send>,
}

/// What a restore read.
#[derive(Clone, Debug, Serialize)]
pub struct Restored {
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

impl Directory {
    /// Opens a directory, creating it if it is new.
    pub fn open(dir: &Path, settings: &Settings) -> Outcome<Self> {
        let descriptors = Descriptors::raise()?;
        let options = options_within(settings, descriptors)?;
        let store = open_store(dir, options).map_err(|error| explain(error, dir))?;
        Ok(Self::of(store, settings, descriptors, None))
    }

    /// Opens a directory to read it, also one that cannot be written.
    pub fn open_to_read(dir: &Path, settings: &Settings) -> Outcome<Self> {
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
    pub fn mirrored(&self) -> Option<&Path> {
        self.mirrored.as_ref().map(|mirrored| mirrored.dir.path())
    }

    fn of(
        store: EmbeddedStore,
        settings: &Settings,
        descriptors: Descriptors,
        mirrored: Option<Arc<Mirrored>>,
    ) -> Self {
        let terms = StoreTerms {
            inbox: Inboxes::new(store.history(), settings.inbox_mib * MIB),
            uids: store.uids(),
            others_write: false,
            heavy: HeavyWork::default(),
            process: ProcessTerms::of_system(),
        };
        let ports = StorePorts::around(Arc::new(store.clone()), terms);
        Self { store, ports, descriptors, mirrored }
    }

    /// Returns the descriptors that the system lets the process open.
    pub(crate) const fn descriptors(&self) -> Descriptors {
        self.descriptors
    }

    /// Its ports.
    pub const fn ports(&self) -> &StorePorts {
        &self.ports
    }

    /// Completes when the store stopped because the disk failed, and says why.
    pub(crate) async fn stopped(&self) -> String {
        self.store.stopped().await
    }

    /// Rewrites every table into its smallest form, so that nothing of what was removed is on the disk any more.
    pub async fn compact(&self) -> Outcome {
        let store = self.store.clone();
        let compacted = tokio::task::spawn_blocking(move || store.compact()).await?;
        compacted.context("cannot compact the data directory")
    }

    /// Flushes and closes.
    pub async fn close(&self) -> Outcome {
        if self.mirrored.is_some() {
            // What was copied is thrown away.
            return Ok(());
        }
        self.store.close().await.context("cannot close the data directory cleanly")
    }
}

fn open_store(dir: &Path, options: Options) -> Result<EmbeddedStore, OpenError> {
    EmbeddedStore::open(dir, options, Arc::new(SystemClock))
}

/// The options of a store that has a share of the process's files.
fn options_within(settings: &Settings, descriptors: Descriptors) -> Outcome<Options> {
    Ok(Options { files_max: descriptors.store_files, ..options(settings)? })
}

/// Reads a dump into an empty directory.
pub async fn restore(
    Dump { name, bytes }: Dump,
    dir: &Path,
    settings: &Settings,
    revoke_tokens: bool,
    erased: Vec<Uid>,
    mut progress: impl FnMut(Progress) + Send + 'static,
) -> Outcome<Restored> {
    let (options, into) = (options(settings)?, dir.to_owned());
    let tokens = if revoke_tokens { DumpedTokens::Revoke } else { DumpedTokens::Keep };
    let restore = move || {
        let mut dump = BufReader::with_capacity(BUFFER_LEN, bytes);
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
        Err(error) => Err(Failure::from(error).while_doing(format_args!("cannot restore {name}"))),
    }
}

/// Gives a copied directory a history and a key of page tokens of its own, and answers where it stands then.
pub async fn fork(dir: &Path, settings: &Settings) -> Outcome<Position> {
    let (options, copied) = (options(settings)?, dir.to_owned());
    let forked = tokio::task::spawn_blocking(move || guanxi_embedded::fork(&copied, &options)).await?;
    let position = forked.map_err(|error| explain(error, dir))?;
    secret::new_data_key(dir)?;
    // A copy of a directory that was served says where the original is.
    crate::endpoints::Endpoints::remove(dir).context("cannot remove the endpoints file")?;
    Ok(position)
}

/// MiB that caches and memtables take at most.
pub fn memory_mib(settings: &Settings) -> u64 {
    let Settings {
        user_cache_mib,
        block_cache_mib,
        author_cache_mib,
        item_cache_mib,
        inbox_mib,
        memtable_mib,
        search,
        search_memory_mib,
        ..
    } = *settings;
    let index = if search { search_memory_mib } else { 0 };
    let memtables = memtable_mib.saturating_mul(TABLES as u64);
    let fixed = FIXED_CACHES_BYTES.div_ceil(MIB);
    let caches = [user_cache_mib, block_cache_mib, author_cache_mib, item_cache_mib, inbox_mib, index, fixed];
    caches.into_iter().fold(memtables, u64::saturating_add)
}

/// The options of the backend that the settings ask for.
pub(crate) fn options(settings: &Settings) -> Outcome<Options> {
    Ok(Options {
        new_history: HistoryId(u64::from_be_bytes(secret::random()?)),
        new_erased_id_key: ErasedIdKey(secret::random()?),
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
pub(crate) fn explain(error: OpenError, dir: &Path) -> Failure {
    let in_use = matches!(error, OpenError::InUse(_));
    let failure = Failure::from(error);
    match crate::endpoints::Endpoints::read(dir) {
        Some(endpoints) if in_use => {
            failure.hint(format_args!("or ask the server that has it: --server {}", endpoints.admin_url()))
        }
        _ => failure,
    }
}
