//! Posts of several databases, served by several processes.

use crate::world::{World, databases, laid_out};
use guanxi_cluster::{CarryMode, ClusterOptions, ClusterStore};
use guanxi_model::post::{Body, Draft, PostCommand, PostOutcome, PostStats};
use guanxi_model::{ManualClock, Op, PairCommand, Position, PostId, Reason, Uid, Visibility, Write};
use guanxi_ports::{Facts, Store, StoreView};
use std::sync::Arc;

const NOW_MS: u64 = 1_750_000_000_000;

fn u(n: u64) -> Uid {
    Uid::new(n).unwrap()
}

/// A process that carries nothing by itself.
async fn process(lines: &[String]) -> ClusterStore {
    let options = ClusterOptions { carrying: CarryMode::Log, apply_every: None, ..ClusterOptions::default() };
    ClusterStore::open(&databases(lines), options, Arc::new(ManualClock::new(NOW_MS))).await.unwrap()
}

fn draft(author: u64, visibility: Visibility) -> Draft {
    let body = Body { text: format!("by {author}, a\0b"), attachments: Vec::new() };
    Draft { author: u(author), body, visibility, reply_to: None, repost_of: None }
}

/// Who writes in one process with what it was answered so far, and reads in another with that.
struct Writer<'a> {
    writes: &'a ClusterStore,
    reads: &'a ClusterStore,
    last: Option<Position>,
}

impl Writer<'_> {
    async fn post(&mut self, command: PostCommand) -> PostOutcome {
        let applied = self.writes.apply(Write::of(command)).await.unwrap();
        self.last = Some(applied.position.clone().joined(self.last.as_ref()));
        applied.post().unwrap()
    }

    async fn act(&mut self, op: Op, subject: u64, object: u64) {
        let command = PairCommand { op, subject: u(subject), object: u(object) };
        let applied = self.writes.apply(Write::of(command)).await.unwrap();
        self.last = Some(applied.position.joined(self.last.as_ref()));
    }

    async fn view(&self) -> Box<dyn StoreView> {
        self.reads.view(self.last.as_ref()).await.unwrap()
    }

    async fn stats(&self, id: PostId) -> PostStats {
        self.view().await.stats(&[id]).await.unwrap()[0]
    }
}

/// In the mode `sync` a write waits for other shards only where one of them has to take something in.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_shard_is_waited_for_that_hears_nothing() {
    let world = World::new();
    let lines = world.make(&["a", "b"]).await;
    laid_out(&lines).await;
    let options =
        ClusterOptions { carrying: CarryMode::Sync, apply_every: None, ..ClusterOptions::default() };
    let clock = Arc::new(ManualClock::new(NOW_MS));
    let store = ClusterStore::open(&databases(&lines), options, clock).await.unwrap();
    let applied = async || {
        let mut marks = Vec::new();
        for name in ["a", "b"] {
            let question = "select seq from gx.applied where source = 2";
            let row = world.client(name).await.query_one(question, &[]).await.unwrap();
            marks.push(row.get::<_, i64>(0));
        }
        marks
    };
    let create = PostCommand::Create(draft(2, Visibility::Public));
    store.apply(Write::of(create.clone())).await.unwrap();
    store.apply(Write::of(create)).await.unwrap();
    assert_eq!(applied().await, [0, 0], "no other shard hears of a post alone");
    let follow = PairCommand { op: Op::Follow, subject: u(2), object: u(3) };
    store.apply(Write::of(follow)).await.unwrap();
    assert_eq!(applied().await, [3, 3], "a follow is told to another shard");
}

/// The acts of users of other databases on a post are counted in the post's shard, once, for readers with the token of the
/// act. The author's own shard says what they may do, before anything is carried to theirs.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn likes_and_replies_are_counted_over_databases() {
    let world = World::new();
    let lines = world.make(&["d1", "d2", "d3"]).await;
    laid_out(&lines).await;
    let (one, other) = (process(&lines).await, process(&lines).await);
    let mut here = Writer { writes: &one, reads: &other, last: None };
    let original = here.post(PostCommand::Create(draft(1, Visibility::Public))).await.id.unwrap();
    let others = [2_u64, 3, 17, 256 + 7, 512 + 20, 40, 200, 257];
    let mut last = original;
    for uid in others {
        assert_eq!(here.post(PostCommand::Like { uid: u(uid), id: original }).await.result, Ok(true));
        let reply = Draft { reply_to: Some(original), ..draft(uid, Visibility::Public) };
        let reply = here.post(PostCommand::Create(reply)).await.id.unwrap();
        assert!(reply > last, "ids of one process rise");
        last = reply;
        let repost = Draft { repost_of: Some(reply), body: Body::default(), ..draft(1, Visibility::Public) };
        assert_eq!(here.post(PostCommand::Create(repost)).await.result, Ok(true));
        assert_eq!(here.stats(reply).await, PostStats { reposts: 1, ..PostStats::default() }, "{uid}");
        let author = u(uid);
        assert_eq!(here.post(PostCommand::Delete { author, id: reply }).await.result, Ok(true));
        assert_eq!(here.post(PostCommand::Restore { author, id: reply }).await.result, Ok(true));
    }
    let wanted = PostStats { likes: 8, replies: 8, reposts: 0 };
    assert_eq!(here.stats(original).await, wanted);
    one.settle().await.unwrap();
    other.settle().await.unwrap();
    assert_eq!(here.stats(original).await, wanted, "once");
    assert_eq!(
        here.view().await.posts(&[original]).await.unwrap()[0].as_ref().unwrap().body.text,
        "by 1, a\0b"
    );

    here.act(Op::Follow, 2, 1).await;
    let friends = here.post(PostCommand::Create(draft(1, Visibility::Friends))).await.id.unwrap();
    let like = |id| PostCommand::Like { uid: u(2), id };
    assert_eq!(here.post(like(friends)).await.result, Err(Reason::PostForbidden));
    here.act(Op::Follow, 1, 2).await;
    assert_eq!(here.post(like(friends)).await.result, Ok(true), "it is the author's fact");
    here.act(Op::Unfollow, 1, 2).await;
    assert_eq!(here.post(PostCommand::Unlike { uid: u(2), id: friends }).await.result, Ok(true));
    assert_eq!(here.post(like(friends)).await.result, Err(Reason::PostForbidden));
    assert_eq!(here.stats(friends).await, PostStats::default());
}

/// A process that opens goes on where others were: ids and versions rise, and what has not changed has the same version.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_new_process_goes_on_with_ids_and_versions() {
    let world = World::new();
    let lines = world.make(&["d1", "d2"]).await;
    laid_out(&lines).await;
    let first = process(&lines).await;
    let mut here = Writer { writes: &first, reads: &first, last: None };
    here.act(Op::Follow, 1, 2).await;
    let mut last = None;
    for _ in 0..300 {
        last = here.post(PostCommand::Create(draft(1, Visibility::Public))).await.id;
    }
    let version = here.view().await.viewer_relations(u(1)).await.unwrap().version();
    let head = here.view().await.heads(&[u(1)]).await.unwrap();
    let position = here.last.clone();
    drop(first);
    let second = process(&lines).await;
    let mut here = Writer { writes: &second, reads: &second, last: position };
    assert_eq!(here.view().await.viewer_relations(u(1)).await.unwrap().version(), version);
    assert_eq!(here.view().await.heads(&[u(1)]).await.unwrap(), head);
    for author in [2, 1] {
        let id = here.post(PostCommand::Create(draft(author, Visibility::Public))).await.id;
        assert!(id > last, "{id:?} after {last:?}");
        last = id;
    }
    here.act(Op::Follow, 2, 1).await;
    assert_ne!(here.view().await.viewer_relations(u(1)).await.unwrap().version(), version);
}
