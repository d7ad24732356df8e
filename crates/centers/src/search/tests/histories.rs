//! Random histories.

use super::world::{World, walk, walk_best};
use guanxi_model::{Position, PostId, Result};
use guanxi_ports::{BoxFuture, FoundPosts, PostAsk, PostSearch, SearchIndex};
use guanxi_spec::memory::MemoryStore;
use std::future::ready;
use std::sync::Arc;

/// An index that proposes every post for any query: an index that is wrong in every way but by leaving out.
struct Everything {
    store: Arc<MemoryStore>,
    ids: Vec<PostId>,
}

impl PostSearch for Everything {
    fn search<'a>(&'a self, ask: PostAsk<'a>) -> BoxFuture<'a, Result<FoundPosts>> {
        let below = |id: &PostId| ask.below.is_none_or(|below| *id < below);
        let mut ids: Vec<PostId> = self.ids.iter().copied().filter(below).collect();
        ids.sort_unstable_by(|one, other| other.cmp(one));
        ids.dedup();
        let more = ids.len() > ask.max;
        ids.truncate(ask.max);
        let next = ids.last().copied().filter(|_| more);
        Box::pin(ready(self.as_of().map(|as_of| FoundPosts { ids, next, looked: 0, as_of })))
    }
}

impl SearchIndex for Everything {
    fn as_of(&self) -> Result<Position> {
        self.store.as_of()
    }

    fn wait<'a>(&'a self, at_least: &'a Position) -> BoxFuture<'a, Result<()>> {
        self.store.wait(at_least)
    }
}

#[tokio::test]
async fn a_search_finds_what_asking_for_every_post_finds() {
    let (mut found, mut of_group) = (0, 0);
    for seed in 0..300 {
        let mut world = World::new(seed);
        for _ in 0..40 {
            world.act().await;
        }
        let everything = Everything { store: world.store.clone(), ids: world.posts.clone() };
        let centers = [world.center(world.store.clone()), world.center(Arc::new(everything))];
        for _ in 0..6 {
            let (query, viewer, filter) = world.ask();
            let expected = world.oracle(query, viewer, filter).await;
            let size = 1 + world.below(4) as usize;
            for center in &centers {
                let hits = walk(center, query, viewer, filter, size).await;
                assert_eq!(hits, expected, "seed {seed}: {query} of {viewer:?} with {filter:?}");
                let best = walk_best(center, query, viewer, filter, size).await;
                assert!(best.iter().rev().eq(&expected), "seed {seed}: {query} of {viewer:?}: {best:?}");
            }
            found += expected.len();
            of_group += expected.iter().filter(|hit| hit.post.post.header.audience().is_some()).count();
        }
    }
    assert!(found > 900 && of_group > 20, "{found} hits, {of_group} of them of groups");
}
