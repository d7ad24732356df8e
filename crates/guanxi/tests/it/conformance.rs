//! The conformance suite through everything: client, server, embedded store; also across a restart.

use guanxi_api::limits::BODY_TIMEOUT;
use guanxi_api::{
    Addresses, AdminPages, Authenticator, ConnectionBounds, Endpoint, Load, Options, Origins, PageTokens,
    Readiness, RouterOptions, Tickets, admin_router, main_router, mint_token, serve,
};
use guanxi_centers::operator::{OperatorCenter, OperatorParts};
use guanxi_centers::user::AccountCenter;
use guanxi_centers::user::passwords::{PasswordOptions, Passwords};
use guanxi_centers::user::sessions::{SessionCenter, SessionTerms};
use guanxi_centers::{Centers, Ports, Random};
use guanxi_embedded::{EmbeddedStore, Inboxes, OpenError};
use guanxi_ports::{BoxFuture, CheckedUids, Metered};
use guanxi_proto::{Client, ClientOptions, Wire};
use guanxi_remote::{PAGE_KEY, Remote};
use guanxi_server::overview::{OverviewTerms, Overviews};
use guanxi_spec::conformance::{Backend, Settings};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// Memory for inboxes.
const INBOX_BYTES: u64 = 1 << 20;

/// A served store. Dropping it ends both listeners.
struct Served {
    stop: watch::Sender<bool>,
    listeners: Vec<JoinHandle<()>>,
    main: SocketAddr,
    admin: SocketAddr,
    store: EmbeddedStore,
}

impl Served {
    /// Answers what is in flight, ends, and closes the store: the directory is free afterwards.
    async fn end(mut self) {
        self.stop.send_replace(true);
        for listener in self.listeners.drain(..) {
            listener.await.unwrap();
        }
        self.store.close().await.unwrap();
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.listeners.iter().for_each(JoinHandle::abort);
    }
}

async fn make(settings: Settings) -> Backend {
    let dir = TempDir::new().unwrap();
    let path = dir.path().to_owned();
    Backend { guard: Some(Box::new(dir)), ..open(path, settings).await }
}

fn open(path: PathBuf, settings: Settings) -> BoxFuture<'static, Backend> {
    Box::pin(async move {
        let served = start(&path, &settings).await;
        let client = |to: SocketAddr| {
            let mut options = ClientOptions::new(format!("http://{to}"));
            options.wire = Wire::Http1;
            options.timeout = Duration::from_secs(20);
            Client::new(&options).unwrap()
        };
        let remote = Remote::connect(client(served.main), client(served.admin)).await.unwrap();
        let mut backend = Backend::without_sessions(Arc::new(remote));
        backend.cannot = Remote::cannot();
        let reopen = move || -> BoxFuture<'static, Backend> {
            Box::pin(async move {
                served.end().await;
                open(path, settings).await
            })
        };
        backend.reopen = Some(Box::new(reopen));
        backend
    })
}

/// Opens the store once the last connection of the server before has let go of it.
async fn free(
    path: &std::path::Path,
    options: guanxi_embedded::Options,
    settings: &Settings,
) -> EmbeddedStore {
    let deadline = tokio::time::Instant::now() + Duration::from_secs(10);
    loop {
        match EmbeddedStore::open(path, options.clone(), settings.clock.clone()) {
            Err(OpenError::InUse(_)) if tokio::time::Instant::now() < deadline => {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            opened => return opened.unwrap(),
        }
    }
}

fn operator_parts(store: &Arc<EmbeddedStore>) -> OperatorParts {
    OperatorParts {
        credentials: store.clone(),
        sessions: store.clone(),
        shards: store.clone(),
        upkeep: store.clone(),
        random: Arc::new(|| [42; 32]),
        mint: mint_token,
    }
}

async fn start(path: &std::path::Path, settings: &Settings) -> Served {
    let options = guanxi_embedded::Options {
        new_history: settings.history,
        follow_limit: settings.follow_limit,
        block_limit: settings.block_limit,
        mute_limit: settings.mute_limit,
        log_events_max: settings.log_events_max,
        free_space_reserve: 0,
        uids: Some(settings.uids),
        ..guanxi_embedded::Options::default()
    };
    let store = free(path, options, settings).await;
    let shared = Arc::new(store.clone());
    let uids = store.uids();
    let checked = Arc::new(CheckedUids::new(Metered::new(shared.clone()), uids));
    let inboxes = Arc::new(Inboxes::new(settings.history, INBOX_BYTES));
    let ports = Ports { store: checked, inbox: inboxes, log: shared.clone(), clock: settings.clock.clone() };
    let centers = Centers::new(&ports);
    centers.feed.start().await.unwrap();
    let (mut bound, mut addresses) = (Vec::new(), Vec::new());
    for _ in 0..2 {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        addresses.push(listener.local_addr().unwrap());
        bound.push(listener);
    }
    let router = RouterOptions {
        auth: Authenticator::Open(guanxi_api::Hosts::default()),
        load: Arc::new(Load::default()),
        ready: Arc::new(|| Readiness::of(true)),
        tickets: Tickets::new([7; 32], settings.clock.clone()),
        body_timeout: BODY_TIMEOUT,
        origins: Origins::default(),
        addresses: Addresses { main: Endpoint::plain(addresses[0]), admin: Endpoint::plain(addresses[1]) },
        calls: guanxi_api::CallOptions::default(),
        rates: Arc::default(),
        registration: guanxi_api::Registrants::Services,
    };
    let options = Options { page_tokens: PageTokens::new(PAGE_KEY), router };
    let operator = OperatorCenter::new(&ports, &centers.feed, operator_parts(&shared)).minting(uids);
    let terms = OverviewTerms {
        is_of_cluster: false,
        roles: Vec::new(),
        ready: Arc::new(|| Readiness::of(true)),
        clock: settings.clock.clone(),
    };
    let overview = Overviews::new(Arc::new(|_: &mut dyn std::io::Write| Ok(())), terms, &guanxi_server::config::Settings::default());
    let (metrics, overview) = (Arc::new(String::new), Arc::new(overview));
    let pages = AdminPages { version: "0.0.0-test", metrics, overview, codes: None };
    let admin_router = admin_router(operator, pages, options.clone());
    let random: Random = Arc::new(|| [42; 32]);
    let clock = settings.clock.clone();
    let passwords = Passwords::start(PasswordOptions::default(), clock.clone(), &random).unwrap();
    let logins =
        SessionCenter::new(Arc::new(store.clone()), clock.clone(), random.clone(), SessionTerms::default());
    let accounts = AccountCenter::new(centers.user.clone(), passwords, logins, clock, random).minting(uids);
    let routers = [main_router(centers, accounts, options), admin_router];
    let (stop, stopped) = watch::channel(false);
    let mut listeners = Vec::new();
    for (listener, router) in bound.into_iter().zip(routers) {
        let mut stopped = stopped.clone();
        listeners.push(tokio::spawn(async move {
            let shutdown = async move {
                let _ = stopped.wait_for(|stop| *stop).await;
            };
            let bounds = ConnectionBounds::default();
            serve(listener, router, bounds, shutdown).await.unwrap();
        }));
    }
    Served { stop, listeners, main: addresses[0], admin: addresses[1], store }
}

guanxi_spec::conformance_suite!(make);
