//! Likes: a row by post and user, and the same like in the list of the post's likes.

use super::{Deciding, down, up};
use crate::engine::Table;
use crate::layout::{encode_stamp, like_key, like_time_key};
use crate::writer::plan::Planner;
use guanxi_model::{Change, Edge, PostId, Reason, Uid};

impl Planner<'_> {
    /// A user begins to like a post that it may see; `false` if it does already.
    pub(super) fn like(&mut self, uid: Uid, id: PostId) -> Deciding<bool> {
        let author = self.seen_by(uid, id)?.named.author;
        if self.posts.like(&self.snapshot, id, uid)?.is_some() {
            return Ok(false);
        }
        let at = self.hlc.tick(self.now_ms);
        *self.posts.like(&self.snapshot, id, uid)? = Some(at);
        self.batch.put(Table::Records, &like_key(id, uid), &encode_stamp(at));
        self.batch.put(Table::Records, &like_time_key(id, Edge { at, uid }), &[]);
        up(&mut self.posts.stats_mut(&self.snapshot, id)?.likes);
        self.event(at, uid, Change::Liked { id, author });
        Ok(true)
    }

    /// A user no longer likes a post; `false` if it did not.
    pub(super) fn unlike(&mut self, uid: Uid, id: PostId) -> Deciding<bool> {
        let item = self.item(id)?.ok_or(Reason::PostNotFound)?;
        let Some(at) = self.posts.like(&self.snapshot, id, uid)?.take() else { return Ok(false) };
        self.batch.remove(Table::Records, &like_key(id, uid));
        self.batch.remove(Table::Records, &like_time_key(id, Edge { at, uid }));
        down(&mut self.posts.stats_mut(&self.snapshot, id)?.likes);
        let version = self.hlc.tick(self.now_ms);
        self.event(version, uid, Change::Unliked { id, author: item.author });
        Ok(true)
    }
}
