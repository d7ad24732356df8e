//! Posts of a group: what the planner reads of them, and the rows that its changes come to.

mod working;

pub(super) use working::WorkingPosts;

use super::plan::GroupState;
use crate::engine::{EngineError, Table};
use crate::layout::{
    POLICY_KEY, PostValue, SEEN, encode_number, encode_policy, encode_revision, encode_stamp, like_key,
    like_time_key, outbox_key, revision_key, source_key, user_key,
};
use crate::shared::seq_of;
use guanxi_model::post::{AuthorHead, PostStats, Revision};
use guanxi_model::{Edge, EventAt, FanoutPolicy, Position, Post, PostId, Stamp, Uid};

type Read<T> = Result<T, EngineError>;

/// The posts' part of the planner's state; see [`State`](guanxi_model::plan::State) for what each says.
impl GroupState<'_> {
    pub(super) fn read_post(&mut self, id: PostId) -> Read<Option<&Post>> {
        Ok(self.posts.get(&self.snapshot, id)?.map(|value| &value.post))
    }

    pub(super) fn write_post(&mut self, post: Post, changed: EventAt) {
        self.posts.put(PostValue { post, changed: changed.seq() });
    }

    pub(super) fn append(&mut self, author: Uid, id: PostId) -> Read<()> {
        self.batch.put(Table::Outbox, &outbox_key(author, id), &[]);
        self.posts.append(&self.snapshot, author, id)
    }

    pub(super) fn write_revision(&mut self, id: PostId, revision: &Revision) {
        self.batch.put(Table::Records, &revision_key(id, revision.revision), &encode_revision(revision));
    }

    pub(super) fn read_head(&mut self, author: Uid) -> Read<AuthorHead> {
        Ok(self.posts.author(&self.snapshot, author)?.head)
    }

    pub(super) fn write_head(&mut self, author: Uid, head: AuthorHead) -> Read<()> {
        self.posts.author(&self.snapshot, author)?.head = head;
        Ok(())
    }

    pub(super) fn read_stats(&mut self, id: PostId) -> Read<&mut PostStats> {
        self.posts.stats_mut(&self.snapshot, id)
    }

    pub(super) fn read_like(&mut self, id: PostId, uid: Uid) -> Read<Option<Stamp>> {
        self.posts.like(&self.snapshot, id, uid)
    }

    pub(super) fn write_like(&mut self, id: PostId, like: Edge) {
        self.batch.put(Table::Records, &like_key(id, like.uid), &encode_stamp(like.at));
        self.batch.put(Table::Records, &like_time_key(id, like), &[]);
        self.posts.put_like(id, like.uid, Some(like.at));
    }

    pub(super) fn erase_like(&mut self, id: PostId, like: Edge) {
        self.batch.remove(Table::Records, &like_key(id, like.uid));
        self.batch.remove(Table::Records, &like_time_key(id, like));
        self.posts.put_like(id, like.uid, None);
    }

    pub(super) fn read_source(&mut self, author: Uid, key: &str) -> Read<Option<PostId>> {
        self.posts.source(&self.snapshot, author, key)
    }

    pub(super) fn write_source(&mut self, author: Uid, key: String, id: PostId) {
        self.batch.put(Table::Records, &source_key(author, &key), &encode_number(id.get()));
        self.posts.put_source((author, key), id);
    }

    pub(super) fn raise_marker(&mut self, uid: Uid, seen: &Position) -> Read<()> {
        let seq = seq_of(seen);
        let seen = self.posts.seen(&self.snapshot, uid)?;
        if seq > *seen {
            *seen = seq;
            self.batch.put(Table::Records, &user_key(SEEN, uid), &encode_number(seq));
        }
        Ok(())
    }

    pub(super) fn write_policy(&mut self, policy: &FanoutPolicy) {
        self.batch.put(Table::Records, POLICY_KEY, &encode_policy(policy));
    }
}
