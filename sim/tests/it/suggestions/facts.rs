//! What suggestions and known followers must be, by going through everybody: facts in plain maps, which the test itself has
//! kept.

use guanxi_centers::relation::{Suggested, Suggestion};
use guanxi_model::Uid;
use guanxi_model::suggestion::{SuggestionKind, SuggestionReason};
use guanxi_model::user::{Standing, UserStatus};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Everything that anybody has said.
#[derive(Default)]
pub(super) struct Facts {
    /// Follows, with their time.
    pub(super) follows: BTreeMap<(u64, u64), u64>,
    pub(super) blocks: BTreeSet<(u64, u64)>,
    pub(super) mutes: BTreeSet<(u64, u64)>,
    /// Friend requests, by sender and receiver.
    pub(super) asks: BTreeSet<(u64, u64)>,
    pub(super) dismissed: BTreeSet<(u64, u64)>,
    pub(super) standings: BTreeMap<u64, Standing>,
    /// Weights of one moment, all powers of two.
    pub(super) affinities: BTreeMap<(u64, u64), u64>,
}

/// The lists that follow from the follows, newest first.
pub(super) struct Lists {
    pub(super) following: BTreeMap<u64, Vec<u64>>,
    pub(super) followers: BTreeMap<u64, Vec<u64>>,
}

impl Facts {
    pub(super) fn lists(&self) -> Lists {
        let mut lists = Lists { following: BTreeMap::new(), followers: BTreeMap::new() };
        let mut edges: Vec<(u64, u64, u64)> = self.follows.iter().map(|((a, b), at)| (*at, *a, *b)).collect();
        edges.sort_by_key(|(at, a, b)| Reverse((*at, *b, *a)));
        edges.iter().for_each(|(_, a, b)| lists.following.entry(*a).or_default().push(*b));
        edges.sort_by_key(|(at, a, b)| Reverse((*at, *a, *b)));
        edges.iter().for_each(|(_, a, b)| lists.followers.entry(*b).or_default().push(*a));
        lists
    }

    /// Whether a user who is compared with others is left out of the answer: one of the two blocks or has asked the other.
    fn stays_away(&self, viewer: u64, uid: u64) -> bool {
        let ways = [(viewer, uid), (uid, viewer)];
        ways.iter().any(|way| self.blocks.contains(way) || self.asks.contains(way))
    }

    fn standing(&self, uid: u64) -> Standing {
        self.standings.get(&uid).copied().unwrap_or_default()
    }

    pub(super) fn is_gone(&self, uid: u64) -> bool {
        self.standing(uid).status != UserStatus::Active
    }

    /// The score of a viewer with a user, in hundredths of its highest one.
    fn percent(&self, viewer: u64, uid: u64) -> u64 {
        let weight = |uid| self.affinities.get(&(viewer, uid)).copied().unwrap_or(0);
        let highest =
            self.affinities.range((viewer, 0)..=(viewer, u64::MAX)).map(|(_, weight)| *weight).max();
        weight(uid) * 100 / highest.unwrap_or(1)
    }

    /// Whether a user is compared with others for a viewer.
    fn is_compared(&self, viewer: u64, uid: u64) -> bool {
        uid != viewer
            && !self.follows.contains_key(&(viewer, uid))
            && !self.mutes.contains(&(viewer, uid))
            && !self.dismissed.contains(&(viewer, uid))
            && !self.is_gone(uid)
            && self.standing(uid).privacy.discoverable
    }
}

fn list(lists: &BTreeMap<u64, Vec<u64>>, uid: u64) -> &[u64] {
    lists.get(&uid).map_or(&[], Vec::as_slice)
}

/// Which of the viewer's followed, in order, speak for whom: all their follows, or the newest.
pub(super) fn speakers(lists: &Lists, followed: &[u64], newest: usize) -> BTreeMap<u64, Vec<u64>> {
    let mut speakers = BTreeMap::<u64, Vec<u64>>::new();
    for subject in followed {
        for uid in list(&lists.following, *subject).iter().take(newest) {
            speakers.entry(*uid).or_default().push(*subject);
        }
    }
    speakers
}

/// What the center must answer.
pub(super) fn suggested(
    facts: &Facts,
    lists: &Lists,
    viewer: u64,
    is_end_user: bool,
    kinds: &[SuggestionKind],
    size: usize,
) -> (u32, Vec<Suggestion>) {
    let hides_following = |uid| is_end_user && facts.standing(uid).privacy.hides_following;
    let hides_followers = |uid| is_end_user && facts.standing(uid).privacy.hides_followers;
    let mut followed = list(&lists.following, viewer).to_vec();
    followed.retain(|uid| {
        !facts.is_gone(*uid) && !hides_following(*uid) && !facts.mutes.contains(&(viewer, *uid))
    });
    // Those with the same score by uid, and those without in the order of the list.
    followed.sort_by_key(|uid| {
        let weight = facts.affinities.get(&(viewer, *uid)).copied().unwrap_or(0);
        (Reverse(weight), if weight > 0 { *uid } else { 0 })
    });
    let wants = |kind| kinds.contains(&kind);
    let mut by = [speakers(lists, &followed, usize::MAX), speakers(lists, &followed, 20)];
    by[1].retain(|_, speakers| speakers.len() >= 2);
    let mut shown = BTreeSet::new();
    for (kind, by) in [SuggestionKind::FriendsOfFriends, SuggestionKind::Popular].into_iter().zip(&mut by) {
        if !wants(kind) {
            by.clear();
        }
        by.retain(|uid, _| facts.is_compared(viewer, *uid) && !hides_followers(*uid));
        let mut first: Vec<(Reverse<usize>, u64)> =
            by.iter().map(|(uid, speakers)| (Reverse(speakers.len()), *uid)).collect();
        first.sort_unstable();
        shown.extend(first.into_iter().take(500).map(|(_, uid)| uid));
    }
    let newest = list(&lists.followers, viewer).iter().take(1_000);
    let mut places: Vec<(u64, u64)> = newest.zip(0..).map(|(uid, place)| (*uid, place)).collect();
    places.retain(|(uid, _)| wants(SuggestionKind::FollowsYou) && facts.is_compared(viewer, *uid));
    places.truncate(500);
    shown.extend(places.iter().map(|(uid, _)| *uid));
    let places: BTreeMap<u64, u64> = places.into_iter().collect();
    let mut ranked = Vec::new();
    for uid in shown.into_iter().filter(|uid| !facts.stays_away(viewer, *uid)) {
        let [all, lately] = &by;
        let empty = Vec::new();
        let (all, lately) = (all.get(&uid).unwrap_or(&empty), lately.get(&uid).unwrap_or(&empty));
        let closeness: u64 = all.iter().map(|uid| facts.percent(viewer, *uid)).sum();
        let mut reasons = [
            (all.len() * 100 + closeness as usize, SuggestionKind::FriendsOfFriends, all),
            (
                places.get(&uid).map_or(0, |place| 40_000 / (100 + *place as usize)),
                SuggestionKind::FollowsYou,
                &empty,
            ),
            (lately.len() * 150, SuggestionKind::Popular, lately),
        ];
        reasons.sort_by_key(|(points, ..)| Reverse(*points));
        let points: usize = reasons.iter().map(|(points, ..)| points).sum();
        let points = points + 2 * facts.percent(viewer, uid) as usize;
        let told = reasons.iter().filter(|(points, ..)| *points > 0).map(|(_, kind, by)| SuggestionReason {
            kind: *kind,
            count: by.len() as u32,
            uids: by.iter().take(3).map(|uid| Uid::new(*uid).unwrap()).collect(),
        });
        ranked.push((Reverse(points), Suggestion { uid: Uid::new(uid).unwrap(), reasons: told.collect() }));
    }
    ranked.sort_by_key(|(points, suggestion)| (*points, suggestion.uid));
    (followed.len() as u32, ranked.into_iter().take(size).map(|(_, suggestion)| suggestion).collect())
}

/// Returns the users whom a viewer follows and who follow a user, in the order of the viewer's list, as an end user is told of
/// them, or a service; each with whether it is gone.
pub(super) fn known_followers(
    facts: &Facts,
    lists: &Lists,
    viewer: u64,
    target: u64,
    told: Option<u64>,
) -> Vec<(u64, bool)> {
    let is_told = |a: u64, b: u64| {
        let is_hidden =
            facts.standing(a).privacy.hides_following || facts.standing(b).privacy.hides_followers;
        told.is_none_or(|told| told == a || told == b || !is_hidden)
    };
    let mut known = list(&lists.following, viewer).to_vec();
    known.retain(|uid| {
        facts.follows.contains_key(&(*uid, target)) && is_told(viewer, *uid) && is_told(*uid, target)
    });
    known.into_iter().map(|uid| (uid, facts.is_gone(uid))).collect()
}

/// Fails unless an answer is what it must be.
pub(super) fn compare(answer: &Suggested, expected: &(u32, Vec<Suggestion>), context: &str) {
    assert_eq!((answer.followed, answer.followed_counted), (expected.0, expected.0), "{context}");
    let first = answer.items.iter().zip(&expected.1).find(|(found, expected)| found != expected);
    assert_eq!((first, answer.items.len()), (None, expected.1.len()), "{context}");
}
