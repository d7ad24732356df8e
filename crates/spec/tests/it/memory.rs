//! The in-memory backend is the specification: what it cannot pass, nobody needs to.

use guanxi_spec::conformance::{Backend, Settings};
use guanxi_spec::memory::{MemoryStore, Options};
use std::sync::Arc;

/// An empty store as a case wants it. Its "reopening" is the same store again, which checks the suite's own
/// questions about it.
pub(crate) async fn make(settings: Settings) -> Backend {
    let options = Options {
        history: settings.history,
        follow_limit: settings.follow_limit,
        block_limit: settings.block_limit,
        mute_limit: settings.mute_limit,
        log_events_max: settings.log_events_max,
    };
    let store = Arc::new(MemoryStore::new(settings.clock, options));
    let again = store.clone();
    Backend { reopen: Some(Box::new(|| Box::pin(async { Backend::of(again) }))), ..Backend::of(store) }
}

guanxi_spec::conformance_suite!(make);
