//! Users who get names, hide, go and come, follow and block each other; and whom a search must find, by a look at each.

use crate::search::tests::world::World;
use crate::search::{SearchCenter, UserHits};
use guanxi_model::affinity::{AffinityCommand, Score};
use guanxi_model::user::{
    LoginName, PasswordHash, PrivacyPatch, Profile, ProfilePatch, Registration, Sex, UserCommand, UserStatus,
    hides_edge,
};
use guanxi_model::{Clock as _, Op, PairCommand, Position, Relation, Result, Uid, User};
use guanxi_ports::{Store as _, StoreView, UserSearch};
use guanxi_spec::conformance::u;
use guanxi_text::{MatchKind, name_match};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

const NAMES: [&str; 14] = [
    "Ann",
    "Anna Smith",
    "ann smith",
    "Smyth",
    "Zoë",
    "张伟",
    "章伟",
    "王小明",
    "Alexander",
    "曾国藩",
    "单",
    "👍🏽",
    "",
    "Иванов",
];

/// Keys and how they are shown.
const LOGINS: [(&str, &str); 4] =
    [("ann.smith", "Ann.Smith"), ("zoe", "zoe"), ("annie", "annie"), ("王小明", "王小明")];

pub(super) const QUERIES: [&str; 20] = [
    "a",
    "ann",
    "ann s",
    "smith",
    "smiht",
    "zoe",
    "z",
    "zw",
    "zhang",
    "wei",
    "小明",
    "王小明",
    "alexsandar",
    "shan",
    "иванав",
    "👍",
    "ANN.SMITH",
    "ann.smi",
    "annie",
    "anni",
];

/// What a hit says, but for the profile.
pub(in crate::search::tests) type Told = (Uid, MatchKind, Option<Relation>, Option<u32>);

pub(in crate::search::tests) fn told(hits: &UserHits) -> Vec<Told> {
    let hits = hits.hits.iter();
    hits.map(|hit| (hit.user.user.uid, hit.kind, hit.relation, hit.known_followers)).collect()
}

fn login(at: usize) -> LoginName {
    let (key, shown) = LOGINS[at];
    LoginName::new(key.to_owned(), shown.to_owned())
}

/// Everybody there may be.
pub(in crate::search::tests) fn people() -> Vec<Uid> {
    (1..=5).map(u).chain((0..LOGINS.len()).map(|at| login(at).imported_uid())).collect()
}

impl World {
    pub(in crate::search::tests) fn people_center(&self, index: Arc<dyn UserSearch>) -> SearchCenter {
        SearchCenter::new(self.store.clone(), self.store.clone(), index, &self.any_clock())
    }

    pub(in crate::search::tests) fn person(&mut self) -> Uid {
        *self.pick(&people())
    }

    /// Somebody who is there: who does anything before it registers cannot register.
    pub(in crate::search::tests) async fn somebody(&mut self) -> Uid {
        let uid = self.person();
        let view = self.store.view(None).await.unwrap();
        let is_known = view.users(&[uid]).await.unwrap()[0].is_some();
        if is_known { uid } else { u(1 + self.below(5)) }
    }

    /// Somebody does something about users, which may be refused.
    pub(in crate::search::tests) async fn act_people(&mut self) {
        self.clock.advance(1_000);
        let uid = self.somebody().await;
        let profile = |nickname: &str| Profile { nickname: nickname.to_owned(), ..Profile::default() };
        let command: UserCommand = match self.below(16) {
            0..=4 => {
                let nickname = Some(profile(self.pick::<&str>(&NAMES)).nickname);
                let team = *self.pick(&["red", "blue"]);
                let patch = ProfilePatch {
                    nickname,
                    sex: Some(*self.pick(&[Sex::Unspecified, Sex::Female, Sex::Male, Sex::Other])),
                    birth_year: Some((self.below(2) == 0).then_some(1_990)),
                    attributes: Some(BTreeMap::from([("team".to_owned(), team.to_owned())])),
                    ..ProfilePatch::default()
                };
                UserCommand::Update { uid, patch, expected_revision: None }
            }
            5 | 6 => {
                let login_name = login(self.below(4) as usize);
                let (uid, profile) = (login_name.imported_uid(), profile(self.pick::<&str>(&NAMES)));
                let password = Some(PasswordHash::new("a hash".to_owned()).unwrap());
                UserCommand::Register(Registration { uid, login_name, password, profile })
            }
            7 => {
                let (a, b, c) = (self.below(2) == 0, self.below(2) == 0, self.below(2) == 0);
                let patch = PrivacyPatch {
                    discoverable: Some(a),
                    locked: None,
                    hides_following: Some(b),
                    hides_followers: Some(c),
                };
                UserCommand::SetPrivacy { uid, patch }
            }
            8 => {
                let status = match self.below(12) {
                    0 => UserStatus::Deleted { erase_at_ms: 1 },
                    1 => UserStatus::Erased { at_ms: self.clock.now_ms() },
                    2..=5 => UserStatus::Deactivated,
                    _ => UserStatus::Active,
                };
                UserCommand::SetStatus { uid, status }
            }
            9 => {
                let (actor, half_life_ms) = (self.somebody().await, 1_000_000);
                let score = Score::of(1 + self.below(5), self.clock.now_ms(), half_life_ms);
                let additions = vec![(uid, score)];
                self.write(AffinityCommand { actor, half_life_ms, additions, is_fact: true }).await;
                return;
            }
            _ => {
                let ops = [Op::Follow, Op::Follow, Op::Follow, Op::Unfollow, Op::Block, Op::Unblock];
                let (op, object) = (*self.pick(&ops), self.somebody().await);
                self.write(PairCommand { op, subject: uid, object }).await;
                if op == Op::Follow && self.below(2) == 0 {
                    self.write(PairCommand { op, subject: object, object: uid }).await;
                }
                return;
            }
        };
        self.write(command).await;
    }

    /// Whom a search must find, in its order, by a look at everybody.
    pub(in crate::search::tests) async fn found_people(
        &self,
        query: &str,
        viewer: Option<Uid>,
        is_counted: bool,
    ) -> Vec<Told> {
        let view = self.store.view(None).await.unwrap();
        let mut found = Vec::new();
        for user in view.users(&people()).await.unwrap().into_iter().flatten() {
            let Some(kind) = kind(query, viewer, &user) else { continue };
            let uid = user.uid;
            let followers = view.counts(&[uid]).await.unwrap()[0].followers;
            let fame = Reverse(64 - (followers + 1).leading_zeros());
            let Some(viewer) = viewer else {
                found.push((
                    (kind, false, false, Reverse(Score::NONE), Reverse(0), fame, uid),
                    (uid, kind, None, None),
                ));
                continue;
            };
            let relation = view.relations(viewer, &[uid]).await.unwrap()[0];
            if relation.blocked_by {
                continue;
            }
            let (is_followed, is_friend) =
                (relation.following_since.is_some(), relation.friends_since.is_some());
            let scores = view.affinities(viewer).await.unwrap().all;
            let score = scores.iter().find(|known| known.uid == uid).map_or(Score::NONE, |known| known.score);
            let known = if is_counted { Some(known_followers(&*view, viewer, &user).await) } else { None };
            let rank =
                (kind, !is_friend, !is_followed, Reverse(score), Reverse(known.unwrap_or(0)), fame, uid);
            found.push((rank, (uid, kind, Some(relation), known)));
        }
        found.sort_unstable_by_key(|(rank, _)| *rank);
        found.into_iter().map(|(_, told)| told).collect()
    }

    pub(in crate::search::tests) fn ask_people(&mut self) -> (&'static str, Option<Uid>) {
        let query = *self.pick(&QUERIES);
        (query, if self.below(5) == 0 { None } else { Some(self.person()) })
    }
}

/// How a user matches, if the viewer may find it.
fn kind(query: &str, viewer: Option<Uid>, user: &User) -> Option<MatchKind> {
    let nickname = name_match(query, &user.profile.nickname);
    let Some(viewer) = viewer else {
        let login_name = user.login_name.as_ref().and_then(|name| name_match(query, name.shown()));
        let best = nickname.into_iter().chain(login_name).min();
        return best.filter(|_| matches!(user.status, UserStatus::Active | UserStatus::Deactivated));
    };
    let is_called = user.login_name.as_ref().is_some_and(|name| query.to_lowercase() == name.as_str());
    let is_active = user.status == UserStatus::Active && user.takedown.is_none();
    let may_find = is_active && (user.privacy.discoverable || user.uid == viewer);
    let best = nickname.into_iter().chain(is_called.then_some(MatchKind::Exact)).min();
    best.filter(|_| may_find)
}

/// Returns how many of the users whom a viewer follows follow a user, where neither end hides it.
async fn known_followers(view: &dyn StoreView, viewer: Uid, target: &User) -> u32 {
    let mut known = 0;
    for user in view.users(&people()).await.unwrap().into_iter().zip(people()) {
        let (user, uid) = (user.0.unwrap_or_else(|| User::unknown(user.1)), user.1);
        let pairs = view.pairs(&[(viewer, uid), (uid, target.uid)]).await.unwrap();
        let follows = pairs.iter().all(|relation| relation.following_since.is_some());
        let is_hidden = hides_edge(viewer, (uid, user.standing()), (target.uid, target.standing()));
        known += u32::from(follows && !is_hidden);
    }
    known
}

/// What a search answers when it waits as long as it takes.
pub(in crate::search::tests) async fn users(
    center: &SearchCenter,
    query: &str,
    viewer: Option<Uid>,
    at_least: Option<Position>,
) -> Result<UserHits> {
    // An index that never comes to the token fails the test, and does not hang it.
    center.users(query, viewer, at_least, tokio::time::sleep(Duration::from_secs(30))).await
}
