//! An event that cannot be read is passed over by every reader of the logs, and named by a check: the logs go on behind it.

use crate::checks::{Cluster, store, uid};
use guanxi_centers::affinity::{AffinityCenter, LikesAndReplies};
use guanxi_centers::feed::FeedCenter;
use guanxi_centers::log_readers::{Follower, Hub, Interest, step};
use guanxi_centers::search::{Indexer, PostSource, REFRESH_MS};
use guanxi_cluster::{ClusterStore, RepairCheck, RepairTerms};
use guanxi_model::post::{Body, Draft, PostCommand};
use guanxi_model::user::{UserCommand, UserStatus};
use guanxi_model::{
    Clock, HistoryId, Logs, ManualClock, Op, PairCommand, Position, PostId, Uid, Visibility, Write,
};
use guanxi_ports::{
    AbsentInbox, Circle, DifferenceKind, EndedUsers as _, Facts as _, Log as _, PostAsk, PostSearch as _,
    SearchIndex as _, Store as _,
};
use guanxi_search::{IndexOptions, IndexStore, Pace, PostDocs, StoreOptions};
use guanxi_text::{ANALYSER_VERSION, Query};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// The users of one log, and one of another.
const ANN: u64 = 0x103;
const BOB: u64 = 0x203;
const GONE: u64 = 0x303;
const AUTHOR: u64 = 0x104;

/// Longer than any reader takes.
const WAIT: Duration = Duration::from_secs(20);

async fn write(store: &ClusterStore, command: impl Into<guanxi_model::Command>) -> guanxi_ports::Applied {
    store.apply(Write::of(command)).await.unwrap()
}

async fn post(store: &ClusterStore, author: u64, reply_to: Option<PostId>) -> PostId {
    let body = Body { text: "green tea".to_owned(), attachments: Vec::new() };
    let (author, visibility) = (uid(author), Visibility::Public);
    let draft = Draft { author, body, visibility, reply_to, repost_of: None };
    write(store, PostCommand::Create(draft)).await.post().unwrap().id.unwrap()
}

/// Damages what is written of a user's log, before anybody reads it.
async fn damaged<T>(cluster: &Cluster, of: u64, write: impl Future<Output = T>) -> T {
    let client = &cluster.clients[(of % 2) as usize];
    let damage = format!(
        "create or replace function damage() returns trigger language plpgsql as \
        $$ begin new.detail := '\\xff'; return new; end $$; \
        create trigger damage before insert on gx.log for each row when (new.gene = {}) execute function damage()",
        of % 256
    );
    client.batch_execute(&damage).await.unwrap();
    let written = write.await;
    client.batch_execute("drop trigger damage on gx.log").await.unwrap();
    written
}

fn opened(dir: &tempfile::TempDir, history: HistoryId) -> IndexStore<PostDocs> {
    let free_bytes = Arc::new(|| Ok(u64::MAX));
    let pace = Pace::unbounded();
    let index =
        IndexOptions { analyser: ANALYSER_VERSION, memory_bytes: 0, reserve_bytes: 0, free_bytes, pace };
    let at_once = StoreOptions { commit_every: Duration::ZERO, ..StoreOptions::new(index) };
    IndexStore::open(dir.path(), at_once, history, Logs::PerGene).unwrap()
}

/// The posts that an index finds.
async fn found(index: &IndexStore<PostDocs>) -> BTreeSet<PostId> {
    let query = Query::parse("tea").unwrap();
    let circle = Circle::All;
    let ask = PostAsk { query: &query, author: None, replies: None, from: None, below: None, circle, max: 9 };
    index.search(ask).await.unwrap().ids.into_iter().collect()
}

/// Lets a reader come to where the logs stand.
async fn read_to(store: &ClusterStore, reader: &mut impl Follower, head: &Position) {
    let reading = async {
        while !reader.position().covers(head) {
            let _ = step(store, reader).await.unwrap();
        }
        while step(store, reader).await.unwrap() {}
    };
    timeout(WAIT, reading).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_reader_passes_over_an_unreadable_event() {
    let cluster = Cluster::carrying(None).await;
    let writes = &cluster.store;
    let original = post(writes, AUTHOR, None).await;
    // Another process, whose readers stand here.
    let reads = store(&cluster.lines, None).await;
    let clock: Arc<dyn Clock> = Arc::new(ManualClock::new(1_750_000_000_000));
    let begun = reads.head().await.unwrap();
    let affinity = AffinityCenter::new(reads.clone(), reads.clone(), clock.clone());
    let mut likes = LikesAndReplies::begin(affinity).await.unwrap();
    let hub = Hub::new(reads.clone());
    let mut stream = hub.subscribe([Interest::User(uid(0x999))]).await.unwrap();
    drop(stream.changed().await.unwrap());
    let inbox = Arc::new(AbsentInbox::new(begun.history(), Logs::PerGene));
    let feed = FeedCenter::new(reads.clone(), inbox, hub.clone(), clock.clone());
    feed.start().await.unwrap();
    let mut fanout = feed.worker().await.unwrap();
    let dir = tempfile::tempdir().unwrap();
    let index = opened(&dir, begun.history());
    let indexing = index.indexing().await.unwrap();
    let mut posts =
        Indexer::<PostSource>::begin(reads.clone(), &*reads, indexing, (clock, REFRESH_MS)).await.unwrap();

    // Events of one log that cannot be read: a post, a follow into the other database, and the end of a user.
    let unread = damaged(&cluster, ANN, post(writes, ANN, None)).await;
    let follow = PairCommand { op: Op::Follow, subject: uid(ANN), object: uid(AUTHOR) };
    damaged(&cluster, ANN, write(writes, follow)).await;
    let end = UserCommand::SetStatus { uid: uid(GONE), status: UserStatus::Deactivated };
    damaged(&cluster, GONE, write(writes, end)).await;
    // And what comes behind them, in that log and in another.
    let later = post(writes, BOB, Some(original)).await;
    write(writes, PostCommand::Like { uid: uid(BOB), id: original }).await;
    write(writes, PairCommand { op: Op::Follow, subject: uid(BOB), object: uid(AUTHOR) }).await;
    write(writes, PostCommand::Like { uid: uid(AUTHOR), id: later }).await;
    let head = writes.head().await.unwrap();

    // Appliers.
    timeout(WAIT, reads.settle()).await.unwrap().unwrap();
    let counts = reads.view(None).await.unwrap().counts(&[uid(AUTHOR)]).await.unwrap();
    assert_eq!(counts[0].followers, 1, "of the follow behind");
    // The counting of affinities.
    read_to(&reads, &mut likes, &head).await;
    let view = reads.view(None).await.unwrap();
    for (actor, other) in [(BOB, AUTHOR), (AUTHOR, BOB)] {
        let scored: Vec<Uid> =
            view.affinities(uid(actor)).await.unwrap().all.iter().map(|one| one.uid).collect();
        assert_eq!(scored, [uid(other)], "{actor}");
    }
    // Streams: whom the events concern is not known, so that each looks.
    timeout(WAIT, stream.changed()).await.unwrap().unwrap();
    // The fan-out.
    read_to(&reads, &mut fanout, &head).await;
    // Indexes: also of the post whose event cannot be read.
    read_to(&reads, &mut posts, &head).await;
    index.wait(&head).await.unwrap();
    assert_eq!(found(&index).await, [unread, later, original].into());
    // Credentials.
    let gone = async {
        while !reads.is_gone(uid(GONE)) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    timeout(WAIT, gone).await.unwrap();
    // The check names them.
    let terms = RepairTerms::default();
    let report = reads.repair(RepairCheck::Full, terms, &mut |_| ()).await.unwrap();
    assert_eq!(report.kinds.get(&DifferenceKind::Undecodable), Some(&3), "{:?}", report.differences);
}
