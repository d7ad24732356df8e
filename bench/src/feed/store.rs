//! An embedded store with a world in it.

use guanxi_embedded::{BulkEdge, BulkLimits, Durability, EmbeddedStore, Inboxes, Options, load};
use guanxi_load::fill::fill;
use guanxi_load::{Ports, World};
use guanxi_model::{Clock, Stamp};
use std::convert::Infallible;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Memory for inboxes: what a million of them take, and more.
const INBOX_BYTES: u64 = 8 << 30;
/// Memory for following sets: 75 million edges at about 30 bytes.
const USER_CACHE_BYTES: u64 = 4 << 30;
/// Memory for heads and items of all authors and posts.
const FEED_CACHE_BYTES: u64 = 1 << 30;
/// The window in which what is loaded may be lost in a power cut; the run would start over.
const LOADING_WINDOW: Duration = Duration::from_millis(100);

/// The clock of the operating system.
#[derive(Clone, Copy, Debug)]
struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "the clock that the store takes as a parameter")]
    fn now_ms(&self) -> u64 {
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |elapsed| elapsed.as_millis() as u64)
    }
}

/// An open store with its ports.
pub(crate) struct Opened {
    /// The store.
    pub(crate) store: EmbeddedStore,
    /// The ports.
    pub(crate) backend: Ports,
}

/// The ports of an open store.
pub(crate) fn ports(store: &EmbeddedStore, clock: Arc<dyn Clock>) -> Ports {
    let one = Arc::new(store.clone());
    let inbox = Arc::new(Inboxes::new(store.history(), INBOX_BYTES));
    Ports { store: one.clone(), inbox, log: one, clock }
}

/// Opens a directory with memory for a million active users; durable as by default.
pub(crate) fn open(dir: &Path) -> Result<Opened, String> {
    let options = Options {
        user_cache_bytes: USER_CACHE_BYTES,
        author_cache_bytes: FEED_CACHE_BYTES,
        item_cache_bytes: FEED_CACHE_BYTES,
        ..Options::default()
    };
    Opened::of(dir, options, Arc::new(SystemClock))
}

impl Opened {
    fn of(dir: &Path, options: Options, clock: Arc<dyn Clock>) -> Result<Self, String> {
        let store = EmbeddedStore::open(dir, options, clock.clone()).map_err(|error| error.to_string())?;
        Ok(Self { backend: ports(&store, clock), store })
    }

    /// Flushes and closes.
    pub(crate) async fn close(self) -> Result<(), String> {
        self.store.close().await.map_err(|error| format!("{error:?}"))
    }
}

/// Makes a directory that holds a world, and opens it for more to be filled in: follows by the sorted bulk load, posts,
/// deletions and mutes through the ports. Returns the follows, and the times of both parts.
pub(crate) async fn fill_in(
    dir: &Path,
    world: &World,
    clock: Arc<dyn Clock>,
) -> Result<(Opened, (u64, Duration, Duration)), String> {
    let start = Instant::now();
    let edges = world.edges().enumerate().map(|(line, (subject, object, at))| {
        Ok::<_, Infallible>(BulkEdge { line: line as u64, subject, object, at: Some(at) })
    });
    let (now, options) = (Stamp::from_ms(clock.now_ms()), Options::default());
    let report = load(dir, &options, now, edges, None, BulkLimits::default(), &mut |_| ())
        .map_err(|error| error.to_string())?;
    let loaded = start.elapsed();
    let options = Options { durability: Durability::Group(LOADING_WINDOW), ..options };
    let opened = Opened::of(dir, options, clock)?;
    fill(&opened.backend, world).await.map_err(|error| format!("{error:?}"))?;
    Ok((opened, (report.accepted, loaded, start.elapsed().saturating_sub(loaded))))
}

/// Makes a directory that holds a world. Returns what [`fill_in`] does.
pub(crate) async fn create(dir: &Path, world: &World) -> Result<(u64, Duration, Duration), String> {
    let (opened, found) = fill_in(dir, world, Arc::new(SystemClock)).await?;
    opened.close().await?;
    Ok(found)
}
