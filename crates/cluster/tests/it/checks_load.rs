//! Checks beside writers: nothing false is found, no mend undoes a write, and the final state is what a model says.
//!
//! `GUANXI_CHECKS_SECONDS` says for how long each case runs.

use crate::checks::{Cluster, store, uid};
use guanxi_cluster::{ClusterStore, RepairCheck, RepairTerms};
use guanxi_model::post::{Body, Draft, PostCommand, PostStats};
use guanxi_model::{ManualClock, Op, PairCommand, PostId, Uid, Visibility, Write};
use guanxi_ports::{Facts, Store};
use guanxi_spec::memory::{MemoryStore, Options};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};

/// Users who do something to each other, and writers, each of whom has pairs of its own.
const USERS: u64 = 32;
const WRITERS: u64 = 4;

/// The time of the model.
const NOW_MS: u64 = 1_750_000_000_000;

/// Everything that users do to each other.
const OPS: &[Op] = &[
    Op::Follow,
    Op::Follow,
    Op::Follow,
    Op::Unfollow,
    Op::Block,
    Op::Unblock,
    Op::Unblock,
    Op::RemoveFollower,
    Op::Mute,
    Op::SendFriendRequest,
    Op::AcceptFriendRequest,
    Op::RemoveFriend,
];

/// What asks nothing of what follows from other writes.
const PLAIN_OPS: &[Op] = &[Op::Follow, Op::Follow, Op::Unfollow, Op::Block, Op::Unblock, Op::Mute];

/// Numbers that follow from a seed.
struct Seeded(u64);

impl Seeded {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

/// A cluster and its model, to which the same is done.
struct Loaded {
    cluster: Cluster,
    /// The process that writes. It carries nothing by itself, so that much is under way at any time.
    writes: Arc<ClusterStore>,
    model: Arc<MemoryStore>,
    /// A post of each user: in the cluster, and in the model.
    posts: Arc<Vec<(PostId, PostId)>>,
    stop: Arc<AtomicBool>,
    until: Instant,
}

impl Loaded {
    async fn new() -> Self {
        let cluster = Cluster::carrying(None).await;
        let writes = store(&cluster.lines, None).await;
        let model = Arc::new(MemoryStore::new(Arc::new(ManualClock::new(NOW_MS)), Options::default()));
        let mut posts = Vec::new();
        for user in 1..=USERS {
            let body = Body { text: "as it is".to_owned(), attachments: Vec::new() };
            let draft = Draft {
                author: uid(user),
                body,
                visibility: Visibility::Public,
                reply_to: None,
                repost_of: None,
            };
            let write = || Write::of(PostCommand::Create(draft.clone()));
            let id =
                async |facts: &dyn Facts| facts.apply(write()).await.unwrap().post().unwrap().id.unwrap();
            posts.push((id(&*cluster.store).await, id(&*model).await));
        }
        let seconds = std::env::var("GUANXI_CHECKS_SECONDS").map_or(5, |seconds| seconds.parse().unwrap());
        let until = Instant::now() + Duration::from_secs(seconds);
        Self { cluster, writes, model, posts: Arc::new(posts), stop: Arc::default(), until }
    }

    /// Writers who act until they are stopped, each on pairs of its own, so that the order of writers does not matter.
    fn write(&self, ops: &'static [Op]) -> Vec<JoinHandle<u64>> {
        let writer = |number: u64| {
            let (store, model) = (self.writes.clone(), self.model.clone());
            let (posts, stop) = (self.posts.clone(), self.stop.clone());
            tokio::spawn(async move {
                let (mut seeded, mut acts) = (Seeded(number + 1), 0);
                while !stop.load(Ordering::Relaxed) {
                    let (a, b) = (1 + seeded.below(USERS), 1 + seeded.below(USERS));
                    if a == b || a.min(b).wrapping_mul(31).wrapping_add(a.max(b)) % WRITERS != number {
                        continue;
                    }
                    let which = usize::try_from(seeded.below(ops.len() as u64 + 3)).unwrap();
                    act(&store, &model, (ops.get(which).copied(), which), (a, b), &posts).await;
                    acts += 1;
                }
                acts
            })
        };
        (0..WRITERS).map(writer).collect()
    }

    /// Stops the writers; returns how often they have acted.
    async fn end(&self, writers: Vec<JoinHandle<u64>>) -> u64 {
        self.stop.store(true, Ordering::Relaxed);
        let mut acts = 0;
        for writer in writers {
            acts += writer.await.unwrap();
        }
        self.cluster.store.settle().await.unwrap();
        acts
    }

    async fn agrees_with_model(&self) {
        let pairs: Vec<(Uid, Uid)> = (1..=USERS)
            .flat_map(|a| (1..=USERS).filter(move |b| a != *b).map(move |b| (uid(a), uid(b))))
            .collect();
        let users: Vec<Uid> = (1..=USERS).map(uid).collect();
        let (here, there) =
            (self.cluster.store.view(None).await.unwrap(), self.model.view(None).await.unwrap());
        assert_eq!(here.counts(&users).await.unwrap(), there.counts(&users).await.unwrap());
        let (relations, wanted) = (here.pairs(&pairs).await.unwrap(), there.pairs(&pairs).await.unwrap());
        for ((pair, relation), wanted) in pairs.iter().zip(relations).zip(wanted) {
            let told = |relation: guanxi_model::Relation| {
                let guanxi_model::Relation { following_since, friends_since, .. } = relation;
                let flags = (relation.followed_by, relation.blocking, relation.blocked_by, relation.muting);
                (
                    following_since.is_some(),
                    friends_since.is_some(),
                    flags,
                    relation.requested,
                    relation.requested_by,
                )
            };
            assert_eq!(told(relation), told(wanted), "{pair:?}");
        }
        let (ids, wanted): (Vec<PostId>, Vec<PostId>) = self.posts.iter().copied().unzip();
        let here = self.cluster.store.view(None).await.unwrap().stats(&ids).await.unwrap();
        let there: Vec<PostStats> = self.model.view(None).await.unwrap().stats(&wanted).await.unwrap();
        assert_eq!(here, there);
    }
}

/// Does something to the cluster, and when it is answered, the same to the model.
async fn act(
    store: &ClusterStore,
    model: &MemoryStore,
    (op, which): (Option<Op>, usize),
    (a, b): (u64, u64),
    posts: &[(PostId, PostId)],
) {
    let (subject, object) = (uid(a), uid(b));
    let post = posts[usize::try_from(b - 1).unwrap()];
    let write = |id| match op {
        Some(op) => Write::of(PairCommand { op, subject, object }),
        None if which % 3 == 0 => Write::of(PostCommand::Unlike { uid: subject, id }),
        None => Write::of(PostCommand::Like { uid: subject, id }),
    };
    let applied = store.apply(write(post.0)).await.unwrap();
    let wanted = model.apply(write(post.1)).await.unwrap();
    assert_eq!(
        applied.post().map(|post| post.result.ok()).ok(),
        wanted.post().map(|post| post.result.ok()).ok()
    );
}

/// Beside writers nothing false is found and nothing mended, by whichever check, over and over.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn beside_writers_nothing_false_is_found() {
    let loaded = Loaded::new().await;
    let writers = loaded.write(OPS);
    let mut runs = 0;
    while Instant::now() < loaded.until || runs < 4 {
        for check in [RepairCheck::Full, RepairCheck::Incremental, RepairCheck::Pairs, RepairCheck::Digests] {
            let terms = RepairTerms { mends: runs % 2 == 0, page_rows: 64, ..RepairTerms::default() };
            let report = loaded.cluster.store.repair(check, terms, &mut |_| ()).await.unwrap();
            assert_eq!(report.differences, [], "{check:?}");
            assert_eq!((report.mended, report.cells_differed), (0, 0), "{check:?}");
            runs += 1;
        }
    }
    let acts = loaded.end(writers).await;
    println!("{runs} checks beside {acts} acts");
    assert!(acts > 100);
    // The outcome of a request depends on what was carried by then, so that no model says it.
    loaded.cluster.store.settle().await.unwrap();
    let terms = RepairTerms::default();
    let report = loaded.cluster.store.repair(RepairCheck::Full, terms, &mut |_| ()).await.unwrap();
    assert_eq!((report.differences, report.cells_differed), (vec![], 0));
}

/// Beside writers and somebody who damages rows, each mended row is as the writes are: none is undone.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_mend_undoes_a_write() {
    let loaded = Loaded::new().await;
    let writers = loaded.write(PLAIN_OPS);
    let (mut seeded, mut damaged, mut mended, mut runs) = (Seeded(99), 0, 0, 0);
    let terms = RepairTerms { mends: true, page_rows: 64, ..RepairTerms::default() };
    while Instant::now() < loaded.until || runs < 4 {
        let (a, b) = (seeded.below(USERS), seeded.below(USERS));
        for sql in [
            format!(
                "update gx.fan set active = not active where object % 7 = {} and subject % 5 = {}",
                a % 7,
                b % 5
            ),
            format!("update gx.fan set at = at - 1 where object % 5 = {} and subject % 3 = {}", b % 5, a % 3),
            format!("update gx.user_state set followers = followers + 1 where uid = {}", a + 1),
        ] {
            for client in &loaded.cluster.clients {
                damaged += client.execute(&sql, &[]).await.unwrap();
            }
        }
        for check in [RepairCheck::Digests, RepairCheck::Full] {
            mended += loaded.cluster.store.repair(check, terms, &mut |_| ()).await.unwrap().mended;
            runs += 1;
        }
        sleep(Duration::from_millis(5)).await;
    }
    let acts = loaded.end(writers).await;
    drop(loaded.cluster.store.repair(RepairCheck::Full, terms, &mut |_| ()).await.unwrap());
    let report = loaded.cluster.store.repair(RepairCheck::Full, terms, &mut |_| ()).await.unwrap();
    assert_eq!((report.differences, report.cells_differed), (vec![], 0));
    println!("{runs} checks beside {acts} acts: {damaged} rows damaged, {mended} mended");
    assert!(acts > 100 && damaged > 0 && mended > 0);
    loaded.agrees_with_model().await;
}
