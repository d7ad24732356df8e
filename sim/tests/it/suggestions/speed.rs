//! How long suggestions take in process, warm. It measures, and only says what it found: run it in release, alone.

use super::{START_MS, World, u};
use guanxi_centers::Viewer;
use guanxi_centers::relation::SuggestionAsk;
use guanxi_model::affinity::{AffinityCommand, Score};
use guanxi_model::suggestion::SuggestionKind;
use guanxi_model::{ImportEdge, List, Write};
use guanxi_ports::{FollowsAsk, Graph as _};
use std::time::{Duration, Instant};

/// Uids are uniform below this.
const USERS: u64 = 100_000_000;

/// One viewer who follows so many, each of whom follows as many.
async fn circle(world: &mut World, viewer: u64, degree: u64) -> Vec<u64> {
    let mut some = |n: u64| (0..n).map(|_| 1_000 + world.rng.below(USERS)).collect::<Vec<_>>();
    let followed = some(degree);
    let lists: Vec<(u64, Vec<u64>)> = followed.iter().map(|uid| (*uid, some(degree))).collect();
    let edges = std::iter::once((viewer, followed.clone())).chain(lists);
    let edges = edges.flat_map(|(a, list)| list.into_iter().filter(move |b| *b != a).map(move |b| (a, b)));
    let edges: Vec<ImportEdge> =
        edges.map(|(a, b)| ImportEdge { subject: u(a), object: u(b), at: None }).collect();
    for part in edges.chunks(10_000) {
        world.write(Write::edges(part.to_vec(), false)).await;
    }
    followed
}

/// The median and the 99th of a hundred of what some work takes, after it was done a few times.
async fn time(runs: usize, work: impl AsyncFn()) -> (Duration, Duration) {
    let mut times = Vec::new();
    for run in 0..runs + 3 {
        let begin = Instant::now();
        work().await;
        if run >= 3 {
            times.push(begin.elapsed());
        }
    }
    times.sort_unstable();
    (times[runs / 2], times[runs * 99 / 100])
}

#[tokio::test]
#[ignore = "it measures, and takes a release build to say anything"]
async fn what_suggestions_cost() {
    for degree in [75, 300] {
        let mut world = World::on_disk_with(3, 256 << 20);
        let followed: Vec<_> = circle(&mut world, 1, degree).await.into_iter().map(u).collect();
        let count = async || {
            let view = world.graph.view(None).await.unwrap();
            let ask = FollowsAsk { subjects: &followed, newest: usize::MAX };
            assert!(view.count_followed(ask, usize::MAX).await.unwrap().users.len() > 1_000);
        };
        println!("{degree} x {degree}, friends of friends counted: {:?}", time(300, count).await);
        let ask = SuggestionAsk { size: 20, kinds: SuggestionKind::ALL.to_vec() };
        let suggest = async || {
            let answer = world.center.suggestions(Viewer::EndUser(u(1)), u(1), &ask, None).await.unwrap();
            assert_eq!(answer.items.len(), 20);
        };
        println!("{degree} x {degree}, 20 suggestions: {:?}", time(300, suggest).await);
    }
    let mut world = World::on_disk_with(4, 256 << 20);
    let objects: Vec<(u64, u64)> = (0..5_000).map(|n| (10 + n, START_MS - n)).collect();
    world.follow(1, &objects).await;
    let additions = (0..1_000).map(|n| (u(10 + n * 5), Score::of(1 + n % 97, START_MS - n, 86_400_000)));
    let additions = additions.collect();
    let command = AffinityCommand { actor: u(1), half_life_ms: 86_400_000, additions, is_fact: true };
    world.write(Write::of(command)).await;
    let page = async || {
        let of = (u(1), List::Following);
        let listed = world.center.ranked(Viewer::Trusted, of, (None, 50), None, None).await.unwrap();
        assert_eq!(listed.items.len(), 50);
    };
    println!("5000 followings by affinity, a page of 50: {:?}", time(300, page).await);
}
