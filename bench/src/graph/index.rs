//! Lists and lookups over a generated graph: what the right answers are.

use super::Graph;
use std::collections::HashSet;

/// Who follows whom, both ways.
pub(crate) struct Index {
    following: Lists,
    followers: Lists,
    edges: HashSet<(u32, u32)>,
}

impl Index {
    /// Indexes a graph.
    pub(crate) fn of(graph: &Graph) -> Self {
        let newest_first = || graph.edges.iter().rev();
        Self {
            following: Lists::build(graph.uids.len(), newest_first().map(|edge| (edge.subject, edge.object))),
            followers: Lists::build(graph.uids.len(), newest_first().map(|edge| (edge.object, edge.subject))),
            edges: graph.edges.iter().map(|edge| (edge.subject, edge.object)).collect(),
        }
    }

    /// Whom a user follows, newest first.
    pub(crate) fn following(&self, user: u32) -> &[u32] {
        self.following.of(user)
    }

    /// Who follows a user, newest first.
    pub(crate) fn followers(&self, user: u32) -> &[u32] {
        self.followers.of(user)
    }

    /// Whether `subject` follows `object`.
    pub(crate) fn follows(&self, subject: u32, object: u32) -> bool {
        self.edges.contains(&(subject, object))
    }

    /// The relation as seed 000 numbers it: 0 none, 1 followed by, 2 following, 3 both.
    pub(crate) fn state(&self, subject: u32, object: u32) -> u8 {
        u8::from(self.follows(subject, object)) * 2 + u8::from(self.follows(object, subject))
    }
}

/// Many lists, one after the other.
struct Lists {
    starts: Vec<u32>,
    items: Vec<u32>,
}

impl Lists {
    /// Sorts `pairs` of (owner, item) by owner and keeps the order of each owner's items.
    fn build(owners: usize, pairs: impl Iterator<Item = (u32, u32)> + Clone) -> Self {
        let mut starts = vec![0_u32; owners + 1];
        for (owner, _) in pairs.clone() {
            starts[owner as usize + 1] += 1;
        }
        for owner in 0..owners {
            starts[owner + 1] += starts[owner];
        }
        let mut next = starts.clone();
        let mut items = vec![0; starts[owners] as usize];
        for (owner, item) in pairs {
            let place = &mut next[owner as usize];
            items[*place as usize] = item;
            *place += 1;
        }
        Self { starts, items }
    }

    fn of(&self, owner: u32) -> &[u32] {
        &self.items[self.starts[owner as usize] as usize..self.starts[owner as usize + 1] as usize]
    }
}
