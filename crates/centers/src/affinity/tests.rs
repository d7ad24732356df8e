//! Interactions counted from the log count once, even if the counter is dropped at any point. A recorded interaction has the
//! weight that it names.

use super::*;
use crate::log_readers::{Follower as _, step};
use guanxi_model::post::{Body, Draft, PostCommand, Visibility};
use guanxi_model::random::mix;
use guanxi_model::user::{UserCommand, UserStatus};
use guanxi_model::{Command, Logs, ManualClock, PostId};
use guanxi_ports::{Applied, Facts as _};
use guanxi_spec::memory::{Carrying, MemoryStore, Options};
use std::future::ready;
use std::sync::atomic::{AtomicU32, Ordering};

const START_MS: u64 = 1_750_000_000_000;
const DAY_MS: u64 = 86_400_000;
const USERS: u64 = 6;

fn u(raw: u64) -> Uid {
    Uid::new(raw).unwrap()
}

struct World {
    store: Arc<MemoryStore>,
    clock: Arc<ManualClock>,
    center: AffinityCenter,
    seed: u64,
    posts: Vec<(PostId, Uid)>,
    likes: Vec<(Uid, PostId)>,
    /// What everybody did: who, about whom, what, when.
    done: Vec<(Uid, Uid, InteractionKind, u64)>,
}

impl World {
    fn new(seed: u64, options: Options) -> Self {
        let clock = Arc::new(ManualClock::new(START_MS));
        let store = Arc::new(MemoryStore::new(clock.clone(), options));
        let center = AffinityCenter::new(store.clone(), store.clone(), clock.clone());
        Self { store, clock, center, seed, posts: Vec::new(), likes: Vec::new(), done: Vec::new() }
    }

    fn below(&mut self, n: u64) -> u64 {
        self.seed = mix(self.seed);
        self.seed % n
    }

    async fn write(&self, command: impl Into<Command>) -> Applied {
        self.store.apply(Write::of(command)).await.unwrap()
    }

    /// A user posts, answers, shares, likes or takes a like back.
    async fn act(&mut self) {
        let pause = self.below(DAY_MS / 4);
        self.clock.advance(pause);
        let (user, now_ms) = (u(1 + self.below(USERS)), self.clock.now_ms());
        let nth = self.below(self.posts.len() as u64 + 1) as usize;
        let Some((post, author)) = self.posts.get(nth).copied() else {
            return self.post(user, None, None).await;
        };
        match self.below(4) {
            0 => {
                self.post(user, Some(post), None).await;
                self.done.push((user, author, InteractionKind::Reply, now_ms));
            }
            1 => {
                self.post(user, None, Some(post)).await;
                self.done.push((user, author, InteractionKind::Repost, now_ms));
            }
            _ => {
                let answer = self.write(PostCommand::Like { uid: user, id: post }).await.post().unwrap();
                if answer.result == Ok(true) {
                    self.likes.push((user, post));
                    self.done.push((user, author, InteractionKind::Like, now_ms));
                } else if let Some(at) = self.likes.iter().position(|like| *like == (user, post)) {
                    self.likes.remove(at);
                    self.write(PostCommand::Unlike { uid: user, id: post }).await;
                }
            }
        }
    }

    /// A reply, a quote, or a post of its own.
    async fn post(&mut self, author: Uid, reply_to: Option<PostId>, repost_of: Option<PostId>) {
        let body = Body { text: "words".into(), attachments: Vec::new() };
        let draft = Draft { author, body, visibility: Visibility::Public, reply_to, repost_of };
        let id = self.write(PostCommand::Create(draft)).await.post().unwrap().id.unwrap();
        self.posts.push((id, author));
    }

    /// Counts for a while, by followers that die.
    async fn count(&mut self, steps: u64) {
        for _ in 0..steps {
            let mut follower = LikesAndReplies::begin(self.center.clone()).await.unwrap();
            for _ in 0..=self.below(3) {
                step(&*self.store, &mut follower).await.unwrap();
            }
        }
    }

    /// Compares every score with what its user did.
    async fn check(&self) -> usize {
        let terms = AffinityTerms::default();
        let now_ms = self.clock.now_ms();
        let mut found = 0;
        for actor in (1..=USERS).map(u) {
            let top = self.center.top(actor, 100, None).await.unwrap();
            assert!(top.items.is_sorted_by(|a, b| a.1 >= b.1), "{:?}", top.items);
            for object in (1..=USERS).map(u) {
                let of_pair = self.done.iter().filter(|(by, about, ..)| (*by, *about) == (actor, object));
                let worth = |(_, _, kind, at_ms): &(Uid, Uid, InteractionKind, u64)| {
                    let weight = match kind {
                        InteractionKind::Visit => 1.0,
                        InteractionKind::Message => 10.0,
                        InteractionKind::Like => 3.0,
                        InteractionKind::Reply => 8.0,
                        InteractionKind::Repost => 6.0,
                    };
                    weight * (-((now_ms - at_ms) as f64) / terms.half_life_ms as f64).exp2()
                };
                let wanted: f64 = if actor == object { 0.0 } else { of_pair.map(worth).sum() };
                let told = top.items.iter().find(|(uid, _)| *uid == object).map_or(0.0, |(_, worth)| *worth);
                assert!((told - wanted).abs() <= wanted * 1e-4 + 1e-6, "{actor} {object}: {told} {wanted}");
                found += usize::from(told > 0.0);
            }
        }
        found
    }
}

#[tokio::test]
async fn what_users_do_about_posts_counts_once_however_often_who_counts_dies() {
    for seed in 1..=6 {
        let carrying = [Carrying::AtOnce, Carrying::AtOnce, Carrying::Disordered { seed }][seed as usize % 3];
        let logs = if seed % 3 == 0 { Logs::One } else { Logs::PerGene };
        let mut world = World::new(seed, Options { logs, carrying, ..Options::default() });
        for _ in 0..30 {
            for _ in 0..world.below(12) {
                world.act().await;
            }
            world.count(1).await;
        }
        world.count(40).await;
        assert!(world.check().await > 15, "seed {seed}");
        let before = world.done.len();
        let visits: Vec<Interaction> = (0..20)
            .map(|n| Interaction {
                subject: u(1 + n % 3),
                object: u(4 + n % 2),
                kind: if n % 2 == 0 { InteractionKind::Visit } else { InteractionKind::Message },
                count: 1 + n as u32,
                at_ms: (n % 3 > 0).then(|| world.clock.now_ms() - n * DAY_MS),
            })
            .collect();
        for Interaction { subject, object, kind, count, at_ms } in &visits {
            let at_ms = at_ms.unwrap_or(world.clock.now_ms());
            world.done.extend((0..*count).map(|_| (*subject, *object, *kind, at_ms)));
        }
        assert_eq!(world.center.record(&visits, None).await.unwrap().0, 3, "users of whom something counts");
        world.count(3).await;
        world.check().await;
        assert!(world.done.len() > before, "what is recorded is no event to count");
    }
}

/// A follower that rests after each batch counts so many events in a rest, however many there are.
#[tokio::test]
async fn it_rests_only_when_all_that_came_is_read() {
    for logs in [Logs::One, Logs::PerGene] {
        let mut world = World::new(4, Options { logs, ..Options::default() });
        let rests = Arc::new(AtomicU32::new(0));
        let rested = rests.clone();
        let follower = LikesAndReplies::begin(world.center.clone()).await.unwrap();
        let mut follower = follower.resting(move || {
            rested.fetch_add(1, Ordering::Relaxed);
            Box::pin(ready(()))
        });
        for (posts, expected_rests) in [(2_500, 1), (1, 1), (40, 1), (0, 0)] {
            for _ in 0..posts {
                world.post(u(1), None, None).await;
            }
            while step(&*world.store, &mut follower).await.unwrap() {}
            assert_eq!(rests.swap(0, Ordering::Relaxed), expected_rests, "after {posts} in {logs:?}");
            assert_eq!(follower.position(), &world.store.head().await.unwrap());
        }
    }
}

#[tokio::test]
async fn who_was_away_for_longer_than_the_log_goes_on_behind_it() {
    let mut world = World::new(3, Options { log_events_max: 50, ..Options::default() });
    for _ in 0..200 {
        world.act().await;
    }
    world.count(2).await;
    let counted = world.center.top(u(1), 100, None).await.unwrap().items.len();
    world.done.clear();
    for actor in (1..=USERS).map(u) {
        let forget = AffinityCommand::forget(actor, (1..=USERS).map(u));
        world.write(forget).await;
    }
    for _ in 0..20 {
        world.act().await;
    }
    world.count(3).await;
    assert!(world.check().await > 3, "it goes on: {counted}");
}

#[tokio::test]
async fn what_cannot_be_recorded_is_named() {
    let world = World::new(1, Options::default());
    let visit = |subject, object, at_ms| Interaction {
        subject: u(subject),
        object: u(object),
        kind: InteractionKind::Visit,
        count: 1,
        at_ms,
    };
    for (interactions, reason) in [
        (vec![visit(1, 2, None), visit(3, 3, None)], Reason::SelfRelation),
        (vec![visit(1, 2, Some(START_MS + 1))], Reason::InvalidField { field: "time" }),
        (vec![visit(1, 2, None); 1_001], Reason::BatchTooLarge { limit: 1_000 }),
    ] {
        assert_eq!(world.center.record(&interactions, None).await.unwrap_err().reason, reason);
    }
    assert_eq!(world.center.top(u(1), 9, None).await.unwrap().items, []);
    let status = UserStatus::Deleted { erase_at_ms: 1 };
    world.write(UserCommand::SetStatus { uid: u(2), status }).await;
    let (counted, _) = world.center.record(&[visit(1, 2, None), visit(4, 5, None)], None).await.unwrap();
    assert_eq!(counted, 1, "of whoever is deleted nothing counts, and the others do");
}
