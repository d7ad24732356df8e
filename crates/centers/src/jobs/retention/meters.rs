//! The metrics of retention.

use metrics::{Counter, counter, describe_counter};

/// Counters of the job, made once.
pub(super) struct RetentionMeters {
    /// Posts purged.
    pub purged: Counter,
    /// Removed follows forgotten.
    pub forgotten: Counter,
    /// Entries of the audit log removed.
    pub audit: Counter,
}

impl Default for RetentionMeters {
    fn default() -> Self {
        describe_counter!(
            "guanxi_deleted_posts_purged_total",
            "Posts that were deleted for as long as deleted posts are kept, and purged."
        );
        describe_counter!(
            "guanxi_removed_follows_forgotten_total",
            "Removed follows that were remembered for as long as they are, and forgotten."
        );
        describe_counter!(
            "guanxi_audit_entries_forgotten_total",
            "Entries of the audit log that were kept for as long as they are, and removed."
        );
        Self {
            purged: counter!("guanxi_deleted_posts_purged_total"),
            forgotten: counter!("guanxi_removed_follows_forgotten_total"),
            audit: counter!("guanxi_audit_entries_forgotten_total"),
        }
    }
}
