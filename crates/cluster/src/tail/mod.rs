//! Where the logs of each database stand, and their newest events: one look at a time, for all that want to know.
//!
//! Followers of the logs, callers that ask for heads and tasks of this process each want to know how far the logs are. None of them
//! asks the database by itself. It waits for the next look that begins after it asked, together with all that wait by then. So
//! what it is told has everything that was committed before it asked, and a look costs the same however many wait for it.
//!
//! A look also brings the events that came since the last one, into a ring that has the newest of all logs. Readers find them there,
//! decoded. Only looks fill it, so that what it has is committed. What it does not have is in the table: a process begins with an
//! empty ring, and a log whose events do not go on from the last known one begins anew at its head.
//!
//! What this process holds in memory is told of these events before a reader can see that the logs have come so far: what they change
//! is changed or forgotten, and with a log that begins anew all of that log is forgotten.

mod logged;
mod look;

pub(crate) use guanxi_memory::tail::memory::Memory;
pub use guanxi_memory::tail::memory::MemoryBytes;
pub(crate) use guanxi_memory::tail::ring::RingPart;
pub(crate) use logged::{CarriedEvent, LogEntry, RING_EVENTS_MAX};
pub(crate) use look::{Tail, look};

/// Looks at the logs.
const LOOKS: &str = "guanxi_log_looks_total";

/// Events that looks have read.
const EVENTS: &str = "guanxi_log_look_events_total";

/// Reads of a log.
const READS: &str = "guanxi_log_reads_total";

/// Relations that memory was asked for, and what it takes: the names that they have on one machine.
const PAIRS: &str = "guanxi_user_cache_total";
const HELD_BYTES: &str = "guanxi_user_cache_bytes";
const FIRST_PAGES: &str = "guanxi_first_page_total";
const AUTHORS: &str = "guanxi_author_cache_total";
const POSTS: &str = "guanxi_item_cache_total";
/// Posts that were shown.
pub(crate) const SHOWN_POSTS: &str = "guanxi_shown_posts_total";
const AUTHOR_BYTES: &str = "guanxi_author_cache_bytes";
const POST_BYTES: &str = "guanxi_item_cache_bytes";

/// Says what the metrics of looks mean, for their HELP lines.
pub(crate) fn describe() {
    metrics::describe_counter!(LOOKS, "Looks of this process at where the logs of a database stand.");
    metrics::describe_counter!(EVENTS, "Events that these looks have read.");
    metrics::describe_counter!(
        READS,
        "Reads of a log by this process, by what answered them: the ring of what looks have brought, or the table."
    );
    metrics::describe_counter!(
        PAIRS,
        "Relations of a user to others that were asked for, by whether memory told all of them."
    );
    metrics::describe_gauge!(
        HELD_BYTES,
        "Memory of relations that were asked for, of pairs and of viewers, of how users stand, and of first pages of lists."
    );
    metrics::describe_counter!(
        FIRST_PAGES,
        "First pages of lists, by list and outcome: from memory (hit) or read (miss)."
    );
    metrics::describe_counter!(
        AUTHORS,
        "Heads of authors and parts of their newest posts that were asked for, by whether memory told them."
    );
    metrics::describe_counter!(
        POSTS,
        "Posts without their content that were asked for, by whether memory told them."
    );
    metrics::describe_counter!(
        SHOWN_POSTS,
        "Posts that were shown, by whether memory told all of them: content, counters, and what the viewer did."
    );
    metrics::describe_gauge!(AUTHOR_BYTES, "Memory of heads of authors and of their newest posts.");
    metrics::describe_gauge!(
        POST_BYTES,
        "Memory of posts, with and without their content, their counters, and what viewers did with them."
    );
    // A counter that was never counted is not listed in the metrics.
    metrics::counter!(LOOKS).absolute(0);
    metrics::counter!(EVENTS).absolute(0);
    metrics::counter!(SHOWN_POSTS, "outcome" => "hit").absolute(0);
    metrics::counter!(SHOWN_POSTS, "outcome" => "miss").absolute(0);
    metrics::counter!(READS, "from" => "ring").absolute(0);
    metrics::counter!(READS, "from" => "table").absolute(0);
}

/// Counts a read of a log.
pub(crate) fn count_read(is_from_ring: bool) {
    metrics::counter!(READS, "from" => if is_from_ring { "ring" } else { "table" }).increment(1);
}
