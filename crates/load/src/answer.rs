//! The right answers: home as the world itself defines it, without outboxes, heads or inboxes.

use crate::world::World;
use guanxi_model::{PostId, Uid};
use std::collections::HashSet;

/// What one reader's home is made of.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    world: &'a World,
    /// The reader's index.
    pub index: u32,
    /// The users whom it follows, and itself, or the members of a group; without the users whom it mutes.
    shown: HashSet<u32>,
}

impl<'a> Reader<'a> {
    /// The reader of an index.
    pub fn new(world: &'a World, index: u32) -> Self {
        let mut shown: HashSet<u32> = world.following(index).into_iter().collect();
        world.muted(index).iter().for_each(|muted| {
            shown.remove(muted);
        });
        shown.insert(index);
        Self { world, index, shown }
    }

    /// The reader of an index, as it reads a group of some others.
    pub fn of_group(world: &'a World, index: u32, members: &[u32]) -> Self {
        let mut shown: HashSet<u32> = members.iter().copied().collect();
        world.muted(index).iter().for_each(|muted| {
            shown.remove(muted);
        });
        Self { world, index, shown }
    }

    /// Its id.
    pub fn uid(&self) -> Uid {
        self.world.uid(self.index)
    }

    /// Returns whether home shows what an author posts.
    pub fn shows(&self, author: u32) -> bool {
        self.shown.contains(&author)
    }

    /// The newest `size` items of the past below an id, newest first: every post is looked at.
    pub fn page(&self, below: Option<PostId>, size: usize) -> Vec<PostId> {
        self.scan(below, size, true)
    }

    /// The same with deleted posts and muted authors: what an inbox holds whose rules run at read, or never.
    pub fn unfiltered(&self, size: usize) -> Vec<PostId> {
        self.scan(None, size, false)
    }

    fn scan(&self, below: Option<PostId>, size: usize, rules: bool) -> Vec<PostId> {
        let muted: HashSet<u32> =
            if rules { HashSet::new() } else { self.world.muted(self.index).into_iter().collect() };
        let posts = (0..self.world.posts).rev().map(|number| self.world.post(number));
        posts
            .filter(|post| self.shows(post.author) || muted.contains(&post.author))
            .filter(|post| !(rules && post.deleted))
            .map(|post| self.world.post_id(&post))
            .filter(|id| below.is_none_or(|below| *id < below))
            .take(size)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_follow_each_other_and_leave_out_what_is_hidden() {
        let world = World {
            users: 300,
            followees: 10,
            classes: vec![crate::Class { readers: 1, followees: 100 }],
            celebrity: false,
            fans: 0,
            posts: 3_000,
            rules: true,
            seed: 3,
        };
        let reader = Reader::new(&world, world.readers(0).start);
        let first = reader.page(None, 20);
        let second = reader.page(first.last().copied(), 20);
        assert_eq!([first.clone(), second].concat(), reader.page(None, 40));
        let raw = reader.unfiltered(2_000);
        assert!(raw.len() > reader.page(None, 2_000).len());
        assert!(first.iter().all(|id| raw.contains(id)));
    }
}
