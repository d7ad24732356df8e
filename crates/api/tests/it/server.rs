//! A server on loopback over the in-memory backend.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use guanxi_api::{
    Addresses, Authenticator, Budgets, CallOptions, ConnectionBounds, Endpoint, Jwt, ListenerOptions, Load,
    LoadBounds, Options, Origins, PageTokens, Registrants, Revocations, RouterOptions, StoredTokens, Tickets,
    Tls, admin_router, hash_token, main_router, mint_token, serve,
};
use guanxi_centers::operator::{ExportJobs, ExportParts, OperatorCenter, OperatorParts, SpoolTerms};
use guanxi_centers::search::SearchCenter;
use guanxi_centers::user::AccountCenter;
use guanxi_centers::user::passwords::{Argon2Cost, PasswordOptions, Passwords};
use guanxi_centers::user::sessions::{SessionCenter, SessionTerms};
use guanxi_centers::{Centers, Ports, Random};
use guanxi_model::user::UidPolicy;
use guanxi_model::{
    Clock, Command, Credential, Error, HistoryId, Logs, ManualClock, Position, Principal, Reason, Result,
    Scope, Scopes, Uid, Write,
};
use guanxi_ports::search::{PostTable, ProvedIndexes, UserTable};
use guanxi_ports::{
    Applied, BoxFuture, CachedSessions, CheckedUids, CredentialWrites as _, Credentials, EndedUsers, Facts,
    NamedSessions, PostSearch, SearchUpkeep, Sessions, Store, StoreView,
};
use guanxi_proto::{Client, ClientOptions, Wire};
use guanxi_spec::memory::{MemoryInbox, MemorySpool, MemoryStore, MemoryWalks, Options as MemoryOptions};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// The key of page tokens, which the RPC world of the suite knows, too.
const PAGE_KEY: [u8; 32] = [7; 32];

/// When the clock of a server starts.
pub(crate) const START_MS: u64 = 1_750_000_000_123;

/// Accounts whose random bits are never the same twice.
fn accounts(
    centers: &Centers,
    sessions: &Arc<dyn Sessions>,
    clock: &Arc<dyn Clock>,
    options: PasswordOptions,
) -> AccountCenter {
    let count = AtomicU64::new(1);
    let random: Random = Arc::new(move || {
        let mut bits = [0; 32];
        bits[..8]
            .copy_from_slice(&guanxi_model::random::mix(count.fetch_add(1, Ordering::Relaxed)).to_be_bytes());
        bits
    });
    let passwords = Passwords::start(options, clock.clone(), &random).unwrap();
    let terms = SessionTerms::default();
    let logins = SessionCenter::new(sessions.clone(), clock.clone(), random.clone(), terms);
    AccountCenter::new(centers.user.clone(), passwords, logins, clock.clone(), random)
}

/// A running server.
pub(crate) struct Server {
    pub(crate) main: SocketAddr,
    pub(crate) admin: SocketAddr,
    pub(crate) store: Arc<MemoryStore>,
    /// As the server has them: a cache in front of sessions, and names for them.
    pub(crate) tokens: Arc<dyn Credentials>,
    pub(crate) sessions: Arc<dyn Sessions>,
    pub(crate) load: Arc<Load>,
    pub(crate) passwords: Passwords,
    /// Begins sessions of logins.
    pub(crate) logins: SessionCenter,
    /// The files of exports.
    pub(crate) spool: Arc<MemorySpool>,
    /// The walks over users and over posts.
    pub(crate) walks: [Arc<MemoryWalks>; 2],
    stop: watch::Sender<bool>,
    tasks: Vec<JoinHandle<()>>,
}

/// What verifies tokens, with the clock of a server and the users that it has ended.
pub(crate) type MakeJwt = fn(Arc<dyn Clock>, Arc<dyn EndedUsers>) -> Arc<Jwt>;

/// How a server of a test is made.
pub(crate) struct Setup {
    /// Ask callers for tokens.
    pub(crate) auth: bool,
    /// Every write takes so long before it begins.
    pub(crate) write_delay: Duration,
    /// Origins of web pages that may call.
    pub(crate) cors_origins: Vec<String>,
    /// What is done with each call beside answering it.
    pub(crate) calls: CallOptions,
    /// How long an HTTP/2 connection may be idle.
    pub(crate) idle: Duration,
    /// How long a client may take nothing.
    pub(crate) send: Duration,
    /// How long the head of a request may take.
    pub(crate) head: Duration,
    /// How many calls and streams there may be.
    pub(crate) load: LoadBounds,
    /// Verifies the tokens of an issuer.
    pub(crate) jwt: Option<MakeJwt>,
    /// What callers may ask for in a time.
    pub(crate) rates: Arc<Budgets>,
    /// Who may make accounts.
    pub(crate) registration: Registrants,
    /// The threads that hash passwords.
    pub(crate) passwords: PasswordOptions,
    /// TLS of the main listener.
    pub(crate) tls: Option<Arc<Tls>>,
    /// TLS of the admin listener.
    pub(crate) admin_tls: Option<Arc<Tls>>,
    /// Whose numbers uids are.
    pub(crate) uids: UidPolicy,
    /// The store's options.
    pub(crate) store: MemoryOptions,
    /// The store's clock.
    pub(crate) clock: Arc<dyn Clock>,
    /// What is searched; the store itself if absent.
    pub(crate) index: Option<Arc<dyn PostSearch>>,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            auth: false,
            write_delay: Duration::ZERO,
            cors_origins: Vec::new(),
            calls: CallOptions::default(),
            idle: guanxi_api::limits::IDLE_TIMEOUT,
            send: guanxi_api::limits::SEND_TIMEOUT,
            head: guanxi_api::limits::HEADER_TIMEOUT,
            load: LoadBounds::default(),
            jwt: None,
            rates: Arc::default(),
            registration: Registrants::Services,
            passwords: PasswordOptions { cost: Argon2Cost::LEAST, ..PasswordOptions::default() },
            tls: None,
            admin_tls: None,
            uids: UidPolicy::Both,
            store: MemoryOptions { history: HistoryId(7), ..MemoryOptions::default() },
            clock: Arc::new(ManualClock::new(START_MS)),
            index: None,
        }
    }
}

impl Setup {
    fn bounds(&self) -> ConnectionBounds {
        let Self { idle, send, head, .. } = *self;
        ConnectionBounds { idle, send, head, ..ConnectionBounds::default() }
    }
}

impl Server {
    /// A server that asks no caller for a token.
    pub(crate) async fn open() -> Self {
        Self::start(Setup::default()).await
    }

    pub(crate) async fn start(setup: Setup) -> Self {
        let (bounds, history, clock) = (setup.bounds(), setup.store.history, setup.clock.clone());
        let store = Arc::new(MemoryStore::new(clock.clone(), setup.store));
        let slow: Arc<dyn Store> = if setup.write_delay.is_zero() {
            store.clone()
        } else {
            Arc::new(Slow { store: store.clone(), delay: setup.write_delay })
        };
        let inbox = Arc::new(MemoryInbox::new(history, Logs::One));
        let checked = Arc::new(CheckedUids::new(slow, setup.uids));
        let ports = Ports { store: checked.clone(), inbox, log: store.clone(), clock };
        let centers = centers(&ports, setup.index, &store);
        let feed = centers.feed.clone();
        feed.start().await.unwrap();
        let revocations = Revocations::default();
        let cached = Arc::new(CachedSessions::new(store.clone(), checked.clone(), setup.clock.clone()));
        let sessions = revocations.sessions(cached);
        let named = NamedSessions::new(store.clone(), checked, sessions.clone());
        let tokens = revocations.credentials(Arc::new(named));
        let jwt = setup.jwt.as_ref().map(|make| make(setup.clock.clone(), store.clone()));
        let (credentials, ended, clock) = (tokens.clone(), store.clone(), setup.clock.clone());
        let stored = StoredTokens { credentials, sessions: sessions.clone(), ended, clock, revocations, jwt };
        let auth = if setup.auth { Authenticator::Tokens(stored) } else { Authenticator::Open };
        let load = Arc::new(Load::new(setup.load));
        let ((main_listener, main), (admin_listener, admin)) = (listener().await, listener().await);
        let router = RouterOptions {
            auth,
            load: load.clone(),
            ready: Arc::new(|| true),
            origins: Origins::parse(&setup.cors_origins).unwrap(),
            addresses: Addresses { main: Endpoint::plain(main), admin: Endpoint::plain(admin) },
            tickets: Tickets::new([7; 32], setup.clock.clone()),
            body_timeout: guanxi_api::limits::BODY_TIMEOUT,
            calls: setup.calls,
            rates: setup.rates.clone(),
            registration: setup.registration,
        };
        let options = Options { page_tokens: PageTokens::new(PAGE_KEY), router };
        let operator = OperatorCenter::new(&ports, &feed, operator_parts(&tokens, &sessions, &store));
        let operator = operator.minting(setup.uids).searching(Some(Arc::new(NoRebuild(store.clone()))));
        let (stop, stopped) = watch::channel(false);
        let (operator, spool, walks) = exporting(operator, &setup.clock, stopped.clone());
        let metrics = Arc::new(|| "guanxi_test 1\n".to_owned());
        let admin_router = admin_router(operator, "0.0.0-test", options.clone(), metrics);
        let accounts = accounts(&centers, &sessions, &setup.clock, setup.passwords).minting(setup.uids);
        let (passwords, logins) = (accounts.passwords().clone(), accounts.sessions().clone());
        let main_router = main_router(centers, accounts, options);
        let mut tasks = Vec::new();
        tasks.push(tokio::spawn({
            let mut stopped = stopped.clone();
            let stop = async move {
                let _ = stopped.wait_for(|stop| *stop).await;
            };
            async move { feed.worker().await.unwrap().run(stop).await.unwrap() }
        }));
        for (listener, router, tls) in
            [(main_listener, main_router, setup.tls), (admin_listener, admin_router, setup.admin_tls)]
        {
            let options = ListenerOptions { tls, ..bounds.into() };
            let mut stopped = stopped.clone();
            tasks.push(tokio::spawn(async move {
                let shutdown = async move {
                    let _ = stopped.wait_for(|stop| *stop).await;
                };
                serve(listener, router, options, shutdown).await.unwrap();
            }));
        }
        Self { main, admin, store, tokens, sessions, load, passwords, logins, spool, walks, stop, tasks }
    }

    /// The access token of a login of a user.
    pub(crate) async fn login(&self, uid: u64) -> String {
        let issued = self.logins.begin(Uid::new(uid).unwrap(), None).await.unwrap();
        issued.access.as_str().to_owned()
    }

    /// Tells it to stop.
    pub(crate) fn stop(&self) {
        self.stop.send_replace(true);
    }

    /// Completes when both listeners have ended.
    pub(crate) async fn ended(&mut self) {
        for task in self.tasks.drain(..) {
            task.await.unwrap();
        }
    }

    /// A client of both doors; each door has its own.
    pub(crate) fn clients(&self, wire: Wire) -> (Client, Client) {
        let client = |to: SocketAddr| {
            let mut options = ClientOptions::new(format!("http://{to}"));
            options.wire = wire;
            options.timeout = Duration::from_secs(20);
            Client::new(&options).unwrap()
        };
        (client(self.main), client(self.admin))
    }

    pub(crate) fn client(&self, wire: Wire) -> Client {
        self.clients(wire).0
    }

    /// A client that calls with a token.
    pub(crate) fn client_as(&self, wire: Wire, token: &str) -> Client {
        let mut options = ClientOptions::new(format!("http://{}", self.main));
        (options.wire, options.token) = (wire, Some(token.to_owned()));
        Client::new(&options).unwrap()
    }

    /// Stores a token for a principal; the name is the token.
    pub(crate) async fn token(&self, name: &str, principal: Principal) -> String {
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

    pub(crate) async fn user(&self, uid: u64) -> String {
        self.token(&format!("user-{uid}"), Principal::EndUser(Uid::new(uid).unwrap())).await
    }

    /// Returns a token of a service with these scopes, and no others.
    pub(crate) async fn service(&self, scopes: &[Scope]) -> String {
        let name = scopes.iter().fold("service".to_owned(), |name, scope| format!("{name}-{}", *scope as u8));
        let scopes: Scopes = scopes.iter().copied().collect();
        if self.tokens.find(hash_token(&name)).await.unwrap().is_some() {
            return name;
        }
        self.token(&name, Principal::Service(scopes)).await
    }
}

/// A listener on a free port, and where it is.
async fn listener() -> (TcpListener, SocketAddr) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    (listener, address)
}

/// Search indexes that are as they are: the store itself.
struct NoRebuild(Arc<MemoryStore>);

impl SearchUpkeep for NoRebuild {
    fn rebuild(&self) {}

    fn proved(&self) -> Option<ProvedIndexes> {
        Some(ProvedIndexes { users: self.0.clone(), posts: self.0.clone() })
    }

    fn users(&self) -> Arc<dyn UserTable> {
        self.0.clone()
    }

    fn posts(&self) -> Arc<dyn PostTable> {
        self.0.clone()
    }
}

/// A center with jobs over files in memory, which run on a thread of their own until the server ends.
fn exporting(
    operator: OperatorCenter,
    clock: &Arc<dyn Clock>,
    mut stopped: watch::Receiver<bool>,
) -> (OperatorCenter, Arc<MemorySpool>, [Arc<MemoryWalks>; 2]) {
    let (spool, walks) = (Arc::new(MemorySpool::default()), <[Arc<MemoryWalks>; 2]>::default());
    let jobs = ExportJobs::new(ExportParts {
        spool: spool.clone(),
        walks: [walks[0].clone(), walks[1].clone()],
        terms: SpoolTerms { bytes_max: 1 << 20, keep_ms: 60_000 },
        clock: clock.clone(),
        pause: Arc::new(|time| Box::pin(tokio::time::sleep(time))),
    });
    let operator = operator.exporting(Some(jobs.clone()));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let center = operator.clone();
    std::thread::spawn(move || {
        runtime.block_on(async {
            tokio::select! {
                _ = stopped.wait_for(|stop| *stop) => {}
                () = jobs.run(&center) => {}
            }
        });
    });
    (operator, spool, walks)
}

/// The centers, which search an index, or the store itself.
fn centers(ports: &Ports, index: Option<Arc<dyn PostSearch>>, store: &Arc<MemoryStore>) -> Centers {
    let index = index.unwrap_or_else(|| store.clone());
    let search = SearchCenter::new(ports.store.clone(), index, store.clone(), &ports.clock);
    Centers { search, ..Centers::new(ports) }
}

fn operator_parts(
    tokens: &Arc<dyn Credentials>,
    sessions: &Arc<dyn Sessions>,
    store: &Arc<MemoryStore>,
) -> OperatorParts {
    OperatorParts {
        credentials: tokens.clone(),
        sessions: sessions.clone(),
        upkeep: store.clone(),
        random: Arc::new(|| [42; 32]),
        mint: mint_token,
    }
}

/// A graph whose writes take their time before they begin.
struct Slow {
    store: Arc<MemoryStore>,
    delay: Duration,
}

impl Facts for Slow {
    fn apply(&self, write: Write) -> BoxFuture<'_, Result<Applied>> {
        Box::pin(async move {
            tokio::time::sleep(self.delay).await;
            let asks =
                |object| matches!(write.commands[0], Command::Pair(pair) if pair.object.get() == object);
            assert!(!asks(PANICS), "this write was asked to panic");
            if asks(FAILS) {
                return Err(Error::with_detail(Reason::Damaged, "the secret path /var/lib/x"));
            }
            self.store.apply(write).await
        })
    }
}

impl Store for Slow {
    fn view<'a>(&'a self, at_least: Option<&'a Position>) -> BoxFuture<'a, Result<Box<dyn StoreView>>> {
        self.store.view(at_least)
    }

    fn is_applied(&self, uid: Uid, at: guanxi_model::EventAt) -> BoxFuture<'_, Result<bool>> {
        self.store.is_applied(uid, at)
    }
}

/// The object whose write panics on a slow graph.
pub(crate) const PANICS: u64 = 666;

/// The object whose write fails on a slow graph.
pub(crate) const FAILS: u64 = 667;
