//! Random histories: over the specification, over an index that proposes everybody, and over the index that the product has.

use super::world::{QUERIES, people, told, users};
use crate::search::tests::indexed::Indexed;
use crate::search::tests::world::World;
use crate::search::{SearchCenter, UserHits};
use guanxi_model::{Position, Result, Uid};
use guanxi_ports::{BoxFuture, FoundUsers, Log as _, NameAsker, SearchIndex, UserAsk, UserSearch};
use guanxi_search::UserIndexStore;
use guanxi_spec::memory::MemoryStore;
use guanxi_text::NameQuery;
use std::future::ready;
use std::sync::Arc;

/// An index that proposes all users for any query: one that is wrong in every way but by leaving out.
struct Everybody(Arc<MemoryStore>);

impl UserSearch for Everybody {
    fn search_users<'a>(&'a self, _ask: UserAsk<'a>) -> BoxFuture<'a, Result<FoundUsers>> {
        Box::pin(ready(self.as_of().map(|as_of| FoundUsers { uids: people(), as_of })))
    }
}

impl SearchIndex for Everybody {
    fn as_of(&self) -> Result<Position> {
        self.0.as_of()
    }

    fn wait<'a>(&'a self, at_least: &'a Position) -> BoxFuture<'a, Result<()>> {
        SearchIndex::wait(&*self.0, at_least)
    }
}

#[tokio::test]
async fn a_search_for_users_finds_whom_a_look_at_each_finds() {
    let (mut found, mut of_friends) = (0, 0);
    for seed in 0..300 {
        let mut world = World::new(seed);
        for _ in 0..50 {
            world.act_people().await;
        }
        let everybody = Arc::new(Everybody(world.store.clone()));
        let centers = [world.people_center(world.store.clone()), world.people_center(everybody)];
        for _ in 0..8 {
            let (query, viewer) = world.ask_people();
            let expected = world.found_people(query, viewer, true).await;
            let first: Vec<_> = world.found_people(query, viewer, false).await.into_iter().take(2).collect();
            for center in &centers {
                let hits = users(center, query, viewer, None).await.unwrap();
                assert_eq!(told(&hits), expected, "seed {seed}: {query} of {viewer:?}");
                assert_eq!(
                    pages(center, query, viewer).await,
                    uids(&hits),
                    "seed {seed}: {query} of {viewer:?}"
                );
                let hits = center.suggest(query, viewer, 2, None, ready(())).await.unwrap();
                assert_eq!(told(&hits), first, "seed {seed}: {query} suggested to {viewer:?}");
            }
            found += expected.len();
            let is_friend =
                |told: &&super::world::Told| told.2.is_some_and(|relation| relation.friends_since.is_some());
            of_friends += expected.iter().filter(is_friend).count();
        }
    }
    assert!(found > 1_000 && of_friends > 50, "{found} hits, {of_friends} of them friends");
}

/// All users whom a search finds, by pages of two.
async fn pages(center: &SearchCenter, query: &str, viewer: Option<Uid>) -> Vec<Uid> {
    let (mut found, mut place) = (Vec::new(), None);
    loop {
        let page = center.users_page(query, viewer, (place, 2), None, ready(())).await.unwrap();
        assert!(page.hits.len() == 2 || page.next.is_none(), "a page is short and goes on");
        found.extend(page.hits.iter().map(|hit| hit.user.user.uid));
        place = page.next;
        if place.is_none() {
            return found;
        }
    }
}

fn uids(hits: &UserHits) -> Vec<Uid> {
    hits.hits.iter().map(|hit| hit.user.user.uid).collect()
}

/// Compares the answer of a search: all users when it is told to wait for it, and else no user that must not be found.
async fn compare(world: &mut World, index: &Arc<UserIndexStore>, at_least: Option<Position>) -> usize {
    let center = world.people_center(index.clone());
    let mut found = 0;
    for _ in 0..4 {
        let (query, viewer) = world.ask_people();
        let expected = world.found_people(query, viewer, true).await;
        let hits = told(&users(&center, query, viewer, at_least.clone()).await.unwrap());
        if at_least.is_some() {
            assert_eq!(hits, expected, "{query} of {viewer:?}");
        }
        let mut wanted = expected.iter();
        assert!(hits.iter().all(|hit| wanted.any(|wanted| wanted == hit)), "{query} of {viewer:?}: {hits:?}");
        found += hits.len();
    }
    found
}

/// What the index and the specification propose.
async fn compare_proposals(world: &World, index: &UserIndexStore) {
    for typed in QUERIES {
        let query = NameQuery::parse(typed).unwrap();
        for asks in [NameAsker::EndUser, NameAsker::Service] {
            let ask = UserAsk { query: &query, typed, asks, among: None, max: 100 };
            let (found, wanted) = (index.search_users(ask), world.store.search_users(ask));
            assert_eq!(found.await.unwrap().uids, wanted.await.unwrap().uids, "{ask:?}");
        }
    }
}

async fn play(seed: u64) -> usize {
    let mut world = World::new(seed);
    for _ in 0..world.below(60) {
        world.act_people().await;
    }
    let mut indexed: Indexed<UserIndexStore> = Indexed::new(&world).await;
    let mut found = 0;
    for _ in 0..16 {
        for _ in 0..world.below(6) {
            world.act_people().await;
        }
        match world.below(16) {
            step @ 0..13 => indexed.step(&mut world, step).await,
            _ => {
                // The first one is being built.
                if indexed.index().as_of().is_ok() {
                    found += compare(&mut world, &indexed.index(), None).await;
                }
            }
        }
    }
    indexed.catch_up(&world).await;
    let head = world.store.head().await.unwrap();
    for _ in 0..2 {
        found += compare(&mut world, &indexed.index(), Some(head.clone())).await;
    }
    assert_eq!(indexed.index().as_of().unwrap(), head);
    compare_proposals(&world, &indexed.index()).await;
    found
}

#[tokio::test]
async fn an_index_of_users_that_is_late_crashes_repeats_and_is_built_anew_finds_who_is_there() {
    let mut found = 0;
    // They wait for the disk most of the time.
    for seed in (0..20).step_by(4) {
        let some = tokio::join!(play(seed), play(seed + 1), play(seed + 2), play(seed + 3));
        found += some.0 + some.1 + some.2 + some.3;
    }
    assert!(found > 100, "{found}");
}
