//! The generated graph has the statistics that seed 000 states.

use super::*;

const USERS: u32 = 50_000;

fn mean(values: impl Iterator<Item = usize>) -> f64 {
    let (sum, count) = values.fold((0, 0), |(sum, count), value| (sum + value, count + 1));
    f64::from(u32::try_from(sum).unwrap()) / f64::from(count)
}

/// Asserts that `got` is within 2 % of `want`.
fn near(what: &str, got: f64, want: f64) {
    assert!((got / want - 1.0).abs() < 0.02, "{what}: {got}, wanted {want}");
}

#[test]
fn statistics_are_those_of_seed_000() {
    let graph = FollowGraph::generate(USERS, 1);
    let index = Index::of(&graph);
    let out = |user: u32| index.following(user).len();
    let ins = |user: u32| index.followers(user).len();
    let share = |count: usize| count as f64 / f64::from(USERS);
    let users = || 0..USERS;

    near("share that follows", share(users().filter(|&u| out(u) > 0).count()), 0.40);
    near("mean following", mean(users().map(out).filter(|&n| n > 0)), 7.9);
    near("share that is followed", share(users().filter(|&u| ins(u) > 0).count()), 0.35);
    near("mean followers", mean(users().map(ins).filter(|&n| n > 0)), 9.2);
    let both: Vec<u32> = users().filter(|&u| out(u) > 0 && ins(u) > 0).collect();
    near("share of both", share(both.len()), 0.26);
    near("mean following of both", mean(both.iter().map(|&u| out(u))), 8.3);
    near("mean followers of both", mean(both.iter().map(|&u| ins(u))), 10.4);
}

#[test]
fn skew_and_mutual_share_are_realistic() {
    let graph = FollowGraph::generate(USERS, 1);
    let index = Index::of(&graph);
    let mutual = graph.edges.iter().filter(|edge| index.follows(edge.object, edge.subject)).count();
    let share = mutual as f64 / graph.edges.len() as f64;
    assert!((0.10..0.15).contains(&share), "mutual share {share}");
    let top = (0..USERS).map(|user| index.followers(user).len()).max().unwrap();
    assert!(top > 500, "the most followed user has only {top} followers");
    assert!((0..USERS).all(|user| index.following(user).len() <= FOLLOWEES_MAX as usize));
}

#[test]
fn edges_are_distinct_and_times_order_every_list() {
    let graph = FollowGraph::generate(5_000, 2);
    let mut seen = HashSet::new();
    let mut time_of_pair = std::collections::HashMap::new();
    let mut pair_of_time = std::collections::HashMap::new();
    for edge in &graph.edges {
        assert_ne!(edge.subject, edge.object);
        assert!(seen.insert((edge.subject, edge.object)));
        let pair = (edge.subject.min(edge.object), edge.subject.max(edge.object));
        assert_eq!(*time_of_pair.entry(pair).or_insert(edge.at_s), edge.at_s);
        assert_eq!(*pair_of_time.entry(edge.at_s).or_insert(pair), pair);
    }
    let uids: Vec<u64> = (0..graph.users).map(|user| graph.uid(user)).collect();
    assert!(uids.is_sorted_by(|a, b| a < b));
    assert!(uids.iter().all(|uid| (1..1 << 63).contains(uid)));
}

#[test]
fn the_same_seed_draws_the_same_graph() {
    assert_eq!(FollowGraph::generate(1_000, 9).edges, FollowGraph::generate(1_000, 9).edges);
    assert_ne!(FollowGraph::generate(1_000, 9).edges, FollowGraph::generate(1_000, 10).edges);
}

#[test]
fn lists_are_newest_first_and_both_ways() {
    let graph = FollowGraph::generate(1_000, 3);
    let index = Index::of(&graph);
    let newest = graph.edges.last().unwrap();
    assert_eq!(index.following(newest.subject)[0], newest.object);
    assert_eq!(index.followers(newest.object)[0], newest.subject);
    assert_eq!(index.state(newest.subject, newest.object) & 2, 2);
    assert_eq!(index.state(newest.object, newest.subject) & 1, 1);
    let listed: usize = (0..1_000).map(|user| index.following(user).len()).sum();
    assert_eq!(listed, graph.edges.len());
}
