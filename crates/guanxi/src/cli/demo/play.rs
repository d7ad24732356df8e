//! The users of the demo: a seed decides what they do, and how often they do it is asked for.

use super::tally::{ActKind, Tally};
use super::texts::{GREETINGS, POSTS, QUOTES, REPLIES};
use super::{MOST_FOLLOWED, USERS};
use fastrand::Rng;
use guanxi_centers::relation::SuggestionAsk;
use guanxi_centers::{Centers, Viewer};
use guanxi_model::post::{Body, Draft};
use guanxi_model::suggestion::{DismissCommand, SuggestionKind};
use guanxi_model::{
    Code, Error, FriendRequest, List, Op, Page, PageStart, PostId, PostPage, RequestDirection, RequestKind,
    Result, Uid, Visibility,
};
use guanxi_server::Outcome;
use std::collections::VecDeque;
use std::future::pending;
use std::sync::Mutex;
use std::time::{Duration, Instant};
use tokio::time::MissedTickBehavior;

/// Users who come again and again; the others only write.
const REGULARS: usize = 200;
/// Follows of one user that an author is drawn from.
const CIRCLE: i32 = 64;
/// Posts that can be answered, reposted and liked.
const RECENT: usize = 256;
/// Items of a page: a screen.
const PAGE: usize = 20;
/// Operations per second that one user at a time is asked to do; beyond, several do at once, as commits are shared.
const LANE_RATE: u32 = 50;
/// Users at once at most.
const LANES_MAX: u32 = 64;

/// The users and what they know of each other's posts.
pub(super) struct Play<'a> {
    centers: &'a Centers,
    seed: u64,
    viewer: Uid,
    tally: &'a Tally,
    recent: Mutex<VecDeque<PostId>>,
}

impl<'a> Play<'a> {
    /// Users who do nothing yet.
    pub(super) fn new(centers: &'a Centers, seed: u64, viewer: Uid, tally: &'a Tally) -> Self {
        Self { centers, seed, viewer, tally, recent: Mutex::default() }
    }

    /// Lets them live, with so many operations per second, until the store closes. Others run between operations.
    pub(super) async fn run(&self, rate: u32) -> Outcome {
        if rate == 0 {
            return pending().await;
        }
        let regulars = self.regulars().await?;
        let lanes = rate.div_ceil(LANE_RATE).min(LANES_MAX);
        let every = Duration::from_secs_f64(f64::from(lanes) / f64::from(rate));
        let lanes = (0..lanes).map(|lane| self.lane(u64::from(lane), every, &regulars));
        match futures_all(lanes).await {
            Err(error) if error.code() == Code::Unavailable => pending().await,
            Err(error) => Err(error.into()),
            Ok(()) => Ok(()),
        }
    }

    /// Returns the users who come again and again: the user whose home is shown, and others with follows, by the seed.
    async fn regulars(&self) -> Outcome<Vec<Uid>> {
        let mut random = Rng::with_seed(self.seed);
        let mut regulars = vec![self.viewer];
        while regulars.len() < REGULARS {
            let user = Uid::new(random.u64(1..=USERS))?;
            if !self.following(user).await?.is_empty() {
                regulars.push(user);
            }
        }
        Ok(regulars)
    }

    /// One operation after the other, at most one per period.
    async fn lane(&self, lane: u64, every: Duration, regulars: &[Uid]) -> Result<()> {
        let mut random = Rng::with_seed(self.seed ^ (lane + 1) << 32);
        let mut ticks = tokio::time::interval(every);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            let user = regulars[random.usize(..regulars.len())];
            let (kind, done) = self.operation(user, &mut random).await;
            self.tally.note(kind, &done);
            match done {
                // The users' own business: blocked, deleted meanwhile, at a limit.
                Err(error) if error.code() != Code::Unavailable && error.code() != Code::Internal => {}
                done => done?,
            }
        }
    }

    async fn operation(&self, user: Uid, random: &mut Rng) -> (ActKind, Result<()>) {
        match random.u32(..100) {
            0..35 => (ActKind::Read, self.read(user, random).await),
            35..60 => (ActKind::Post, self.post(user, random).await),
            60..70 => (ActKind::Post, self.answer(user, random).await),
            70..76 => (ActKind::Post, self.repost(user, random).await),
            76..92 => (ActKind::Like, self.like(user, random).await),
            92..96 => (ActKind::Follow, self.follow(user, random).await),
            96..98 => (ActKind::Request, self.ask_or_answer(user, random).await),
            _ => (ActKind::Suggestion, self.take_suggestion(user, random).await),
        }
    }

    /// The first page of home, and sometimes the next.
    async fn read(&self, user: Uid, random: &mut Rng) -> Result<()> {
        let mut page = PostPage { below: None, size: PAGE };
        loop {
            let start = Instant::now();
            let home = self.centers.feed.home_posts(user, page, None).await?;
            self.tally.note_read(user, start.elapsed());
            match home.page.next {
                Some(next) if random.u32(..3) == 0 => page.below = Some(next.0),
                _ => return Ok(()),
            }
        }
    }

    /// An author whom the user follows writes, so that the user has something to read.
    async fn post(&self, user: Uid, random: &mut Rng) -> Result<()> {
        let author = self.author_for(user, random).await?;
        self.write(author, random.choice(POSTS), None, None).await
    }

    async fn answer(&self, user: Uid, random: &mut Rng) -> Result<()> {
        match self.recent_post(random) {
            Some(id) => self.write(user, random.choice(REPLIES), Some(id), None).await,
            None => self.post(user, random).await,
        }
    }

    async fn repost(&self, user: Uid, random: &mut Rng) -> Result<()> {
        match self.recent_post(random) {
            Some(id) => self.write(user, random.choice(QUOTES), None, Some(id)).await,
            None => self.post(user, random).await,
        }
    }

    async fn like(&self, user: Uid, random: &mut Rng) -> Result<()> {
        let Some(id) = self.recent_post(random) else { return Ok(()) };
        self.centers.post.like(user, id, None).await.map(drop)
    }

    /// Follows a user whom another one follows; sometimes unfollows instead.
    async fn follow(&self, user: Uid, random: &mut Rng) -> Result<()> {
        let other = Uid::new(random.u64(1..=USERS))?;
        let object = self.author_for(other, random).await?;
        let op = if random.u32(..4) == 0 { Op::Unfollow } else { Op::Follow };
        self.centers.relation.act(Viewer::Trusted, op, user, object, None).await.map(drop)
    }

    /// Answers the newest friend request of a user, mostly with yes. If there is none, asks one of the users whom it follows.
    async fn ask_or_answer(&self, user: Uid, random: &mut Rng) -> Result<()> {
        let (relation, newest) = (&self.centers.relation, Page::new(PageStart::Newest, 1)?);
        let (direction, kind) = (RequestDirection::Incoming, RequestKind::Friend);
        let waiting = relation.requests(Viewer::Trusted, user, direction, kind, newest, None).await?;
        if let Some(asked) = waiting.items.first() {
            let op = if random.u32(..4) == 0 { Op::RejectFriendRequest } else { Op::AcceptFriendRequest };
            return relation.act(Viewer::Trusted, op, user, asked.request.sender, None).await.map(drop);
        }
        let message = random.choice(GREETINGS).copied().unwrap_or_default().to_owned();
        let receiver = self.author_for(user, random).await?;
        let asked = FriendRequest { sender: user, receiver, message, ttl_ms: None };
        relation.send_friend_request(Viewer::Trusted, asked, None).await.map(drop)
    }

    /// Looks up the suggestions of a user, and follows the first; sometimes dismisses it.
    async fn take_suggestion(&self, user: Uid, random: &mut Rng) -> Result<()> {
        let relation = &self.centers.relation;
        let ask = SuggestionAsk { size: PAGE, kinds: SuggestionKind::ALL.to_vec() };
        let found = relation.suggestions(Viewer::Trusted, user, &ask, None).await?;
        let Some(best) = found.items.first() else { return Ok(()) };
        if random.u32(..4) == 0 {
            let command = DismissCommand { viewer: user, uid: best.uid, dismissed: true };
            return relation.dismiss(command, None).await.map(drop);
        }
        relation.act(Viewer::Trusted, Op::Follow, user, best.uid, None).await.map(drop)
    }

    /// Returns one of the users whom a user follows, or the most followed user if it follows none.
    async fn author_for(&self, user: Uid, random: &mut Rng) -> Result<Uid> {
        let own = self.following(user).await?;
        if own.is_empty() { Uid::new(MOST_FOLLOWED) } else { Ok(own[random.usize(..own.len())]) }
    }

    /// Returns the newest users that a user follows.
    async fn following(&self, user: Uid) -> Result<Vec<Uid>> {
        let page = Page::new(PageStart::Newest, CIRCLE)?;
        let listed =
            self.centers.relation.list(Viewer::Trusted, user, List::Following, page, None, None).await?;
        Ok(listed.items.into_iter().map(|item| item.edge.uid).collect())
    }

    async fn write(
        &self,
        author: Uid,
        text: Option<&&str>,
        reply_to: Option<PostId>,
        repost_of: Option<PostId>,
    ) -> Result<()> {
        let text = text.copied().unwrap_or_default().to_owned();
        let body = Body { text, attachments: Vec::new() };
        let draft = Draft { author, body, visibility: Visibility::Public, reply_to, repost_of };
        let written = self.centers.post.create(draft, None).await?;
        let mut recent = self.recent.lock().expect("nobody panics while holding the posts");
        if recent.len() == RECENT {
            recent.pop_front();
        }
        recent.push_back(written.id);
        Ok(())
    }

    fn recent_post(&self, random: &mut Rng) -> Option<PostId> {
        let recent = self.recent.lock().expect("nobody panics while holding the posts");
        (!recent.is_empty()).then(|| recent[random.usize(..recent.len())])
    }
}

/// Runs all futures at once, until one of them fails.
async fn futures_all<'a>(
    all: impl Iterator<Item = impl Future<Output = Result<(), Error>> + 'a>,
) -> Result<()> {
    let mut all: Vec<_> = all.map(Box::pin).collect();
    std::future::poll_fn(move |context| {
        for future in &mut all {
            if let std::task::Poll::Ready(Err(error)) = future.as_mut().poll(context) {
                return std::task::Poll::Ready(Err(error));
            }
        }
        std::task::Poll::Pending
    })
    .await
}
