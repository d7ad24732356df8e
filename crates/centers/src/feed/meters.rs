//! The metrics of the feed.

use super::page::Source;
use metrics::{Counter, Gauge, Histogram, Unit, describe_counter, describe_gauge, describe_histogram};

/// The meters of reads and of the fan-out, made once.
pub(super) struct FeedMeters {
    inbox_pages: Counter,
    pull_pages: Counter,
    pulled: Histogram,
    scanned: Histogram,
    /// Seconds from the time of an item's event until every target was offered it.
    pub lag: Histogram,
    /// Items offered to all their targets, or skipped.
    pub done: Counter,
    /// Items skipped: readers pull their authors.
    pub skipped: Counter,
    /// Items that wait or run.
    pub queued: Gauge,
    /// The last event that is covered.
    pub covered: Gauge,
}

/// Describes the metrics, for their HELP lines.
fn describe() {
    describe_counter!(
        "guanxi_home_pages_total",
        "Pages of home, by source: begun in an inbox or merged from authors (pull)."
    );
    describe_histogram!(
        "guanxi_home_authors_pulled",
        "Authors that were pulled beside an inbox for a page: more than three means that the fan-out is behind."
    );
    describe_histogram!(
        "guanxi_home_candidates",
        "Posts looked at for a page: many more than it has means that rules hide most."
    );
    describe_histogram!(
        "guanxi_fanout_lag_seconds",
        Unit::Seconds,
        "Time from a post's commit until all its readers were offered it."
    );
    describe_counter!(
        "guanxi_fanout_items_total",
        "Posts that the fan-out has done with, by outcome: pushed (done) or left to readers (skipped)."
    );
    describe_gauge!("guanxi_fanout_queued", "Posts that wait for the fan-out or are being pushed.");
    describe_gauge!("guanxi_fanout_covered_seq", "The last event of the log that the fan-out has taken in.");
}

impl Default for FeedMeters {
    fn default() -> Self {
        describe();
        let pages = |source: &'static str| metrics::counter!("guanxi_home_pages_total", "source" => source);
        Self {
            inbox_pages: pages("inbox"),
            pull_pages: pages("pull"),
            pulled: metrics::histogram!("guanxi_home_authors_pulled"),
            scanned: metrics::histogram!("guanxi_home_candidates"),
            lag: metrics::histogram!("guanxi_fanout_lag_seconds"),
            done: metrics::counter!("guanxi_fanout_items_total", "outcome" => "done"),
            skipped: metrics::counter!("guanxi_fanout_items_total", "outcome" => "skipped"),
            queued: metrics::gauge!("guanxi_fanout_queued"),
            covered: metrics::gauge!("guanxi_fanout_covered_seq"),
        }
    }
}

impl FeedMeters {
    /// Notes a page.
    pub(super) fn page(&self, source: Source, scanned: usize) {
        self.scanned.record(scanned as f64);
        match source {
            Source::Pull => self.pull_pages.increment(1),
            Source::Inbox { pulled } => {
                self.inbox_pages.increment(1);
                self.pulled.record(f64::from(pulled));
            }
        }
    }
}
