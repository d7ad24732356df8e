//! The state of the fan-out, as operators see it.

use guanxi_model::{FanoutPolicy, Position, PostId, Uid};
use guanxi_ports::InboxStats;
use std::collections::VecDeque;

/// Items that the status remembers.
const RECENT_MAX: usize = 1_024;

/// The state of the fan-out of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PostFanout {
    /// The item.
    pub id: PostId,
    /// The author of the item.
    pub author: Uid,
    /// Whether only active readers are targets.
    pub celebrity: bool,
    /// Readers to look at: followers, or active readers for a celebrity; and the author.
    pub planned: u64,
    /// Readers looked at.
    pub offered: u64,
    /// Inboxes that took the item.
    pub delivered: u64,
    /// Whether it is left to readers to pull it, by policy or after an error.
    pub skipped: bool,
    /// Whether nothing more will happen.
    pub done: bool,
}

/// The state of the fan-out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FanoutStatus {
    /// The policy.
    pub policy: FanoutPolicy,
    /// Every item event up to here was offered, or is pulled by readers.
    pub covered: Position,
    /// The last events.
    pub head: Position,
    /// Items that wait or run.
    pub queued: u64,
    /// Items that run, oldest first.
    pub running: Vec<PostFanout>,
    /// The inboxes.
    pub inboxes: InboxStats,
}

/// The newest items of the fan-out.
#[derive(Default)]
pub(super) struct Recent {
    pub queued: u64,
    posts: VecDeque<PostFanout>,
}

impl Recent {
    /// Notes the state of an item.
    pub(super) fn note(&mut self, post: PostFanout) {
        if let Some(known) = self.posts.iter_mut().rev().find(|known| known.id == post.id) {
            *known = post;
            return;
        }
        if self.posts.len() == RECENT_MAX {
            self.posts.pop_front();
        }
        self.posts.push_back(post);
    }

    pub(super) fn get(&self, id: PostId) -> Option<PostFanout> {
        self.posts.iter().rev().find(|post| post.id == id).copied()
    }

    pub(super) fn running(&self) -> Vec<PostFanout> {
        self.posts.iter().filter(|post| !post.done).copied().collect()
    }
}
