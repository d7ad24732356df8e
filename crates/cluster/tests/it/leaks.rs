//! No reader gets a post that was written after its author had parted from it. While one process writes, another one reads,
//! over a network that is slow to one database or the other, and no process follows the logs.

use crate::pair::{Pair, open, options, u, write};
use crate::world::HISTORY;
use futures_util::future::{join_all, join4};
use guanxi_centers::feed::FeedCenter;
use guanxi_centers::log_readers::Hub;
use guanxi_centers::post::{PostCenter, PostStatus, ShownPost};
use guanxi_cluster::{CarryMode, ClusterOptions, ClusterStore};
use guanxi_model::post::{AuthorFilter, Body, Draft, Edit, PostCommand};
use guanxi_model::user::{UserCommand, UserStatus};
use guanxi_model::{
    Command, EventAt, GroupCommand, GroupId, Logs, Op, PairCommand, Position, PostId, PostPage, Reason,
    Result, Uid, Visibility, Write,
};
use guanxi_ports::{
    Applied, BoxFuture, Facts, Layer, PostLayer, RelationLayer, ScanLayer, Store, StoreView, UserLayer,
};
use guanxi_spec::conformance::Rng;
use guanxi_spec::memory::MemoryInbox;
use std::future::ready;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::task::yield_now;
use tokio::time::sleep;

/// Pairs of each kind, unless `GUANXI_LEAK_PAIRS` says otherwise.
const PAIRS_DEFAULT: usize = 12;

/// How old what memory tells may be, turn by turn: with the shorter time alone no answer would be of a late moment.
const STALENESS: [Duration; 2] = [Duration::from_millis(200), Duration::from_secs(1)];

/// What nobody may read who was parted from before it was written.
const LATER: &str = "later";

/// What an author wrote before.
const BEFORE: &str = "a post";

/// Pairs at once.
const AT_ONCE: usize = 12;

/// How an author parts from a viewer, and what it writes then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Parting {
    /// It blocks the viewer, and writes for all. Somebody whom the viewer follows reposts and quotes that.
    Block,
    /// It removes the viewer from its followers, and writes for these.
    RemoveFollower,
    /// It ceases to follow the viewer, and writes for friends.
    Unfollow,
    /// It takes the viewer out of a group, and writes for that.
    LeaveGroup,
    /// It blocks the viewer, and edits what it wrote before.
    EditAfterBlock,
    /// It ceases to follow the viewer, and has what it wrote before for friends alone, with another text.
    Narrow,
    /// It deletes what it wrote before, which somebody whom the viewer follows has reposted and quoted.
    Delete,
    /// It goes away, after the same.
    Deactivate,
}

impl Parting {
    const ALL: [Self; 8] = [
        Self::Block,
        Self::RemoveFollower,
        Self::Unfollow,
        Self::LeaveGroup,
        Self::EditAfterBlock,
        Self::Narrow,
        Self::Delete,
        Self::Deactivate,
    ];

    /// Whether nothing is written later: what was there before is gone, for readers who know of that.
    const fn ends(self) -> bool {
        matches!(self, Self::Delete | Self::Deactivate)
    }

    /// Who may see what is written then.
    const fn visibility(self, group: GroupId) -> Visibility {
        match self {
            Self::Block | Self::EditAfterBlock | Self::Delete | Self::Deactivate => Visibility::Public,
            Self::RemoveFollower => Visibility::Followers,
            Self::Unfollow | Self::Narrow => Visibility::Friends,
            Self::LeaveGroup => Visibility::Group(group),
        }
    }

    /// Has the author part from the viewer. Returns where that stands.
    async fn part(self, writer: &ClusterStore, pair: &PairOf) -> Position {
        let PairOf { author, viewer, sharer, group, before } = *pair;
        if self.ends() {
            post(writer, (sharer, ""), Visibility::Public, Some(before)).await;
            post(writer, (sharer, "a quote"), Visibility::Public, Some(before)).await;
        }
        let op = match self {
            Self::Block | Self::EditAfterBlock => Op::Block,
            Self::RemoveFollower => Op::RemoveFollower,
            Self::Unfollow | Self::Narrow => Op::Unfollow,
            Self::LeaveGroup => {
                let command = GroupCommand::RemoveMembers { owner: author, id: group, members: vec![viewer] };
                return done(writer, command).await;
            }
            Self::Delete => return done(writer, PostCommand::Delete { author, id: before }).await,
            Self::Deactivate => {
                let status = UserStatus::Deactivated;
                return done(writer, UserCommand::SetStatus { uid: author, status }).await;
            }
        };
        done(writer, PairCommand { op, subject: author, object: viewer }).await
    }

    /// What the author writes then; the posts that the viewer must not get.
    async fn write(self, writer: &ClusterStore, pair: &PairOf) -> Vec<PostId> {
        let visibility = self.visibility(pair.group);
        if self.ends() {
            return Vec::new();
        }
        if matches!(self, Self::EditAfterBlock | Self::Narrow) {
            let edit = Edit {
                text: Some(LATER.to_owned()),
                attachments: None,
                visibility: Some(visibility),
                expected_revision: None,
            };
            let edit = PostCommand::Update { author: pair.author, id: pair.before, edit };
            assert_eq!(writer.apply(Write::of(edit)).await.unwrap().post().unwrap().result, Ok(true));
            return Vec::new();
        }
        let later = post(writer, (pair.author, LATER), visibility, None).await;
        let mut posts = vec![later];
        if self == Self::Block {
            posts.push(post(writer, (pair.sharer, ""), Visibility::Public, Some(later)).await);
            // The quote itself may be seen, and not what it quotes.
            post(writer, (pair.sharer, "a quote"), Visibility::Public, Some(later)).await;
        }
        posts
    }
}

/// An author and a viewer of different databases, and what they have to do with each other.
#[derive(Clone, Copy, Debug)]
struct PairOf {
    author: Uid,
    viewer: Uid,
    /// Somebody whom the viewer follows.
    sharer: Uid,
    /// A group of the author, with the viewer in it.
    group: GroupId,
    /// What the author wrote before.
    before: PostId,
}

/// A cluster whose views are never confirmed: what is tested here leaks then.
struct Unconfirmed(Arc<ClusterStore>);

struct UnconfirmedView(Box<dyn StoreView>);

impl Layer for UnconfirmedView {
    fn below(&self) -> &dyn StoreView {
        &*self.0
    }
}

impl RelationLayer for UnconfirmedView {}

impl PostLayer for UnconfirmedView {
    fn confirm(&self, _viewer: Uid) -> BoxFuture<'_, Result<bool>> {
        Box::pin(ready(Ok(true)))
    }
}

impl UserLayer for UnconfirmedView {}

impl ScanLayer for UnconfirmedView {}

impl Facts for Unconfirmed {
    fn apply(&self, write: Write) -> BoxFuture<'_, Result<Applied>> {
        self.0.apply(write)
    }
}

impl Store for Unconfirmed {
    fn view<'a>(&'a self, at_least: Option<&'a Position>) -> BoxFuture<'a, Result<Box<dyn StoreView>>> {
        Box::pin(async move {
            let inner = self.0.view(at_least).await?;
            Ok(Box::new(UnconfirmedView(inner)) as Box<dyn StoreView>)
        })
    }

    fn page_view<'a>(&'a self, at_least: Option<&'a Position>) -> BoxFuture<'a, Result<Box<dyn StoreView>>> {
        Box::pin(async move {
            let inner = self.0.page_view(at_least).await?;
            Ok(Box::new(UnconfirmedView(inner)) as Box<dyn StoreView>)
        })
    }

    fn is_applied(&self, uid: Uid, at: EventAt) -> BoxFuture<'_, Result<bool>> {
        self.0.is_applied(uid, at)
    }
}

/// One process that reads.
struct Reading {
    posts: PostCenter,
    feed: FeedCenter,
}

/// What one pair came to.
#[derive(Debug, Default)]
struct Seen {
    /// Answers that had what was written later.
    leaks: usize,
    /// Answers.
    answers: usize,
    /// Answers with what the viewer might see before.
    before: usize,
}

/// What one answer showed.
#[derive(Debug, Default)]
struct Answer {
    ids: Vec<PostId>,
    texts: Vec<String>,
}

impl Answer {
    fn of_posts<'a>(posts: impl IntoIterator<Item = &'a ShownPost>) -> Self {
        let mut answer = Self::default();
        posts.into_iter().for_each(|shown| answer.add(shown));
        answer
    }

    fn add(&mut self, shown: &ShownPost) {
        self.ids.push(shown.post.header.id);
        self.texts.push(shown.post.body.text.clone());
        if let Some(PostStatus::Ok(original)) = &shown.original {
            self.add(original);
        }
    }

    /// Whether it has a post, or what it says.
    fn has_before(&self, before: PostId) -> bool {
        self.ids.contains(&before) || self.texts.iter().any(|text| text == BEFORE)
    }

    fn has(&self, later: &[PostId]) -> bool {
        self.ids.iter().any(|id| later.contains(id)) || self.texts.iter().any(|text| text == LATER)
    }
}

/// How a viewer reads.
#[derive(Clone, Copy, Debug)]
enum Reads {
    HomeIds,
    HomePosts,
    PostsOfAuthor,
}

impl Reading {
    fn new(store: &Arc<ClusterStore>, confirms: bool) -> Self {
        let posts: Arc<dyn Store> =
            if confirms { store.clone() } else { Arc::new(Unconfirmed(store.clone())) };
        let inbox = Arc::new(MemoryInbox::new(HISTORY, Logs::PerGene));
        let clock = Arc::new(crate::pair::WallClock);
        let feed = FeedCenter::new(posts.clone(), inbox, Hub::new(store.clone()), clock);
        Self { posts: PostCenter::new(posts), feed }
    }

    async fn once(&self, pair: &PairOf, reads: Reads, at_least: Option<Position>) -> Result<Answer> {
        let (viewer, page) = (pair.viewer, PostPage { below: None, size: 10 });
        Ok(match reads {
            Reads::HomeIds => {
                let ids = self.feed.home(viewer, page, at_least).await?.ids;
                Answer { ids, texts: Vec::new() }
            }
            Reads::HomePosts => Answer::of_posts(&self.feed.home_posts(viewer, page, at_least).await?.posts),
            Reads::PostsOfAuthor => {
                let filter = AuthorFilter::All;
                let list = self.posts.list_author(pair.author, filter, page, Some(viewer), at_least).await?;
                Answer::of_posts(&list.posts)
            }
        })
    }

    /// Reads until it is told to stop, and once more. Returns each answer.
    async fn read(&self, pair: &PairOf, reads: Reads, ends: &AtomicBool) -> Vec<Answer> {
        let mut answers = Vec::new();
        loop {
            let was_over = ends.load(Ordering::Acquire);
            match self.once(pair, reads, None).await {
                Ok(answer) => answers.push(answer),
                Err(error) => {
                    assert!(
                        is_passing(&error.reason) || error.reason == Reason::UserDeactivated,
                        "{error:?}"
                    );
                    sleep(Duration::from_millis(10)).await;
                }
            }
            if was_over {
                return answers;
            }
            // An answer from memory waits for nothing: others are to have their turn.
            yield_now().await;
        }
    }

    /// The posts that the viewer gets of some, if it is answered.
    async fn gets(&self, viewer: Uid, ids: &[PostId], at_least: Option<Position>) -> Option<Answer> {
        match self.posts.get(ids, Some(viewer), at_least).await {
            Ok(got) => Some(Answer::of_posts(got.posts.iter().filter_map(|status| match status {
                PostStatus::Ok(shown) => Some(&**shown),
                _ => None,
            }))),
            Err(error) => {
                assert!(is_passing(&error.reason), "{error:?}");
                None
            }
        }
    }

    /// One pair: the viewer reads while the author parts from it and writes.
    async fn part(&self, writer: &ClusterStore, pair: PairOf, parting: Parting, after: Duration) -> Seen {
        let (ends, before) = (AtomicBool::new(false), self.gets_before(&pair).await);
        let acts = async {
            sleep(after).await;
            let at = parting.part(writer, &pair).await;
            let later = parting.write(writer, &pair).await;
            let ids: Vec<PostId> = later.iter().copied().chain([pair.before]).collect();
            let got = self.gets(pair.viewer, &ids, None).await;
            let known = if parting.ends() { self.known(&pair, &at).await } else { Vec::new() };
            ends.store(true, Ordering::Release);
            (later, got, known)
        };
        let read = |reads| self.read(&pair, reads, &ends);
        let all = join4(acts, read(Reads::HomeIds), read(Reads::HomePosts), read(Reads::PostsOfAuthor));
        let ((later, got, known), homes, pages, lists) = all.await;
        let all = || homes.iter().chain(&pages).chain(&lists).chain(&got);
        let shown_to_who_knows = known.iter().filter(|answer| answer.has_before(pair.before)).count();
        Seen {
            leaks: all().filter(|answer| answer.has(&later)).count() + shown_to_who_knows,
            answers: all().count() + known.len(),
            before: before + all().filter(|answer| !answer.ids.is_empty()).count(),
        }
    }

    /// Reads in each way as a reader who knows of something.
    async fn known(&self, pair: &PairOf, at: &Position) -> Vec<Answer> {
        let mut answers = Vec::new();
        for reads in [Reads::HomeIds, Reads::HomePosts, Reads::PostsOfAuthor] {
            match self.once(pair, reads, Some(at.clone())).await {
                Ok(answer) => answers.push(answer),
                Err(error) => {
                    let is_gone = error.reason == Reason::UserDeactivated;
                    assert!(is_passing(&error.reason) || is_gone, "{error:?}");
                }
            }
        }
        answers.extend(self.gets(pair.viewer, &[pair.before], Some(at.clone())).await);
        answers
    }

    /// Reads home once, so that connections are there.
    async fn gets_before(&self, pair: &PairOf) -> usize {
        self.once(pair, Reads::HomePosts, None).await.map_or(0, |answer| usize::from(!answer.ids.is_empty()))
    }
}

/// Whether a caller who is told so comes back.
const fn is_passing(reason: &Reason) -> bool {
    matches!(reason, Reason::ShardUnavailable { .. } | Reason::Overloaded { .. })
}

/// Does something that changes state. Returns where that stands.
async fn done(writer: &ClusterStore, command: impl Into<Command>) -> Position {
    let applied = writer.apply(Write::of(command)).await.unwrap();
    assert_eq!(applied.outcomes[0].result(), Ok(true));
    applied.position
}

async fn post(
    writer: &ClusterStore,
    (author, text): (Uid, &str),
    visibility: Visibility,
    repost_of: Option<PostId>,
) -> PostId {
    let body = Body { text: text.to_owned(), attachments: Vec::new() };
    let draft = Draft { author, body, visibility, reply_to: None, repost_of };
    writer.apply(Write::of(PostCommand::Create(draft))).await.unwrap().post().unwrap().id.unwrap()
}

/// A cluster over a slow network, with a process that writes and one that reads.
struct Parted {
    world: Pair,
    writer: Arc<ClusterStore>,
    reading: Reading,
}

impl Parted {
    async fn new(confirms: bool, staleness: Duration) -> Self {
        let world = Pair::new().await;
        let silent = ClusterOptions { views_max: 64, staleness, ..options(CarryMode::Log, false) };
        let writer = open(&world.direct(), silent).await;
        let reading = Reading::new(&open(&world.lines, silent).await, confirms);
        Self { world, writer, reading }
    }

    /// Has some pairs part, a few at once; which database is late in which way changes with each few. The network is so many
    /// times slower than it is at least.
    async fn run(&self, parting: Parting, pairs: std::ops::Range<usize>, slower: u64) -> Seen {
        let (mut rng, mut seen) = (Rng::new(pairs.start as u64), Seen::default());
        for numbers in pairs.collect::<Vec<_>>().chunks(AT_ONCE) {
            let pairs = join_all(numbers.iter().map(|number| self.set_up(*number))).await;
            self.writer.settle().await.unwrap();
            join_all(pairs.iter().map(|pair| self.reading.gets_before(pair))).await;
            let turn = numbers[0] / AT_ONCE;
            let faults = &self.world.proxies[turn % 2].faults;
            let way =
                if (turn / 2 + turn).is_multiple_of(2) { &faults.late_ms } else { &faults.asked_late_ms };
            let late = slower * (50 + rng.below(251));
            way.store(late, Ordering::Relaxed);
            let parts = pairs.iter().map(|pair| {
                let after = Duration::from_millis(late / 2 + rng.below(late));
                self.reading.part(&self.writer, *pair, parting, after)
            });
            for one in join_all(parts.collect::<Vec<_>>()).await {
                seen.leaks += one.leaks;
                seen.answers += one.answers;
                seen.before += one.before;
            }
            way.store(0, Ordering::Relaxed);
        }
        println!("{parting:?}: {seen:?}");
        seen
    }

    /// An author and a viewer who follow each other: with every other number the author is of the first database. The author has
    /// written something for all, and the viewer is in a group of it.
    async fn set_up(&self, number: usize) -> PairOf {
        let (base, odd) = (10_000 + 4 * number as u64, number as u64 % 2);
        let (author, viewer) = (u(base + odd), u(base + 3 - odd));
        // Of the viewer's database, and of another log.
        let sharer = u(viewer.get() + 1_000_000 + 2);
        for (subject, object) in [(viewer, author), (author, viewer), (viewer, sharer)] {
            self.writer.apply(write(Op::Follow, subject.get(), object.get())).await.unwrap();
        }
        let create = GroupCommand::Create { owner: author, name: "some".to_owned() };
        let group = self.writer.apply(Write::of(create)).await.unwrap().group().unwrap().id.unwrap();
        let add = GroupCommand::AddMembers { owner: author, id: group, members: vec![viewer] };
        assert_eq!(self.writer.apply(Write::of(add)).await.unwrap().group().unwrap().result, Ok(true));
        let before = post(&self.writer, (author, BEFORE), Visibility::Public, None).await;
        PairOf { author, viewer, sharer, group, before }
    }
}

/// With `GUANXI_LEAK_PAIRS=500` so many of each kind.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_is_parted_from_gets_no_later_post() {
    let pairs = std::env::var("GUANXI_LEAK_PAIRS").map_or(PAIRS_DEFAULT, |pairs| pairs.parse().unwrap());
    for (turn, staleness) in STALENESS.into_iter().enumerate() {
        let parted = Parted::new(true, staleness).await;
        for (kind, parting) in Parting::ALL.into_iter().enumerate() {
            // Few of each kind are read with the longer time, and of every other kind with the shorter one.
            if pairs <= AT_ONCE && turn == 0 && kind % 2 > 0 {
                continue;
            }
            let from = kind * pairs.next_multiple_of(AT_ONCE);
            let seen = parted.run(parting, from..from + pairs, 1).await;
            assert_eq!(seen.leaks, 0, "{parting:?}: {seen:?}");
            assert!(seen.answers >= 3 * pairs && seen.before >= pairs / 2, "{parting:?}: {seen:?}");
        }
    }
}

/// The test above is one of the question that is asked before an answer leaves.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_that_question_later_posts_leak() {
    let parted = Parted::new(false, STALENESS[1]).await;
    let mut from = 0;
    for parting in [Parting::Block, Parting::RemoveFollower] {
        let mut leaks = 0;
        // Nearly always some of the first twelve. A leak needs two writes between two questions of one read: where the machine
        // writes slowly, the network has to be slower.
        for slower in 1..=6 {
            leaks += parted.run(parting, from..from + AT_ONCE, slower).await.leaks;
            from += AT_ONCE;
            if leaks > 0 {
                break;
            }
        }
        assert!(leaks > 0, "{parting:?}");
    }
}
