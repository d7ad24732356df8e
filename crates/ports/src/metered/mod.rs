//! Counts and times every call of a graph, of posts and of users: a wrapper, so that no backend has to.

mod facts;
mod graph;
mod groups;
mod posts;
mod requests;
mod settings;
mod suggestions;
mod users;

pub use graph::LABELS as GRAPH_OPS;
pub use groups::{GROUP_ERRORS_TOTAL, GROUP_OPS_TOTAL, GROUP_SECONDS, LABELS as GROUP_OPS};
pub use posts::LABELS as POST_OPS;
pub use users::LABELS as USER_OPS;

use crate::{BoxFuture, StoreView};
use guanxi_model::Result;
use metrics::{Counter, Histogram, Unit, counter, describe_counter, describe_histogram, histogram};
use std::sync::Arc;
use std::time::Instant;

/// Calls of the graph, by `op`.
pub const OPS_TOTAL: &str = "guanxi_graph_ops_total";

/// How long they took until their answer was ready, by `op`.
pub const SECONDS: &str = "guanxi_graph_seconds";

/// Calls that failed as a whole, by `op`; a command's refusal is an outcome, and no failure.
pub const ERRORS_TOTAL: &str = "guanxi_graph_errors_total";

/// Calls of posts, by `op`.
pub const POST_OPS_TOTAL: &str = "guanxi_post_ops_total";

/// How long they took until their answer was ready, by `op`.
pub const POST_SECONDS: &str = "guanxi_post_seconds";

/// Calls of posts that failed as a whole, by `op`; a command's refusal is an outcome, and no failure.
pub const POST_ERRORS_TOTAL: &str = "guanxi_post_errors_total";

/// Calls of users, by `op`.
pub const USER_OPS_TOTAL: &str = "guanxi_user_ops_total";

/// How long they took until their answer was ready, by `op`.
pub const USER_SECONDS: &str = "guanxi_user_seconds";

/// Calls of users that failed as a whole, by `op`; a command's refusal is an outcome, and no failure.
pub const USER_ERRORS_TOTAL: &str = "guanxi_user_errors_total";

/// The handles of one call, registered once: recording allocates nothing.
struct Meter {
    calls: Counter,
    seconds: Histogram,
    errors: Counter,
}

impl Meter {
    fn of_graph(op: &'static str) -> Self {
        Self {
            calls: counter!(OPS_TOTAL, "op" => op),
            seconds: histogram!(SECONDS, "op" => op),
            errors: counter!(ERRORS_TOTAL, "op" => op),
        }
    }

    fn of_posts(op: &'static str) -> Self {
        Self {
            calls: counter!(POST_OPS_TOTAL, "op" => op),
            seconds: histogram!(POST_SECONDS, "op" => op),
            errors: counter!(POST_ERRORS_TOTAL, "op" => op),
        }
    }

    fn of_users(op: &'static str) -> Self {
        Self {
            calls: counter!(USER_OPS_TOTAL, "op" => op),
            seconds: histogram!(USER_SECONDS, "op" => op),
            errors: counter!(USER_ERRORS_TOTAL, "op" => op),
        }
    }

    /// Counts a call, also one that is dropped, and times one that is answered.
    async fn time<T>(&self, answer: BoxFuture<'_, Result<T>>) -> Result<T> {
        self.calls.increment(1);
        let start = Instant::now();
        let answer = answer.await;
        self.seconds.record(start.elapsed());
        if answer.is_err() {
            self.errors.increment(1);
        }
        answer
    }
}

/// The handles of every call, in the order of their labels.
struct Meters {
    graph: [Meter; graph::LABELS.len()],
    posts: [Meter; posts::LABELS.len()],
    users: [Meter; users::LABELS.len()],
    groups: [Meter; groups::LABELS.len()],
}

impl Meters {
    fn register() -> Self {
        describe_counter!(OPS_TOTAL, Unit::Count, "Calls of the graph");
        describe_histogram!(SECONDS, Unit::Seconds, "Time of a call of the graph until its answer was ready");
        describe_counter!(ERRORS_TOTAL, Unit::Count, "Calls of the graph that failed as a whole");
        describe_counter!(POST_OPS_TOTAL, Unit::Count, "Calls of posts");
        describe_histogram!(
            POST_SECONDS,
            Unit::Seconds,
            "Time of a call of posts until its answer was ready"
        );
        describe_counter!(POST_ERRORS_TOTAL, Unit::Count, "Calls of posts that failed as a whole");
        describe_counter!(USER_OPS_TOTAL, Unit::Count, "Calls of users");
        describe_histogram!(
            USER_SECONDS,
            Unit::Seconds,
            "Time of a call of users until its answer was ready"
        );
        describe_counter!(USER_ERRORS_TOTAL, Unit::Count, "Calls of users that failed as a whole");
        Self {
            graph: graph::LABELS.map(Meter::of_graph),
            posts: posts::LABELS.map(Meter::of_posts),
            users: users::LABELS.map(Meter::of_users),
            groups: groups::register(),
        }
    }
}

/// A graph, or posts, whose calls are counted and timed: under [`OPS_TOTAL`] and [`SECONDS`], and under
/// [`POST_OPS_TOTAL`] and [`POST_SECONDS`]. What a view of posts is asked of the graph counts as of the graph.
pub struct Metered<G> {
    inner: G,
    meters: Arc<Meters>,
}

impl<G> Metered<G> {
    /// Wraps a graph, posts, or both. The exporter must be installed by now: the handles are registered here.
    pub fn new(inner: G) -> Self {
        Self { inner, meters: Arc::new(Meters::register()) }
    }
}

/// A view whose questions are counted and timed.
struct MeteredView {
    meters: Arc<Meters>,
    inner: Box<dyn StoreView>,
}
