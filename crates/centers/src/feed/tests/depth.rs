//! How many calls of a read wait for one another.

use super::ticks::{SlowInbox, SlowLog, SlowPosts, depth};
use super::*;
use crate::post::ShownPost;
use guanxi_model::post::Kind;

/// Calls in a row that a page of home with posts may take. The last one confirms the page.
const HOME_CALLS: u128 = 8;

/// Calls in a row of a page that fills an inbox: it visits first, registers, asks whether its follows stand everywhere,
/// and pins another view.
const FILL_CALLS: u128 = HOME_CALLS + 4;

/// Whom the reader follows; as many are strangers to it.
const AUTHORS: u64 = 300;

/// Posts that each of them writes.
const ROUNDS: u64 = 4;

const READER: u64 = 1_000;

struct Slow {
    feed: FeedCenter,
    world: World,
}

/// A post that the author of a number writes in a round: of its own, a reply, a plain repost or a quote, of somebody
/// followed or of a stranger, and quotes of quotes.
async fn write_one(world: &World, number: u64, round: u64, written: &[PostId]) -> PostId {
    let other = written.len().checked_sub(1 + (number * 7 % 40) as usize).map(|at| written[at]);
    let body = |text: &str| Body { text: text.into(), attachments: Vec::new() };
    let (text, reply_to, repost_of) = match (number + round) % 5 {
        0 => ("", None, other),
        1 => ("a quote", None, other),
        2 if number.is_multiple_of(2) => ("a reply", other, None),
        _ => ("a post", None, None),
    };
    let text = if repost_of.is_none() && text.is_empty() { "a post" } else { text };
    let visibility = Visibility::Public;
    let draft = Draft { author: u(number), body: body(text), visibility, reply_to, repost_of };
    world.posts.create(draft, None).await.unwrap().id
}

async fn slow(policy: FanoutPolicy) -> Slow {
    let mut world = World::new(policy).await;
    for number in 1..=AUTHORS {
        world.act(Op::Follow, READER, number).await;
    }
    // The inbox is there before the posts come.
    world.page(READER, None, 5).await;
    let mut written = Vec::new();
    for round in 0..ROUNDS {
        for number in 1..=2 * AUTHORS {
            written.push(write_one(&world, number, round, &written).await);
        }
        world.push_all().await;
    }
    Slow { feed: world.feed.clone(), world }
}

impl Slow {
    /// From now on every call of the feed takes a tick.
    fn slow_down(&mut self, mirrors_are_exact: bool) {
        let store = self.world.store.clone();
        let posts = Arc::new(SlowPosts { inner: store.clone(), mirrors_are_exact });
        let (inbox, log) = (Arc::new(SlowInbox(self.world.inbox.clone())), Arc::new(SlowLog(store)));
        self.feed = FeedCenter { store: posts, inbox, log, ..self.world.feed.clone() };
    }

    /// A page of posts with the calls in a row that it took.
    async fn posts(&self, below: Option<PostId>, size: usize) -> (HomePosts, u128) {
        let (page, calls) = depth(self.feed.home_posts(u(READER), PostPage { below, size }, None)).await;
        (page.unwrap(), calls)
    }

    /// Every page from a cursor on takes few calls; answers where they came from.
    async fn walk(&self, mut below: Option<PostId>, size: usize, pages: usize) -> Vec<Source> {
        let mut sources = Vec::new();
        while sources.len() < pages {
            let (found, calls) = self.posts(below, size).await;
            assert!(calls <= HOME_CALLS, "{calls} calls for {size}: {:?}", found.page);
            assert_eq!(found.posts.len(), found.page.ids.len());
            sources.push(found.page.source);
            match found.page.next {
                Some(next) => below = Some(next.0),
                None => break,
            }
        }
        sources
    }
}

/// How many originals stand behind each other in a post.
fn deep(shown: &ShownPost) -> usize {
    match &shown.original {
        Some(PostStatus::Ok(original)) => 1 + deep(original),
        _ => 0,
    }
}

#[tokio::test(start_paused = true)]
async fn a_page_of_posts_takes_eight_calls_in_a_row_at_most() {
    for mode in [FanoutMode::Pull, FanoutMode::Push] {
        let mut slow = slow(FanoutPolicy { mode, ..FanoutPolicy::default() }).await;
        for mirrors_are_exact in [true, false] {
            slow.slow_down(mirrors_are_exact);
            let (page, _) = slow.posts(None, 1_000).await;
            assert_eq!(page.posts.len(), 1_000);
            assert_eq!(page.posts.iter().map(deep).max(), Some(2), "there are quotes of quotes");
            let is_plain = |shown: &ShownPost| matches!(shown.post.header.kind, Kind::Repost { .. });
            assert!(page.posts.iter().any(is_plain));
            for size in [1, 20, 50, 100, 1_000] {
                let sources = slow.walk(None, size, 6).await;
                assert_eq!(sources[0] == Source::Pull, mode == FanoutMode::Pull);
                // Below the floor of the inbox.
                slow.walk(Some(page.page.ids[849]), size, 3).await;
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn authors_pulled_beside_the_inbox_cost_no_call_more_and_filling_it_four() {
    let mut slow = slow(FanoutPolicy { mode: FanoutMode::Push, ..FanoutPolicy::default() }).await;
    for mirrors_are_exact in [true, false] {
        slow.slow_down(mirrors_are_exact);
        for number in [3, 4, 5, 6] {
            slow.world.post(number).await;
        }
        for size in [1, 20, 1_000] {
            assert_eq!(slow.walk(None, size, 1).await, [Source::Inbox { pulled: 4 }]);
        }
        slow.world.inbox.evict(u(READER)).await.unwrap();
        let (page, calls) = slow.posts(None, 50).await;
        assert_eq!((page.page.source, calls), (Source::Pull, FILL_CALLS));
        assert_eq!(slow.walk(None, 50, 1).await, [Source::Inbox { pulled: 0 }]);
    }
}
