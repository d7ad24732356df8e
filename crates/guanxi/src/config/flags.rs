//! The settings as flags of `serve`.

use super::uids::Uids;
use super::words::{Durability, JwtSubject, LogFormat, ProcessRole, WhoRegisters};
use clap::Args;
use serde::Serialize;
use std::path::PathBuf;

/// The settings as flags. A flag that is not given leaves the file and the environment alone.
#[derive(Clone, Debug, Default, Args, Serialize)]
#[command(next_help_heading = "Settings")]
pub(crate) struct SettingFlags {
    /// Where the API is served [default: 127.0.0.1:7420]
    #[arg(long, value_name = "ADDR")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub listen: Option<String>,
    /// Where operators' calls, /metrics and health are served [default: 127.0.0.1:7421]
    #[arg(long, value_name = "ADDR")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub admin_listen: Option<String>,
    /// Ask nobody for a token; loopback listeners only
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_auth: Option<bool>,
    /// Connections open at once, as far as the limit of open files allows [default: 10000]
    #[arg(long, value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub connections_max: Option<usize>,
    /// How long calls may wait for their turn before a share of them is refused [default: 250]
    #[arg(long, value_name = "MS")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue_wait_max_ms: Option<u64>,
    /// How long a client may take nothing of an answer [default: 30]
    #[arg(long, value_name = "SECONDS")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub send_timeout_s: Option<u64>,
    /// Calls answered at once [default: 4096]
    #[arg(long, value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calls_max: Option<usize>,
    /// Calls of one end user answered at once [default: 64]
    #[arg(long, value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calls_per_user_max: Option<usize>,
    /// Calls of one service's token answered at once [default: 3072]
    #[arg(long, value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calls_per_service_max: Option<usize>,
    /// Streams open at once [default: 16384]
    #[arg(long, value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub streams_max: Option<usize>,
    /// Streams of one end user open at once [default: 16]
    #[arg(long, value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub streams_per_user_max: Option<usize>,
    /// Streams of one service's token open at once [default: 12288]
    #[arg(long, value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub streams_per_service_max: Option<usize>,
    /// Calls without a token answered at once [default: 256]
    #[arg(long, value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open_calls_max: Option<usize>,
    /// Streams without a token open at once [default: 64]
    #[arg(long, value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open_streams_max: Option<usize>,
    /// Calls at once on one HTTP/2 connection [default: 256]
    #[arg(long, value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calls_per_connection_max: Option<u32>,
    /// How long an HTTP/2 connection may have no call in flight [default: 300]
    #[arg(long, value_name = "SECONDS")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idle_timeout_s: Option<u64>,
    /// How long the head of a request may take [default: 30]
    #[arg(long, value_name = "SECONDS")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub head_timeout_s: Option<u64>,
    /// How long the body of a call may take [default: 5]
    #[arg(long, value_name = "SECONDS")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body_timeout_s: Option<u64>,
    /// Origins of web pages that may call the API from a browser, separated by commas; `*` alone means any
    #[arg(long, value_name = "ORIGINS", value_delimiter = ',')]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cors_origins: Option<Vec<String>>,
    /// What this process does for a cluster, separated by commas [default: all]
    #[arg(long, value_name = "ROLES", value_delimiter = ',')]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub roles: Option<Vec<ProcessRole>>,
    /// How long after its end the check of events without an echo begins again; 0 for never [default: 3]
    #[arg(long, value_name = "SECONDS")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check_pairs_every_s: Option<u64>,
    /// How long after its end the check of all new events begins again; 0 for never [default: 60]
    #[arg(long, value_name = "SECONDS")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check_incremental_every_s: Option<u64>,
    /// How long after its end the check of digests begins again; 0 for never [default: 600]
    #[arg(long, value_name = "SECONDS")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check_digests_every_s: Option<u64>,
    /// How long after its end the check of every row begins again; 0 for never [default: 168]
    #[arg(long, value_name = "HOURS")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check_full_every_hours: Option<u64>,
    /// The share of time that each check may keep databases busy [default: 5]
    #[arg(long, value_name = "PERCENT")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check_share_percent: Option<u64>,
    /// The certificate of the API's listener, in PEM, which then speaks TLS; the operator's does, too
    #[arg(long, value_name = "FILE")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tls_cert: Option<PathBuf>,
    /// The key of --tls-cert
    #[arg(long, value_name = "FILE")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tls_key: Option<PathBuf>,
    /// Another certificate for the operator's listener [default: that of --tls-cert]
    #[arg(long, value_name = "FILE")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub admin_tls_cert: Option<PathBuf>,
    /// The key of --admin-tls-cert
    #[arg(long, value_name = "FILE")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub admin_tls_key: Option<PathBuf>,
    /// CAs of operators' certificates, without which nobody reaches the operator's listener
    #[arg(long, value_name = "FILE")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub admin_client_ca: Option<PathBuf>,
    /// A proxy in front speaks TLS, so that listeners without it need not be loopback
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub behind_proxy: Option<bool>,
    /// Proxies whose word about a caller's address is believed: addresses and networks, separated by commas
    #[arg(long, value_name = "NETWORKS", value_delimiter = ',')]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trusted_proxies: Option<Vec<String>>,
    /// Reads of an end user in a minute; 0 for any number [default: 12000]
    #[arg(long, value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate_reads_per_minute: Option<u32>,
    /// Writes of an end user in a minute that are neither posts nor follows; 0 for any number [default: 1200]
    #[arg(long, value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate_writes_per_minute: Option<u32>,
    /// Follows of an end user in an hour; 0 for any number [default: 1000]
    #[arg(long, value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate_follows_per_hour: Option<u32>,
    /// Posts of an end user in a minute; 0 for any number [default: 60]
    #[arg(long, value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate_posts_per_minute: Option<u32>,
    /// Calls without a valid token in a minute from one address; 0 for any number [default: 600]
    #[arg(long, value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate_unknown_per_minute: Option<u32>,
    /// Attempts to log in as one user in a minute from one address, and ten times that from everywhere; 0 for any number [default: 10]
    #[arg(long, value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate_logins_per_minute: Option<u32>,
    /// Who may make accounts [default: services]
    #[arg(long, value_name = "WHO")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub registration: Option<WhoRegisters>,
    /// Whose numbers uids are: both, foreign, minted, or FIRST-LAST, the range to mint them in [default: as the data has it]
    #[arg(long, value_name = "WHOSE")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uids: Option<Uids>,
    /// Accounts that callers without a token make in an hour from one address; 0 for any number [default: 20]
    #[arg(long, value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate_registrations_per_hour: Option<u32>,
    /// Callers of each budget whose spending is remembered at once [default: 65536]
    #[arg(long, value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate_keys_max: Option<u32>,
    /// Files of public keys (PEM, JWKS) whose JWTs are let in, separated by commas
    #[arg(long, value_name = "FILES", value_delimiter = ',')]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jwt_key_files: Option<Vec<PathBuf>>,
    /// The file of a secret whose JWTs by HS256 are let in
    #[arg(long, value_name = "FILE")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jwt_secret_file: Option<PathBuf>,
    /// Where the keys whose JWTs are let in are published, such as https://issuer.example/.well-known/jwks.json
    #[arg(long, value_name = "URL")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jwt_jwks_url: Option<String>,
    /// The CAs to trust there [default: those of this machine]
    #[arg(long, value_name = "FILE")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jwt_jwks_ca: Option<PathBuf>,
    /// How often the keys are read there [default: 300]
    #[arg(long, value_name = "SECONDS")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jwt_jwks_every_s: Option<u64>,
    /// The `iss` of JWTs
    #[arg(long, value_name = "TEXT")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jwt_issuer: Option<String>,
    /// What the `aud` of JWTs must hold
    #[arg(long, value_name = "TEXT")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jwt_audience: Option<String>,
    /// What the `sub` of JWTs is; never guessed
    #[arg(long, value_name = "KIND")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jwt_subject: Option<JwtSubject>,
    /// How far the clock of the issuer may be off [default: 30]
    #[arg(long, value_name = "SECONDS")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jwt_leeway_s: Option<u64>,
    /// How long a JWT may live, from `iat` to `exp` [default: 86400]
    #[arg(long, value_name = "SECONDS")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jwt_life_max_s: Option<u64>,
    /// How long calls may carry the access token of a login [default: 60]
    #[arg(long, value_name = "MINUTES")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_access_minutes: Option<u32>,
    /// How long the session of a login stands without a refresh [default: 30]
    #[arg(long, value_name = "DAYS")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_idle_days: Option<u32>,
    /// How long it stands at most [default: 180]
    #[arg(long, value_name = "DAYS")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_max_days: Option<u32>,
    /// How long what deleted users wrote and were called is kept [default: 30]
    #[arg(long, value_name = "DAYS")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deleted_users_days: Option<u32>,
    /// How long a deleted post can be restored before it is purged [default: for ever]
    #[arg(long, value_name = "DAYS")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deleted_posts_days: Option<u32>,
    /// How long it is remembered that a follow was removed [default: for ever]
    #[arg(long, value_name = "DAYS")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removed_follows_days: Option<u32>,
    /// In which time what users do about each other counts half [default: 7]
    #[arg(long, value_name = "DAYS")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub affinity_half_life_days: Option<u32>,
    /// What a visit counts for affinity [default: 1]
    #[arg(long, value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub affinity_visit: Option<u32>,
    /// What a message counts for affinity [default: 10]
    #[arg(long, value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub affinity_message: Option<u32>,
    /// What a like counts for affinity [default: 3]
    #[arg(long, value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub affinity_like: Option<u32>,
    /// What a reply counts for affinity [default: 8]
    #[arg(long, value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub affinity_reply: Option<u32>,
    /// What a repost counts for affinity [default: 6]
    #[arg(long, value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub affinity_repost: Option<u32>,
    /// Follows per user [default: 5000]
    #[arg(long, value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub follow_limit: Option<u32>,
    /// When a write is acknowledged: on the disk, or within --group-window-ms of it [default: sync]
    #[arg(long, value_name = "MODE")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub durability: Option<Durability>,
    /// The most that --durability group may lose in a power cut [default: 10]
    #[arg(long, value_name = "MS")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group_window_ms: Option<u64>,
    /// Memory for users' following sets and counters [default: 256]
    #[arg(long, value_name = "MIB")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_cache_mib: Option<u64>,
    /// Memory for blocks of table files [default: 256]
    #[arg(long, value_name = "MIB")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block_cache_mib: Option<u64>,
    /// Memory for authors' newest posts, by which pages are merged [default: 128]
    #[arg(long, value_name = "MIB")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author_cache_mib: Option<u64>,
    /// Memory for what the rules of home ask of posts [default: 128]
    #[arg(long, value_name = "MIB")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub item_cache_mib: Option<u64>,
    /// Memory for inboxes, which the fan-out fills [default: 256]
    #[arg(long, value_name = "MIB")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inbox_mib: Option<u64>,
    /// Memory of one memtable [default: 32]
    #[arg(long, value_name = "MIB")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memtable_mib: Option<u64>,
    /// Journal size that bounds the time to start after a crash [default: 64]
    #[arg(long, value_name = "MIB")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub journal_mib: Option<u64>,
    /// Events kept in the log [default: 10000000]
    #[arg(long, value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_events_max: Option<u64>,
    /// Age of the oldest event kept in the log [default: 168]
    #[arg(long, value_name = "HOURS")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_age_max_hours: Option<u64>,
    /// Free space of the disk below which writes are refused [default: 512]
    #[arg(long, value_name = "MIB")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub free_space_reserve_mib: Option<u64>,
    /// What is logged: off, error, warn, info, debug, trace, or `info,guanxi_api=debug` [default: info]
    #[arg(long, value_name = "LEVEL")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_level: Option<String>,
    /// How logs look [default: auto]
    #[arg(long, value_name = "FORMAT")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_format: Option<LogFormat>,
    /// Log calls that take longer; 0 logs none [default: 0]
    #[arg(long, value_name = "MS")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slow_call_ms: Option<u64>,
    /// Send spans of calls to this collector of OpenTelemetry, such as http://127.0.0.1:4318
    #[arg(long, value_name = "URL")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace_endpoint: Option<String>,
    /// Of a hundred traces that begin here, send so many; those that callers keep are sent anyway [default: 1]
    #[arg(long, value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace_sample_percent: Option<u64>,
}
