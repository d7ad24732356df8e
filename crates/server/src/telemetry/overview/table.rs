//! The table of series: a row a line. Metrics are explained in docs/operations.md.

use super::row::Unit::{Bytes, Cores, Count, Events, Share};
use super::row::{Row, behind, gauge, of, only, quantile, rate, ratio, until};

const USERS: &[&str] = &["guanxi_user_cache_total"];

/// The table.
#[rustfmt::skip]
pub(super) const TABLE: &[Row] = &[
    rate("calls.rate", of(&["guanxi_rpc_requests_total"])),
    quantile("calls.p99", 0.99, of(&["guanxi_rpc_seconds_bucket"])),
    gauge("load.connections", Count, of(&["guanxi_connections"])).at_most(of(&["guanxi_connections_max"])),
    gauge("log.seq", Events, of(&["guanxi_log_seq"])),
    behind("fanout.behind", of(&["guanxi_log_seq"]), of(&["guanxi_fanout_covered_seq"])),
    ratio("hits.users", Share, only(USERS, "outcome", &["hit"]), of(USERS)),
    gauge("memory.users", Bytes, of(&["guanxi_user_cache_bytes"])).at_most_mib(|settings| settings.user_cache_mib),
    Row { unit: Cores, ..rate("process.cpu", of(&["process_cpu_seconds_total"])) },
    until("tls.main_ends_in", only(&["guanxi_tls_certificate_expiry_time_seconds"], "listener", &["main"])),
];
