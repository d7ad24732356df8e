//! What operators watch of erasures.

use metrics::{Counter, counter, describe_counter};

/// Counters of the job, made once.
pub(super) struct Meters {
    /// Rows removed.
    pub removed: Counter,
    /// Users of whom nothing is kept any more.
    pub erased: Counter,
}

impl Default for Meters {
    fn default() -> Self {
        describe_counter!(
            "guanxi_deleted_rows_removed_total",
            "Edges, marks, likes and posts of deleted users that were removed."
        );
        describe_counter!("guanxi_users_erased_total", "Users of whom nothing is kept any more.");
        Self {
            removed: counter!("guanxi_deleted_rows_removed_total"),
            erased: counter!("guanxi_users_erased_total"),
        }
    }
}
