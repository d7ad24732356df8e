//! Replicas over the specification's indexes, asked over the network.

use super::*;
use guanxi_model::post::{Body, Draft, PostCommand};
use guanxi_model::user::{ProfilePatch, UserCommand};
use guanxi_model::{Clock, ManualClock, Reason, Result, Uid, Visibility, Write};
use guanxi_ports::search::{
    FoundRows, PostColumn, PostTable, RowAsk, RowColumn, RowOrder, RowSum, UserColumn, UserTable, UserTexts,
    Within,
};
use guanxi_ports::{
    BoxFuture, Circle, Facts as _, IndexReplica, IndexReplicas, NameAsker, PostAsk, PostSearch as _,
    SearchIndex, SearchUpkeep, UserAsk, UserSearch as _,
};
use guanxi_spec::memory::{MemoryStore, Options};
use guanxi_text::{NameQuery, Query};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep, timeout};

fn u(uid: u64) -> Uid {
    Uid::new(uid).unwrap()
}

struct Rebuilds(AtomicU64, Arc<MemoryStore>);

impl SearchUpkeep for Rebuilds {
    fn rebuild(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    fn users(&self) -> Arc<dyn UserTable> {
        self.1.clone()
    }

    fn posts(&self) -> Arc<dyn PostTable> {
        self.1.clone()
    }
}

/// The rows of replicas.
#[derive(Default)]
struct Rows(Mutex<Vec<IndexReplica>>);

impl IndexReplicas for Rows {
    fn replicas(&self) -> BoxFuture<'_, Result<Vec<IndexReplica>>> {
        let rows = self.0.lock().unwrap().clone();
        Box::pin(std::future::ready(Ok(rows)))
    }
}

/// A store whose index is asked by itself, and over the network.
struct Cluster {
    store: Arc<MemoryStore>,
    clock: Arc<ManualClock>,
    rows: Arc<Rows>,
    rebuilds: Arc<Rebuilds>,
}

/// A replica that serves until this is dropped.
struct Serving {
    address: String,
    _stop: oneshot::Sender<()>,
}

impl Cluster {
    async fn new() -> Self {
        let clock = Arc::new(ManualClock::new(1_750_000_000_000));
        let store = Arc::new(MemoryStore::new(clock.clone(), Options::default()));
        let rebuilds = Arc::new(Rebuilds(AtomicU64::new(0), store.clone()));
        let cluster = Self { store, clock, rows: Arc::default(), rebuilds };
        for (author, text) in [(1, "green tea"), (2, "tea"), (3, "绿茶 and tea"), (1, "coffee")] {
            cluster.post(author, text).await;
        }
        for (uid, nickname) in [(1, "Ann"), (2, "Anna Smith")] {
            let patch = ProfilePatch { nickname: Some(nickname.to_owned()), ..ProfilePatch::default() };
            let update = UserCommand::Update { uid: u(uid), patch, expected_revision: None };
            cluster.store.apply(Write::of(update)).await.unwrap();
        }
        cluster
    }

    async fn post(&self, author: u64, text: &str) {
        self.clock.advance(1_000);
        let body = Body { text: text.to_owned(), attachments: Vec::new() };
        let visibility = if author == 2 { Visibility::Followers } else { Visibility::Public };
        let draft = Draft { author: u(author), body, visibility, reply_to: None, repost_of: None };
        self.store.apply(Write::of(PostCommand::Create(draft))).await.unwrap();
    }

    fn seal(&self, key: u8) -> IndexSeal {
        let clock: Arc<dyn Clock> = self.clock.clone();
        IndexSeal::new([key; 32], clock)
    }

    /// Serves one with a key, and says so.
    async fn serve(&self, key: u8) -> Serving {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let parts = IndexParts {
            posts: self.store.clone(),
            users: self.store.clone(),
            upkeep: self.rebuilds.clone(),
        };
        let (stop, stopped) = oneshot::channel::<()>();
        let serving = serve_index(listener, parts, self.seal(key), async { drop(stopped.await) });
        tokio::spawn(serving);
        self.tell(&address);
        Serving { address, _stop: stop }
    }

    fn tell(&self, address: &str) {
        let as_of = SearchIndex::as_of(&*self.store).ok();
        let row = IndexReplica { address: address.to_owned(), posts: as_of.clone(), users: as_of };
        self.rows.0.lock().unwrap().push(row);
    }

    /// A process that asks, once it knows all replicas.
    async fn asking(&self, seed: u64) -> ReplicaSearch {
        let asking = ReplicaSearch::new(self.rows.clone(), self.seal(7), seed).unwrap();
        let following = asking.clone();
        tokio::spawn(async move { following.follow().await });
        let posts = asking.posts();
        while !self.rows.0.lock().unwrap().is_empty() && posts.as_of().is_err() {
            sleep(Duration::from_millis(5)).await;
        }
        asking
    }

    /// The ids that a search finds.
    async fn found(&self, asking: &ReplicaSearch) -> Result<usize> {
        let query = Query::parse("tea").unwrap();
        asking.posts().search(all(&query)).await.map(|found| found.ids.len())
    }
}

fn all(query: &Query) -> PostAsk<'_> {
    let circle = Circle::All;
    PostAsk { query, author: None, replies: None, from: None, below: None, circle, max: 10 }
}

#[tokio::test]
async fn what_is_asked_over_the_network_is_what_the_index_answers() {
    let cluster = Cluster::new().await;
    let _serving = cluster.serve(7).await;
    let (asking, here) = (cluster.asking(1).await, &cluster.store);
    let mut found = 0;
    for typed in ["tea", "\"green tea\"", "te*", "tea -green", "绿茶", "nothing"] {
        let query = Query::parse(typed).unwrap();
        let ids = here.search(all(&query)).await.unwrap().ids;
        let some = [u(2), u(9)];
        for ask in [
            all(&query),
            PostAsk { max: 1, ..all(&query) },
            PostAsk { circle: Circle::Public, ..all(&query) },
            PostAsk { circle: Circle::Of(&some), ..all(&query) },
            PostAsk { author: Some(u(1)), replies: Some(false), ..all(&query) },
            PostAsk { replies: Some(true), ..all(&query) },
            PostAsk { from: ids.last().copied(), below: ids.first().copied(), ..all(&query) },
        ] {
            let (there, here) = (asking.posts(), here.search(ask.clone()).await.unwrap());
            assert_eq!(there.search(ask.clone()).await.unwrap(), here, "{ask:?}");
            assert_eq!(there.best(ask.clone()).await.unwrap(), here, "{ask:?}");
            found += here.ids.len();
        }
    }
    assert!(found > 20, "{found}");
    for typed in ["ann", "smith", "smiht", "bob"] {
        let query = NameQuery::parse(typed).unwrap();
        let some = [u(2)];
        for asks in [NameAsker::EndUser, NameAsker::Service] {
            for (among, max) in [(None, 10), (None, 1), (Some(&some[..]), 10)] {
                let ask = UserAsk { query: &query, typed, asks, among, max };
                let found = asking.users().search_users(ask).await.unwrap();
                assert_eq!(found, here.search_users(ask).await.unwrap(), "{ask:?}");
            }
        }
    }
    assert_eq!(asking.posts().as_of(), SearchIndex::as_of(&**here));
    asking.upkeep().rebuild();
    while cluster.rebuilds.0.load(Ordering::Relaxed) == 0 {
        sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn a_dead_replica_costs_one_retry() {
    let cluster = Cluster::new().await;
    let serving = [cluster.serve(7).await, cluster.serve(7).await, cluster.serve(7).await];
    let asking = cluster.asking(3).await;
    assert_eq!(cluster.found(&asking).await, Ok(3));
    // Each is dead in its turn, or takes the question and says nothing.
    for dead in &serving {
        let rows: Vec<IndexReplica> = cluster.rows.0.lock().unwrap().clone();
        let held = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let silent = held.local_addr().unwrap().to_string();
        let gone = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().to_string();
        for instead in [gone, silent] {
            let put = |row: &IndexReplica| IndexReplica {
                address: if row.address == dead.address { instead.clone() } else { row.address.clone() },
                ..row.clone()
            };
            *cluster.rows.0.lock().unwrap() = rows.iter().map(put).collect();
            let asking = cluster.asking(3).await;
            assert_eq!(cluster.found(&asking).await, Ok(3), "{instead}");
            // No caller waits for it a second time.
            let picked = asking.0.choice().pick(wire::IndexKind::Posts, Instant::now());
            assert_ne!(picked[0], instead);
        }
        *cluster.rows.0.lock().unwrap() = rows;
    }
}

#[tokio::test]
async fn without_a_replica_that_answers_searches_are_refused() {
    let cluster = Cluster::new().await;
    let refused =
        |found: Result<usize>| found.unwrap_err().reason == Reason::SearchUnavailable { cause: "no_replica" };
    let asking = cluster.asking(1).await;
    assert!(refused(cluster.found(&asking).await));
    assert_eq!(asking.posts().as_of().unwrap_err().reason, Reason::SearchUnavailable { cause: "no_replica" });
    // Of another cluster, or by somebody else.
    let _other = cluster.serve(8).await;
    let asking = cluster.asking(1).await;
    assert!(refused(cluster.found(&asking).await));
    let at_least = SearchIndex::as_of(&*cluster.store).unwrap();
    let users = asking.users();
    let waited = timeout(Duration::from_secs(30), users.wait(&at_least));
    assert_eq!(waited.await.unwrap().unwrap_err().reason, Reason::SearchUnavailable { cause: "no_replica" });
}

#[tokio::test]
async fn who_waits_for_a_position_is_answered_when_the_index_has_it() {
    let cluster = Cluster::new().await;
    let _serving = cluster.serve(7).await;
    let asking = cluster.asking(1).await;
    let before = asking.posts().as_of().unwrap();
    let (posts, later) = (asking.posts(), cluster.store.clone());
    posts.wait(&before).await.unwrap();
    let next = guanxi_model::Position::one(before.history(), before.event_count() + 1);
    let waiting = tokio::spawn(async move { posts.wait(&next).await });
    sleep(WAIT_SLICE + Duration::from_millis(100)).await;
    assert!(!waiting.is_finished(), "the index has not come so far");
    cluster.post(1, "tea").await;
    timeout(Duration::from_secs(30), waiting).await.unwrap().unwrap().unwrap();
    let after = SearchIndex::as_of(&*later).unwrap();
    assert_eq!(asking.posts().as_of(), Ok(after));
}

/// A question for all rows.
fn rows<C, T>(texts: T, by: Option<C>, sums: Vec<RowSum<C>>) -> RowAsk<C, T> {
    let order = RowOrder { by, falling: true };
    RowAsk { texts, filters: Vec::new(), order, after: None, max: 2, total: None, sums }
}

/// All pages of a table.
async fn pages<C: RowColumn, T: Clone>(
    mut ask: RowAsk<C, T>,
    table: impl Fn(Option<u64>, RowAsk<C, T>) -> BoxFuture<'static, Result<FoundRows<C>>>,
) -> Vec<FoundRows<C>> {
    let (mut walk, mut pages) = (None, Vec::new());
    loop {
        let page = table(walk, ask.clone()).await.unwrap();
        (walk, ask.after, ask.total) = (Some(page.walk), page.next, Some(page.total));
        let is_last = page.next.is_none();
        // Each began a walk of its own.
        pages.push(FoundRows { walk: 0, ..page });
        if is_last {
            return pages;
        }
    }
}

#[tokio::test]
async fn rows_over_the_network_are_those_of_the_index() {
    let cluster = Cluster::new().await;
    let _serving = cluster.serve(7).await;
    let asking = cluster.asking(1).await;
    let (there, here) = (asking.upkeep().posts(), cluster.store.clone());
    let sums = vec![
        RowSum::Top { column: PostColumn::Author, max: 1 },
        RowSum::Steps { column: PostColumn::Created, width: 1_000 },
        RowSum::Percentiles { column: PostColumn::Likes },
    ];
    for text in [None, Some(Query::parse("tea").unwrap())] {
        for by in [None, Some(PostColumn::Author)] {
            let mut ask = rows(text.clone(), by, sums.clone());
            ask.filters.push((PostColumn::State, Within::OneOf(vec![0, 1])));
            ask.filters.push((PostColumn::Author, Within::Between(1, 9)));
            let found = pages(ask.clone(), |walk, ask| {
                let there = there.clone();
                Box::pin(async move { there.post_rows(walk, ask).await })
            });
            let wanted = pages(ask, |walk, ask| {
                let here = here.clone();
                Box::pin(async move { here.post_rows(walk, ask).await })
            });
            let (found, wanted) = (found.await, wanted.await);
            assert!(found.len() > 1 && found[0].total >= 3, "{found:?}");
            assert_eq!(found, wanted);
        }
    }
    let (there, here) = (asking.upkeep().users(), cluster.store.clone());
    let name = NameQuery::parse("ann").unwrap();
    let texts = UserTexts { name: Some((name, "ann".to_owned())), attributes: Vec::new() };
    let ask = || rows(texts.clone(), Some(UserColumn::Followers), Vec::new());
    let (found, wanted) = (there.user_rows(None, ask()).await, here.user_rows(None, ask()).await);
    let (found, wanted) = (found.unwrap(), wanted.unwrap());
    assert_eq!((found.total, &found.rows), (wanted.total, &wanted.rows));
    assert_eq!(found.total, 2);
    let gone = there.user_rows(Some(9_999), ask()).await.unwrap_err();
    assert_eq!(gone.reason, Reason::StaleCursor);
}

/// A client that opens a connection and sends nothing loses it soon; a client that asks keeps its own.
#[tokio::test(start_paused = true)]
async fn a_connection_without_a_signed_question_is_closed() {
    let cluster = Cluster::new().await;
    let serving = cluster.serve(7).await;
    let mut silent = tokio::net::TcpStream::connect(&serving.address).await.unwrap();
    let since = Instant::now();
    let mut bytes = [0];
    assert_eq!(silent.read(&mut bytes).await.unwrap_or(0), 0);
    assert!(since.elapsed() < Duration::from_secs(30), "{:?}", since.elapsed());
}
