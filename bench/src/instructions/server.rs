//! The server without its sockets: the store, the centers and the router of the main listener, as the binary wires
//! them.
//!
//! What each call passes is as it is in production: the token, the rates, the admission by load and the meters. Left
//! out is what runs beside calls: the fan-out, jobs, and the probes of the admission, without which it lets all in.

use super::world::{INBOX_BYTES, clock, password_options, random};
use guanxi_api::{
    Addresses, Authenticator, Budgets, CallOptions, Endpoint, Load, Options, Origins, PageTokens, RATE_MAX,
    RateLimits, Readiness, Registrants, Router, RouterOptions, Tickets, limits, main_router,
};
use guanxi_centers::HeavyWork;
use guanxi_centers::user::sessions::SessionTerms;
use guanxi_embedded::{EmbeddedStore, Inboxes, Options as StoreOptions};
use guanxi_model::{Clock, Result};
use guanxi_server::{ProcessTerms, StorePorts, StoreTerms};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;

/// Upper bounds of buckets, about as many as the server's histograms have.
const BUCKETS: &[f64] = &[
    10e-6, 25e-6, 50e-6, 100e-6, 250e-6, 500e-6, 1e-3, 2.5e-3, 5e-3, 10e-3, 25e-3, 50e-3, 0.1, 0.25, 0.5,
    1.0, 2.5, 5.0, 10.0,
];
/// Callers of each budget that are remembered, as by default.
const RATE_KEYS: usize = 65_536;

/// Installs the recorder of metrics, before anything registers some.
pub(super) fn install_metrics() -> std::result::Result<(), String> {
    let built = PrometheusBuilder::new().set_buckets_for_metric(Matcher::Suffix("_seconds".into()), BUCKETS);
    let installed = built.and_then(PrometheusBuilder::install_recorder);
    installed.map(drop).map_err(|error| format!("the recorder of metrics: {error}"))
}

/// Opens a directory and makes what its main listener would serve. The store is open as long as it is there.
pub(super) async fn open(dir: &Path) -> std::result::Result<(EmbeddedStore, Router), String> {
    let clock = clock();
    let store = EmbeddedStore::open(dir, StoreOptions::default(), clock.clone())
        .map_err(|error| error.to_string())?;
    let router = router(&store, &clock).await.map_err(|error| format!("{error:?}"))?;
    Ok((store, router))
}

async fn router(store: &EmbeddedStore, clock: &Arc<dyn Clock>) -> Result<Router> {
    let process = ProcessTerms { clock: clock.clone(), random: random(), passwords: password_options() };
    let terms = StoreTerms {
        inbox: Inboxes::new(store.history(), INBOX_BYTES),
        uids: store.uids(),
        others_write: false,
        heavy: HeavyWork::default(),
        process,
    };
    let ports = StorePorts::around(Arc::new(store.clone()), terms);
    let centers = ports.centers();
    centers.feed.start().await?;
    let accounts = ports.accounts(centers.user.clone(), SessionTerms::default())?;
    Ok(main_router(centers, accounts, options(ports.authenticator(None), clock)))
}

fn options(auth: Authenticator, clock: &Arc<dyn Clock>) -> Options {
    let nowhere = Endpoint::plain(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)));
    let router = RouterOptions {
        auth,
        load: Arc::new(Load::default()),
        ready: Arc::new(|| Readiness::of(true)),
        tickets: Tickets::new([7; 32], clock.clone()),
        body_timeout: limits::BODY_TIMEOUT,
        origins: Origins::default(),
        addresses: Addresses { main: nowhere, admin: nowhere },
        calls: CallOptions { id_seed: 1, ..CallOptions::default() },
        rates: Arc::new(Budgets::new(rates())),
        registration: Registrants::Services,
    };
    Options { page_tokens: PageTokens::new([7; 32]), router }
}

/// Rates that are counted, and so high that none is reached.
const fn rates() -> RateLimits {
    RateLimits {
        reads_per_minute: RATE_MAX,
        writes_per_minute: RATE_MAX,
        follows_per_hour: RATE_MAX,
        posts_per_minute: RATE_MAX,
        unknown_per_minute: RATE_MAX,
        logins_per_minute: RATE_MAX,
        registrations_per_hour: RATE_MAX,
        keys_max: RATE_KEYS,
    }
}
