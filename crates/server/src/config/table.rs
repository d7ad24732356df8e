//! The table of all settings: a row says what a setting is, its type, its default, its flag of `serve`, and what it may be. The
//! struct, the flags with their help, the checks of numbers and the keys of files and the environment are made of it.

use super::rows::{Optional, Setting, settings, told};
use super::uids::Uids;
use super::words::{Carried, Durability, JwtSubject, ProcessRole, WhoRegisters};
use crate::telemetry::LogFormat;
use clap::Args;
use guanxi_api::{RATE_MAX, limits};
use guanxi_model::limits::{FOLLOW_LIMIT_DEFAULT, FOLLOW_LIMIT_MAX};
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::sync::LazyLock;
use toml::Table;

/// Where the API is served unless told otherwise.
pub(super) const LISTEN_DEFAULT: &str = "127.0.0.1:7420";
/// Where operators' calls are served unless told otherwise.
pub(super) const ADMIN_LISTEN_DEFAULT: &str = "127.0.0.1:7421";

/// The most of memory or disk that a setting may ask for, in MiB: a PiB, more than any machine has.
const MIB_MAX: u64 = 1 << 30;
/// The longest window of `durability = "group"`, in milliseconds: a minute, more than any operator means to lose.
const WINDOW_MS_MAX: u64 = 60_000;
/// The most events that a log keeps: a backend's numbers of events end there.
const EVENTS_MAX: u64 = 1 << 48;
/// The greatest age of events, in hours: a century.
const HOURS_MAX: u64 = 100 * 366 * 24;

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

/// The longest that an access token may be good for, in minutes: a day, since nothing tells a stolen one.
const SESSION_ACCESS_MINUTES_MAX: u64 = 24 * 60;
/// The longest that a session may stand, in days: ten years, which is for ever.
const SESSION_DAYS_MAX: u64 = 3_653;

/// The longest that calls may wait for their turn, in milliseconds: the deadline of a call that names none.
const WAIT_MS_MAX: u64 = 2_000;

/// How often an address of keys may be read, in seconds. It is not so often that it is a burden, and often enough that a
/// withdrawn key is gone within a day.
const JWKS_EVERY_S: RangeInclusive<u64> = 10..=86_400;

/// How far the clock of an issuer may be off, in seconds: what is more is wrong on purpose.
const JWT_LEEWAY_S: RangeInclusive<u64> = 0..=300;

/// How long a file of an export is kept at most: a day.
const EXPORT_KEEP_MINUTES_MAX: u64 = 24 * 60;

/// The time between two commits of the search index, in milliseconds: at most ten a second, and at least one in a minute.
const SEARCH_COMMIT_MS: RangeInclusive<u64> = 100..=60_000;

/// The longest between two runs of a check, in seconds: a week; in hours: a year.
const CHECK_EVERY_S_MAX: u64 = 7 * 86_400;
const CHECK_EVERY_HOURS_MAX: u64 = 366 * 24;

/// How long a token may live, in seconds, from a minute to a year.
const JWT_LIFE_S: RangeInclusive<u64> = 60..=366 * 86_400;

settings! {
    /// The data directory
    data: Option<PathBuf> = None;
    /// Where the API is served
    listen: String = LISTEN_DEFAULT.into(), flag(String, "ADDR");
    /// Where operators' calls, /metrics and health are served
    admin_listen: String = ADMIN_LISTEN_DEFAULT.into(), flag(String, "ADDR");
    /// Ask no caller for a token; loopback listeners only
    no_auth: bool = false,
        flag(bool, "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true");
    /// Connections open at once, as far as the limit of open files allows
    connections_max: usize = limits::CONNECTIONS_MAX, flag(usize, "N"), within(1..=PLACES_MAX);
    /// Calls answered at once
    calls_max: usize = limits::CALLS_MAX, flag(usize, "N"), within(1..=PLACES_MAX);
    /// Calls of one end user answered at once
    calls_per_user_max: usize = limits::CALLS_PER_USER_MAX, flag(usize, "N"), within(1..=PLACES_MAX);
    /// Calls of one service's token answered at once
    calls_per_service_max: usize = limits::CALLS_PER_SERVICE_MAX, flag(usize, "N"), within(1..=PLACES_MAX);
    /// Streams open at once
    streams_max: usize = limits::STREAMS_MAX, flag(usize, "N"), within(1..=PLACES_MAX);
    /// Streams of one end user open at once
    streams_per_user_max: usize = limits::STREAMS_PER_USER_MAX, flag(usize, "N"), within(1..=PLACES_MAX);
    /// Streams of one service's token open at once
    streams_per_service_max: usize = limits::STREAMS_PER_SERVICE_MAX, flag(usize, "N"), within(1..=PLACES_MAX);
    /// Calls without a token answered at once
    open_calls_max: usize = limits::OPEN_CALLS_MAX, flag(usize, "N"), within(1..=PLACES_MAX);
    /// Streams without a token open at once
    open_streams_max: usize = limits::OPEN_STREAMS_MAX, flag(usize, "N"), within(1..=PLACES_MAX);
    /// Calls at once on one HTTP/2 connection
    calls_per_connection_max: u32 = limits::STREAMS_PER_CONNECTION_MAX, flag(u32, "N"),
        within(1..=CALLS_PER_CONNECTION_MAX);
    /// How long an HTTP/2 connection may have no call in flight
    idle_timeout_s: u64 = limits::IDLE_TIMEOUT.as_secs(), flag(u64, "SECONDS"), within(1..=TIMEOUT_S_MAX);
    /// How long the head of a request may take
    head_timeout_s: u64 = limits::HEADER_TIMEOUT.as_secs(), flag(u64, "SECONDS"), within(1..=TIMEOUT_S_MAX);
    /// How long the body of a call may take
    body_timeout_s: u64 = limits::BODY_TIMEOUT.as_secs(), flag(u64, "SECONDS"), within(1..=TIMEOUT_S_MAX);
    /// How long calls may wait for their turn before a share of them is refused
    queue_wait_max_ms: u64 = 20, flag(u64, "MS"), within(1..=WAIT_MS_MAX);
    /// How long a client may take nothing of an answer
    send_timeout_s: u64 = limits::SEND_TIMEOUT.as_secs(), flag(u64, "SECONDS"), within(1..=TIMEOUT_S_MAX);
    /// Origins of web pages that may call the API from a browser, separated by commas; `*` alone means any
    cors_origins: Vec<String> = Vec::new(), flag(Vec<String>, "ORIGINS", value_delimiter = ',');
    /// The databases of a cluster, each as `name=postgresql://user@host/database`; the first has what is one for all
    databases: Vec<String> = Vec::new(), shown("(redacted)");
    /// How what follows from a write comes to the shard of the other user: before the answer, or by the logs
    carrying: Carried = Carried::Log;
    /// What this process does for a cluster, separated by commas
    roles: Vec<ProcessRole> = ProcessRole::ALL.to_vec(), flag(Vec<ProcessRole>, "ROLES", value_delimiter = ',');
    /// How long after its end the check of events without an echo begins again; 0 for never
    check_pairs_every_s: u64 = 3, flag(u64, "SECONDS"), within(0..=CHECK_EVERY_S_MAX);
    /// How long after its end the check of all new events begins again; 0 for never
    check_incremental_every_s: u64 = 60, flag(u64, "SECONDS"), within(0..=CHECK_EVERY_S_MAX);
    /// How long after its end the check of digests begins again; 0 for never
    check_digests_every_s: u64 = 600, flag(u64, "SECONDS"), within(0..=CHECK_EVERY_S_MAX);
    /// How long after its end the check of every row begins again; 0 for never
    check_full_every_hours: u64 = 7 * 24, flag(u64, "HOURS"), within(0..=CHECK_EVERY_HOURS_MAX);
    /// The share of time that each check may keep databases busy
    check_share_percent: u64 = 5, flag(u64, "PERCENT"), within(1..=100);
    /// The certificate of the API's listener, in PEM, which then speaks TLS; the operator's does, too
    tls_cert: Option<PathBuf> = None, flag(PathBuf, "FILE");
    /// The key of --tls-cert
    tls_key: Option<PathBuf> = None, flag(PathBuf, "FILE");
    /// Another certificate for the operator's listener [default: that of --tls-cert]
    admin_tls_cert: Option<PathBuf> = None, flag(PathBuf, "FILE");
    /// The key of --admin-tls-cert
    admin_tls_key: Option<PathBuf> = None, flag(PathBuf, "FILE");
    /// CAs of operators' certificates, without which no client reaches the operator's listener
    admin_client_ca: Option<PathBuf> = None, flag(PathBuf, "FILE");
    /// A proxy in front speaks TLS, so that listeners without it need not be loopback
    behind_proxy: bool = false,
        flag(bool, "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true");
    /// Proxies whose word about a caller's address is believed: addresses and networks, separated by commas
    trusted_proxies: Vec<String> = Vec::new(), flag(Vec<String>, "NETWORKS", value_delimiter = ',');
    /// The CAs that operators' verbs trust at an `https://` server; without it, those that this machine trusts
    ca: Option<PathBuf> = None;
    /// The certificate that operators' verbs show to a server that wants one
    client_cert: Option<PathBuf> = None;
    /// Its key
    client_key: Option<PathBuf> = None;
    /// Reads of an end user in a minute; 0 for any number
    rate_reads_per_minute: u32 = 12_000, flag(u32, "N"), within(0..=u64::from(RATE_MAX));
    /// Writes of an end user in a minute that are neither posts nor follows; 0 for any number
    rate_writes_per_minute: u32 = 1_200, flag(u32, "N"), within(0..=u64::from(RATE_MAX));
    /// Follows of an end user in an hour; 0 for any number
    rate_follows_per_hour: u32 = 1_000, flag(u32, "N"), within(0..=u64::from(RATE_MAX));
    /// Posts of an end user in a minute; 0 for any number
    rate_posts_per_minute: u32 = 60, flag(u32, "N"), within(0..=u64::from(RATE_MAX));
    /// Calls without a valid token in a minute from one address; 0 for any number
    rate_unknown_per_minute: u32 = 600, flag(u32, "N"), within(0..=u64::from(RATE_MAX));
    /// Attempts to log in as one user in a minute from one address, and ten times that from everywhere; 0 for any number
    rate_logins_per_minute: u32 = 10, flag(u32, "N"), within(0..=u64::from(RATE_MAX));
    /// Who may make accounts
    registration: WhoRegisters = WhoRegisters::Services, flag(WhoRegisters, "WHO");
    /// Whose numbers uids are: both, foreign, minted, or FIRST-LAST, the range to mint them in [default: as the data has it]
    uids: Option<Uids> = None, flag(Uids, "WHOSE");
    /// Accounts that callers without a token make in an hour from one address; 0 for any number
    rate_registrations_per_hour: u32 = 20, flag(u32, "N"), within(0..=u64::from(RATE_MAX));
    /// Callers of each budget whose spending is remembered at once
    rate_keys_max: u32 = 65_536, flag(u32, "N"), within(1..=RATE_KEYS_MAX);
    /// Files of public keys (PEM, JWKS) whose JWTs are let in, separated by commas
    jwt_key_files: Vec<PathBuf> = Vec::new(), flag(Vec<PathBuf>, "FILES", value_delimiter = ',');
    /// The file of a secret whose JWTs by HS256 are let in
    jwt_secret_file: Option<PathBuf> = None, flag(PathBuf, "FILE");
    /// Where the keys whose JWTs are let in are published, such as https://issuer.example/.well-known/jwks.json
    jwt_jwks_url: Option<String> = None, flag(String, "URL");
    /// The CAs to trust there [default: those of this machine]
    jwt_jwks_ca: Option<PathBuf> = None, flag(PathBuf, "FILE");
    /// How often the keys are read there
    jwt_jwks_every_s: u64 = 300, flag(u64, "SECONDS"), within(JWKS_EVERY_S);
    /// The `iss` of JWTs
    jwt_issuer: Option<String> = None, flag(String, "TEXT");
    /// What the `aud` of JWTs must hold
    jwt_audience: Option<String> = None, flag(String, "TEXT");
    /// What the `sub` of JWTs is; never guessed
    jwt_subject: Option<JwtSubject> = None, flag(JwtSubject, "KIND");
    /// How far the clock of the issuer may be off
    jwt_leeway_s: u64 = 30, flag(u64, "SECONDS"), within(JWT_LEEWAY_S);
    /// How long a JWT may live, from `iat` to `exp`
    jwt_life_max_s: u64 = 86_400, flag(u64, "SECONDS"), within(JWT_LIFE_S);
    /// The secret that operators' verbs send to a server
    token: Option<String> = None, shown("(redacted)");
    /// The key of tickets for streams, at least 32 characters; without one it is the data's, which all processes of a cluster have
    stream_ticket_key: Option<String> = None, shown("(redacted)");
    /// How long calls may carry the access token of a login
    session_access_minutes: u32 = 60, flag(u32, "MINUTES"), within(1..=SESSION_ACCESS_MINUTES_MAX);
    /// How long the session of a login stands without a refresh
    session_idle_days: u32 = 30, flag(u32, "DAYS"), within(1..=SESSION_DAYS_MAX);
    /// How long it stands at most
    session_max_days: u32 = 180, flag(u32, "DAYS"), within(1..=SESSION_DAYS_MAX);
    /// How long what deleted users wrote and were called is kept
    deleted_users_days: u32 = 30, flag(u32, "DAYS"), within(0..=RETENTION_DAYS_MAX);
    /// How long a deleted post can be restored before it is purged [default: for ever]
    deleted_posts_days: Option<u32> = None, flag(u32, "DAYS"), within(0..=RETENTION_DAYS_MAX);
    /// How long it is remembered that a follow was removed [default: for ever]
    removed_follows_days: Option<u32> = None, flag(u32, "DAYS"), within(1..=RETENTION_DAYS_MAX);
    /// How long it is kept what operators did; 0 is for ever [default: for ever]
    audit_days: Option<u32> = None, flag(u32, "DAYS"), within(0..=RETENTION_DAYS_MAX);
    /// In which time what users do about each other counts half
    affinity_half_life_days: u32 = 7, flag(u32, "DAYS"), within(1..=RETENTION_DAYS_MAX);
    /// What a visit counts for affinity
    affinity_visit: u32 = 1, flag(u32, "N"), within(0..=AFFINITY_WEIGHT_MAX);
    /// What a message counts for affinity
    affinity_message: u32 = 10, flag(u32, "N"), within(0..=AFFINITY_WEIGHT_MAX);
    /// What a like counts for affinity
    affinity_like: u32 = 3, flag(u32, "N"), within(0..=AFFINITY_WEIGHT_MAX);
    /// What a reply counts for affinity
    affinity_reply: u32 = 8, flag(u32, "N"), within(0..=AFFINITY_WEIGHT_MAX);
    /// What a repost counts for affinity
    affinity_repost: u32 = 6, flag(u32, "N"), within(0..=AFFINITY_WEIGHT_MAX);
    /// Follows per user
    follow_limit: u32 = FOLLOW_LIMIT_DEFAULT, flag(u32, "N"), within(1..=u64::from(FOLLOW_LIMIT_MAX));
    /// When a write is acknowledged: on the disk, or within --group-window-ms of it
    durability: Durability = Durability::Sync, flag(Durability, "MODE");
    /// The most that --durability group may lose in a power cut
    group_window_ms: u64 = 10, flag(u64, "MS"), within(1..=WINDOW_MS_MAX);
    /// Memory for users' following sets and counters
    user_cache_mib: u64 = 256, flag(u64, "MIB"), within(0..=MIB_MAX);
    /// Memory for blocks of table files
    block_cache_mib: u64 = 256, flag(u64, "MIB"), within(0..=MIB_MAX);
    /// Memory for authors' newest posts, by which pages are merged
    author_cache_mib: u64 = 128, flag(u64, "MIB"), within(0..=MIB_MAX);
    /// Memory for what the rules of home ask of posts
    item_cache_mib: u64 = 128, flag(u64, "MIB"), within(0..=MIB_MAX);
    /// Memory for inboxes, which the fan-out fills
    inbox_mib: u64 = 256, flag(u64, "MIB"), within(0..=MIB_MAX);
    /// Memory of one memtable
    memtable_mib: u64 = 32, flag(u64, "MIB"), within(1..=MIB_MAX);
    /// Journal size that bounds the time to start after a crash
    journal_mib: u64 = 64, flag(u64, "MIB"), within(1..=MIB_MAX);
    /// Events kept in the log
    log_events_max: u64 = 10_000_000, flag(u64, "N"), within(1..=EVENTS_MAX);
    /// Age of the oldest event kept in the log
    log_age_max_hours: u64 = 7 * 24, flag(u64, "HOURS"), within(1..=HOURS_MAX);
    /// Free space of the disk below which writes are refused
    free_space_reserve_mib: u64 = 512, flag(u64, "MIB"), within(0..=MIB_MAX);
    /// Keep an index of posts, so that they can be searched
    search: bool = true,
        flag(bool, "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true");
    /// Where this process of a cluster keeps the indexes of search, in the role `index` [default: it keeps none]
    index_dir: Option<PathBuf> = None, flag(PathBuf, "DIR");
    /// Where other processes of the cluster ask these indexes [default: none]
    index_listen: Option<String> = None, flag(String, "ADDR");
    /// How others reach --index-listen, if not by its own address
    index_address: Option<String> = None, flag(String, "ADDR");
    /// How long changes may be collected before the search index finds them
    search_commit_ms: u64 = 500, flag(u64, "MS"), within(SEARCH_COMMIT_MS);
    /// Memory for documents of the search index that are not on the disk yet
    search_memory_mib: u64 = 32, flag(u64, "MIB"), within(30..=1_024);
    /// Documents that each search index takes in a second at most; a quarter of it while calls wait
    search_documents_per_second: u64 = 50_000, flag(u64, "N"), within(100..=10_000_000);
    /// Bytes that each search index writes in a second at most to merge its files; a quarter of it while calls wait
    search_merge_mib_per_second: u64 = 64, flag(u64, "MIB"), within(1..=10_000);
    /// Disk for files of exports that the back office asks for
    export_spool_mib: u64 = 1_024, flag(u64, "MIB"), within(0..=MIB_MAX);
    /// How long such a file is kept
    export_keep_minutes: u64 = 60, flag(u64, "MINUTES"), within(1..=EXPORT_KEEP_MINUTES_MAX);
    /// What is logged: off, error, warn, info, debug, trace, or `info,guanxi_rim=debug`
    log_level: String = "info".into(), flag(String, "LEVEL");
    /// How logs look
    log_format: LogFormat = LogFormat::Auto, flag(LogFormat, "FORMAT");
    /// Log calls that take longer; 0 logs none
    slow_call_ms: u64 = 0, flag(u64, "MS"), within(0..=SLOW_MS_MAX);
    /// Send spans of calls to this collector of OpenTelemetry, such as http://127.0.0.1:4318
    trace_endpoint: Option<String> = None, flag(String, "URL");
    /// Of a hundred traces that begin here, send so many; those that callers keep are sent anyway
    trace_sample_percent: u64 = 1, flag(u64, "N"), within(0..=100);
}
