//! The embedded backend passes the suite that the in-memory one specifies, also across a reopening.

use guanxi_embedded::{EmbeddedStore, Options};
use guanxi_spec::conformance::{Backend, Settings};
use std::path::PathBuf;
use std::sync::Arc;
use tempfile::TempDir;

/// An empty store in a directory of its own.
async fn make(settings: Settings) -> Backend {
    let dir = TempDir::new().unwrap();
    let path = dir.path().to_owned();
    Backend { guard: Some(Box::new(dir)), ..open(path, settings) }
}

fn open(path: PathBuf, settings: Settings) -> Backend {
    let options = Options {
        new_history: settings.history,
        follow_limit: settings.follow_limit,
        block_limit: settings.block_limit,
        mute_limit: settings.mute_limit,
        log_events_max: settings.log_events_max,
        free_space_reserve: 0,
        uids: Some(settings.uids),
        // Small, so that cases evict, flush and replay.
        user_cache_bytes: 16 << 10,
        author_cache_bytes: 6 << 10,
        item_cache_bytes: 6 << 10,
        ..Options::default()
    };
    let store = EmbeddedStore::open(&path, options, settings.clock.clone()).unwrap();
    let reopen = move || -> guanxi_ports::BoxFuture<'static, Backend> {
        Box::pin(async move { open(path, settings) })
    };
    let uids = store.uids();
    Backend { reopen: Some(Box::new(reopen)), ..Backend::of(Arc::new(store)) }.checking(uids)
}

guanxi_spec::conformance_suite!(make);
