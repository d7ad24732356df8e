//! The table of series: a row a line. Metrics are explained in docs/operations.md and, those of a cluster, in
//! docs/cluster-faults.md.

use super::row::SeriesUnit::{Bytes, Cores, Count, Events, Seconds, Share};
use super::row::{Row, behind, gauge, of, only, quantile, rate, ratio, until};

const CALLS: &[&str] = &["guanxi_rpc_requests_total"];
const CALL_TIME: &[&str] = &["guanxi_rpc_seconds_bucket"];
const TAKEN: &[&str] = &["guanxi_slots_taken"];
const SLOTS: &[&str] = &["guanxi_slots_max"];
const COMMIT_TIME: &[&str] = &["guanxi_commit_seconds_bucket"];
const FSYNC_TIME: &[&str] = &["guanxi_fsync_seconds_bucket"];
const LOG: &[&str] = &["guanxi_log_seq"];
const FANOUT_LAG: &[&str] = &["guanxi_fanout_lag_seconds_bucket"];
const SEARCH_LAG: &[&str] = &["guanxi_search_lag_events"];
const HOMES: &[&str] = &["guanxi_home_pages_total"];
const USERS: &[&str] = &["guanxi_user_cache_total"];
const AUTHORS: &[&str] = &["guanxi_author_cache_total"];
const ITEMS: &[&str] = &["guanxi_item_cache_total"];
const PAGES: &[&str] = &["guanxi_first_page_total"];
const SESSIONS: &[&str] = &["guanxi_session_cache_hits_total"];
const SESSIONS_ASKED: &[&str] = &["guanxi_session_cache_hits_total", "guanxi_session_cache_misses_total"];
const AFFINITY: &[&str] = &["guanxi_affinity_cache_total"];
const REFUSED: &[&str] = &["guanxi_slots_refused_total", "guanxi_heavy_calls_refused_total"];
const DISK: &[&str] = &["guanxi_disk_bytes"];
const EXPIRY: &[&str] = &["guanxi_tls_certificate_expiry_time_seconds"];
const UNCONFIRMED: &[&str] = &["guanxi_check_unconfirmed_age_seconds"];

/// Codes of calls that fail by the server's fault, as the alarm `GuanxiErrors` has them.
pub(super) const SERVER_CODES: &[&str] = &["internal", "unavailable", "data_loss", "unknown"];
/// The code of calls that are refused: overload, rates, a full disk.
pub(super) const REFUSED_CODES: &[&str] = &["resource_exhausted"];
/// Codes of calls that fail by what the caller asked for, or that the caller has left.
pub(super) const CALLER_CODES: &[&str] = &[
    "canceled",
    "invalid_argument",
    "deadline_exceeded",
    "not_found",
    "already_exists",
    "permission_denied",
    "failed_precondition",
    "aborted",
    "out_of_range",
    "unimplemented",
    "unauthenticated",
];

/// The table.
#[rustfmt::skip]
pub(super) const TABLE: &[Row] = &[
    rate("calls.rate", of(CALLS)),
    rate("calls.errors_server", only(CALLS, "code", SERVER_CODES)),
    rate("calls.errors_refused", only(CALLS, "code", REFUSED_CODES)),
    rate("calls.errors_caller", only(CALLS, "code", CALLER_CODES)),
    ratio("calls.server_error_share", Share, only(CALLS, "code", SERVER_CODES), of(CALLS)),
    quantile("calls.p50", 0.5, of(CALL_TIME)),
    quantile("calls.p99", 0.99, of(CALL_TIME)),
    rate("refused.slots", of(REFUSED)),
    rate("refused.rates", of(&["guanxi_rate_limited_total"])),
    gauge("refused.share", Share, of(&["guanxi_admission_refused_share"])),
    gauge("load.wait", Seconds, of(&["guanxi_admission_wait_seconds"])),
    gauge("load.connections", Count, of(&["guanxi_connections"])).at_most(of(&["guanxi_connections_max"])),
    gauge("load.calls", Count, only(TAKEN, "kind", &["call"])).at_most(only(SLOTS, "kind", &["call"])),
    gauge("load.streams", Count, only(TAKEN, "kind", &["stream"])).at_most(only(SLOTS, "kind", &["stream"])),
    gauge("load.open_calls", Count, only(TAKEN, "kind", &["open_call"])).at_most(only(SLOTS, "kind", &["open_call"])),
    gauge("load.open_streams", Count, only(TAKEN, "kind", &["open_stream"])).at_most(only(SLOTS, "kind", &["open_stream"])),
    rate("writes.commits", of(&["guanxi_commit_seconds_count"])),
    ratio("writes.per_commit", Count, of(&["guanxi_commit_group_size_sum"]), of(&["guanxi_commit_group_size_count"])),
    quantile("writes.commit_p99", 0.99, of(COMMIT_TIME)),
    quantile("writes.fsync_p99", 0.99, of(FSYNC_TIME)),
    gauge("log.seq", Events, of(LOG)),
    rate("log.events", of(LOG)),
    behind("fanout.behind", of(LOG), of(&["guanxi_fanout_covered_seq"])),
    gauge("fanout.queued", Count, of(&["guanxi_fanout_queued"])),
    quantile("fanout.lag_p99", 0.99, of(FANOUT_LAG)),
    rate("fanout.deliveries", of(&["guanxi_deliveries_total"])),
    rate("homes.from_inbox", only(HOMES, "source", &["inbox"])),
    rate("homes.from_pull", only(HOMES, "source", &["pull"])),
    gauge("search.posts_behind", Events, only(SEARCH_LAG, "index", &["posts"])),
    gauge("search.users_behind", Events, only(SEARCH_LAG, "index", &["users"])),
    ratio("hits.users", Share, only(USERS, "outcome", &["hit"]), of(USERS)),
    ratio("hits.authors", Share, only(AUTHORS, "outcome", &["hit"]), of(AUTHORS)),
    ratio("hits.items", Share, only(ITEMS, "outcome", &["hit"]), of(ITEMS)),
    ratio("hits.first_pages", Share, only(PAGES, "outcome", &["hit"]), of(PAGES)),
    ratio("hits.sessions", Share, of(SESSIONS), of(SESSIONS_ASKED)),
    ratio("hits.affinity", Share, only(AFFINITY, "outcome", &["hit"]), of(AFFINITY)),
    gauge("memory.inboxes", Bytes, of(&["guanxi_inbox_bytes"])).at_most_mib(|settings| settings.inbox_mib),
    gauge("memory.users", Bytes, of(&["guanxi_user_cache_bytes"])).at_most_mib(|settings| settings.user_cache_mib),
    gauge("memory.authors", Bytes, of(&["guanxi_author_cache_bytes"])).at_most_mib(|settings| settings.author_cache_mib),
    gauge("memory.items", Bytes, of(&["guanxi_item_cache_bytes"])).at_most_mib(|settings| settings.item_cache_mib),
    gauge("process.resident", Bytes, of(&["process_resident_memory_bytes"])),
    Row { unit: Cores, ..rate("process.cpu", of(&["process_cpu_seconds_total"])) },
    gauge("process.open_files", Count, of(&["process_open_fds"])).at_most(of(&["process_max_fds"])),
    gauge("process.threads", Count, of(&["process_threads"])),
    gauge("disk.forward", Bytes, only(DISK, "part", &["forward"])),
    gauge("disk.reverse", Bytes, only(DISK, "part", &["reverse"])),
    gauge("disk.records", Bytes, only(DISK, "part", &["records"])),
    gauge("disk.log", Bytes, only(DISK, "part", &["log"])),
    gauge("disk.posts", Bytes, only(DISK, "part", &["posts"])),
    gauge("disk.outbox", Bytes, only(DISK, "part", &["outbox"])),
    gauge("disk.journal", Bytes, only(DISK, "part", &["journal"])),
    gauge("disk.free", Bytes, of(&["guanxi_disk_free_bytes"])),
    gauge("disk.reserve", Bytes, of(&["guanxi_disk_reserve_bytes"])),
    gauge("disk.exports", Bytes, of(&["guanxi_export_spool_bytes"])).at_most_mib(|settings| settings.export_spool_mib),
    gauge("erasure.stuck_users", Count, of(&["guanxi_deleted_users_stuck"])),
    until("tls.main_ends_in", only(EXPIRY, "listener", &["main"])),
    until("tls.admin_ends_in", only(EXPIRY, "listener", &["admin"])),
    gauge("tls.reloads_failing", Count, of(&["guanxi_tls_reload_failing"])),
    gauge("jwt.reads_failing", Count, of(&["guanxi_jwt_key_reads_failing"])),
    rate("cluster.differences", of(&["guanxi_check_differed_total"])),
    rate("cluster.mended", of(&["guanxi_check_mended_total"])),
    gauge("cluster.unconfirmed_age", Seconds, only(UNCONFIRMED, "check", &["pairs"])),
    gauge("cluster.clock_ahead", Seconds, of(&["guanxi_clock_ahead_seconds"])),
    gauge("cluster.search_replicas", Count, of(&["guanxi_search_replicas"])),
    rate("cluster.search_unanswered", only(&["guanxi_search_asks_total"], "outcome", &["unavailable"])),
];
