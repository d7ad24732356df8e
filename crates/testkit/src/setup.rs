//! How a server of a test is made.

use guanxi_api::{Addresses, Authenticator, Endpoint, Load, Options, PageTokens, Readiness};
use guanxi_api::{
    Budgets, CallOptions, ConnectionBounds, Jwt, LoadBounds, Origins, Registrants, RenderMetrics,
    RouterOptions, Tickets, Tls,
};
use guanxi_centers::user::passwords::{Argon2Cost, PasswordOptions};
use guanxi_model::user::UidPolicy;
use guanxi_model::{Clock, HistoryId, ManualClock};
use guanxi_ports::{EndedUsers, PostSearch};
use guanxi_server::DemoWorld;
use guanxi_spec::memory::Options as MemoryOptions;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

/// When the clock of a server starts.
pub const START_MS: u64 = 1_750_000_000_123;

/// What verifies tokens, with the clock of a server and the users that it has ended.
pub type MakeJwt = fn(Arc<dyn Clock>, Arc<dyn EndedUsers>) -> Arc<Jwt>;

/// How a server of a test is made.
pub struct Setup {
    /// Ask callers for tokens.
    pub auth: bool,
    /// Every write takes so long before it begins.
    pub write_delay: Duration,
    /// Origins of web pages that may call.
    pub cors_origins: Vec<String>,
    /// What is done with each call beside answering it.
    pub calls: CallOptions,
    /// How long an HTTP/2 connection may be idle.
    pub idle: Duration,
    /// How long a client may take nothing.
    pub send: Duration,
    /// How long the head of a request may take.
    pub head: Duration,
    /// How many calls and streams there may be.
    pub load: LoadBounds,
    /// Verifies the tokens of an issuer.
    pub jwt: Option<MakeJwt>,
    /// What callers may ask for in a time.
    pub rates: Arc<Budgets>,
    /// Who may make accounts.
    pub registration: Registrants,
    /// The threads that hash passwords.
    pub passwords: PasswordOptions,
    /// TLS of the main listener.
    pub tls: Option<Arc<Tls>>,
    /// TLS of the admin listener.
    pub admin_tls: Option<Arc<Tls>>,
    /// The key of page tokens.
    pub page_key: [u8; 32],
    /// Whose numbers uids are.
    pub uids: UidPolicy,
    /// The options of the memory store.
    pub store: MemoryOptions,
    /// The page of metrics.
    pub metrics: RenderMetrics,
    /// The store's clock.
    pub clock: Arc<dyn Clock>,
    /// What is searched for posts; the memory store itself if absent.
    pub index: Option<Arc<dyn PostSearch>>,
    /// The world of the demo, which the console has a page for.
    pub demo: Option<DemoWorld>,
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
            page_key: [7; 32],
            uids: UidPolicy::Both,
            store: MemoryOptions { history: HistoryId(7), ..MemoryOptions::default() },
            metrics: Arc::new(|| "guanxi_test 1\n".to_owned()),
            clock: Arc::new(ManualClock::new(START_MS)),
            index: None,
            demo: None,
        }
    }
}

impl Setup {
    /// The bounds of the connections of both listeners.
    pub(crate) fn bounds(&self) -> ConnectionBounds {
        let Self { idle, send, head, .. } = *self;
        ConnectionBounds { idle, send, head, ..ConnectionBounds::default() }
    }

    /// The options of both listeners, which are at these addresses.
    pub(crate) fn options(&self, auth: Authenticator, [main, admin]: [SocketAddr; 2]) -> Options {
        let router = RouterOptions {
            auth,
            load: Arc::new(Load::new(self.load)),
            ready: Arc::new(|| Readiness::of(true)),
            origins: Origins::parse(&self.cors_origins).unwrap(),
            addresses: Addresses { main: Endpoint::plain(main), admin: Endpoint::plain(admin) },
            tickets: Tickets::new([7; 32], self.clock.clone()),
            body_timeout: guanxi_api::limits::BODY_TIMEOUT,
            calls: self.calls.clone(),
            rates: self.rates.clone(),
            registration: self.registration,
        };
        Options { page_tokens: PageTokens::new(self.page_key), router }
    }
}
