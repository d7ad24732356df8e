//! Home pages of readers, one after the other on one thread: pages per second of a core.

use super::{PAGE, Plan, Scene};
use crate::answer::Reader;
use crate::broken;
use crate::fill::written;
use crate::quantiles::{Latencies, Quantiles};
use crate::world::World;
use guanxi_centers::feed::{FeedCenter, Source};
use guanxi_model::random::Rng;
use guanxi_model::{GroupCommand, GroupId, PostId, PostPage, Result, Uid, Write};
use std::time::Instant;

/// Which page is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// The newest page, ids.
    First,
    /// The page below so many items, ids.
    Below(usize),
    /// The newest page with posts.
    Posts,
    /// The newest page of the reader's first group, ids.
    Group,
}

/// A page to ask for, and the right answer.
#[derive(Clone, Debug)]
pub struct Ask {
    viewer: Uid,
    page: PostPage,
    right: Vec<PostId>,
}

/// What pages cost.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pages {
    /// Pages per second on one core.
    pub per_s: f64,
    /// Their latencies.
    pub latency: Quantiles,
    /// Share of the pages that an inbox served.
    pub from_inbox: f64,
    /// The most authors that were pulled beside an inbox.
    pub pulled_max: u32,
    /// Pages that were compared with the right ones; all were right.
    pub checked: u64,
}

/// Draws pages of readers, at most so many.
pub fn asks(world: &World, readers: impl Iterator<Item = u32>, what: What) -> Vec<Ask> {
    readers
        .map(|index| {
            let reader = Reader::new(world, index);
            let skip = if let What::Below(items) = what { items } else { 0 };
            let mut right = reader.page(None, skip + PAGE);
            // A reader of few posts has no page so deep: its last one then.
            let skip = skip.min(right.len().saturating_sub(PAGE));
            let below = skip.checked_sub(1).map(|last| right[last]);
            right.drain(..skip);
            Ask { viewer: reader.uid(), page: PostPage { below, size: PAGE }, right }
        })
        .collect()
}

/// Has each of some readers make a group of others, and draws the newest page of it. Members are neighbours by number, most
/// of whom the reader does not follow.
///
/// # Errors
/// The first failed call.
pub(super) async fn group_asks(
    Scene { backend, world, .. }: Scene<'_>,
    readers: impl Iterator<Item = u32>,
    size: u32,
) -> Result<Vec<Ask>> {
    let mut asks = Vec::new();
    for index in readers {
        let members: Vec<u32> =
            (1..world.users).take(size as usize).map(|n| (index + n) % world.users).collect();
        let (owner, id) = (world.uid(index), GroupId::MIN);
        let uids = members.iter().map(|member| world.uid(*member)).collect();
        let create = GroupCommand::Create { owner, name: "measured".to_owned() };
        let add = GroupCommand::AddMembers { owner, id, members: uids };
        written(&backend.store.apply(Write::all([create, add])).await?)?;
        let right = Reader::of_group(world, index, &members).page(None, PAGE);
        asks.push(Ask { viewer: owner, page: PostPage { below: None, size: PAGE }, right });
    }
    Ok(asks)
}

/// Reads pages in random order for as long as the plan says. Every reader is read three times before.
///
/// # Errors
/// The first failed call or wrong page.
pub async fn measure(feed: &FeedCenter, asks: &[Ask], what: What, plan: &Plan) -> Result<Pages> {
    for _ in 0..3 {
        for ask in asks {
            check(ask, &read(feed, ask, what).await?.0)?;
        }
    }
    let mut rng = Rng::new(asks.len() as u64);
    let (mut latencies, mut inbox, mut pages) = (Latencies::default(), 0_u64, Pages::default());
    let start = Instant::now();
    while start.elapsed() < plan.time {
        let ask = &asks[rng.below(asks.len())];
        let begin = Instant::now();
        let (ids, source) = read(feed, ask, what).await?;
        latencies.record(begin.elapsed());
        if let Source::Inbox { pulled } = source {
            inbox += 1;
            pages.pulled_max = pages.pulled_max.max(pulled);
        }
        if latencies.count().is_multiple_of(plan.check_every as u64) {
            check(ask, &ids)?;
            pages.checked += 1;
        }
    }
    pages.per_s = latencies.count() as f64 / start.elapsed().as_secs_f64();
    pages.from_inbox = inbox as f64 / latencies.count() as f64;
    pages.latency = latencies.quantiles();
    Ok(pages)
}

async fn read(feed: &FeedCenter, ask: &Ask, what: What) -> Result<(Vec<PostId>, Source)> {
    if what == What::Posts {
        let home = feed.home_posts(ask.viewer, ask.page, None).await?;
        let said = home.posts.iter().filter(|shown| !shown.post.body.text.is_empty()).count();
        if said != home.page.ids.len() {
            return Err(broken("a page has posts without their text"));
        }
        return Ok((home.page.ids, home.page.source));
    }
    let home = match what {
        What::Group => feed.group(ask.viewer, GroupId::MIN, ask.page, None).await?,
        _ => feed.home(ask.viewer, ask.page, None).await?,
    };
    Ok((home.ids, home.source))
}

fn check(ask: &Ask, ids: &[PostId]) -> Result<()> {
    if ids == ask.right {
        return Ok(());
    }
    let Ask { viewer, page, right } = ask;
    Err(broken(format_args!("the page of {viewer:?} below {:?} is {ids:?}, not {right:?}", page.below)))
}
