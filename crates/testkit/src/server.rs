//! A running server on loopback.

use crate::search::SearchedBy;
use crate::setup::{START_MS, Setup};
use crate::slow::Slow;
use guanxi_api::{Authenticator, ListenerOptions, Load, Options, hash_token};
use guanxi_centers::operator::{ExportParts, OperatorCenter, SpoolTerms};
use guanxi_centers::search::SearchCenter;
use guanxi_centers::user::passwords::Passwords;
use guanxi_centers::user::sessions::{SessionCenter, SessionTerms};
use guanxi_centers::{HeavyWork, Random};
use guanxi_model::random::mix;
use guanxi_model::{Clock, Credential, Logs, Principal, Scope, Scopes, Uid};
use guanxi_ports::{CredentialWrites as _, Credentials, Inbox, Sessions};
use guanxi_proto::{Client, ClientOptions, Wire};
use guanxi_server::config::Settings;
use guanxi_server::overview::{OverviewTerms, Overviews};
use guanxi_server::{
    Door, Exporting, Hosts, Outcome, PortFollowers, ProcessTerms, ServedConsole, ServedPorts, Stop,
    StorePorts, StoreTerms, WholeStore, serve_ports,
};
use guanxi_spec::memory::{MemoryInbox, MemorySpool, MemoryStore, MemoryWalks};
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// A running server. Dropping it begins its end.
pub struct Server<S = MemoryStore> {
    /// Where the main listener is.
    pub main: SocketAddr,
    /// Where the admin listener is.
    pub admin: SocketAddr,
    /// The store, as the test has made it.
    pub store: Arc<S>,
    /// The tokens as the server has them: those of end users are names for sessions.
    pub tokens: Arc<dyn Credentials>,
    /// The sessions as the server has them, behind a cache.
    pub sessions: Arc<dyn Sessions>,
    /// The load of both listeners.
    pub load: Arc<Load>,
    /// The threads that hash passwords.
    pub passwords: Passwords,
    /// Begins sessions of logins.
    pub logins: SessionCenter,
    /// The samples of the overview, which are taken when a test says so.
    pub overviews: Arc<Overviews>,
    /// The files of exports.
    pub spool: Arc<MemorySpool>,
    /// The walks over users and over posts.
    pub walks: [Arc<MemoryWalks>; 2],
    stop: Stop,
    task: Option<JoinHandle<Outcome>>,
}

impl Server {
    /// A server over memory that asks no caller for a token.
    pub async fn open() -> Self {
        Self::start(Setup::default()).await
    }

    /// A server over memory.
    pub async fn start(mut setup: Setup) -> Self {
        let store = Arc::new(MemoryStore::new(setup.clock.clone(), setup.store.clone()));
        let inbox = MemoryInbox::new(setup.store.history, Logs::One);
        let searched = SearchedBy::memory(&store, setup.index.take());
        Self::serve(store, inbox, Some(searched), setup).await
    }
}

impl<S: WholeStore> Server<S> {
    /// A server over an open store, which is not searched. The options of the memory store in the setup mean nothing here.
    pub async fn over(store: Arc<S>, inbox: impl Inbox + 'static, setup: Setup) -> Self {
        Self::serve(store, inbox, None, setup).await
    }

    async fn serve(
        store: Arc<S>,
        inbox: impl Inbox + 'static,
        searched: Option<SearchedBy>,
        setup: Setup,
    ) -> Self {
        let ports = ports(&store, inbox, &setup);
        let mut centers = ports.centers();
        let mut operator = ports.operator(&centers.feed);
        if let Some(SearchedBy { posts, users, upkeep }) = searched {
            let of_centers = ports.of_centers();
            centers.search = SearchCenter::new(of_centers.store.clone(), posts, users, &of_centers.clock);
            operator = operator.searching(Some(upkeep));
        }
        let (spool, walks) = (Arc::<MemorySpool>::default(), <[Arc<MemoryWalks>; 2]>::default());
        let (operator, exporting) = exporting(operator, &spool, &walks, &setup.clock);
        let ([main_door, admin_door], [main, admin]) = doors(&setup).await;
        let jwt = setup.jwt.map(|make| make(setup.clock.clone(), ports.ended_users().clone()));
        let auth = if setup.auth { ports.authenticator(jwt) } else { Authenticator::Open(Hosts::default()) };
        let options = setup.options(auth, [main, admin]);
        let load = options.router.load.clone();
        let accounts = ports.accounts(centers.user.clone(), SessionTerms::default()).unwrap();
        let (passwords, logins) = (accounts.passwords().clone(), accounts.sessions().clone());
        let (tokens, sessions) = (ports.credentials().clone(), ports.sessions().clone());
        let followers = PortFollowers::start(&ports, &centers, true).await.unwrap();
        let (metrics, overviews) = (setup.metrics.clone(), Arc::new(overviews(&setup, &options)));
        let overview = overviews.clone();
        let console = Some(ServedConsole {
            hosts: Hosts::default(),
            is_tls: false,
            urls: [main, admin].map(|at| format!("http://{at}")),
            tries: false,
            demo: setup.demo,
        });
        let served = ServedPorts { centers, operator, accounts, options, metrics, overview, console };
        let stop = Stop::default();
        let serving = serve_ports(served, main_door, admin_door, stop.clone());
        let task = Some(tokio::spawn(async move {
            let served = serving.await;
            served.and(exporting.end().await).and(followers.end().await)
        }));
        Self {
            main,
            admin,
            store,
            tokens,
            sessions,
            load,
            passwords,
            logins,
            overviews,
            spool,
            walks,
            stop,
            task,
        }
    }

    /// Tells it to stop.
    pub fn stop(&self) {
        self.stop.begin();
    }

    /// Completes when it has ended, once it was told to stop: nothing of it reads the store any more.
    pub async fn ended(&mut self) {
        if let Some(task) = self.task.take() {
            task.await.unwrap().unwrap();
        }
    }

    /// The access token of a login of a user.
    pub async fn login(&self, uid: u64) -> String {
        let issued = self.logins.begin(Uid::new(uid).unwrap(), None).await.unwrap();
        issued.access.as_str().to_owned()
    }

    /// A client of both doors; each door has its own.
    pub fn clients(&self, wire: Wire) -> (Client, Client) {
        let client = |to: SocketAddr| {
            let mut options = ClientOptions::new(format!("http://{to}"));
            options.wire = wire;
            options.timeout = Duration::from_secs(20);
            Client::new(&options).unwrap()
        };
        (client(self.main), client(self.admin))
    }

    /// A client of the main listener, without a token.
    pub fn client(&self, wire: Wire) -> Client {
        self.clients(wire).0
    }

    /// A client that calls with a token.
    pub fn client_as(&self, wire: Wire, token: &str) -> Client {
        let mut options = ClientOptions::new(format!("http://{}", self.main));
        (options.wire, options.token) = (wire, Some(token.to_owned()));
        Client::new(&options).unwrap()
    }

    /// Stores a token for a principal; the name is the token.
    pub async fn token(&self, name: &str, principal: Principal) -> String {
        let secret = match &principal {
            Principal::EndUser(uid) => format!("gxs_{:02x}{name}", uid.gene().0),
            _ => name.to_owned(),
        };
        let (hash, name) = (hash_token(&secret), name.to_owned());
        self.tokens
            .add(Credential { hash, name, principal, created_ms: START_MS, rate_per_minute: None })
            .await
            .unwrap();
        secret
    }

    /// Stores a token for an end user.
    pub async fn user(&self, uid: u64) -> String {
        self.token(&format!("user-{uid}"), Principal::EndUser(Uid::new(uid).unwrap())).await
    }

    /// Returns a token of a service with these scopes, and no others.
    pub async fn service(&self, scopes: &[Scope]) -> String {
        let name = scopes.iter().fold("service".to_owned(), |name, scope| format!("{name}-{}", *scope as u8));
        let scopes: Scopes = scopes.iter().copied().collect();
        if self.tokens.find(hash_token(&name)).await.unwrap().is_some() {
            return name;
        }
        self.token(&name, Principal::Service(scopes)).await
    }
}

impl<S> Drop for Server<S> {
    fn drop(&mut self) {
        self.stop.begin();
    }
}

/// The ports of a store as a server has them, with random bits that are never the same twice.
fn ports<S: WholeStore>(store: &Arc<S>, inbox: impl Inbox + 'static, setup: &Setup) -> StorePorts {
    let count = AtomicU64::new(1);
    let random: Random = Arc::new(move || {
        let mut bits = [0; 32];
        bits[..8].copy_from_slice(&mix(count.fetch_add(1, Ordering::Relaxed)).to_be_bytes());
        bits
    });
    let process = ProcessTerms { clock: setup.clock.clone(), random, passwords: setup.passwords };
    let (uids, others_write, heavy) = (setup.uids, false, HeavyWork::default());
    let terms = StoreTerms { inbox, uids, others_write, heavy, process };
    if setup.write_delay.is_zero() {
        StorePorts::around(store.clone(), terms)
    } else {
        StorePorts::around(Arc::new(Slow::new(store.clone(), setup.write_delay)), terms)
    }
}

/// The overview over the page of metrics of the setup.
fn overviews(setup: &Setup, options: &Options) -> Overviews {
    let metrics = setup.metrics.clone();
    let terms = OverviewTerms {
        is_of_cluster: false,
        roles: vec!["api"],
        ready: options.router.ready.clone(),
        clock: setup.clock.clone(),
    };
    Overviews::new(
        Arc::new(move |out: &mut dyn io::Write| out.write_all(metrics().as_bytes())),
        terms,
        &Settings::default(),
    )
}

/// The main and the admin listener, each on a free port, and where they are.
async fn doors(setup: &Setup) -> ([Door; 2], [SocketAddr; 2]) {
    let door = async |tls| {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        (Door { listener, options: ListenerOptions { tls, ..setup.bounds().into() } }, address)
    };
    let (main, admin) = (door(setup.tls.clone()).await, door(setup.admin_tls.clone()).await);
    ([main.0, admin.0], [main.1, admin.1])
}

/// A center with jobs over files in memory.
fn exporting(
    operator: OperatorCenter,
    spool: &Arc<MemorySpool>,
    walks: &[Arc<MemoryWalks>; 2],
    clock: &Arc<dyn Clock>,
) -> (OperatorCenter, Exporting) {
    let parts = ExportParts {
        spool: spool.clone(),
        walks: [walks[0].clone(), walks[1].clone()],
        terms: SpoolTerms { bytes_max: 1 << 20, keep_ms: 60_000 },
        clock: clock.clone(),
        pause: Arc::new(|time| Box::pin(tokio::time::sleep(time))),
    };
    Exporting::start(operator, parts).unwrap()
}
