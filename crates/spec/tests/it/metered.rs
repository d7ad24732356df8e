//! A wrapper must pass what the wrapped one passes.

use guanxi_ports::Metered;
use guanxi_spec::conformance::{Backend, Settings};
use std::sync::Arc;

async fn make(settings: Settings) -> Backend {
    let backend = crate::memory::make(settings).await;
    Backend {
        graph: Arc::new(Metered::new(backend.graph.clone())),
        posts: Arc::new(Metered::new(backend.posts.clone())),
        ..backend
    }
}

guanxi_spec::conformance_suite!(make);
