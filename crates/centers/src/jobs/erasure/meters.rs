//! The metrics of erasures.

use metrics::{Counter, Gauge, counter, describe_counter, describe_gauge, gauge};

/// Counters of the job, made once.
pub(super) struct ErasureMeters {
    /// Rows removed.
    pub removed: Counter,
    /// Users of whom nothing is kept any more.
    pub erased: Counter,
    /// Users whose removal has failed.
    pub stuck: Gauge,
}

impl Default for ErasureMeters {
    fn default() -> Self {
        describe_counter!(
            "guanxi_deleted_rows_removed_total",
            "Edges, marks, likes and posts of deleted users that were removed."
        );
        describe_counter!("guanxi_users_erased_total", "Users of whom nothing is kept any more.");
        describe_gauge!(
            "guanxi_deleted_users_stuck",
            "Deleted users whose rows could not be removed; they are tried again, and others meanwhile."
        );
        Self {
            removed: counter!("guanxi_deleted_rows_removed_total"),
            erased: counter!("guanxi_users_erased_total"),
            stuck: gauge!("guanxi_deleted_users_stuck"),
        }
    }
}
