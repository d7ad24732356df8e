//! With whom users have most to do.

use super::{Need, Rng, START_MS, World, u};
use guanxi_model::affinity::{Affinities, AffinityCommand, Score};
use guanxi_model::limits::AFFINITIES_MAX;
use guanxi_model::user::{UserCommand, UserStatus};
use guanxi_model::{Change, Outcome, Reason, Write};
use guanxi_ports::Walk;
use std::collections::BTreeMap;

const DAY_MS: u64 = 86_400_000;
const HALF_LIFE_MS: u64 = 7 * DAY_MS;

impl World {
    async fn add(&self, actor: u64, additions: &[(u64, Score)], is_fact: bool) -> Result<bool, Reason> {
        let additions = additions.iter().map(|(uid, score)| (u(*uid), *score)).collect();
        let command = AffinityCommand { actor: u(actor), half_life_ms: HALF_LIFE_MS, additions, is_fact };
        let [Outcome::Plain(result)] = &self.write(Write::of(command)).await.outcomes[..] else {
            panic!("one plain outcome")
        };
        result.clone()
    }

    async fn scores(&self, actor: u64) -> Vec<(u64, Score)> {
        let Affinities { half_life_ms, all } = self.view().await.affinities(u(actor)).await.unwrap();
        assert_eq!(half_life_ms > 0, !all.is_empty(), "a half-life comes and goes with its scores");
        all.iter().map(|known| (known.uid.get(), known.score)).collect()
    }
}

fn score(weight: u64, days_ago: u64) -> Score {
    Score::of(weight, START_MS - days_ago * DAY_MS, HALF_LIFE_MS)
}

/// Scores add up, the highest first, each to its own pair; what is recorded is one event of the actor's log for a write.
pub async fn scores_add_up(world: &World) {
    if world.lacks(Need::Affinity) {
        return;
    }
    let mut expected: BTreeMap<(u64, u64), Score> = BTreeMap::new();
    let (mut rng, mut events) = (Rng::new(4), 0);
    for _ in 0..60 {
        let actor = 1 + rng.below(3);
        let additions: Vec<(u64, Score)> =
            (0..=rng.below(5)).map(|_| (4 + rng.below(8), score(1 + rng.below(9), rng.below(60)))).collect();
        let is_fact = rng.below(2) == 0;
        events += usize::from(is_fact);
        let before = world.view().await;
        let stood = before.affinities(u(actor)).await.unwrap();
        assert_eq!(world.add(actor, &additions, is_fact).await, Ok(true));
        if !world.lacks(Need::PinnedViews) {
            assert_eq!(before.affinities(u(actor)).await.unwrap(), stood, "a view stands still");
        }
        for (uid, score) in additions {
            let sum = expected.entry((actor, uid)).or_default();
            *sum = sum.plus(score);
        }
    }
    for actor in 1..=4 {
        let mut wanted: Vec<(u64, Score)> = expected
            .iter()
            .filter(|((of, _), _)| *of == actor)
            .map(|((_, uid), score)| (*uid, *score))
            .collect();
        wanted.sort_by_key(|(uid, score)| (std::cmp::Reverse(*score), *uid));
        assert_eq!(world.scores(actor).await, wanted, "{actor}");
    }
    let mut told = 0;
    for log in world.origin.marks().map(|(log, _)| log) {
        let batch = world.backend.log.read(log, &world.origin, 1_000).await.unwrap();
        told += batch.events.iter().filter(|event| event.change == Change::Interacted).count();
    }
    assert_eq!(told, events, "one for each write that records something");
    let view = world.view().await;
    let with_5 = view.scored_by(u(5), Walk::new(None, 9)).await.unwrap();
    assert_eq!(with_5.iter().map(|uid| uid.get()).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!(view.scored_by(u(5), Walk::new(Some(u(1)), 1)).await.unwrap(), [u(2)]);
    assert_eq!(view.scored_by(u(1), Walk::new(None, 9)).await.unwrap(), []);
}

/// Of more users than one may have a score with the lowest goes, also if it is the newest.
pub async fn the_lowest_score_makes_room(world: &World) {
    if world.lacks(Need::Affinity) {
        return;
    }
    let max = u64::from(AFFINITIES_MAX);
    let all: Vec<(u64, Score)> = (0..max).map(|n| (100 + n, score(10 + n / 2, 0))).collect();
    assert_eq!(world.add(1, &all, true).await, Ok(true));
    assert_eq!(
        world.add(1, &[(5_000, score(1, 0))], true).await,
        Ok(true),
        "it was added, and is the lowest"
    );
    assert_eq!(world.scores(1).await.len() as u64, max);
    assert!(!world.scores(1).await.iter().any(|(uid, _)| *uid == 5_000));
    assert_eq!(world.add(1, &[(5_000, score(500, 0))], true).await, Ok(true));
    let scores = world.scores(1).await;
    let has = |uid| scores.iter().any(|(known, _)| *known == uid);
    assert_eq!(
        (scores.len() as u64, has(5_000), has(100), has(101)),
        (max, true, true, false),
        "of two the higher uid"
    );
    assert_eq!(world.view().await.scored_by(u(101), Walk::new(None, 9)).await.unwrap(), []);
}

/// Another half-life takes the scores along: they are worth what they were, in their order.
pub async fn another_half_life_takes_scores_along(world: &World) {
    if world.lacks(Need::Affinity) {
        return;
    }
    let before: Vec<(u64, Score)> = (0..20).map(|n| (100 + n, score(1 + n * 7 % 20, n))).collect();
    world.add(1, &before, true).await.unwrap();
    let old = world.scores(1).await;
    let half_life_ms = 30 * DAY_MS;
    let additions = vec![(u(7), Score::of(1_000, START_MS, half_life_ms))];
    let command = AffinityCommand { actor: u(1), half_life_ms, additions, is_fact: true };
    world.write(Write::of(command)).await;
    let Affinities { half_life_ms: now, all } = world.view().await.affinities(u(1)).await.unwrap();
    assert_eq!((now, all[0].uid), (half_life_ms, u(7)));
    for (new, (uid, score)) in all[1..].iter().zip(&old) {
        let (ours, theirs) =
            (new.score.worth(half_life_ms, world.now_ms()), score.worth(HALF_LIFE_MS, world.now_ms()));
        assert!(new.uid == u(*uid) && (ours - theirs).abs() < theirs * 1e-5, "{ours} {theirs}");
    }
}

/// No score is recorded of oneself, and none by or about a deleted user; scores from before can be taken back.
pub async fn scores_go_with_either_of_the_two(world: &World) {
    if world.lacks(Need::Affinity) {
        return;
    }
    assert_eq!(world.add(1, &[(2, score(1, 0)), (1, score(1, 0))], true).await, Err(Reason::SelfRelation));
    assert_eq!(world.add(1, &[(2, Score::NONE)], true).await, Ok(false));
    assert_eq!(world.scores(1).await, []);
    for (actor, uid) in [(1, 2), (2, 1), (3, 1), (3, 2)] {
        world.add(actor, &[(uid, score(5, 1))], false).await.unwrap();
    }
    let set = async |status| world.user(UserCommand::SetStatus { uid: u(1), status }).await;
    assert_eq!(set(UserStatus::Deleted { erase_at_ms: 1 }).await.result, Ok(true));
    assert_eq!(world.add(1, &[(2, score(5, 0))], true).await, Err(Reason::UserDeleted));
    assert_eq!(world.add(3, &[(1, score(5, 0))], true).await, Ok(false), "of whoever is gone nothing counts");
    assert_eq!(world.add(3, &[(1, score(5, 0)), (2, score(5, 0))], true).await, Ok(true));
    for (actor, changed) in [(3, true), (3, false), (4, false)] {
        let answer = world.write(Write::of(AffinityCommand::forget(u(actor), [u(1)]))).await;
        assert_eq!(answer.outcomes, [Outcome::Plain(Ok(changed))]);
    }
    assert_eq!(world.scores(3).await, [(2, score(5, 1).plus(score(5, 0)))]);
    assert_eq!(set(UserStatus::Erased { at_ms: 2 }).await.result, Ok(true));
    assert_eq!(world.scores(1).await, []);
    assert_eq!(world.scores(2).await, [(1, score(5, 1))], "others' go by what the erasure asks");
    world.write(Write::of(AffinityCommand::forget(u(2), [u(1)]))).await;
    assert_eq!(world.scores(2).await, []);
}
