//! The jobs of the back office: the thread that runs them, which gives way to those that answer calls.

use crate::clock::SystemClock;
use crate::config::Settings;
use crate::failure::Outcome;
use crate::priority::give_way;
use crate::spool::FileSpool;
use crate::store::OpenStore;
use guanxi_centers::operator::{ExportJobs, ExportParts, OperatorCenter, SpoolTerms};
use guanxi_ports::SearchUpkeep;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;
use tokio::sync::oneshot;

/// A mebibyte.
const MIB: u64 = 1 << 20;

/// A minute, in milliseconds.
const MINUTE_MS: u64 = 60_000;

/// Jobs of the back office that run, on a thread of their own.
pub struct Exporting {
    stop: oneshot::Sender<()>,
    thread: JoinHandle<()>,
}

impl Exporting {
    /// Starts the thread with files in a directory if this process keeps indexes, and returns the center that has its jobs.
    pub(super) fn start_in(
        place: Option<PathBuf>,
        operator: OperatorCenter,
        search: Option<&Arc<dyn SearchUpkeep>>,
        settings: &Settings,
    ) -> Outcome<(OperatorCenter, Option<Self>)> {
        let walks = search.and_then(|search| search.walks());
        let (Some(place), Some(walks)) = (place, walks) else { return Ok((operator, None)) };
        let spool = match FileSpool::new(&place, settings.free_space_reserve_mib * MIB) {
            Ok(spool) => spool,
            Err(error) => {
                tracing::error!(%error, "there is no directory for exports; they are refused, all else goes on");
                return Ok((operator, None));
            }
        };
        let parts = ExportParts {
            spool: Arc::new(spool),
            walks,
            terms: SpoolTerms {
                bytes_max: settings.export_spool_mib * MIB,
                keep_ms: settings.export_keep_minutes * MINUTE_MS,
            },
            clock: Arc::new(SystemClock),
            pause: Arc::new(|time| Box::pin(tokio::time::sleep(time))),
        };
        let (operator, exporting) = Self::start(operator, parts)?;
        Ok((operator, Some(exporting)))
    }

    /// Starts the thread, and returns the center that has its jobs.
    pub fn start(operator: OperatorCenter, parts: ExportParts) -> Outcome<(OperatorCenter, Self)> {
        let jobs = ExportJobs::new(parts);
        let operator = operator.exporting(Some(jobs.clone()));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
        let (stop, stopped) = oneshot::channel::<()>();
        let center = operator.clone();
        let work = move || {
            // Threads that this one starts give way as much.
            give_way();
            runtime.block_on(async {
                tokio::select! {
                    _ = stopped => {}
                    () = jobs.run(&center) => {}
                }
            });
        };
        let thread = std::thread::Builder::new().name("guanxi-exports".into()).spawn(work)?;
        Ok((operator, Self { stop, thread }))
    }

    /// Ends after the page at hand. Jobs are lost, and so are their files.
    pub async fn end(self) -> Outcome {
        let Self { stop, thread } = self;
        // A thread that has ended hears nothing.
        let _ = stop.send(());
        let joined = tokio::task::spawn_blocking(move || thread.join()).await?;
        joined.map_err(|_| io::Error::other("what runs jobs of the back office panicked"))?;
        Ok(())
    }
}

/// Where this process keeps files of exports, if it may have any.
pub(super) fn spool_place(opened: &OpenStore, dir: &Path, settings: &Settings) -> Option<PathBuf> {
    match opened {
        OpenStore::Directory(_) => Some(dir.to_owned()),
        OpenStore::Cluster(_) => settings.index_place().map(Path::to_owned),
    }
}
