//! What the metrics of this crate say, for their HELP lines.

use metrics::{describe_counter, describe_gauge, describe_histogram};

/// Describes them. The exporter must be installed by now.
pub(crate) fn describe() {
    describe_histogram!("guanxi_commit_group_size", "Writes of one commit: rises with load.");
    describe_histogram!("guanxi_commit_seconds", "Time of a commit, from its first write to the answers.");
    describe_histogram!("guanxi_fsync_seconds", "Time in which the disk took a commit.");
    describe_histogram!("guanxi_plan_seconds", "Time to plan the writes of a commit.");
    describe_gauge!("guanxi_log_seq", "The last event of the log.");
    describe_counter!(
        "guanxi_user_cache_total",
        "Questions about users' relations, by outcome: answered from memory (hit), read (miss), or read because memory \
         is newer than the view (newer_than_view)."
    );
    describe_gauge!(
        "guanxi_standings",
        "Users who are deactivated, locked, not discoverable or hide a list; all are in memory."
    );
    describe_gauge!(
        "guanxi_signed_out_users",
        "Users of whom it is known when they signed out everywhere; all are in memory."
    );
    describe_gauge!("guanxi_user_cache_bytes", "Memory of users' relations.");
    describe_gauge!("guanxi_user_cache_users", "Users whose relations are in memory.");
    describe_counter!(
        "guanxi_first_page_total",
        "First pages of lists, by list and outcome: from memory (hit) or read (miss)."
    );
    describe_counter!(
        "guanxi_affinity_cache_total",
        "Users whose scores were asked for, by outcome: from memory (hit), read (miss), or read once more since what is \
         held is newer than the view (newer_than_view)."
    );
    describe_counter!(
        "guanxi_author_cache_total",
        "Authors that pages are merged from, by outcome: from memory (hit) or read (miss)."
    );
    describe_gauge!("guanxi_author_cache_bytes", "Memory of authors' newest posts.");
    describe_gauge!("guanxi_author_cache_authors", "Authors whose newest posts are in memory.");
    describe_counter!(
        "guanxi_item_cache_total",
        "Posts that the rules of home ask about, by outcome: from memory (hit) or read (miss)."
    );
    describe_gauge!("guanxi_item_cache_bytes", "Memory of what the rules of home ask of posts.");
    describe_gauge!("guanxi_item_cache_items", "Posts that the rules of home find in memory.");
    describe_counter!("guanxi_deliveries_total", "Items put into inboxes.");
    describe_gauge!("guanxi_inbox_resident", "Inboxes in memory.");
    describe_gauge!("guanxi_inbox_entries", "Items in the inboxes in memory.");
    describe_gauge!("guanxi_inbox_bytes", "Memory of inboxes.");
    describe_gauge!("guanxi_disk_free_bytes", "Bytes that the file system of the data has left.");
    describe_gauge!(
        "guanxi_disk_reserve_bytes",
        "Writes are refused with DISK_FULL while the file system has fewer bytes left."
    );
    describe_gauge!("guanxi_disk_bytes", "Bytes on the disk, by table; journal is what waits to be flushed.");
}
