//! The conformance suite through the whole of the wire: client, server, in-memory backend.

use guanxi_proto::Wire;
use guanxi_remote::{PAGE_KEY, Remote};
use guanxi_spec::conformance::{Backend, Settings};
use guanxi_testkit::{Server, Setup};

async fn make(settings: Settings) -> Backend {
    let (store, uids) = (settings.memory(), settings.uids);
    let setup = Setup { page_key: PAGE_KEY, uids, store, clock: settings.clock, ..Setup::default() };
    let server = Server::start(setup).await;
    let (main, admin) = server.clients(Wire::Http1);
    Backend { guard: Some(Box::new(server)), ..Remote::backend(main, admin).await.unwrap() }
}

guanxi_spec::conformance_suite!(make);
