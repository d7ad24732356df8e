//! Suggestions equal those that are found by going through everybody: in random worlds on memory in its four shapes and on
//! the embedded store, and on real graphs, where known followers are compared as well.
#![allow(clippy::unwrap_used, reason = "tests may panic; the world around them is a test, too")]

mod facts;
mod real;

use facts::{Facts, Lists, compare, suggested};
use guanxi_centers::Viewer;
use guanxi_centers::log_readers::Hub;
use guanxi_centers::relation::{RelationCenter, SuggestionAsk};
use guanxi_embedded::EmbeddedStore;
use guanxi_model::affinity::{AffinityCommand, Score};
use guanxi_model::suggestion::{DismissCommand, SuggestionKind};
use guanxi_model::user::{PrivacyPatch, UserCommand, UserStatus};
use guanxi_model::{HistoryId, ImportEdge, Logs, ManualClock, Op, PairCommand, Position, Stamp, Uid, Write};
use guanxi_ports::{Log, Store};
use guanxi_spec::conformance::Rng;
use guanxi_spec::memory::{Carrying, MemoryStore, Options};
use std::sync::Arc;
use tempfile::TempDir;

const START_MS: u64 = 1_760_000_000_000;

/// A store, with the facts that were written there.
struct World {
    graph: Arc<dyn Store>,
    center: RelationCenter,
    facts: Facts,
    at: Option<Position>,
    rng: Rng,
    /// The uids of the world.
    users: Vec<u64>,
    _dir: Option<TempDir>,
}

impl World {
    fn of<S: Store + Log + 'static>(store: Arc<S>, seed: u64, dir: Option<TempDir>) -> Self {
        let center = RelationCenter::new(store.clone(), Hub::new(store.clone()));
        let (facts, rng, users) = (Facts::default(), Rng::new(seed), Vec::new());
        Self { graph: store, center, facts, at: None, rng, users, _dir: dir }
    }

    fn in_memory(logs: Logs, carrying: Carrying, seed: u64) -> Self {
        let options = Options { logs, carrying, ..Options::default() };
        Self::of(Arc::new(MemoryStore::new(Arc::new(ManualClock::new(START_MS)), options)), seed, None)
    }

    /// With little memory, so that some users are read from the tables.
    fn on_disk(seed: u64) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let options = guanxi_embedded::Options {
            new_history: HistoryId(1),
            free_space_reserve: 0,
            user_cache_bytes: 64 << 10,
            ..guanxi_embedded::Options::default()
        };
        let store = EmbeddedStore::open(dir.path(), options, Arc::new(ManualClock::new(START_MS))).unwrap();
        Self::of(Arc::new(store), seed, Some(dir))
    }

    async fn write(&mut self, write: Write) {
        let answer = self.graph.apply(write).await.unwrap();
        for outcome in &answer.outcomes {
            outcome.result().unwrap();
        }
        self.at = Some(answer.position.joined(self.at.as_ref()));
    }

    /// Follows of one user at their times.
    async fn follow(&mut self, subject: u64, objects: &[(u64, u64)]) {
        let edge = |(object, ms): &(u64, u64)| ImportEdge {
            subject: u(subject),
            object: u(*object),
            at: Some(Stamp::from_ms(*ms)),
            terms: guanxi_model::MuteTerms::default(),
        };
        self.write(Write::edges(objects.iter().map(edge).collect(), false)).await;
        self.facts.follows.extend(objects.iter().map(|(object, ms)| ((subject, *object), *ms)));
    }

    fn user(&mut self) -> u64 {
        *self.rng.pick(&self.users)
    }

    /// One fact of a kind, by and about somebody who is there.
    async fn say_something(&mut self) {
        let (a, b, kind) = (self.user(), self.user(), self.rng.below(12));
        if a != b {
            self.say(kind, a, b).await;
        }
    }

    /// A fact of a kind, by one user and about another or itself.
    async fn say(&mut self, kind: u64, a: u64, b: u64) {
        let pair = |op| PairCommand { op, subject: u(a), object: u(b) };
        match kind {
            0 => {
                self.write(Write::of(pair(Op::Block))).await;
                self.facts.blocks.insert((a, b));
                self.facts.follows.remove(&(a, b));
                self.facts.follows.remove(&(b, a));
                self.facts.asks.remove(&(a, b));
                self.facts.asks.remove(&(b, a));
            }
            1 => {
                self.write(Write::of(pair(Op::Mute))).await;
                self.facts.mutes.insert((a, b));
            }
            2 => {
                self.write(Write::of(DismissCommand { viewer: u(a), uid: u(b), dismissed: true })).await;
                self.facts.dismissed.insert((a, b));
            }
            3 => self.stand(a, UserStatus::Deactivated).await,
            4 => {
                let undo = DismissCommand { viewer: u(a), uid: u(b), dismissed: false };
                self.write(Write::of(undo)).await;
                self.facts.dismissed.remove(&(a, b));
            }
            5..8 => self.meet(a, b).await,
            8 => self.ask(a, b).await,
            _ => self.hide(a).await,
        }
    }

    /// Gives a user a score with another, or takes the one away that there is.
    async fn meet(&mut self, a: u64, b: u64) {
        let (weight, half_life_ms) = (1 << self.rng.below(9), 86_400_000);
        if self.facts.affinities.insert((a, b), weight).is_none() {
            let additions = vec![(u(b), Score::of(weight, START_MS, half_life_ms))];
            let command = AffinityCommand { actor: u(a), half_life_ms, additions, is_fact: true };
            self.write(Write::of(command)).await;
        } else {
            // It is what it was: scores add up.
            self.write(Write::of(AffinityCommand::forget(u(a), [u(b)]))).await;
            self.facts.affinities.remove(&(a, b));
        }
    }

    /// Somebody asks another to be friends, where that waits.
    async fn ask(&mut self, a: u64, b: u64) {
        let Facts { blocks, follows, asks, .. } = &self.facts;
        let is_apart = blocks.contains(&(a, b)) || blocks.contains(&(b, a));
        let are_friends = follows.contains_key(&(a, b)) && follows.contains_key(&(b, a));
        let is_crossing = asks.contains(&(b, a));
        if is_apart || are_friends || is_crossing || [a, b].iter().any(|uid| self.facts.is_gone(*uid)) {
            return;
        }
        self.write(Write::of(PairCommand { op: Op::SendFriendRequest, subject: u(a), object: u(b) })).await;
        self.facts.asks.insert((a, b));
    }

    async fn stand(&mut self, uid: u64, status: UserStatus) {
        self.write(Write::of(UserCommand::SetStatus { uid: u(uid), status })).await;
        self.facts.standings.entry(uid).or_default().status = status;
    }

    async fn hide(&mut self, uid: u64) {
        let mut choice = |_| Some(self.rng.below(2) == 0);
        let patch = PrivacyPatch {
            discoverable: choice(0),
            hides_following: choice(1),
            hides_followers: choice(2),
            locked: None,
        };
        self.write(Write::of(UserCommand::SetPrivacy { uid: u(uid), patch })).await;
        let standing = self.facts.standings.entry(uid).or_default();
        standing.privacy = patch.apply(standing.privacy);
    }

    /// Compares what a viewer is answered as an end user and through a service.
    async fn check(&self, lists: &Lists, viewer: u64, size: usize, kinds: &[SuggestionKind]) -> usize {
        let ask = SuggestionAsk { size, kinds: kinds.to_vec() };
        let mut found = 0;
        for (caller, is_end_user) in [(Viewer::EndUser(u(viewer)), true), (Viewer::Trusted, false)] {
            let answer = self.center.suggestions(caller, u(viewer), &ask, self.at.clone()).await.unwrap();
            let expected = suggested(&self.facts, lists, viewer, is_end_user, kinds, size);
            compare(&answer, &expected, &format!("{viewer}, end user: {is_end_user}, {ask:?}"));
            found += answer.items.len();
        }
        found
    }

    /// Kinds to ask for: all of them in most cases.
    fn kinds(&mut self) -> Vec<SuggestionKind> {
        let some = SuggestionKind::ALL.into_iter().filter(|_| self.rng.below(3) > 0).collect::<Vec<_>>();
        if some.is_empty() { SuggestionKind::ALL.to_vec() } else { some }
    }
}

fn u(n: u64) -> Uid {
    Uid::new(n).unwrap()
}

/// A world in which everybody is somebody's friend of friends, in which more and more is said.
async fn play(mut world: World) {
    const USERS: u64 = 60;
    world.users = (1..=USERS).collect();
    for a in 1..=USERS {
        let density = 2 + world.rng.below(9);
        let mut objects: Vec<(u64, u64)> = Vec::new();
        for b in (1..=USERS).filter(|b| *b != a) {
            if world.rng.below(density) == 0 {
                // Few times, so that some follows began at the same one.
                objects.push((b, START_MS - world.rng.below(40)));
            }
        }
        world.follow(a, &objects).await;
    }
    let mut found = 0;
    for round in 0..8 {
        let lists = world.facts.lists();
        for _ in 0..20 {
            let (viewer, kinds) = (world.user(), world.kinds());
            let size = 1 + world.rng.below(if round % 2 == 0 { 100 } else { 8 }) as usize;
            found += world.check(&lists, viewer, size, &kinds).await;
        }
        for _ in 0..12 {
            world.say_something().await;
        }
    }
    assert!(found > 1_500, "much is suggested: {found}");
}

#[tokio::test]
async fn suggestions_are_those_of_everybody_in_every_shape() {
    for seed in 1..=3 {
        let disordered = Carrying::Disordered { seed };
        for (logs, carrying) in [
            (Logs::One, Carrying::AtOnce),
            (Logs::PerGene, Carrying::AtOnce),
            (Logs::PerGene, Carrying::Delayed { seed }),
            (Logs::PerGene, disordered),
        ] {
            play(World::in_memory(logs, carrying, seed)).await;
        }
        play(World::on_disk(seed)).await;
    }
}
