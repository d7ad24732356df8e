//! The metrics of the jobs behind relations.

use metrics::{Counter, counter, describe_counter};

/// Counters of what ends by itself, made once.
pub(super) fn ended() -> Counter {
    describe_counter!(
        "guanxi_pair_ends_total",
        "Requests, rejections and mutes that ended because their time was over."
    );
    counter!("guanxi_pair_ends_total")
}

/// Returns the counter of approved requests, made once.
pub(super) fn approved() -> Counter {
    describe_counter!(
        "guanxi_unlock_approvals_total",
        "Requests to follow that were approved because the account was unlocked."
    );
    counter!("guanxi_unlock_approvals_total")
}
