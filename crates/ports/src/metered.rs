//! Counts and times every call of a graph: a wrapper, so that no backend has to.

use crate::{BoxFuture, ExportEdge, FollowLimit, Graph, GraphView, KnownFollowers, WriteAnswer};
use guanxi_model::{Counts, EdgePage, List, Op, Page, Position, Relation, Result, Uid, Write};
use metrics::{Counter, Histogram, Unit, counter, describe_counter, describe_histogram, histogram};
use std::sync::Arc;
use std::time::Instant;

/// Calls of the graph, by `op`.
pub const OPS_TOTAL: &str = "guanxi_graph_ops_total";

/// How long they took until their answer was ready, by `op`.
pub const SECONDS: &str = "guanxi_graph_seconds";

/// Calls that failed as a whole, by `op`; a command's refusal is an outcome, and no failure.
pub const ERRORS_TOTAL: &str = "guanxi_graph_errors_total";

/// What a call is counted as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
enum Call {
    Follow,
    Unfollow,
    RemoveFollower,
    Block,
    Unblock,
    Mute,
    Unmute,
    Batch,
    Import,
    SetFollowLimit,
    View,
    Relations,
    Pairs,
    Following,
    Followers,
    Friends,
    Blocks,
    Mutes,
    Counts,
    KnownFollowers,
    MutualFollowing,
    FollowLimit,
    ImportPosition,
    Edges,
}

/// The label of each call, in the order of [`Call`].
const LABELS: [&str; Call::Edges as usize + 1] = [
    "follow",
    "unfollow",
    "remove_follower",
    "block",
    "unblock",
    "mute",
    "unmute",
    "batch",
    "import",
    "set_follow_limit",
    "view",
    "relations",
    "pairs",
    "list_following",
    "list_followers",
    "list_friends",
    "list_blocks",
    "list_mutes",
    "counts",
    "known_followers",
    "mutual_following",
    "follow_limit",
    "import_position",
    "edges",
];

impl Call {
    const fn of_op(op: Op) -> Self {
        match op {
            Op::Follow => Self::Follow,
            Op::Unfollow => Self::Unfollow,
            Op::RemoveFollower => Self::RemoveFollower,
            Op::Block => Self::Block,
            Op::Unblock => Self::Unblock,
            Op::Mute => Self::Mute,
            Op::Unmute => Self::Unmute,
        }
    }

    fn of_write(write: &Write) -> Self {
        match write {
            Write::Commands { commands, .. } => match commands[..] {
                [command] => Self::of_op(command.op),
                _ => Self::Batch,
            },
            Write::Import { .. } => Self::Import,
            Write::SetFollowLimit { .. } => Self::SetFollowLimit,
        }
    }

    const fn of_list(list: List) -> Self {
        match list {
            List::Following => Self::Following,
            List::Followers => Self::Followers,
            List::Friends => Self::Friends,
            List::Blocks => Self::Blocks,
            List::Mutes => Self::Mutes,
        }
    }
}

/// The handles of one call, registered once: recording allocates nothing.
struct Meter {
    calls: Counter,
    seconds: Histogram,
    errors: Counter,
}

impl Meter {
    fn register(op: &'static str) -> Self {
        Self {
            calls: counter!(OPS_TOTAL, "op" => op),
            seconds: histogram!(SECONDS, "op" => op),
            errors: counter!(ERRORS_TOTAL, "op" => op),
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

struct Meters([Meter; LABELS.len()]);

impl Meters {
    fn register() -> Self {
        describe_counter!(OPS_TOTAL, Unit::Count, "Calls of the graph");
        describe_histogram!(SECONDS, Unit::Seconds, "Time of a call of the graph until its answer was ready");
        describe_counter!(ERRORS_TOTAL, Unit::Count, "Calls of the graph that failed as a whole");
        Self(LABELS.map(Meter::register))
    }

    const fn of(&self, call: Call) -> &Meter {
        &self.0[call as usize]
    }
}

/// A graph whose calls are counted and timed under [`OPS_TOTAL`] and [`SECONDS`].
pub struct Metered<G> {
    inner: G,
    meters: Arc<Meters>,
}

impl<G: Graph> Metered<G> {
    /// Wraps a graph. The exporter must be installed by now: the handles are registered here.
    pub fn new(inner: G) -> Self {
        Self { inner, meters: Arc::new(Meters::register()) }
    }
}

impl<G: Graph> Graph for Metered<G> {
    fn write(&self, write: Write) -> BoxFuture<'_, Result<WriteAnswer>> {
        let meter = self.meters.of(Call::of_write(&write));
        Box::pin(meter.time(self.inner.write(write)))
    }

    fn view(&self, at_least: Option<Position>) -> BoxFuture<'_, Result<Box<dyn GraphView>>> {
        Box::pin(async move {
            let inner = self.meters.of(Call::View).time(self.inner.view(at_least)).await?;
            Ok(Box::new(MeteredView { inner, meters: self.meters.clone() }) as Box<dyn GraphView>)
        })
    }
}

struct MeteredView {
    inner: Box<dyn GraphView>,
    meters: Arc<Meters>,
}

impl MeteredView {
    fn time<'a, T: Send + 'a>(
        &'a self,
        call: Call,
        answer: BoxFuture<'a, Result<T>>,
    ) -> BoxFuture<'a, Result<T>> {
        Box::pin(self.meters.of(call).time(answer))
    }
}

impl GraphView for MeteredView {
    fn position(&self) -> Position {
        self.inner.position()
    }

    fn relations(&self, subject: Uid, objects: &[Uid]) -> BoxFuture<'_, Result<Vec<Relation>>> {
        self.time(Call::Relations, self.inner.relations(subject, objects))
    }

    fn pairs(&self, pairs: &[(Uid, Uid)]) -> BoxFuture<'_, Result<Vec<Relation>>> {
        self.time(Call::Pairs, self.inner.pairs(pairs))
    }

    fn list(&self, of: Uid, list: List, page: Page) -> BoxFuture<'_, Result<EdgePage>> {
        self.time(Call::of_list(list), self.inner.list(of, list, page))
    }

    fn counts(&self, uids: &[Uid]) -> BoxFuture<'_, Result<Vec<Counts>>> {
        self.time(Call::Counts, self.inner.counts(uids))
    }

    fn known_followers(&self, viewer: Uid, target: Uid, page: Page) -> BoxFuture<'_, Result<KnownFollowers>> {
        self.time(Call::KnownFollowers, self.inner.known_followers(viewer, target, page))
    }

    fn mutual_following(&self, a: Uid, b: Uid, page: Page) -> BoxFuture<'_, Result<KnownFollowers>> {
        self.time(Call::MutualFollowing, self.inner.mutual_following(a, b, page))
    }

    fn follow_limit(&self, uid: Uid) -> BoxFuture<'_, Result<FollowLimit>> {
        self.time(Call::FollowLimit, self.inner.follow_limit(uid))
    }

    fn import_position(&self, job: &str) -> BoxFuture<'_, Result<Option<u64>>> {
        self.time(Call::ImportPosition, self.inner.import_position(job))
    }

    fn edges(&self, after: Option<(Uid, Uid)>, max: usize) -> BoxFuture<'_, Result<Vec<ExportEdge>>> {
        self.time(Call::Edges, self.inner.edges(after, max))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{MemoryStore, Options};
    use guanxi_model::{Command, ManualClock};
    use metrics::{Key, KeyName, Metadata, Recorder, SharedString};
    use std::collections::BTreeMap;
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicU64, Ordering};

    /// Counts increments and samples by metric and label.
    #[derive(Default)]
    struct Counting(Mutex<BTreeMap<String, Arc<AtomicU64>>>);

    struct Samples(Arc<AtomicU64>);

    impl metrics::HistogramFn for Samples {
        fn record(&self, seconds: f64) {
            assert!((0.0..60.0).contains(&seconds), "{seconds} are seconds");
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    impl Counting {
        fn cell(&self, key: &Key) -> Arc<AtomicU64> {
            let op = key.labels().next().map(|label| label.value().to_owned()).unwrap_or_default();
            self.0.lock().unwrap().entry(format!("{} {op}", key.name())).or_default().clone()
        }

        fn of(&self, op: &str) -> [u64; 3] {
            let cells = self.0.lock().unwrap();
            [OPS_TOTAL, SECONDS, ERRORS_TOTAL]
                .map(|name| cells[&format!("{name} {op}")].load(Ordering::Relaxed))
        }
    }

    impl Recorder for Counting {
        fn describe_counter(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
        fn describe_gauge(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
        fn describe_histogram(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
        fn register_counter(&self, key: &Key, _: &Metadata<'_>) -> Counter {
            Counter::from_arc(self.cell(key))
        }
        fn register_gauge(&self, _: &Key, _: &Metadata<'_>) -> metrics::Gauge {
            metrics::Gauge::noop()
        }
        fn register_histogram(&self, key: &Key, _: &Metadata<'_>) -> Histogram {
            Histogram::from_arc(Arc::new(Samples(self.cell(key))))
        }
    }

    #[tokio::test]
    async fn every_call_is_counted_and_timed_under_its_name() {
        let recorder = Counting::default();
        let store = MemoryStore::new(Arc::new(ManualClock::new(1_000)), Options::default());
        let graph = metrics::with_local_recorder(&recorder, || Metered::new(store));
        let [a, b] = [1, 2].map(|n| Uid::new(n).unwrap());
        for op in Op::ALL {
            let commands = vec![Command { op, subject: a, object: b }];
            graph.write(Write::Commands { commands, request: None }).await.unwrap();
        }
        graph.write(Write::Commands { commands: vec![], request: None }).await.unwrap();
        graph.write(Write::Import { edges: vec![], revive: false, mark: None }).await.unwrap();
        graph.write(Write::SetFollowLimit { uid: a, limit: None }).await.unwrap();
        let view = graph.view(None).await.unwrap();
        view.relations(a, &[b]).await.unwrap();
        view.pairs(&[(a, b)]).await.unwrap();
        for list in List::ALL {
            view.list(a, list, Page::first()).await.unwrap();
        }
        view.counts(&[a]).await.unwrap();
        view.known_followers(a, b, Page::first()).await.unwrap();
        view.mutual_following(a, b, Page::first()).await.unwrap();
        view.follow_limit(a).await.unwrap();
        view.import_position("job").await.unwrap();
        view.edges(None, 1).await.unwrap();
        for op in LABELS {
            assert_eq!(recorder.of(op), [1, 1, 0], "{op}");
        }
        view.pairs(&[(a, b)]).await.unwrap();
        assert_eq!(recorder.of("pairs"), [2, 2, 0]);
        let offset = Page::new(guanxi_model::PageStart::Offset(1), 1).unwrap();
        view.list(a, List::Followers, offset).await.unwrap_err();
        assert_eq!(recorder.of("list_followers"), [2, 2, 1]);
    }
}
