//! The in-memory backend is the specification: no backend needs to pass what it cannot pass. It passes in all of its
//! shapes.

use guanxi_model::Logs;
use guanxi_spec::conformance::{Backend, Need, Reopen, Settings};
use guanxi_spec::memory::{Carrying, MemoryStore, Options};
use std::sync::Arc;

/// An empty store as a case wants it. Its "reopening" is the same store again, which checks the suite's own
/// questions about it.
fn shaped(settings: Settings, logs: Logs, carrying: Carrying) -> Backend {
    let options = Options { logs, carrying, ..settings.memory() };
    let mut cannot = Vec::new();
    if logs == Logs::PerGene {
        cannot.push((Need::OneOrder, "there is a log for each gene"));
    }
    if carrying != Carrying::AtOnce {
        cannot.push((Need::OneView, "a view begins for each shard by itself"));
        cannot.push((Need::NoLag, "what follows in another shard is carried there"));
        cannot.push((Need::MixedBatches, "a commit is of one shard"));
    }
    let (store, uids) = (Arc::new(MemoryStore::new(settings.clock, options)), settings.uids);
    let (again, lacks) = (store.clone(), cannot.clone());
    let reopen = move || async move { Backend { cannot: lacks, ..Backend::of(again) }.checking(uids) };
    let reopen: Reopen = Box::new(move || Box::pin(reopen()));
    Backend { reopen: Some(reopen), cannot, ..Backend::of(store) }.checking(uids)
}

pub(crate) async fn make(settings: Settings) -> Backend {
    shaped(settings, Logs::One, Carrying::AtOnce)
}

guanxi_spec::conformance_suite!(make);

/// Users spread over 256 logs, and what follows from an event stands at once.
mod by_gene {
    use super::{Backend, Carrying, Logs, Settings, shaped};

    async fn make(settings: Settings) -> Backend {
        shaped(settings, Logs::PerGene, Carrying::AtOnce)
    }

    guanxi_spec::conformance_suite!(make);
}

/// Users spread over 256 logs, and what follows from an event comes later.
mod delayed {
    use super::{Backend, Carrying, Logs, Settings, shaped};

    async fn make(settings: Settings) -> Backend {
        shaped(settings, Logs::PerGene, Carrying::Delayed { seed: 1 })
    }

    guanxi_spec::conformance_suite!(make);
}

/// The same, and what comes later comes in any order and sometimes twice; writes may have an unknown outcome.
mod disordered {
    use super::{Backend, Carrying, Logs, Settings, shaped};

    async fn make(settings: Settings) -> Backend {
        shaped(settings, Logs::PerGene, Carrying::Disordered { seed: 1 })
    }

    guanxi_spec::conformance_suite!(make);
}
