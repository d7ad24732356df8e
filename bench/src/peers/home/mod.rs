//! The systems whose home pages and deliveries are compared, each loaded with the same world.

pub(crate) mod postgres;
pub(crate) mod redis;

use crate::calls::{Answer, Call, Workload};
use guanxi_load::World;
use guanxi_model::random::Rng;
use std::collections::HashMap;

/// The world's posts by author, so that ten thousand pages are found at once.
pub(crate) struct Outboxes<'a> {
    /// The world.
    pub(crate) world: &'a World,
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
        self.newest_of(&authors, count, rules)
    }

    /// The newest posts of some authors as id and time, without the deleted ones or with them.
    pub(crate) fn newest_of(&self, authors: &[u32], count: usize, rules: bool) -> Vec<(u64, u64)> {
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
    pub(crate) fn workload(&self, class: usize, count: usize, rules: bool) -> Workload {
        let readers = self.world.readers(class);
        let mut rng = Rng::new(self.world.seed + 10 + class as u64);
        let mut workload = Workload::default();
        let mut pages: HashMap<u32, Vec<u64>> = HashMap::new();
        for _ in 0..count {
            let reader = readers.start + rng.below(readers.len()) as u32;
            let page = pages.entry(reader).or_insert_with(|| {
                let newest = self.newest(reader, guanxi_load::in_process::PAGE, rules);
                newest.into_iter().map(|(id, _)| id).collect()
            });
            workload.calls.push(Call::Home { uid: self.world.uid(reader).get(), with_posts: false });
            workload.answers.push(Answer::Ids(page.clone()));
        }
        workload
    }
}

#[cfg(test)]
mod tests {
    use super::redis::INBOX_CAP;
    use super::*;
    use crate::peers::Target;
    use crate::run::tests::place;
    use crate::wire::redis::Layout;
    use guanxi_load::Class;
    use guanxi_load::answer::Reader;
    use std::time::Duration;

    fn world() -> World {
        World {
            users: 400,
            followees: 20,
            classes: vec![Class { readers: 10, followees: 75 }],
            celebrity: false,
            fans: 0,
            posts: 6_000,
            rules: true,
            seed: 9,
        }
    }

    #[test]
    fn right_pages_are_those_of_the_worlds_definition() {
        let world = world();
        let outboxes = Outboxes::of(&world);
        for index in world.readers(0) {
            let reader = Reader::new(&world, index);
            let ids = |rules| -> Vec<u64> {
                outboxes.newest(index, 300, rules).into_iter().map(|(id, _)| id).collect()
            };
            assert_eq!(ids(true), reader.page(None, 300).iter().map(|id| id.get()).collect::<Vec<_>>());
            assert_eq!(ids(false), reader.unfiltered(300).iter().map(|id| id.get()).collect::<Vec<_>>());
        }
    }

    #[test]
    fn postgres_answers_both_queries_with_all_rules() {
        let (_dir, place) = place();
        let world = world();
        let workload = Outboxes::of(&world).workload(0, 30, true);
        let (server, mut session) = postgres::start(&place, &world, postgres::LATERALLY).unwrap();
        server.target().compare(&workload).unwrap();
        Target { protocol: &postgres::JOINED, ..server.target() }.compare(&workload).unwrap();
        assert!(postgres::disk_bytes(&mut session).unwrap() > 100_000);
    }

    #[test]
    fn redis_answers_what_it_stores_and_trims_what_is_delivered() {
        let (_dir, place) = place();
        let world = world();
        let outboxes = Outboxes::of(&world);
        let workload = outboxes.workload(0, 30, false);
        for layout in [Layout::SortedSets, Layout::Lists] {
            let redis = redis::start(&place, &outboxes, &world, 0, layout).unwrap();
            assert_eq!(redis.entries, 10 * INBOX_CAP as u64);
            redis.server.target().compare(&workload).unwrap();
            let (inserted, _) = redis.deliver(1 << 62, Duration::from_millis(200)).unwrap();
            assert!(inserted > 0);
            // What was delivered is newer than everything before.
            let mut line = redis.server.line().unwrap();
            let Answer::Ids(page) = line.call(&workload.calls[0]).unwrap() else { panic!("no page") };
            assert!(page.iter().all(|id| *id >= 1 << 62), "{page:?}");
            assert!(redis.longest().unwrap() <= INBOX_CAP);
        }
    }
}
