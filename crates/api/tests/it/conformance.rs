//! The conformance suite through the whole of the wire: client, server, in-memory backend.

use std::sync::Arc;

use guanxi_proto::Wire;
use guanxi_remote::Remote;
use guanxi_spec::conformance::{Backend, Settings};
use guanxi_spec::memory::Options;

use crate::server::{Server, Setup};

async fn make(settings: Settings) -> Backend {
    let store = Options {
        history: settings.history,
        follow_limit: settings.follow_limit,
        block_limit: settings.block_limit,
        mute_limit: settings.mute_limit,
        log_events_max: settings.log_events_max,
        ..Options::default()
    };
    let (clock, uids) = (settings.clock.clone(), settings.uids);
    let server = Server::start(Setup { uids, store, clock, ..Setup::default() }).await;
    let (main, admin) = server.clients(Wire::Http1);
    let remote = Arc::new(Remote::connect(main, admin).await.unwrap());
    let mut backend = Backend::without_sessions(remote);
    backend.cannot = Remote::cannot();
    backend.guard = Some(Box::new(server));
    backend
}

guanxi_spec::conformance_suite!(make);
