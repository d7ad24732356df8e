//! What was handled costs later reads nothing: requests that were taken back, likes, and reposts.

use crate::world::{clock, options, uid};
use guanxi_embedded::{Durability, Options, Store};
use guanxi_model::post::{Draft, PostCommand};
use guanxi_model::{
    Command, FriendRequest, Op, Page, PageStart, PairCommand, PostId, RequestDirection, RequestKind, Uid,
    Write,
};
use guanxi_ports::{Facts as _, Posts as _, StoreView};
use guanxi_spec::conformance::draft;
use std::time::{Duration, Instant};

/// How many requests or likes were handled.
const HANDLED: u64 = 3_000;

/// How often a read is timed; the median counts.
const TIMES: usize = 41;

/// How much dearer a read may be behind what was handled. Walking that was dearer by a hundred times.
const DEARER_MAX: u32 = 15;

async fn apply(store: &Store, commands: impl Iterator<Item = Command>) {
    let commands: Vec<Command> = commands.collect();
    for commands in commands.chunks(500) {
        let outcomes = store.apply(Write::all(commands.to_vec())).await.unwrap().outcomes;
        assert!(outcomes.iter().all(|outcome| outcome.result() == Ok(true)), "{:?}", outcomes[0]);
    }
}

/// The median time of a read, on a view of its own each time.
async fn median(store: &Store, read: impl AsyncFn(&dyn StoreView)) -> Duration {
    let mut times = Vec::new();
    for _ in 0..TIMES {
        let view = store.post_view(None).await.unwrap();
        let start = Instant::now();
        read(&*view).await;
        times.push(start.elapsed());
    }
    times.sort_unstable();
    times[TIMES / 2]
}

fn page() -> Page {
    Page::new(PageStart::Newest, 50).unwrap()
}

async fn requests(view: &dyn StoreView, of: Uid) {
    let direction = RequestDirection::Incoming;
    let page = view.requests(of, direction, RequestKind::Friend, page()).await.unwrap();
    assert_eq!(page.items, []);
    unseen(view, of).await;
}

async fn unseen(view: &dyn StoreView, of: Uid) {
    assert_eq!(view.unseen_requests(of, RequestKind::Friend, 100).await.unwrap(), 0);
}

fn open(dir: &std::path::Path) -> Store {
    let durability = Durability::Group(Duration::from_mins(1));
    Store::open(dir, Options { durability, ..options(1) }, clock()).unwrap()
}

#[tokio::test]
async fn requests_that_are_over_cost_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let (fresh, busy) = (uid(1), uid(2));
    let send = |sender: u64| Command::SendFriendRequest(FriendRequest::plain(uid(sender), busy));
    let cancel = |sender: u64| {
        let command = PairCommand { op: Op::CancelFriendRequest, subject: uid(sender), object: busy };
        Command::from(command)
    };
    let senders = || 100..100 + HANDLED;
    apply(&store, [send(50)].into_iter()).await;
    apply(&store, senders().map(send)).await;
    apply(&store, senders().map(cancel)).await;
    let cheap = median(&store, async |view| unseen(view, fresh).await).await;
    // One waits that is older than all that is over, and was seen.
    store.apply(Write::of(Command::MarkRequestsSeen { uid: busy, seen: None })).await.unwrap();
    let after = median(&store, async |view| unseen(view, busy).await).await;
    assert!(after <= cheap * DEARER_MAX, "{after:?} against {cheap:?}, with one that waits");
    apply(&store, [cancel(50)].into_iter()).await;
    let cheap = median(&store, async |view| requests(view, fresh).await).await;
    let after = median(&store, async |view| requests(view, busy).await).await;
    assert!(after <= cheap * DEARER_MAX, "{after:?} against {cheap:?}, with none that waits");
}

#[tokio::test]
async fn likes_that_were_taken_back_cost_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let mut ids: Vec<PostId> = Vec::new();
    for _ in 0..2 {
        let create = PostCommand::Create(draft(1, "words"));
        let created = store.apply(Write::of(create)).await.unwrap().post().unwrap();
        ids.extend(created.id);
    }
    let (fresh, busy) = (ids[0], ids[1]);
    let users = || (100..100 + HANDLED).map(uid);
    apply(&store, users().map(|uid| PostCommand::Like { uid, id: busy }.into())).await;
    apply(&store, users().map(|uid| PostCommand::Unlike { uid, id: busy }.into())).await;
    let likers = async |view: &dyn StoreView, id| {
        assert_eq!(view.likers(id, page()).await.unwrap().items, []);
    };
    let cheap = median(&store, async |view| likers(view, fresh).await).await;
    let after = median(&store, async |view| likers(view, busy).await).await;
    assert!(after <= cheap * DEARER_MAX, "{after:?} against {cheap:?}");
}

#[tokio::test]
async fn reposts_that_were_undone_cost_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let mut ids: Vec<PostId> = Vec::new();
    for _ in 0..2 {
        let create = PostCommand::Create(draft(1, "words"));
        let created = store.apply(Write::of(create)).await.unwrap().post().unwrap();
        ids.extend(created.id);
    }
    let (fresh, busy) = (ids[0], ids[1]);
    let users = || 100..100 + HANDLED;
    let share = |user| PostCommand::Create(Draft { repost_of: Some(busy), ..draft(user, "") }).into();
    apply(&store, users().map(share)).await;
    apply(&store, users().map(|user| PostCommand::UndoRepost { uid: uid(user), id: busy }.into())).await;
    let reposts = async |view: &dyn StoreView, id| {
        assert_eq!(view.reposts_of(id, None, 50).await.unwrap(), []);
    };
    let cheap = median(&store, async |view| reposts(view, fresh).await).await;
    let after = median(&store, async |view| reposts(view, busy).await).await;
    assert!(after <= cheap * DEARER_MAX, "{after:?} against {cheap:?}");
}
