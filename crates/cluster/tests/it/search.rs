//! Indexes that follow the logs of two databases: they find what a scan of all posts and users finds, after any changes
//! meanwhile.

use crate::pair::{Pair, WallClock, open, options, u};
use guanxi_centers::log_readers::{Follower as _, step};
use guanxi_centers::post::PostCenter;
use guanxi_centers::search::{IndexSource, Indexer, PostSource, REFRESH_MS, UserSource};
use guanxi_cluster::{CarryMode, ClusterOptions, ClusterStore};
use guanxi_model::post::{Body, Draft, Edit, PostCommand};
use guanxi_model::random::mix;
use guanxi_model::user::{ProfilePatch, UserCommand, UserStatus};
use guanxi_model::{Change, Clock, Command, Logs, Op, PairCommand, Position, PostId, Uid, Visibility, Write};
use guanxi_ports::{
    Circle, EventBatch, Facts as _, Log as _, NameAsker, PostAsk, PostSearch as _, SearchIndex as _,
    Store as _, UserAsk, UserSearch as _,
};
use guanxi_search::{DocKind, IndexOptions, IndexStore, Pace, PostDocs, StoreOptions, UserDocs};
use guanxi_spec::memory::{scan_posts, scan_users};
use guanxi_text::{ANALYSER_VERSION, NameQuery, Query};
use std::sync::Arc;
use std::time::Duration;

/// Users of both databases, some of whom share a log.
const USERS: [u64; 8] = [1, 2, 7, 16, 0x107, 0x210, 40, 255];

const WORDS: [&str; 8] = ["tea", "green", "Green-Tea!", "绿茶", "茶", "café", "strass", "a"];

const QUERIES: [&str; 8] = ["tea", "\"green tea\"", "gre*", "tea -green", "茶", "绿茶", "CAFE", "a tea"];

const NAMES: [&str; 6] = ["Ann", "Anna Smith", "Zoë", "王小明", "Alexander", ""];

const NAME_QUERIES: [&str; 7] = ["a", "ann", "smiht", "zoe", "xiao", "小明", "alexsandar"];

/// What users do at random in one process, while indexes follow another one.
struct Acting {
    writes: Arc<ClusterStore>,
    reads: Arc<ClusterStore>,
    posts: Vec<PostId>,
    seed: u64,
    pair: Pair,
}

impl Acting {
    async fn new(seed: u64, log_events_max: u64) -> Self {
        let pair = Pair::new().await;
        let writes = open(&pair.lines, options(CarryMode::Log, true)).await;
        let reads = ClusterOptions { log_events_max, ..options(CarryMode::Log, false) };
        let reads = open(&pair.lines, reads).await;
        Self { writes, reads, posts: Vec::new(), seed: mix(seed + 1), pair }
    }

    fn below(&mut self, n: u64) -> u64 {
        self.seed = mix(self.seed);
        self.seed % n
    }

    fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len() as u64) as usize]
    }

    fn text(&mut self) -> String {
        let words: Vec<&str> = (0..=self.below(4)).map(|_| self.pick(&WORDS)).collect();
        words.join(" ")
    }

    fn user(&mut self) -> Uid {
        u(self.pick(&USERS))
    }

    /// Does something that may be refused.
    async fn write(&self, command: impl Into<Command>) {
        let applied = self.writes.apply(Write::of(command)).await.unwrap();
        assert_eq!(applied.outcomes.len(), 1);
    }

    async fn act(&mut self) {
        match self.below(10) {
            0..=3 => self.post().await,
            4..=6 => self.change_post().await,
            7 => {
                let op = self.pick(&[Op::Follow, Op::Follow, Op::Unfollow, Op::Block, Op::Unblock]);
                let (subject, object) = (self.user(), self.user());
                self.write(PairCommand { op, subject, object }).await;
            }
            8 => {
                let (uid, nickname) = (self.user(), Some(self.pick(&NAMES).to_owned()));
                let patch = ProfilePatch { nickname, ..ProfilePatch::default() };
                self.write(UserCommand::Update { uid, patch, expected_revision: None }).await;
            }
            _ => {
                let (uid, now_ms) = (self.user(), WallClock.now_ms());
                let status = match self.below(16) {
                    0 => UserStatus::Deleted { erase_at_ms: now_ms + 1_000_000 },
                    1..=4 => UserStatus::Deactivated,
                    _ => UserStatus::Active,
                };
                self.write(UserCommand::SetStatus { uid, status }).await;
            }
        }
    }

    async fn post(&mut self) {
        let visibility = self.pick(&[Visibility::Public, Visibility::Public, Visibility::Followers]);
        let body = Body { text: self.text(), attachments: Vec::new() };
        let mut draft = Draft { author: self.user(), body, visibility, reply_to: None, repost_of: None };
        if !self.posts.is_empty() {
            let of = Some(self.pick(&self.posts.clone()));
            match self.below(4) {
                0 => draft.reply_to = of,
                1 => draft.repost_of = of,
                _ => {}
            }
        }
        let applied = self.writes.apply(Write::of(PostCommand::Create(draft))).await.unwrap();
        self.posts.extend(applied.post().ok().and_then(|outcome| outcome.id));
    }

    async fn change_post(&mut self) {
        if self.posts.is_empty() {
            return;
        }
        let id = self.pick(&self.posts.clone());
        let view = self.writes.view(None).await.unwrap();
        let Some(header) = view.headers(&[id]).await.unwrap()[0] else { return };
        drop(view);
        let author = header.author;
        match self.below(6) {
            0 | 1 => {
                let edit = Edit {
                    text: Some(self.text()),
                    attachments: None,
                    visibility: None,
                    expected_revision: None,
                };
                self.write(PostCommand::Update { author, id, edit }).await;
            }
            2 => self.write(PostCommand::Delete { author, id }).await,
            3 => self.write(PostCommand::Restore { author, id }).await,
            4 => {
                let uid = self.user();
                self.write(PostCommand::Like { uid, id }).await;
            }
            _ if header.deleted => drop(PostCenter::new(self.writes.clone()).purge(id, None).await),
            _ => {}
        }
    }

    /// Sets the log of a user back by its last event, and what both databases have applied of it: only the index has seen more.
    async fn lose_last_of(&self, uid: Uid) {
        let gene = uid.gene().0;
        let last = format!("gene = {gene} and seq = (select seq from gx.shard where gene = {gene})");
        let statements =
            format!("delete from gx.log where {last}; update gx.shard set seq = seq - 1 where gene = {gene}");
        let client = self.pair.client(usize::from(gene % 2)).await;
        client.batch_execute(&statements).await.unwrap();
        let marks =
            format!("update gx.applied set seq = seq - 1, version = null where source = {gene} and seq > 0");
        for database in 0..2 {
            self.pair.client(database).await.batch_execute(&marks).await.unwrap();
        }
    }

    /// Where all logs are when everything stands wherever it belongs.
    async fn settled(&self) -> Position {
        self.writes.settle().await.unwrap();
        self.writes.head().await.unwrap()
    }
}

/// An index in a directory, with its follower.
struct Indexed<K: DocKind, S: IndexSource> {
    dir: tempfile::TempDir,
    /// None between two processes.
    index: Option<IndexStore<K>>,
    indexer: Indexer<S>,
}

fn opened<K: DocKind>(dir: &tempfile::TempDir, history: guanxi_model::HistoryId) -> IndexStore<K> {
    let free_bytes = Arc::new(|| Ok(u64::MAX));
    let pace = Pace::unbounded();
    let index =
        IndexOptions { analyser: ANALYSER_VERSION, memory_bytes: 0, reserve_bytes: 0, free_bytes, pace };
    let at_once = StoreOptions { commit_every: Duration::ZERO, ..StoreOptions::new(index) };
    IndexStore::open(dir.path(), at_once, history, Logs::PerGene).unwrap()
}

impl<K: DocKind<Source = S::Doc>, S: IndexSource> Indexed<K, S> {
    async fn new(store: &Arc<ClusterStore>) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let (index, indexer) = Self::begin(&dir, store).await;
        Self { dir, index: Some(index), indexer }
    }

    async fn begin(dir: &tempfile::TempDir, store: &Arc<ClusterStore>) -> (IndexStore<K>, Indexer<S>) {
        let index = opened(dir, store.head().await.unwrap().history());
        let indexing = index.indexing().await.unwrap();
        let counters: (Arc<dyn Clock>, u64) = (Arc::new(WallClock), REFRESH_MS);
        let indexer = Indexer::begin(store.clone(), &**store, indexing, counters).await.unwrap();
        (index, indexer)
    }

    /// The process dies and another one begins.
    async fn crash(&mut self, store: &Arc<ClusterStore>) {
        // Two do not have one directory.
        drop(self.index.take());
        let (index, indexer) = Self::begin(&self.dir, store).await;
        (self.index, self.indexer) = (Some(index), indexer);
    }

    /// The events of some log come again.
    async fn repeat(&mut self, store: &ClusterStore, log: guanxi_model::LogId) {
        if !self.indexer.has_room() {
            return;
        }
        let position = self.indexer.position().clone();
        let beginning = Position::beginning(position.history(), Logs::PerGene);
        // It may have been trimmed.
        if let Ok(batch) = store.read(log, &beginning, 5).await {
            self.indexer.apply(EventBatch { position, ..batch }).await.unwrap();
        }
    }

    async fn play(&mut self, acting: &mut Acting, what: u64) {
        let store = acting.reads.clone();
        match what {
            0 => self.crash(&store).await,
            1 => self.indexer.rebuild(store.head().await.unwrap()).await.unwrap(),
            2 => {
                let log = Logs::PerGene.of(acting.user());
                self.repeat(&store, log).await;
            }
            _ => drop(step(&*store, &mut self.indexer).await.unwrap()),
        }
    }

    async fn catch_up(&mut self, store: &ClusterStore, head: &Position) {
        while step(store, &mut self.indexer).await.unwrap() {}
        assert!(self.indexer.position().covers(head));
        let index = self.index.as_ref().unwrap();
        index.wait(head).await.unwrap();
        assert!(index.as_of().unwrap().covers(head));
    }
}

async fn compare_posts(acting: &mut Acting, index: &IndexStore<PostDocs>, head: &Position) -> usize {
    let (view, mut found) = (acting.reads.view(Some(head)).await.unwrap(), 0);
    for text in QUERIES {
        let query = Query::parse(text).unwrap();
        let some = [u(1), u(2), u(0x107)];
        let circle = acting.pick(&[Circle::All, Circle::Public, Circle::Of(&some)]);
        let author = (acting.below(3) == 0).then(|| acting.user());
        let replies = (acting.below(3) == 0).then(|| acting.below(2) == 0);
        let mut ask = PostAsk { query: &query, author, replies, from: None, below: None, circle, max: 3 };
        let wanted = scan_posts(&*view, &ask).await.unwrap();
        let mut ids = Vec::new();
        loop {
            let part = index.search(ask.clone()).await.unwrap();
            ids.extend(part.ids);
            ask.below = part.next;
            if part.next.is_none() {
                break;
            }
        }
        assert_eq!(ids, wanted, "{ask:?}");
        found += ids.len();
    }
    found
}

async fn compare_users(acting: &Acting, index: &IndexStore<UserDocs>, head: &Position) -> usize {
    let (view, mut found) = (acting.reads.view(Some(head)).await.unwrap(), 0);
    for typed in NAME_QUERIES {
        let query = NameQuery::parse(typed).unwrap();
        for asks in [NameAsker::EndUser, NameAsker::Service] {
            let ask = UserAsk { query: &query, typed, asks, among: None, max: 100 };
            let uids = index.search_users(ask).await.unwrap().uids;
            assert_eq!(uids, scan_users(&*view, &ask).await.unwrap(), "{ask:?}");
            found += uids.len();
        }
    }
    found
}

/// How many events the logs have of posts that others have written: what was left behind by their authors' logs.
async fn echoes_of_posts(store: &ClusterStore) -> usize {
    let (head, mut echoes) = (store.head().await.unwrap(), 0);
    let beginning = Position::beginning(head.history(), Logs::PerGene);
    for (log, _) in head.marks() {
        let Ok(batch) = store.read(log, &beginning, 1_000).await else { continue };
        for event in batch.events.iter().filter(|event| event.echo.is_some()) {
            assert_eq!((PostSource::changed(event), UserSource::changed(event)), (None, None), "{event:?}");
            echoes += usize::from(matches!(event.change, Change::Post { .. }));
        }
    }
    echoes
}

/// Returns how many posts and users were found, and how many events were left behind in logs of others.
async fn play(seed: u64, log_events_max: u64) -> (usize, usize, usize) {
    let mut acting = Acting::new(seed, log_events_max).await;
    for _ in 0..acting.below(20) {
        acting.act().await;
    }
    let mut posts: Indexed<PostDocs, PostSource> = Indexed::new(&acting.reads).await;
    let mut users: Indexed<UserDocs, UserSource> = Indexed::new(&acting.reads).await;
    for _ in 0..16 {
        for _ in 0..acting.below(8) {
            acting.act().await;
        }
        let what = acting.below(12);
        posts.play(&mut acting, what).await;
        users.play(&mut acting, 11 - what).await;
    }
    let head = acting.settled().await;
    posts.catch_up(&acting.reads, &head).await;
    users.catch_up(&acting.reads, &head).await;
    let found = compare_posts(&mut acting, posts.index.as_ref().unwrap(), &head).await;
    let people = compare_users(&acting, users.index.as_ref().unwrap(), &head).await;
    (found, people, echoes_of_posts(&acting.writes).await)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_index_of_a_cluster_finds_what_there_is() {
    // One follows logs that are trimmed all the time.
    let all = futures_util::future::join_all(
        [(1, 10_000), (2, 10_000), (3, 2)].map(|(seed, kept)| Box::pin(play(seed, kept))),
    )
    .await;
    let sum = all.iter().fold((0, 0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1, sum.2 + one.2));
    assert!(sum.0 > 40 && sum.1 > 10 && sum.2 > 5, "{all:?}");
}

/// A database that is set back to an earlier state gives numbers of its log again: an index that has taken in the lost events is
/// built anew, and does not take the others for them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_index_of_lost_events_is_built_anew() {
    let mut acting = Acting::new(9, 10_000).await;
    for text in ["tea", "green tea"] {
        let body = Body { text: text.to_owned(), attachments: Vec::new() };
        let (author, visibility) = (u(1), Visibility::Public);
        acting
            .write(PostCommand::Create(Draft { author, body, visibility, reply_to: None, repost_of: None }))
            .await;
    }
    let mut posts: Indexed<PostDocs, PostSource> = Indexed::new(&acting.reads).await;
    let head = acting.settled().await;
    posts.catch_up(&acting.reads, &head).await;
    posts.crash(&acting.reads).await;
    assert!(posts.indexer.has_room(), "what is there goes on");
    acting.lose_last_of(u(1)).await;
    acting.reads = open(&acting.pair.lines, options(CarryMode::Log, false)).await;
    posts.crash(&acting.reads.clone()).await;
    assert!(!posts.indexer.has_room(), "it is being built");
    let head = acting.reads.head().await.unwrap();
    posts.catch_up(&acting.reads, &head).await;
    let found = compare_posts(&mut acting, posts.index.as_ref().unwrap(), &head).await;
    assert!(found > 0);
}
