//! The in-memory backend is the specification: what it cannot pass, nobody needs to. It passes with one log for all, and
//! with a log for each gene.

use guanxi_model::Logs;
use guanxi_spec::conformance::{Backend, Settings};
use guanxi_spec::memory::{MemoryStore, Options};
use std::sync::Arc;

/// An empty store as a case wants it. Its "reopening" is the same store again, which checks the suite's own
/// questions about it.
pub(crate) async fn with_logs(settings: Settings, logs: Logs) -> Backend {
    let options = Options {
        history: settings.history,
        logs,
        follow_limit: settings.follow_limit,
        block_limit: settings.block_limit,
        mute_limit: settings.mute_limit,
        log_events_max: settings.log_events_max,
    };
    let store = Arc::new(MemoryStore::new(settings.clock, options));
    let again = store.clone();
    Backend { reopen: Some(Box::new(|| Box::pin(async { Backend::of(again) }))), ..Backend::of(store) }
}

pub(crate) async fn make(settings: Settings) -> Backend {
    with_logs(settings, Logs::One).await
}

guanxi_spec::conformance_suite!(make);

/// Users spread over 256 logs, and what follows from an event stands at once.
mod by_gene {
    use super::{Backend, Logs, Settings, with_logs};

    async fn make(settings: Settings) -> Backend {
        with_logs(settings, Logs::PerGene).await
    }

    guanxi_spec::conformance_suite!(make);
}
