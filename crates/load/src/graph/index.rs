//! Lists of a generated graph: what the right answers are.

use super::FollowGraph;

/// The follows of all users, both ways.
#[derive(Debug)]
pub struct Index {
    following: Vec<Vec<u32>>,
    followers: Vec<Vec<u32>>,
}

impl Index {
    /// Indexes a graph.
    pub fn of(graph: &FollowGraph) -> Self {
        let nobody = || vec![Vec::new(); graph.users as usize];
        let mut index = Self { following: nobody(), followers: nobody() };
        for edge in graph.edges.iter().rev() {
            index.following[edge.subject as usize].push(edge.object);
            index.followers[edge.object as usize].push(edge.subject);
        }
        index
    }

    /// Returns the users whom a user follows, newest first.
    pub fn following(&self, user: u32) -> &[u32] {
        &self.following[user as usize]
    }

    /// Returns the users who follow a user, newest first.
    pub fn followers(&self, user: u32) -> &[u32] {
        &self.followers[user as usize]
    }

    /// Returns whether `subject` follows `object`.
    pub fn follows(&self, subject: u32, object: u32) -> bool {
        self.following(subject).contains(&object)
    }

    /// The relation as seed 000 numbers it: 0 none, 1 followed by, 2 following, 3 both.
    pub fn state(&self, subject: u32, object: u32) -> u8 {
        u8::from(self.follows(subject, object)) * 2 + u8::from(self.follows(object, subject))
    }
}
