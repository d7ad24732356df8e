//! A data directory, opened by this process.

use super::failpoints::Failing;
use super::secret;
use crate::clock::SystemClock;
use crate::config::{Durability, Settings};
use crate::failure::{Context, Failure, Outcome};
use crate::lists::input::STANDARD;
use crate::lists::output::Output;
use guanxi_centers::feed::FeedReport;
use guanxi_centers::{Centers, Ports};
use guanxi_embedded::{Inboxes, OpenError, Options, RestoreError, Store};
use guanxi_model::{Credential, HistoryId, Position, Principal, Uid};
use guanxi_ports::{
    Credentials, ExportEdge, Graph, Inbox, Log, Metered, Posts, Progress, Upkeep, VerifyReport,
};
use serde::Serialize;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// A mebibyte.
const MIB: u64 = 1 << 20;
/// Bytes of a dump that are read at once.
const BUFFER_LEN: usize = 256 << 10;
/// Edges read at once by an export.
const EXPORT_CHUNK: usize = 10_000;

/// An open data directory.
#[derive(Clone)]
pub struct Local {
    store: Store,
    inboxes: Arc<Failing<Inboxes>>,
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
}

impl Local {
    /// Opens a directory, creating it if it is new.
    pub fn open(dir: &Path, settings: &Settings) -> Outcome<Self> {
        let opened = Store::open(dir, options(settings)?, Arc::new(SystemClock));
        let store = opened.map_err(|error| explain(error, dir))?;
        let inboxes = Arc::new(Failing(Inboxes::new(settings.inbox_mib * MIB)));
        Ok(Self { store, inboxes })
    }

    /// The ports.
    pub fn ports(&self) -> Ports {
        Ports {
            graph: self.graph(),
            posts: self.posts(),
            inbox: self.inbox(),
            log: self.log(),
            clock: Arc::new(SystemClock),
        }
    }

    /// The centers. Those of one call share a fan-out; those of two do not.
    pub fn centers(&self) -> Centers {
        Centers::new(&self.ports())
    }

    /// The graph, measured.
    pub fn graph(&self) -> Arc<dyn Graph> {
        Arc::new(Metered::new(self.store.clone()))
    }

    /// The posts, and what feeds read of them, measured.
    pub fn posts(&self) -> Arc<dyn Posts> {
        Arc::new(Metered::new(self.store.clone()))
    }

    /// The inboxes of this process; empty at first.
    pub fn inbox(&self) -> Arc<dyn Inbox> {
        self.inboxes.clone()
    }

    /// The log of changes.
    pub fn log(&self) -> Arc<dyn Log> {
        Arc::new(self.store.clone())
    }

    /// The stored tokens.
    pub fn credentials(&self) -> Arc<dyn Credentials> {
        Arc::new(self.store.clone())
    }

    /// Verification and dump.
    pub fn upkeep(&self) -> Arc<dyn Upkeep> {
        Arc::new(self.store.clone())
    }

    /// Completes when the store stopped because the disk failed, and says why.
    pub async fn stopped(&self) -> String {
        self.store.stopped().await
    }

    /// Flushes and closes.
    pub async fn close(&self) -> Outcome {
        self.store.close().await.context("cannot close the data directory cleanly")
    }

    /// Compares all tables at one snapshot.
    pub async fn verify(&self, mut progress: impl FnMut(Progress) + Send + 'static) -> Outcome<VerifyReport> {
        let store = self.store.clone();
        let report = tokio::task::spawn_blocking(move || store.verify(&mut progress)).await?;
        report.context("cannot verify")
    }

    /// Compares homes with their definition: those of `viewers`, or without any those of `sample` users picked at random.
    pub async fn verify_feed(
        &self,
        viewers: &[Uid],
        sample: u32,
        each: &mut (dyn FnMut(FeedReport, Progress) + Send),
    ) -> Outcome {
        let feed = self.centers().feed;
        let mut seed = [0; 8];
        secret::random(&mut seed)?;
        let viewers = match viewers {
            [] => feed.sample(sample as usize, u64::from_le_bytes(seed)).await?,
            viewers => viewers.to_vec(),
        };
        for (done, viewer) in (1..).zip(&viewers) {
            let report = feed.verify(*viewer, usize::MAX).await?;
            each(report, Progress { done, total: viewers.len() as u64 });
        }
        Ok(())
    }

    /// Writes a dump, and gives the output back to be finished.
    pub async fn dump(
        &self,
        mut output: Output,
        mut progress: impl FnMut(Progress) + Send + 'static,
    ) -> Outcome<(Output, Position)> {
        let store = self.store.clone();
        let dump = move || store.dump(&mut output, &mut progress).map(|position| (output, position));
        tokio::task::spawn_blocking(dump).await?.context("cannot back up")
    }

    /// Hands on all follows in the order of subject and object, at one snapshot.
    pub async fn export(&self, each: &mut (dyn FnMut(&[ExportEdge]) -> io::Result<()> + Send)) -> Outcome {
        let view = self.store.view(None).await?;
        let mut after = None;
        loop {
            let edges = view.edges(after, EXPORT_CHUNK).await?;
            each(&edges)?;
            match edges.last() {
                Some(last) if edges.len() == EXPORT_CHUNK => after = Some((last.subject, last.object)),
                _ => return Ok(()),
            }
        }
    }

    /// Makes a token; answers its secret.
    pub async fn create_token(&self, name: &str, principal: Principal) -> Outcome<String> {
        let (secret, credential) = secret::mint(name, principal, &SystemClock)?;
        self.store.add(credential).await?;
        Ok(secret)
    }

    /// All tokens.
    pub fn list_tokens(&self) -> Vec<Credential> {
        self.store.list()
    }

    /// Revokes a token; whether there was one of this name.
    pub async fn revoke_token(&self, name: &str) -> Outcome<bool> {
        Ok(self.store.revoke(name).await?)
    }
}

/// Reads a dump into an empty directory.
pub async fn restore(
    file: &str,
    dir: &Path,
    settings: &Settings,
    mut progress: impl FnMut(Progress) + Send + 'static,
) -> Outcome<Restored> {
    let input: Box<dyn Read + Send> = if file == STANDARD {
        Box::new(io::stdin())
    } else {
        Box::new(File::open(file).context(format_args!("cannot read {file}"))?)
    };
    let (options, into) = (options(settings)?, dir.to_owned());
    let restore = move || {
        let mut dump = BufReader::with_capacity(BUFFER_LEN, input);
        guanxi_embedded::restore(&mut dump, &into, &options, &mut progress)
    };
    match tokio::task::spawn_blocking(restore).await? {
        Ok(report) => Ok(Restored {
            edges: report.edges,
            records: report.records,
            seq: report.position.seq,
            token: report.position.to_token(),
        }),
        Err(RestoreError::Open(error)) => Err(explain(error, dir)),
        Err(error) => Err(Failure::from(error).while_doing(format_args!("cannot restore {file}"))),
    }
}

/// The options of the backend that the settings ask for.
pub(super) fn options(settings: &Settings) -> Outcome<Options> {
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
        free_space_reserve: settings.free_space_reserve_mib * MIB,
        ..Options::default()
    })
}

/// Why a directory does not open, with the way to a server that has it open.
pub(super) fn explain(error: OpenError, dir: &Path) -> Failure {
    let in_use = matches!(error, OpenError::InUse(_));
    let failure = Failure::from(error);
    match super::serve::Endpoints::read(dir) {
        Some(endpoints) if in_use => failure
            .hint(format_args!("or ask the server that has it: --server http://{}", endpoints.admin_listen)),
        _ => failure,
    }
}
