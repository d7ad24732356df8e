//! Where suggestions come from: whom those follow whom the viewer follows, all of it and the latest, and who follows the
//! viewer.

use super::rules::{ViewerCircle, is_found};
use crate::turn::yield_now;
use guanxi_model::limits::{
    LATEST_FOLLOWS, POPULAR_MIN, SUGGESTION_CANDIDATES, SUGGESTION_FOLLOWERS, SUGGESTION_FOLLOWS_MAX,
};
use guanxi_model::suggestion::{Evidence, SuggestionKind};
use guanxi_model::{List, Page, PageStart, Result, Uid};
use guanxi_ports::{FollowsAsk, StoreView};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// A user that may be suggested.
pub(super) struct Candidate {
    pub(super) uid: Uid,
    pub(super) evidence: Evidence,
    /// Its followers, as places among the users whom the viewer follows.
    pub(super) followed_by: Vec<u32>,
    /// For whom of them that is one of the latest follows.
    pub(super) lately_by: Vec<u32>,
}

/// The candidates of all sources.
pub(super) struct Candidates {
    pub(super) all: Vec<Candidate>,
    /// How many of the users whom the viewer follows were counted.
    pub(super) followed_counted: usize,
    /// How many of their follows were counted.
    pub(super) looked_at: u64,
}

/// All follows, and the latest of them.
const ALL: usize = usize::MAX;
const LATEST: usize = LATEST_FOLLOWS;

/// Counted users that are compared in one turn: part of a millisecond.
pub(super) const COUNTS_PER_TURN: usize = 1 << 15;

/// Collects the candidates of some kinds, each with all evidence of these kinds.
pub(super) async fn candidates(
    view: &dyn StoreView,
    circle: &ViewerCircle,
    kinds: &[SuggestionKind],
) -> Result<Candidates> {
    let wants = |kind| kinds.contains(&kind);
    let (of_friends, popular) = (wants(SuggestionKind::FriendsOfFriends), wants(SuggestionKind::Popular));
    let mut subjects = circle.followed();
    let (mut uids, mut looked_at) = (Vec::new(), 0);
    for (newest, least) in [(ALL, 1, of_friends), (LATEST, POPULAR_MIN, popular)]
        .into_iter()
        .filter_map(|(newest, least, is_wanted)| is_wanted.then_some((newest, least)))
    {
        let counted = view.count_followed(FollowsAsk { subjects, newest }, SUGGESTION_FOLLOWS_MAX).await?;
        subjects = &subjects[..counted.subjects.min(subjects.len())];
        looked_at += counted.users.iter().map(|(_, follows)| u64::from(*follows)).sum::<u64>();
        uids.extend(most(view, circle, &counted.users, least).await?);
    }
    let followers =
        if wants(SuggestionKind::FollowsYou) { followers(view, circle).await? } else { BTreeMap::new() };
    uids.extend(followers.keys());
    uids.sort_unstable();
    uids.dedup();
    let who = async |newest, is_wanted: bool| {
        let nobody = vec![Vec::new(); uids.len()];
        if is_wanted { view.who_follows(FollowsAsk { subjects, newest }, &uids).await } else { Ok(nobody) }
    };
    let all = who(ALL, of_friends).await?;
    let lately = who(LATEST, popular).await?;
    let standings = view.standings(&uids).await?;
    let mut candidates = Vec::with_capacity(uids.len());
    for (((uid, standing), mut followed_by), mut lately_by) in
        uids.iter().zip(&standings).zip(all).zip(lately)
    {
        if !circle.tells_followers(standing) {
            (followed_by, lately_by) = (Vec::new(), Vec::new());
        }
        if lately_by.len() < POPULAR_MIN as usize {
            lately_by = Vec::new();
        }
        let evidence = Evidence {
            followed_by: followed_by.len() as u32,
            closeness: followed_by.iter().map(|place| circle.closeness_at(*place)).sum(),
            lately_by: lately_by.len() as u32,
            follower_place: followers.get(uid).copied(),
            affinity: circle.closeness(*uid),
        };
        candidates.push(Candidate { uid: *uid, evidence, followed_by, lately_by });
    }
    Ok(Candidates { all: candidates, followed_counted: subjects.len(), looked_at })
}

/// A user and how many follow it.
pub(super) type Counted = (Uid, u32);

/// The order of counts: the highest first, of as many the lower uids.
pub(super) const fn rank((uid, count): &Counted) -> (Reverse<u32>, Uid) {
    (Reverse(*count), *uid)
}

/// Returns the users with the highest counts that may be suggested and whose followers may be told of. Of users with the same
/// count the lower uids come first. Users whom the viewer follows itself often have the highest counts, and are passed over.
async fn most(
    view: &dyn StoreView,
    circle: &ViewerCircle,
    counted: &[Counted],
    least: u32,
) -> Result<Vec<Uid>> {
    let step = SUGGESTION_CANDIDATES + circle.settled_len();
    let (mut found, mut after, mut goes_on) = (Vec::new(), None, true);
    while found.len() < SUGGESTION_CANDIDATES && goes_on {
        let head = first(counted, least, after, step).await;
        (after, goes_on) = (head.last().copied(), head.len() == step);
        let free: Vec<Counted> = head.into_iter().filter(|(uid, _)| !circle.is_settled(*uid)).collect();
        let uids: Vec<Uid> = free.iter().map(|(uid, _)| *uid).collect();
        let standings = view.standings(&uids).await?;
        let told = free.into_iter().zip(standings);
        let told = told.filter(|(_, standing)| is_found(standing) && circle.tells_followers(standing));
        found.extend(told.map(|(user, _)| user));
    }
    cut(&mut found, SUGGESTION_CANDIDATES);
    Ok(found.into_iter().map(|(uid, _)| uid).collect())
}

/// Returns the first `len` users after one in the order of counts, of the users whose count is at least `least`. The last of
/// them comes last, and the others come in any order. Other tasks have their turn in between.
pub(super) async fn first(
    counted: &[Counted],
    least: u32,
    after: Option<Counted>,
    len: usize,
) -> Vec<Counted> {
    let mut first = Vec::new();
    for (piece, some) in counted.chunks(COUNTS_PER_TURN).enumerate() {
        if piece > 0 {
            yield_now().await;
        }
        let is_later = |user: &&Counted| after.is_none_or(|after| rank(user) > rank(&after));
        first.extend(some.iter().filter(|(_, count)| *count >= least).filter(is_later));
        cut(&mut first, len);
    }
    first
}

/// Keeps the first `len` users in the order of counts, the last of them last.
fn cut(users: &mut Vec<Counted>, len: usize) {
    let len = len.min(users.len());
    if let Some(last) = len.checked_sub(1) {
        users.select_nth_unstable_by_key(last, rank);
    }
    users.truncate(len);
}

/// Followers of the viewer who may be suggested, each with its place among the newest.
async fn followers(view: &dyn StoreView, circle: &ViewerCircle) -> Result<BTreeMap<Uid, u32>> {
    let page = Page::new(PageStart::Newest, SUGGESTION_FOLLOWERS.cast_signed())?;
    let page = view.list(circle.viewer(), List::Followers, page).await?;
    let places = (0_u32..).zip(page.items.iter().map(|edge| edge.uid));
    let places: Vec<(u32, Uid)> = places.filter(|(_, uid)| !circle.is_settled(*uid)).collect();
    let uids: Vec<Uid> = places.iter().map(|(_, uid)| *uid).collect();
    let standings = view.standings(&uids).await?;
    let told = places.into_iter().zip(standings).filter(|(_, standing)| is_found(standing));
    Ok(told.take(SUGGESTION_CANDIDATES).map(|((place, uid), _)| (uid, place)).collect())
}
