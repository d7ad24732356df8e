//! The systems whose home pages and deliveries are compared, each loaded with the same world.

pub(crate) mod guanxi;
pub(crate) mod postgres;
pub(crate) mod redis;

use super::Server;
use crate::wire::home::{Home, HomeWorkload, Ids};
use guanxi_load::World;
use guanxi_load::rng::Rng;
use std::collections::HashMap;

/// A server of home pages.
pub(crate) type HomeServer = Server<Home, Ids>;

/// The world's posts by author, so that ten thousand pages are found at once.
pub(crate) struct Outboxes<'a> {
    world: &'a World,
    /// Numbers of posts, newest first, by author.
    by_author: Vec<Vec<u32>>,
}

impl<'a> Outboxes<'a> {
    /// Sorts all posts by author.
    pub(crate) fn of(world: &'a World) -> Self {
        let mut by_author = vec![Vec::new(); world.users as usize];
        for number in (0..world.posts).rev() {
            by_author[world.post(number).author as usize].push(number);
        }
        Self { world, by_author }
    }

    /// The newest items of a reader as id and time, with all rules or without any.
    pub(crate) fn newest(&self, reader: u32, count: usize, rules: bool) -> Vec<(u64, u64)> {
        let mut authors = self.world.following(reader);
        authors.push(reader);
        if rules {
            let muted = self.world.muted(reader);
            authors.retain(|author| !muted.contains(author));
        }
        let newest = authors.iter().flat_map(|author| {
            let posts = self.by_author[*author as usize].iter().map(|number| self.world.post(*number));
            posts.filter(|post| !(rules && post.deleted)).take(count).collect::<Vec<_>>()
        });
        let mut posts: Vec<_> = newest.collect();
        posts.sort_unstable_by_key(|post| std::cmp::Reverse(post.number));
        posts.truncate(count);
        posts.iter().map(|post| (self.world.post_id(post).get(), post.at_ms)).collect()
    }

    /// Pages of a class's readers in random order, with the right answers.
    pub(crate) fn workload(&self, class: usize, count: usize, rules: bool) -> HomeWorkload {
        let readers = self.world.readers(class);
        let mut rng = Rng::new(self.world.seed + 10 + class as u64);
        let mut workload = HomeWorkload { calls: Vec::new(), answers: Vec::new() };
        let mut pages: HashMap<u32, Ids> = HashMap::new();
        for _ in 0..count {
            let reader = readers.start + rng.below(readers.len()) as u32;
            let page = pages.entry(reader).or_insert_with(|| {
                let newest = self.newest(reader, guanxi_load::in_process::PAGE, rules);
                newest.into_iter().map(|(id, _)| id).collect()
            });
            workload.calls.push(Home(self.world.uid(reader).get()));
            workload.answers.push(page.clone());
        }
        workload
    }
}
