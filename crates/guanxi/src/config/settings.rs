//! The settings, their defaults and their checks.

use super::uids::Uids;
use super::words::{Carried, Durability, JwtSubject, LogFormat, ProcessRole, WhoRegisters};
use guanxi_api::{Origins, limits};
use guanxi_api::{RATE_MAX, RateLimits};
use guanxi_centers::retention::KeptFor;
use guanxi_centers::user::sessions::SessionTerms;
use guanxi_model::limits::{FOLLOW_LIMIT_DEFAULT, FOLLOW_LIMIT_MAX};
use serde::{Deserialize, Serialize};
use std::net::{SocketAddr, ToSocketAddrs as _};
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::sync::LazyLock;

/// Where the API is served unless told otherwise.
pub(super) const LISTEN_DEFAULT: &str = "127.0.0.1:7420";
/// Where operators' calls are served unless told otherwise.
pub(super) const ADMIN_LISTEN_DEFAULT: &str = "127.0.0.1:7421";

/// The most of memory or disk that a setting may ask for, in MiB: a PiB, more than any machine has.
const MIB_MAX: u64 = 1 << 30;
/// The longest window of `durability = "group"`, in milliseconds: a minute, more than anybody means to lose.
const WINDOW_MS_MAX: u64 = 60_000;
/// The most events that a log keeps: a backend's numbers of events end there.
const EVENTS_MAX: u64 = 1 << 48;
/// The greatest age of events, in hours: a century.
const HOURS_MAX: u64 = 100 * 366 * 24;

/// The shortest key that nobody guesses.
const TICKET_KEY_LEN_MIN: usize = 32;
/// The most connections, calls or streams that a setting may allow: more than a process can have.
const PLACES_MAX: u64 = 1 << 24;
/// The most calls at once on one connection: a client with more to ask opens a second one.
const CALLS_PER_CONNECTION_MAX: u64 = 1 << 16;
/// The longest time that a client may keep the server waiting, in seconds: a day.
const TIMEOUT_S_MAX: u64 = 24 * 3_600;
/// The longest call that is not slow, in milliseconds: an hour, longer than any.
const SLOW_MS_MAX: u64 = 3_600_000;

/// The most callers whose spending is remembered: with 17 bytes each in five tables, 1.4 GB.
const RATE_KEYS_MAX: u64 = 1 << 24;

/// The longest that what is deleted is kept: ten years, longer than any law asks for.
const RETENTION_DAYS_MAX: u64 = 3_650;

/// The most that one interaction counts: a thousand of another kind.
const AFFINITY_WEIGHT_MAX: u64 = 1_000;

/// A day, in milliseconds.
const DAY_MS: u64 = 24 * 3_600_000;

/// The longest that an access token may be good for, in minutes: a day, since nothing tells a stolen one.
const SESSION_ACCESS_MINUTES_MAX: u64 = 24 * 60;
/// The longest that a session may stand, in days: ten years, which is for ever.
const SESSION_DAYS_MAX: u64 = 3_653;

/// The longest that calls may wait for their turn, in milliseconds: the deadline of a call that names none.
const WAIT_MS_MAX: u64 = 2_000;

/// How often an address of keys may be read, in seconds: not so often that it is a burden, and often enough that a key
/// that is withdrawn is gone within a day.
const JWKS_EVERY_S: RangeInclusive<u64> = 10..=86_400;

/// How far the clock of an issuer may be off, in seconds: what is more is wrong on purpose.
const JWT_LEEWAY_S: RangeInclusive<u64> = 0..=300;

/// The longest between two runs of a check, in seconds: a week; in hours: a year.
const CHECK_EVERY_S_MAX: u64 = 7 * 86_400;
const CHECK_EVERY_HOURS_MAX: u64 = 366 * 24;

/// How long a token may live, in seconds, from a minute to a year.
const JWT_LIFE_S: RangeInclusive<u64> = 60..=366 * 86_400;

/// All settings. Each field is a key of the file, `GUANXI_` and its name in capitals in the environment, and a
/// flag of `serve` with dashes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Settings {
    /// The data directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<PathBuf>,
    /// Where the API is served.
    pub listen: String,
    /// Where operators' calls are served.
    pub admin_listen: String,
    /// Accept every call as from the operator; loopback only.
    pub no_auth: bool,
    /// Connections open at once, as far as the limit of open files allows; further ones wait to be accepted.
    pub connections_max: usize,
    /// Calls answered at once; more are refused with OVERLOADED.
    pub calls_max: usize,
    /// Calls of one end user answered at once; more are refused with TOO_MANY_CALLS.
    pub calls_per_user_max: usize,
    /// Calls of one service's token answered at once, so that one that went wild leaves room for others.
    pub calls_per_service_max: usize,
    /// Streams open at once; more are refused with TOO_MANY_STREAMS.
    pub streams_max: usize,
    /// Streams of one end user open at once.
    pub streams_per_user_max: usize,
    /// Streams of one service's token open at once.
    pub streams_per_service_max: usize,
    /// Calls without a token (health, reflection) answered at once; the newest takes the oldest one's place.
    pub open_calls_max: usize,
    /// Streams without a token open at once; the newest takes the oldest one's place.
    pub open_streams_max: usize,
    /// Calls at once on one HTTP/2 connection.
    pub calls_per_connection_max: u32,
    /// How long an HTTP/2 connection may have no call in flight, in seconds.
    pub idle_timeout_s: u64,
    /// How long a connection may take for a head of a request, or be idle with HTTP/1, in seconds.
    pub head_timeout_s: u64,
    /// How long the body of a call may take, in seconds.
    pub body_timeout_s: u64,
    /// How long calls may wait for their turn before a share of them is refused with OVERLOADED, in milliseconds.
    pub queue_wait_max_ms: u64,
    /// How long a client may take nothing of an answer, in seconds; then its connection ends.
    pub send_timeout_s: u64,
    /// Origins of web pages that may call the API from a browser, such as `https://example.com`; `*` alone means any.
    pub cors_origins: Vec<String>,
    /// The databases of a cluster, each as `name=postgresql://user@host/database`; the first has what is one for all.
    pub databases: Vec<String>,
    /// How what follows from a write comes to the shard of the other user: before the answer, or by the logs.
    pub carrying: Carried,
    /// What this process does for a cluster.
    pub roles: Vec<ProcessRole>,
    /// How long after its end the check of events without an echo begins again, in seconds; 0 for never, as with the others.
    pub check_pairs_every_s: u64,
    /// The same of the check of all events since the last one, in seconds.
    pub check_incremental_every_s: u64,
    /// The same of the check of digests, in seconds.
    pub check_digests_every_s: u64,
    /// The same of the check of every row, in hours.
    pub check_full_every_hours: u64,
    /// The share of time that each of them may keep databases busy, in percent.
    pub check_share_percent: u64,
    /// The certificate of the API's listener, in PEM; with it, the listener speaks TLS.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tls_cert: Option<PathBuf>,
    /// Its key, in PEM.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tls_key: Option<PathBuf>,
    /// The certificate of the operator's listener, if it is not that of the API's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub admin_tls_cert: Option<PathBuf>,
    /// Its key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub admin_tls_key: Option<PathBuf>,
    /// The CAs of operators: with it, nobody without a certificate of theirs reaches the operator's listener.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub admin_client_ca: Option<PathBuf>,
    /// A proxy in front speaks TLS, so that listeners without it may be reached by others.
    pub behind_proxy: bool,
    /// Addresses and networks of proxies whose `Forwarded` and `X-Forwarded-For` are believed.
    pub trusted_proxies: Vec<String>,
    /// The CAs that operators' verbs trust at an `https://` server; without it, those that this machine trusts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ca: Option<PathBuf>,
    /// The certificate that operators' verbs show to a server that wants one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_cert: Option<PathBuf>,
    /// Its key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_key: Option<PathBuf>,
    /// Reads of an end user in a minute; 0 for any number, as with those that follow.
    pub rate_reads_per_minute: u32,
    /// Writes of an end user in a minute that are neither posts nor follows.
    pub rate_writes_per_minute: u32,
    /// Follows of an end user in an hour.
    pub rate_follows_per_hour: u32,
    /// Posts of an end user in a minute.
    pub rate_posts_per_minute: u32,
    /// Calls without a valid token in a minute from one address.
    pub rate_unknown_per_minute: u32,
    /// Attempts to log in as one user in a minute from one address, and ten times that from everywhere.
    pub rate_logins_per_minute: u32,
    /// Who may make accounts.
    pub registration: WhoRegisters,
    /// Whose numbers uids are; without it, as the data has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uids: Option<Uids>,
    /// Accounts that callers without a token make in an hour from one address, and ten times that from its neighbours.
    pub rate_registrations_per_hour: u32,
    /// Callers of each budget whose spending is remembered at once.
    pub rate_keys_max: u32,
    /// Files of an issuer's public keys, in PEM, or of its keys as a JWKS.
    pub jwt_key_files: Vec<PathBuf>,
    /// The file of the secret by which an issuer signs with HS256.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jwt_secret_file: Option<PathBuf>,
    /// Where an issuer publishes its keys, as a JWKS.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jwt_jwks_url: Option<String>,
    /// The CAs that are trusted there; without it, those that this machine trusts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jwt_jwks_ca: Option<PathBuf>,
    /// How often the keys are read there, in seconds.
    pub jwt_jwks_every_s: u64,
    /// The `iss` of the issuer's tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jwt_issuer: Option<String>,
    /// What their `aud` must hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jwt_audience: Option<String>,
    /// What their `sub` is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jwt_subject: Option<JwtSubject>,
    /// How far the issuer's clock may be off, in seconds.
    pub jwt_leeway_s: u64,
    /// How long a token may live, from `iat` to `exp`, in seconds.
    pub jwt_life_max_s: u64,
    /// The secret that operators' verbs send to a server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// The key of tickets for streams, at least 32 characters; without one it is the data's, which all processes of a cluster
    /// have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stream_ticket_key: Option<String>,
    /// How long calls may carry the access token of a login, in minutes.
    pub session_access_minutes: u32,
    /// How long the session of a login stands without a refresh, in days.
    pub session_idle_days: u32,
    /// How long it stands at most, in days.
    pub session_max_days: u32,
    /// How long what deleted users wrote and were called is kept before it is erased, in days.
    pub deleted_users_days: u32,
    /// How long a deleted post can be restored before it is purged, in days; without it, for ever.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deleted_posts_days: Option<u32>,
    /// How long it is remembered that a follow was removed, in days; without it, for ever.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removed_follows_days: Option<u32>,
    /// In which time what users do about each other counts half, in days.
    pub affinity_half_life_days: u32,
    /// What a visit counts for affinity.
    pub affinity_visit: u32,
    /// What a message counts.
    pub affinity_message: u32,
    /// What a like counts.
    pub affinity_like: u32,
    /// What a reply counts.
    pub affinity_reply: u32,
    /// What a repost or quote counts.
    pub affinity_repost: u32,
    /// Follows per user, unless a user has an own limit.
    pub follow_limit: u32,
    /// When a write is acknowledged.
    pub durability: Durability,
    /// The most that `durability = "group"` may lose in a power cut, in milliseconds.
    pub group_window_ms: u64,
    /// Memory for users' following sets and counters, in MiB.
    pub user_cache_mib: u64,
    /// Memory for blocks of table files, in MiB.
    pub block_cache_mib: u64,
    /// Memory for authors' newest posts, by which pages are merged, in MiB.
    pub author_cache_mib: u64,
    /// Memory for what the rules of home ask of posts, in MiB.
    pub item_cache_mib: u64,
    /// Memory for inboxes, which the fan-out fills, in MiB.
    pub inbox_mib: u64,
    /// Memory of one memtable, in MiB; one per table is filled at a time.
    pub memtable_mib: u64,
    /// Journal size at which memtables are flushed, in MiB: bounds the time to start after a crash.
    pub journal_mib: u64,
    /// Events kept in the log.
    pub log_events_max: u64,
    /// Age of the oldest event kept in the log, in hours.
    pub log_age_max_hours: u64,
    /// Free space of the disk below which writes are refused, in MiB.
    pub free_space_reserve_mib: u64,
    /// What is logged: a level, or `info,guanxi_api=debug`.
    pub log_level: String,
    /// How logs look.
    pub log_format: LogFormat,
    /// Calls that take longer are logged, in milliseconds; 0 logs none.
    pub slow_call_ms: u64,
    /// The collector that spans of calls are sent to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace_endpoint: Option<String>,
    /// Of a hundred traces that begin here, so many are sent.
    pub trace_sample_percent: u64,
}

/// Every default: a table, a line each.
static DEFAULTS: LazyLock<Settings> = LazyLock::new(|| Settings {
    data: None,
    listen: LISTEN_DEFAULT.into(),
    admin_listen: ADMIN_LISTEN_DEFAULT.into(),
    no_auth: false,
    connections_max: limits::CONNECTIONS_MAX,
    queue_wait_max_ms: 20,
    send_timeout_s: limits::SEND_TIMEOUT.as_secs(),
    calls_max: limits::CALLS_MAX,
    calls_per_user_max: limits::CALLS_PER_USER_MAX,
    calls_per_service_max: limits::CALLS_PER_SERVICE_MAX,
    streams_max: limits::STREAMS_MAX,
    streams_per_user_max: limits::STREAMS_PER_USER_MAX,
    streams_per_service_max: limits::STREAMS_PER_SERVICE_MAX,
    open_calls_max: limits::OPEN_CALLS_MAX,
    open_streams_max: limits::OPEN_STREAMS_MAX,
    calls_per_connection_max: limits::STREAMS_PER_CONNECTION_MAX,
    idle_timeout_s: limits::IDLE_TIMEOUT.as_secs(),
    head_timeout_s: limits::HEADER_TIMEOUT.as_secs(),
    body_timeout_s: limits::BODY_TIMEOUT.as_secs(),
    cors_origins: Vec::new(),
    databases: Vec::new(),
    carrying: Carried::Log,
    roles: ProcessRole::ALL.to_vec(),
    check_pairs_every_s: 3,
    check_incremental_every_s: 60,
    check_digests_every_s: 600,
    check_full_every_hours: 7 * 24,
    check_share_percent: 5,
    tls_cert: None,
    tls_key: None,
    admin_tls_cert: None,
    admin_tls_key: None,
    admin_client_ca: None,
    behind_proxy: false,
    trusted_proxies: Vec::new(),
    ca: None,
    client_cert: None,
    client_key: None,
    rate_reads_per_minute: 12_000,
    rate_writes_per_minute: 1_200,
    rate_follows_per_hour: 1_000,
    rate_posts_per_minute: 60,
    rate_unknown_per_minute: 600,
    rate_logins_per_minute: 10,
    registration: WhoRegisters::Services,
    uids: None,
    rate_registrations_per_hour: 20,
    rate_keys_max: 65_536,
    jwt_key_files: Vec::new(),
    jwt_secret_file: None,
    jwt_jwks_url: None,
    jwt_jwks_ca: None,
    jwt_jwks_every_s: 300,
    jwt_issuer: None,
    jwt_audience: None,
    jwt_subject: None,
    jwt_leeway_s: 30,
    jwt_life_max_s: 86_400,
    token: None,
    stream_ticket_key: None,
    session_access_minutes: 60,
    session_idle_days: 30,
    session_max_days: 180,
    deleted_users_days: 30,
    deleted_posts_days: None,
    removed_follows_days: None,
    affinity_half_life_days: 7,
    affinity_visit: 1,
    affinity_message: 10,
    affinity_like: 3,
    affinity_reply: 8,
    affinity_repost: 6,
    follow_limit: FOLLOW_LIMIT_DEFAULT,
    durability: Durability::Sync,
    group_window_ms: 10,
    user_cache_mib: 256,
    block_cache_mib: 256,
    author_cache_mib: 128,
    item_cache_mib: 128,
    inbox_mib: 256,
    memtable_mib: 32,
    journal_mib: 64,
    log_events_max: 10_000_000,
    log_age_max_hours: 7 * 24,
    free_space_reserve_mib: 512,
    log_level: "info".into(),
    log_format: LogFormat::Auto,
    slow_call_ms: 0,
    trace_endpoint: None,
    trace_sample_percent: 1,
});

impl Default for Settings {
    fn default() -> Self {
        DEFAULTS.clone()
    }
}

/// The keys of texts that have no default, so that a file and the environment may name them all the same.
pub(super) const OPTIONAL_KEYS: &[&str] = &[
    "data",
    "token",
    "uids",
    "stream_ticket_key",
    "tls_cert",
    "tls_key",
    "admin_tls_cert",
    "admin_tls_key",
    "admin_client_ca",
    "ca",
    "client_cert",
    "client_key",
    "jwt_secret_file",
    "jwt_jwks_url",
    "jwt_jwks_ca",
    "jwt_issuer",
    "jwt_audience",
    "jwt_subject",
    "trace_endpoint",
];

/// The same of keys that are whole numbers.
pub(super) const OPTIONAL_NUMBERS: &[&str] = &["deleted_posts_days", "removed_follows_days"];

/// The keys whose values are never shown.
pub(super) const SECRET_KEYS: &[&str] = &["token", "stream_ticket_key", "databases"];

impl Settings {
    /// What callers may ask for in a time.
    pub(crate) const fn rates(&self) -> RateLimits {
        RateLimits {
            reads_per_minute: self.rate_reads_per_minute,
            writes_per_minute: self.rate_writes_per_minute,
            follows_per_hour: self.rate_follows_per_hour,
            posts_per_minute: self.rate_posts_per_minute,
            unknown_per_minute: self.rate_unknown_per_minute,
            logins_per_minute: self.rate_logins_per_minute,
            registrations_per_hour: self.rate_registrations_per_hour,
            keys_max: self.rate_keys_max as usize,
        }
    }

    /// How long the sessions of logins and their secrets are good for.
    pub(crate) const fn session_terms(&self) -> SessionTerms {
        let minute_ms = 60_000;
        SessionTerms {
            access_ms: self.session_access_minutes as u64 * minute_ms,
            idle_ms: self.session_idle_days as u64 * DAY_MS,
            whole_ms: self.session_max_days as u64 * DAY_MS,
        }
    }

    /// Whether this process has a role.
    pub(crate) fn has_role(&self, role: ProcessRole) -> bool {
        self.roles.contains(&role)
    }

    /// How long what deleted users wrote and were called is kept.
    pub(crate) const fn deleted_users_ms(&self) -> u64 {
        self.deleted_users_days as u64 * DAY_MS
    }

    /// How long what is deleted otherwise is kept.
    pub(crate) fn kept_for(&self) -> KeptFor {
        let ms = |days: u32| u64::from(days) * DAY_MS;
        KeptFor {
            deleted_posts_ms: self.deleted_posts_days.map(ms),
            removed_follows_ms: self.removed_follows_days.map(ms),
        }
    }

    /// Checks what the types do not say.
    ///
    /// # Errors
    /// The key and what is wrong with its value.
    pub(crate) fn check(&self) -> Result<(), (&'static str, String)> {
        if self.follow_limit == 0 || self.follow_limit > FOLLOW_LIMIT_MAX {
            return Err(("follow_limit", format!("must be between 1 and {FOLLOW_LIMIT_MAX}")));
        }
        if self.roles.is_empty() {
            return Err((
                "roles",
                "is empty: name one or more of api, worker, repair, or leave it out for all".to_owned(),
            ));
        }
        self.check_ranges()?;
        if let Some(endpoint) = &self.trace_endpoint {
            crate::telemetry::check_endpoint(endpoint).map_err(|error| ("trace_endpoint", error))?;
        }
        if self.stream_ticket_key.as_ref().is_some_and(|key| key.len() < TICKET_KEY_LEN_MIN) {
            return Err(("stream_ticket_key", format!("must have at least {TICKET_KEY_LEN_MIN} characters")));
        }
        Origins::parse(&self.cors_origins).map_err(|error| ("cors_origins", error))?;
        let listeners = [("listen", &self.listen), ("admin_listen", &self.admin_listen)];
        for (key, value) in listeners {
            let addr = address(value).map_err(|error| (key, error))?;
            if self.no_auth && !addr.ip().is_loopback() {
                let why = format!(
                    "is {value}, which others can reach; without authentication only 127.0.0.1 and ::1 are \
                     allowed (remove no_auth, or listen on 127.0.0.1)"
                );
                return Err((key, why));
            }
        }
        crate::telemetry::check_level(&self.log_level).map_err(|error| ("log_level", error))
    }

    /// The numbers of checks on schedule, with what they may be.
    const fn check_times(&self) -> [(&'static str, u64, RangeInclusive<u64>); 5] {
        [
            ("check_pairs_every_s", self.check_pairs_every_s, 0..=CHECK_EVERY_S_MAX),
            ("check_incremental_every_s", self.check_incremental_every_s, 0..=CHECK_EVERY_S_MAX),
            ("check_digests_every_s", self.check_digests_every_s, 0..=CHECK_EVERY_S_MAX),
            ("check_full_every_hours", self.check_full_every_hours, 0..=CHECK_EVERY_HOURS_MAX),
            ("check_share_percent", self.check_share_percent, 1..=100),
        ]
    }

    /// Checks the numbers.
    fn check_ranges(&self) -> Result<(), (&'static str, String)> {
        let places = |places: usize| places as u64;
        let ranges = [
            ("connections_max", places(self.connections_max), 1..=PLACES_MAX),
            ("queue_wait_max_ms", self.queue_wait_max_ms, 1..=WAIT_MS_MAX),
            ("send_timeout_s", self.send_timeout_s, 1..=TIMEOUT_S_MAX),
            ("calls_max", places(self.calls_max), 1..=PLACES_MAX),
            ("calls_per_user_max", places(self.calls_per_user_max), 1..=PLACES_MAX),
            ("calls_per_service_max", places(self.calls_per_service_max), 1..=PLACES_MAX),
            ("streams_max", places(self.streams_max), 1..=PLACES_MAX),
            ("streams_per_user_max", places(self.streams_per_user_max), 1..=PLACES_MAX),
            ("streams_per_service_max", places(self.streams_per_service_max), 1..=PLACES_MAX),
            ("open_calls_max", places(self.open_calls_max), 1..=PLACES_MAX),
            ("open_streams_max", places(self.open_streams_max), 1..=PLACES_MAX),
            (
                "calls_per_connection_max",
                u64::from(self.calls_per_connection_max),
                1..=CALLS_PER_CONNECTION_MAX,
            ),
            ("idle_timeout_s", self.idle_timeout_s, 1..=TIMEOUT_S_MAX),
            ("head_timeout_s", self.head_timeout_s, 1..=TIMEOUT_S_MAX),
            ("body_timeout_s", self.body_timeout_s, 1..=TIMEOUT_S_MAX),
            ("rate_reads_per_minute", u64::from(self.rate_reads_per_minute), 0..=u64::from(RATE_MAX)),
            ("rate_writes_per_minute", u64::from(self.rate_writes_per_minute), 0..=u64::from(RATE_MAX)),
            ("rate_follows_per_hour", u64::from(self.rate_follows_per_hour), 0..=u64::from(RATE_MAX)),
            ("rate_posts_per_minute", u64::from(self.rate_posts_per_minute), 0..=u64::from(RATE_MAX)),
            ("rate_unknown_per_minute", u64::from(self.rate_unknown_per_minute), 0..=u64::from(RATE_MAX)),
            ("rate_logins_per_minute", u64::from(self.rate_logins_per_minute), 0..=u64::from(RATE_MAX)),
            ("rate_registrations_per_hour", self.rate_registrations_per_hour.into(), 0..=u64::from(RATE_MAX)),
            ("rate_keys_max", u64::from(self.rate_keys_max), 1..=RATE_KEYS_MAX),
            ("jwt_jwks_every_s", self.jwt_jwks_every_s, JWKS_EVERY_S),
            ("jwt_leeway_s", self.jwt_leeway_s, JWT_LEEWAY_S),
            ("jwt_life_max_s", self.jwt_life_max_s, JWT_LIFE_S),
            ("session_access_minutes", self.session_access_minutes.into(), 1..=SESSION_ACCESS_MINUTES_MAX),
            ("session_idle_days", self.session_idle_days.into(), 1..=SESSION_DAYS_MAX),
            ("session_max_days", self.session_max_days.into(), 1..=SESSION_DAYS_MAX),
            ("deleted_users_days", self.deleted_users_days.into(), 0..=RETENTION_DAYS_MAX),
            ("deleted_posts_days", self.deleted_posts_days.unwrap_or(0).into(), 0..=RETENTION_DAYS_MAX),
            ("removed_follows_days", self.removed_follows_days.unwrap_or(1).into(), 1..=RETENTION_DAYS_MAX),
            ("affinity_half_life_days", self.affinity_half_life_days.into(), 1..=RETENTION_DAYS_MAX),
            ("affinity_visit", self.affinity_visit.into(), 0..=AFFINITY_WEIGHT_MAX),
            ("affinity_message", self.affinity_message.into(), 0..=AFFINITY_WEIGHT_MAX),
            ("affinity_like", self.affinity_like.into(), 0..=AFFINITY_WEIGHT_MAX),
            ("affinity_reply", self.affinity_reply.into(), 0..=AFFINITY_WEIGHT_MAX),
            ("affinity_repost", self.affinity_repost.into(), 0..=AFFINITY_WEIGHT_MAX),
            ("group_window_ms", self.group_window_ms, 1..=WINDOW_MS_MAX),
            ("user_cache_mib", self.user_cache_mib, 0..=MIB_MAX),
            ("block_cache_mib", self.block_cache_mib, 0..=MIB_MAX),
            ("author_cache_mib", self.author_cache_mib, 0..=MIB_MAX),
            ("item_cache_mib", self.item_cache_mib, 0..=MIB_MAX),
            ("inbox_mib", self.inbox_mib, 0..=MIB_MAX),
            ("memtable_mib", self.memtable_mib, 1..=MIB_MAX),
            ("journal_mib", self.journal_mib, 1..=MIB_MAX),
            ("log_events_max", self.log_events_max, 1..=EVENTS_MAX),
            ("log_age_max_hours", self.log_age_max_hours, 1..=HOURS_MAX),
            ("free_space_reserve_mib", self.free_space_reserve_mib, 0..=MIB_MAX),
            ("slow_call_ms", self.slow_call_ms, 0..=SLOW_MS_MAX),
            ("trace_sample_percent", self.trace_sample_percent, 0..=100),
        ];
        match ranges.iter().chain(&self.check_times()).find(|(_, value, range)| !range.contains(value)) {
            Some((key, _, range)) => {
                Err((key, format!("must be between {} and {}", range.start(), range.end())))
            }
            None => Ok(()),
        }
    }
}

/// Reads `ADDRESS:PORT`; a name stands for its first address.
pub(crate) fn address(text: &str) -> Result<SocketAddr, String> {
    let resolved = text.to_socket_addrs().ok().and_then(|mut all| all.next());
    resolved.ok_or_else(|| format!("must be ADDRESS:PORT, such as {LISTEN_DEFAULT}, and is {text:?}"))
}
