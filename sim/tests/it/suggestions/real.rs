//! Real follow graphs, with many facts around the viewers under test: lists are hidden, users block, mute, ask and
//! dismiss each other, and some are gone. There are celebrities in them, and users who follow hundreds.

use super::facts::{Lists, known_followers, speakers};
use super::{START_MS, World, u};
use guanxi_centers::Viewer;
use guanxi_model::suggestion::SuggestionKind;
use guanxi_model::{ImportEdge, Page, PageStart, Stamp, Uid, Write};
use guanxi_ports::{FollowedCounts, FollowsAsk, Store as _};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// The folder of graphs that may be tested with, but not shipped: of `wiki-Vote` and `bitcoin-otc` from SNAP, of the tiny world
/// of LDBC, each an edge list as `tests-data/nostr-follows` has one. With it, `--include-ignored` compares on them as well.
const GRAPHS_VARIABLE: &str = "GUANXI_REAL_GRAPHS";

/// Users of a graph who are looked at.
const VIEWERS: usize = 16;

/// Facts that are drawn around each of them.
const FACTS_EACH: u64 = 24;

/// Users around a viewer: its followees, their follows, its followers.
#[derive(Clone)]
struct Around {
    followed: Vec<u64>,
    candidates: Vec<u64>,
    followers: Vec<u64>,
}

/// What was compared, so that a graph in which nothing happens is noticed.
#[derive(Debug, Default)]
struct Compared {
    suggested: usize,
    known: usize,
    /// Known followers of whom somebody is not told.
    hidden: usize,
}

impl Compared {
    /// Fails if hardly anything was there to compare.
    fn is_at_least(&self, suggested: usize, known: usize, hidden: usize) {
        let is_much = self.suggested >= suggested && self.known >= known && self.hidden >= hidden;
        assert!(is_much, "hardly anything was compared: {self:?}");
    }
}

/// Edges of a packed list of `source target [time]`, with the first of each pair. A graph without times gets some by seed, few
/// enough for many to be of the same moment.
fn edges_of(packed: &[u8], edges_max: usize, world: &mut World) -> Vec<(u64, u64, u64)> {
    let text = String::from_utf8(zstd::decode_all(packed).unwrap()).unwrap();
    let mut edges = BTreeMap::new();
    for line in text.lines().take(edges_max) {
        let fields: Vec<u64> = line.split('\t').take(3).map(|field| field.parse().unwrap()).collect();
        let ms = match fields.get(2) {
            // Seconds or milliseconds.
            Some(time) if *time < 1 << 40 => time * 1_000,
            Some(time) => *time,
            None => START_MS - world.rng.below(1_000),
        };
        if fields[0] != fields[1] {
            edges.entry((fields[0] + 1, fields[1] + 1)).or_insert(ms);
        }
    }
    edges.into_iter().map(|((a, b), ms)| (a, b, ms)).collect()
}

async fn world_of(packed: &[u8], edges_max: usize, is_mutual: bool) -> World {
    let mut world = World::on_disk(7);
    let mut edges = edges_of(packed, edges_max, &mut world);
    if is_mutual {
        edges.extend(edges.clone().into_iter().map(|(a, b, ms)| (b, a, ms)));
    }
    for part in edges.chunks(10_000) {
        let edge = |(a, b, ms): &(u64, u64, u64)| ImportEdge {
            subject: u(*a),
            object: u(*b),
            at: Some(Stamp::from_ms(*ms)),
            terms: guanxi_model::MuteTerms::default(),
        };
        world.write(Write::edges(part.iter().map(edge).collect(), false)).await;
    }
    world.facts.follows.extend(edges.into_iter().map(|(a, b, ms)| ((a, b), ms)));
    let users: BTreeSet<u64> = world.facts.follows.keys().map(|(a, _)| *a).collect();
    world.users = users.into_iter().collect();
    world
}

impl World {
    /// Returns the viewers to test: users with most followees, users with most followers, and others.
    fn viewers(&mut self, lists: &Lists) -> Vec<u64> {
        let first = |of: &BTreeMap<u64, Vec<u64>>| {
            let mut users: Vec<u64> = of.keys().copied().collect();
            users.sort_by_key(|uid| std::cmp::Reverse(of[uid].len()));
            users.truncate(VIEWERS / 6);
            users
        };
        let mut viewers: BTreeSet<u64> =
            [first(&lists.following), first(&lists.followers)].concat().into_iter().collect();
        while viewers.len() < VIEWERS {
            viewers.insert(self.user());
        }
        viewers.into_iter().collect()
    }

    /// Makes many facts of and about a viewer: as many about its followees as about candidates for it, in turns by it and
    /// about it.
    async fn say_much(&mut self, viewer: u64, around: &Around) {
        let Around { followed, candidates, followers } = around;
        for n in 0..FACTS_EACH {
            let near = [followed, candidates, candidates, followers][n as usize % 4];
            if near.is_empty() {
                continue;
            }
            let (other, kind) = (*self.rng.pick(near), self.rng.below(12));
            // The viewer itself stays, and mostly shows its lists.
            let is_by_other = kind == 3 || kind >= 9 && n > 3 || self.rng.below(2) == 0;
            let (a, b) = if is_by_other { (other, viewer) } else { (viewer, other) };
            if a != b {
                self.say(kind, a, b).await;
            }
        }
    }

    /// Every count of friends of friends, and by whom some of them are followed.
    async fn check_counts(&self, lists: &Lists, viewer: u64, objects: &[u64]) {
        let followed = lists.following.get(&viewer).cloned().unwrap_or_default();
        let (subjects, objects): (Vec<Uid>, Vec<Uid>) =
            (followed.iter().map(|uid| u(*uid)).collect(), objects.iter().map(|uid| u(*uid)).collect());
        let view = self.graph.view(self.at.as_ref()).await.unwrap();
        for newest in [usize::MAX, 20] {
            let by = speakers(lists, &followed, newest);
            let ask = FollowsAsk { subjects: &subjects, newest };
            let FollowedCounts { users, subjects: counted } =
                view.count_followed(ask, usize::MAX).await.unwrap();
            let counts: BTreeMap<u64, usize> =
                users.iter().map(|(uid, count)| (uid.get(), *count as usize)).collect();
            let expected = by.iter().map(|(uid, speakers)| (*uid, speakers.len())).collect();
            assert_eq!((counts, users.len(), counted), (expected, by.len(), subjects.len()), "{viewer}");
            let who = view.who_follows(ask, &objects).await.unwrap();
            for (object, places) in objects.iter().zip(who) {
                let found: Vec<u64> = places.iter().map(|place| followed[*place as usize]).collect();
                let expected = by.get(&object.get()).cloned().unwrap_or_default();
                assert_eq!(found, expected, "whom {viewer} follows that follows {object}");
            }
        }
    }

    /// The followers of a user whom a viewer knows, page by page, as it is told, as somebody else is, and a service.
    async fn check_known(&mut self, lists: &Lists, viewer: u64, target: u64, other: u64) -> Compared {
        let mut compared = Compared::default();
        let all = known_followers(&self.facts, lists, viewer, target, None).len();
        for told in [Some(viewer), Some(other), None] {
            let expected = known_followers(&self.facts, lists, viewer, target, told);
            let caller = told.map_or(Viewer::Trusted, |told| Viewer::EndUser(u(told)));
            let size = 1 + self.rng.below(40) as i32;
            let (mut found, mut start) = (Vec::new(), PageStart::Newest);
            loop {
                let page = Page::new(start, size).unwrap();
                let (viewer, target, at) = (u(viewer), u(target), self.at.clone());
                let known = self.center.known_followers(caller, viewer, target, page, at).await.unwrap();
                assert_eq!(known.count, Some(expected.len() as u32), "{viewer} of {target}, told {told:?}");
                found.extend(known.items.iter().map(|item| (item.edge.uid.get(), item.deactivated)));
                match known.next {
                    Some(next) => start = PageStart::After(next),
                    None => break,
                }
            }
            assert_eq!(found, expected, "{viewer} of {target}, told {told:?}");
            compared.known += found.len();
            compared.hidden += all - found.len();
        }
        compared
    }
}

/// Looks at everything that is told of a graph, after much was said there.
async fn compare_with_everybody(mut world: World) -> Compared {
    let lists = world.facts.lists();
    let viewers = world.viewers(&lists);
    let around: Vec<Around> = viewers.iter().map(|viewer| around(&lists, *viewer)).collect();
    for (viewer, around) in viewers.iter().zip(&around) {
        world.say_much(*viewer, around).await;
    }
    let lists = world.facts.lists();
    let mut compared = Compared::default();
    for (viewer, around) in viewers.iter().zip(&around) {
        let near = [&around.followed[..], &around.candidates, &around.followers].concat();
        let mut some = |n| (0..n).map(|_| *world.rng.pick(&near)).collect::<Vec<u64>>();
        let (targets, others) = if near.is_empty() { (vec![], vec![]) } else { (some(10), some(10)) };
        world.check_counts(&lists, *viewer, &targets).await;
        for (target, other) in targets.into_iter().zip(others) {
            let Compared { known, hidden, .. } = world.check_known(&lists, *viewer, target, other).await;
            (compared.known, compared.hidden) = (compared.known + known, compared.hidden + hidden);
        }
        let kinds = world.kinds();
        // A page of the API, and all users who can be suggested.
        for (size, kinds) in [(20, &kinds[..]), (usize::MAX, &SuggestionKind::ALL)] {
            compared.suggested += world.check(&lists, *viewer, size, kinds).await;
        }
    }
    compared
}

/// Returns the users on whom much of the viewer's answers depends, in the order of uids.
fn around(lists: &Lists, viewer: u64) -> Around {
    let of = |lists: &BTreeMap<u64, Vec<u64>>| lists.get(&viewer).cloned().unwrap_or_default();
    let (followed, followers) = (of(&lists.following), of(&lists.followers));
    // Users with many followers among them are suggested first.
    let mut candidates: Vec<(usize, u64)> =
        speakers(lists, &followed, usize::MAX).into_iter().map(|(uid, by)| (by.len(), uid)).collect();
    candidates.retain(|(_, uid)| *uid != viewer && !followed.contains(uid));
    candidates.sort_unstable_by(|a, b| b.cmp(a));
    let candidates = candidates.into_iter().take(60).map(|(_, uid)| uid).collect();
    Around { followed, candidates, followers }
}

/// The graph that the demo plays with.
#[tokio::test]
async fn what_is_told_of_a_real_graph_is_that_of_everybody() {
    let packed = include_bytes!("../../../../tests-data/nostr-follows/edges.tsv.zst");
    let compared = compare_with_everybody(world_of(packed, 60_000, false).await).await;
    compared.is_at_least(8_000, 1_000, 400);
}

async fn compare_in_folder(name: &str, is_mutual: bool) -> Compared {
    let folder = std::env::var_os(GRAPHS_VARIABLE).map(PathBuf::from);
    let folder = folder.unwrap_or_else(|| panic!("{GRAPHS_VARIABLE} names the folder of the graphs"));
    let packed = std::fs::read(folder.join(name)).unwrap();
    compare_with_everybody(world_of(&packed, usize::MAX, is_mutual).await).await
}

/// Votes of one wiki, without times.
#[tokio::test]
#[ignore = "GUANXI_REAL_GRAPHS names a folder of graphs that may not be shipped"]
async fn what_is_told_of_wiki_votes_is_that_of_everybody() {
    compare_in_folder("wiki-Vote/edges.tsv.zst", false).await.is_at_least(8_000, 1_000, 300);
}

/// Trust between users: most do both ways.
#[tokio::test]
#[ignore = "GUANXI_REAL_GRAPHS names a folder of graphs that may not be shipped"]
async fn what_is_told_of_bitcoin_otc_is_that_of_everybody() {
    compare_in_folder("bitcoin-otc/edges.tsv.zst", false).await.is_at_least(4_000, 500, 100);
}

/// Acquaintances are friends: an edge each way.
#[tokio::test]
#[ignore = "GUANXI_REAL_GRAPHS names a folder of graphs that may not be shipped"]
async fn what_is_told_of_ldbc_persons_is_that_of_everybody() {
    compare_in_folder("ldbc-tiny-v1/knows.tsv.zst", true).await.is_at_least(500, 300, 200);
}
