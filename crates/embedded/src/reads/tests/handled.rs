//! What was taken back costs later reads nothing: requests, likes, reposts, follows.
//!
//! Two worlds differ by a thousand times as much that came and went, on top of the lists and below them. What a read takes
//! from the engine is counted: rows and bytes that its iterators yield, and blocks of the disk, which marks of deletion
//! fill and which no iterator yields.

use crate::engine::Work;
use crate::{Durability, EmbeddedStore, Options};
use guanxi_model::post::{Draft, PostCommand};
use guanxi_model::{
    Command, Cursor, FriendRequest, List, ManualClock, Op, Page, PageStart, PairCommand, PostId,
    RequestDirection, RequestKind, Uid, Write,
};
use guanxi_ports::{Facts as _, Store as _, StoreView};
use guanxi_spec::conformance::draft;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// How much came and went in the quiet world, and in the busy one.
const HANDLED: [u64; 2] = [3, 3_000];

/// Entries of a list that stand: more than memory holds of one.
const STANDING: u64 = 250;

/// How many times as much a read may take in the busy world.
const DEARER_MAX: u64 = 3;

/// Reads of which the least work counts: the engine counts the store's own threads, too.
const READS: u32 = 5;

/// The user whose lists are read.
const OWNER: u64 = 9;

fn uid(n: u64) -> Uid {
    Uid::new(n).unwrap()
}

fn page(start: PageStart) -> Page {
    Page::new(start, 50).unwrap()
}

impl Work {
    fn least(self, other: Self) -> Self {
        Self {
            rows: self.rows.min(other.rows),
            bytes: self.bytes.min(other.bytes),
            blocks: self.blocks.min(other.blocks),
        }
    }
}

/// A store with what a case puts there. Each case holds a snapshot from before, so that no mark of deletion is dropped with
/// what it deletes.
struct World {
    store: EmbeddedStore,
    _dir: tempfile::TempDir,
}

impl World {
    fn open() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let store = open(dir.path());
        Self { store, _dir: dir }
    }

    async fn apply(&self, commands: impl Iterator<Item = Command>) {
        let commands: Vec<Command> = commands.collect();
        for commands in commands.chunks(500) {
            let outcomes = self.store.apply(Write::all(commands.to_vec())).await.unwrap().outcomes;
            assert!(outcomes.iter().all(|outcome| outcome.result() == Ok(true)), "{:?}", outcomes[0]);
        }
    }

    async fn post(&self) -> PostId {
        let created = self.store.apply(Write::of(PostCommand::Create(draft(OWNER, "words")))).await.unwrap();
        created.post().unwrap().id.unwrap()
    }

    /// Lets entries stand, with others below and above them that came and went.
    async fn fill(
        &self,
        handled: u64,
        come: impl Fn(u64) -> Command + Copy,
        go: impl Fn(u64) -> Command + Copy,
    ) {
        let below = 10_000..10_000 + handled;
        let above = 20_000..20_000 + handled;
        self.apply(below.clone().map(come)).await;
        self.apply((100..100 + STANDING).map(come)).await;
        self.apply(below.map(go)).await;
        self.apply(above.clone().map(come)).await;
        self.apply(above.map(go)).await;
    }

    /// What a read takes, once it has been done: what was taken back is walked once.
    async fn work(&self, read: impl AsyncFn(&dyn StoreView)) -> Work {
        let engine = &self.store.shared().engine;
        engine.flush().unwrap();
        // The view that was published last reads the memory that was flushed.
        self.post().await;
        read(&*self.store.view(None).await.unwrap()).await;
        let mut least: Option<Work> = None;
        for _ in 0..READS {
            let before = engine.work();
            read(&*self.store.view(None).await.unwrap()).await;
            let work = engine.work().since(before);
            least = Some(least.map_or(work, |least| least.least(work)));
        }
        least.unwrap()
    }
}

fn open(dir: &Path) -> EmbeddedStore {
    let durability = Durability::Group(Duration::from_mins(1));
    // The engine does not count what it finds in its cache while it walks.
    let options = Options { durability, free_space_reserve: 0, block_cache_bytes: 0, ..Options::default() };
    EmbeddedStore::open(dir, options, Arc::new(ManualClock::new(1_700_000_000_000))).unwrap()
}

/// A list of the owner, as commands make it and as it is read.
#[derive(Clone, Copy, Debug)]
enum Case {
    Requests,
    Likers,
    Reposts,
    Followers,
}

impl Case {
    const ALL: [Self; 4] = [Self::Requests, Self::Likers, Self::Reposts, Self::Followers];

    fn come(self, post: PostId) -> impl Fn(u64) -> Command + Copy {
        move |user| match self {
            Self::Requests => Command::SendFriendRequest(FriendRequest::plain(uid(user), uid(OWNER))),
            Self::Likers => PostCommand::Like { uid: uid(user), id: post }.into(),
            Self::Reposts => PostCommand::Create(Draft { repost_of: Some(post), ..draft(user, "") }).into(),
            Self::Followers => pair(Op::Follow, user),
        }
    }

    fn go(self, post: PostId) -> impl Fn(u64) -> Command + Copy {
        move |user| match self {
            Self::Requests => pair(Op::CancelFriendRequest, user),
            Self::Likers => PostCommand::Unlike { uid: uid(user), id: post }.into(),
            Self::Reposts => PostCommand::UndoRepost { uid: uid(user), id: post }.into(),
            Self::Followers => pair(Op::Unfollow, user),
        }
    }

    /// Reads the first page, and the last one after an entry near the end.
    async fn read(self, view: &dyn StoreView, post: PostId) {
        let mut walked: Vec<u64> = Vec::new();
        match self {
            Self::Requests => {
                let direction = RequestDirection::Incoming;
                let ask = async |start| {
                    view.requests(uid(OWNER), direction, RequestKind::Friend, page(start)).await.unwrap()
                };
                let first = ask(PageStart::Newest).await;
                walked.extend(first.items.iter().map(|request| request.sender.get()));
                walk(first.next, async |cursor| {
                    let page = ask(PageStart::After(cursor)).await;
                    walked.extend(page.items.iter().map(|request| request.sender.get()));
                    page.next
                })
                .await;
            }
            Self::Likers | Self::Followers => {
                let ask = async |start| match self {
                    Self::Likers => view.likers(post, page(start)).await.unwrap(),
                    _ => view.list(uid(OWNER), List::Followers, page(start)).await.unwrap(),
                };
                let first = ask(PageStart::Newest).await;
                walked.extend(first.items.iter().map(|edge| edge.uid.get()));
                walk(first.next, async |cursor| {
                    let page = ask(PageStart::After(cursor)).await;
                    walked.extend(page.items.iter().map(|edge| edge.uid.get()));
                    page.next
                })
                .await;
            }
            Self::Reposts => {
                let mut below = None;
                loop {
                    let page = view.reposts_of(post, below, 51).await.unwrap();
                    walked.extend(page.iter().take(50).map(|id| id.get()));
                    if page.len() < 51 {
                        break;
                    }
                    below = page.get(49).copied();
                }
            }
        }
        assert_eq!(walked.len() as u64, STANDING, "{self:?}");
    }
}

async fn walk(mut next: Option<Cursor>, mut page: impl AsyncFnMut(Cursor) -> Option<Cursor>) {
    while let Some(cursor) = next {
        next = page(cursor).await;
    }
}

fn pair(op: Op, user: u64) -> Command {
    PairCommand { op, subject: uid(user), object: uid(OWNER) }.into()
}

#[tokio::test]
async fn lists_cost_what_stands() {
    for case in Case::ALL {
        let mut works = Vec::new();
        for handled in HANDLED {
            let world = World::open();
            let post = world.post().await;
            let _before = world.store.shared().engine.snapshot();
            world.fill(handled, case.come(post), case.go(post)).await;
            works.push(world.work(async |view| case.read(view, post).await).await);
        }
        let (quiet, busy) = (works[0], works[1]);
        eprintln!("{case:?} {quiet:?} {busy:?}");
        assert!(busy.within(quiet, DEARER_MAX), "{case:?}: {busy:?} against {quiet:?}");
    }
}

/// What waits, where one request waits that is older than all that was taken back, and where none does.
#[tokio::test]
async fn what_waits_costs_what_waits() {
    for waiting in [0, 1] {
        let mut works = Vec::new();
        for handled in HANDLED {
            let world = World::open();
            let _before = world.store.shared().engine.snapshot();
            let (send, cancel) = (Case::Requests.come(PostId::MIN), Case::Requests.go(PostId::MIN));
            world.apply((50..50 + waiting).map(send)).await;
            world
                .store
                .apply(Write::of(Command::MarkRequestsSeen { uid: uid(OWNER), seen: None }))
                .await
                .unwrap();
            let users = 100..100 + handled;
            world.apply(users.clone().map(send)).await;
            world.apply(users.map(cancel)).await;
            let unseen = async |view: &dyn StoreView| {
                assert_eq!(view.unseen_requests(uid(OWNER), RequestKind::Friend, 100).await.unwrap(), 0);
            };
            works.push(world.work(unseen).await);
        }
        assert!(
            works[1].within(works[0], DEARER_MAX),
            "{waiting} wait: {:?} against {:?}",
            works[1],
            works[0]
        );
    }
}

/// What a user asked and took back, one at a time, costs its list of what it asked nothing.
#[tokio::test]
async fn what_was_asked_costs_what_waits() {
    let mut works = Vec::new();
    for handled in HANDLED {
        let world = World::open();
        let _before = world.store.shared().engine.snapshot();
        let to = |op: fn(Uid) -> Command| move |user| op(uid(user));
        let send = to(|object| Command::SendFriendRequest(FriendRequest::plain(uid(OWNER), object)));
        let cancel =
            to(|object| PairCommand { op: Op::CancelFriendRequest, subject: uid(OWNER), object }.into());
        world.apply((100..100 + handled).flat_map(|user| [send(user), cancel(user)])).await;
        world.apply((50..60).map(send)).await;
        let asked = async |view: &dyn StoreView| {
            let direction = RequestDirection::Outgoing;
            let asked = view.requests(uid(OWNER), direction, RequestKind::Friend, page(PageStart::Newest));
            assert_eq!(asked.await.unwrap().items.len(), 10);
        };
        works.push(world.work(asked).await);
    }
    assert!(works[1].within(works[0], DEARER_MAX), "{:?} against {:?}", works[1], works[0]);
}
