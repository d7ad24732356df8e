//! The conformance suite through the whole of the wire: client, server, in-memory backend.

use std::sync::Arc;

use guanxi_api::remote::Remote;
use guanxi_proto::Wire;
use guanxi_spec::conformance::{Backend, Need, Settings};
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
    backend.cannot = vec![
        (Need::PinnedViews, "each read of the API stands by itself, at least as new as its token"),
        (Need::MixedBatches, "the API has BatchFollow alone"),
        (Need::OffsetsEverywhere, "only ListFollowing and ListFriends take an offset"),
        (Need::Credentials, "the server makes the secrets of its tokens itself"),
        (Need::Sessions, "sessions are made by logging in, and the API shows no hashes"),
        (Need::Accounts, "accounts are made with passwords, which the server alone hashes"),
        (Need::EndUsers, "the suite asks as a service, which is told of every edge"),
        (Need::ContactSteps, "the API binds a contact in one call"),
        (Need::Outboxes, "the API shows posts to readers: neither outboxes nor what a deleted post was"),
        (Need::Affinity, "the API takes interactions, and makes scores of them by itself"),
        (Need::Traces, "the API has no pages of what only an erasure asks"),
        (Need::Ends, "the server ends by itself what has an end"),
    ];
    backend.guard = Some(Box::new(server));
    backend
}

guanxi_spec::conformance_suite!(make);
