//! Wrappers: each must pass what the wrapped one passes.

use guanxi_ports::{CachedSessions, Metered, NamedSessions, Sessions};
use guanxi_spec::conformance::{Backend, Settings};
use std::sync::Arc;

async fn make(settings: Settings) -> Backend {
    let clock = settings.clock.clone();
    let backend = crate::memory::make(settings).await;
    let sessions = backend.sessions.clone().expect("the specification has sessions");
    let sessions: Arc<dyn Sessions> = Arc::new(CachedSessions::new(sessions.clone(), sessions, clock));
    Backend {
        store: Arc::new(Metered::new(backend.store.clone())),
        credentials: Arc::new(NamedSessions::new(
            backend.credentials.clone(),
            backend.credentials.clone(),
            sessions.clone(),
        )),
        sessions: Some(sessions),
        ..backend
    }
}

guanxi_spec::conformance_suite!(make);
