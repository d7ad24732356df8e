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

/// The oldest that a process of a cluster may answer from memory, in milliseconds.
const STALENESS_MS_MAX: u64 = 1_000;

/// How long a token may live, in seconds, from a minute to a year.
const JWT_LIFE_S: RangeInclusive<u64> = 60..=366 * 86_400;

settings! {
    /// The data directory
    data: Option<PathBuf> = None;
    /// The address of the API listener
    listen: String = LISTEN_DEFAULT.into(), flag(String, "ADDR");
    /// The address of the admin listener, which serves operators' calls, /metrics and health
    admin_listen: String = ADMIN_LISTEN_DEFAULT.into(), flag(String, "ADDR");
    /// Accept calls without a token; only for listeners on loopback addresses
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
    /// The time after which an HTTP/2 connection without a call in flight is closed
    idle_timeout_s: u64 = limits::IDLE_TIMEOUT.as_secs(), flag(u64, "SECONDS"), within(1..=TIMEOUT_S_MAX);
    /// How long the head of a request may take
    head_timeout_s: u64 = limits::HEADER_TIMEOUT.as_secs(), flag(u64, "SECONDS"), within(1..=TIMEOUT_S_MAX);
    /// How long the body of a call may take
    body_timeout_s: u64 = limits::BODY_TIMEOUT.as_secs(), flag(u64, "SECONDS"), within(1..=TIMEOUT_S_MAX);
    /// How long calls may wait for their turn before a share of them is refused
    queue_wait_max_ms: u64 = 20, flag(u64, "MS"), within(1..=WAIT_MS_MAX);
    /// How long a client may read nothing of an answer
    send_timeout_s: u64 = limits::SEND_TIMEOUT.as_secs(), flag(u64, "SECONDS"), within(1..=TIMEOUT_S_MAX);
    /// Origins of web pages that may call the API from a browser, separated by commas; `*` alone means any
    cors_origins: Vec<String> = Vec::new(), flag(Vec<String>, "ORIGINS", value_delimiter = ',');
    /// Show the console to browsers on the admin listener
    console: bool = true,
        flag(bool, "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true");
    /// Names by which browsers reach the admin listener, and with --no-auth all callers both listeners, beside addresses and localhost, separated by commas
    console_hosts: Vec<String> = Vec::new(), flag(Vec<String>, "NAMES", value_delimiter = ',');
    /// Offer the page of the console where two test users try what users can do
    console_try: bool = false,
        flag(bool, "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true");
    /// The databases of a cluster, each as `name=postgresql://user@host/database`; the first has the data of the whole cluster
    databases: Vec<String> = Vec::new(), shown("(redacted)");
    /// When the shard of the other user gets a write: before the answer, or after it, by the logs
    carrying: Carried = Carried::Log;
    /// How old what a process of a cluster has in memory may be when it answers a call without a token
    staleness_ms: u64 = 200, flag(u64, "MS"), within(0..=STALENESS_MS_MAX);
    /// What this process does for a cluster, separated by commas
    roles: Vec<ProcessRole> = ProcessRole::ALL.to_vec(), flag(Vec<ProcessRole>, "ROLES", value_delimiter = ',');
    /// The pause between two checks of events without an echo; 0 for no check
    check_pairs_every_s: u64 = 3, flag(u64, "SECONDS"), within(0..=CHECK_EVERY_S_MAX);
    /// The pause between two checks of all new events; 0 for no check
    check_incremental_every_s: u64 = 60, flag(u64, "SECONDS"), within(0..=CHECK_EVERY_S_MAX);
    /// The pause between two checks of digests; 0 for no check
    check_digests_every_s: u64 = 600, flag(u64, "SECONDS"), within(0..=CHECK_EVERY_S_MAX);
    /// The pause between two checks of every row; 0 for no check
    check_full_every_hours: u64 = 7 * 24, flag(u64, "HOURS"), within(0..=CHECK_EVERY_HOURS_MAX);
    /// The share of time that each check may keep databases busy
    check_share_percent: u64 = 5, flag(u64, "PERCENT"), within(1..=100);
    /// The certificate of the API listener, in PEM. Both listeners then use TLS
    tls_cert: Option<PathBuf> = None, flag(PathBuf, "FILE");
    /// The key of --tls-cert
    tls_key: Option<PathBuf> = None, flag(PathBuf, "FILE");
    /// A certificate of its own for the admin listener [default: that of --tls-cert]
    admin_tls_cert: Option<PathBuf> = None, flag(PathBuf, "FILE");
    /// The key of --admin-tls-cert
    admin_tls_key: Option<PathBuf> = None, flag(PathBuf, "FILE");
    /// The CAs of operators' certificates. The admin listener then accepts only clients with such a certificate
    admin_client_ca: Option<PathBuf> = None, flag(PathBuf, "FILE");
    /// A proxy in front speaks TLS, so listeners without TLS may have other addresses than loopback
    behind_proxy: bool = false,
        flag(bool, "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true");
    /// Proxies that are trusted to tell a caller's address: addresses and networks, separated by commas
    trusted_proxies: Vec<String> = Vec::new(), flag(Vec<String>, "NETWORKS", value_delimiter = ',');
    /// The CAs that the operator's commands trust at an `https://` server; without it, the CAs of this machine
    ca: Option<PathBuf> = None;
    /// The client certificate of the operator's commands, for a server that requires one
    client_cert: Option<PathBuf> = None;
    /// The key of that certificate
    client_key: Option<PathBuf> = None;
    /// Reads of an end user in a minute; 0 for no limit
    rate_reads_per_minute: u32 = 12_000, flag(u32, "N"), within(0..=u64::from(RATE_MAX));
    /// Writes of an end user in a minute, without posts and follows; 0 for no limit
    rate_writes_per_minute: u32 = 1_200, flag(u32, "N"), within(0..=u64::from(RATE_MAX));
    /// Follows of an end user in an hour; 0 for no limit
    rate_follows_per_hour: u32 = 1_000, flag(u32, "N"), within(0..=u64::from(RATE_MAX));
    /// Posts of an end user in a minute; 0 for no limit
    rate_posts_per_minute: u32 = 60, flag(u32, "N"), within(0..=u64::from(RATE_MAX));
    /// Calls without a valid token in a minute from one address; 0 for no limit
    rate_unknown_per_minute: u32 = 600, flag(u32, "N"), within(0..=u64::from(RATE_MAX));
    /// Login attempts as one user in a minute from one address, and ten times that from all addresses; 0 for no limit
    rate_logins_per_minute: u32 = 10, flag(u32, "N"), within(0..=u64::from(RATE_MAX));
    /// The callers that may register accounts
    registration: WhoRegisters = WhoRegisters::Services, flag(WhoRegisters, "WHO");
    /// The origin of uids: both, foreign, minted, or FIRST-LAST, the range of minted ones [default: as the data has it]
    uids: Option<Uids> = None, flag(Uids, "WHOSE");
    /// Accounts that callers without a token may register in an hour from one address; 0 for no limit
    rate_registrations_per_hour: u32 = 20, flag(u32, "N"), within(0..=u64::from(RATE_MAX));
    /// Callers whose use of a budget is kept in memory, for each budget
    rate_keys_max: u32 = 65_536, flag(u32, "N"), within(1..=RATE_KEYS_MAX);
    /// Files of public keys (PEM, JWKS) whose JWTs are accepted, separated by commas
    jwt_key_files: Vec<PathBuf> = Vec::new(), flag(Vec<PathBuf>, "FILES", value_delimiter = ',');
    /// The file of a secret whose HS256 JWTs are accepted
    jwt_secret_file: Option<PathBuf> = None, flag(PathBuf, "FILE");
    /// The address of the keys whose JWTs are accepted, such as https://issuer.example/.well-known/jwks.json
    jwt_jwks_url: Option<String> = None, flag(String, "URL");
    /// The CAs to trust at jwt_jwks_url [default: those of this machine]
    jwt_jwks_ca: Option<PathBuf> = None, flag(PathBuf, "FILE");
    /// How often the keys at jwt_jwks_url are read
    jwt_jwks_every_s: u64 = 300, flag(u64, "SECONDS"), within(JWKS_EVERY_S);
    /// The required `iss` of JWTs
    jwt_issuer: Option<String> = None, flag(String, "TEXT");
    /// The text that the `aud` of JWTs must have
    jwt_audience: Option<String> = None, flag(String, "TEXT");
    /// The kind of the `sub` of JWTs; it has no default
    jwt_subject: Option<JwtSubject> = None, flag(JwtSubject, "KIND");
    /// How far the clock of the issuer may differ
    jwt_leeway_s: u64 = 30, flag(u64, "SECONDS"), within(JWT_LEEWAY_S);
    /// How long a JWT may live, from `iat` to `exp`
    jwt_life_max_s: u64 = 86_400, flag(u64, "SECONDS"), within(JWT_LIFE_S);
    /// The token that the operator's commands send to a server
    token: Option<String> = None, shown("(redacted)");
    /// The key of tickets for streams, at least 32 characters; without one it is the key of the data, which all processes of a cluster have
    stream_ticket_key: Option<String> = None, shown("(redacted)");
    /// How long the access token of a login is valid
    session_access_minutes: u32 = 60, flag(u32, "MINUTES"), within(1..=SESSION_ACCESS_MINUTES_MAX);
    /// How long the session of a login lives without a refresh
    session_idle_days: u32 = 30, flag(u32, "DAYS"), within(1..=SESSION_DAYS_MAX);
    /// How long the session of a login lives at most
    session_max_days: u32 = 180, flag(u32, "DAYS"), within(1..=SESSION_DAYS_MAX);
    /// How long posts, profiles and names of deleted users are kept
    deleted_users_days: u32 = 30, flag(u32, "DAYS"), within(0..=RETENTION_DAYS_MAX);
    /// How long a deleted post can be restored before it is purged [default: for ever]
    deleted_posts_days: Option<u32> = None, flag(u32, "DAYS"), within(0..=RETENTION_DAYS_MAX);
    /// How long removed follows are remembered [default: for ever]
    removed_follows_days: Option<u32> = None, flag(u32, "DAYS"), within(1..=RETENTION_DAYS_MAX);
    /// How long the audit log keeps its entries; 0 is for ever [default: for ever]
    audit_days: Option<u32> = None, flag(u32, "DAYS"), within(0..=RETENTION_DAYS_MAX);
    /// The half-life of affinity: the time after which an interaction counts half
    affinity_half_life_days: u32 = 7, flag(u32, "DAYS"), within(1..=RETENTION_DAYS_MAX);
    /// The weight of a visit in affinity
    affinity_visit: u32 = 1, flag(u32, "N"), within(0..=AFFINITY_WEIGHT_MAX);
    /// The weight of a message in affinity
    affinity_message: u32 = 10, flag(u32, "N"), within(0..=AFFINITY_WEIGHT_MAX);
    /// The weight of a like in affinity
    affinity_like: u32 = 3, flag(u32, "N"), within(0..=AFFINITY_WEIGHT_MAX);
    /// The weight of a reply in affinity
    affinity_reply: u32 = 8, flag(u32, "N"), within(0..=AFFINITY_WEIGHT_MAX);
    /// The weight of a repost in affinity
    affinity_repost: u32 = 6, flag(u32, "N"), within(0..=AFFINITY_WEIGHT_MAX);
    /// Follows per user
    follow_limit: u32 = FOLLOW_LIMIT_DEFAULT, flag(u32, "N"), within(1..=u64::from(FOLLOW_LIMIT_MAX));
    /// When a write is acknowledged: on the disk, or within --group-window-ms of it
    durability: Durability = Durability::Sync, flag(Durability, "MODE");
    /// The time of writes that --durability group may lose in a power cut
    group_window_ms: u64 = 10, flag(u64, "MS"), within(1..=WINDOW_MS_MAX);
    /// Memory for users' following sets and counters
    user_cache_mib: u64 = 256, flag(u64, "MIB"), within(0..=MIB_MAX);
    /// Memory for blocks of table files
    block_cache_mib: u64 = 256, flag(u64, "MIB"), within(0..=MIB_MAX);
    /// Memory for the newest posts of authors, from which pages are merged
    author_cache_mib: u64 = 128, flag(u64, "MIB"), within(0..=MIB_MAX);
    /// Memory for the headers of posts, which the rules of home need
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
    /// The directory of the search indexes of this process of a cluster, in the role `index` [default: no index]
    index_dir: Option<PathBuf> = None, flag(PathBuf, "DIR");
    /// The address at which other processes of the cluster ask these indexes [default: none]
    index_listen: Option<String> = None, flag(String, "ADDR");
    /// The address by which other processes reach --index-listen, if it is another one
    index_address: Option<String> = None, flag(String, "ADDR");
    /// How long the search index collects changes before searches find them
    search_commit_ms: u64 = 500, flag(u64, "MS"), within(SEARCH_COMMIT_MS);
    /// Memory for documents of the search index that are not on the disk yet
    search_memory_mib: u64 = 32, flag(u64, "MIB"), within(30..=1_024);
    /// Documents that each search index takes in a second at most; a quarter of it while calls wait
    search_documents_per_second: u64 = 50_000, flag(u64, "N"), within(100..=10_000_000);
    /// Bytes that each search index writes in a second at most to merge its files; a quarter of it while calls wait
    search_merge_mib_per_second: u64 = 64, flag(u64, "MIB"), within(1..=10_000);
    /// Disk for the files of export jobs
    export_spool_mib: u64 = 1_024, flag(u64, "MIB"), within(0..=MIB_MAX);
    /// How long the file of an export job is kept
    export_keep_minutes: u64 = 60, flag(u64, "MINUTES"), within(1..=EXPORT_KEEP_MINUTES_MAX);
    /// The level of the log: off, error, warn, info, debug, trace, or levels of targets, such as `info,guanxi_rim=debug`
    log_level: String = "info".into(), flag(String, "LEVEL");
    /// The format of the log
    log_format: LogFormat = LogFormat::Auto, flag(LogFormat, "FORMAT");
    /// Log calls that take longer than this time; 0 logs none
    slow_call_ms: u64 = 0, flag(u64, "MS"), within(0..=SLOW_MS_MAX);
    /// Send spans of calls to this collector of OpenTelemetry, such as http://127.0.0.1:4318
    trace_endpoint: Option<String> = None, flag(String, "URL");
    /// The percentage of traces to send, of those that begin here; traces that callers have sampled are always sent
    trace_sample_percent: u64 = 1, flag(u64, "N"), within(0..=100);
}
