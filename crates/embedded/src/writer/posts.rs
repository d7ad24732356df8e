//! Posts of a group: what the planner reads of them, and the rows that its changes come to.

use super::changes::PlanRows;
use crate::engine::{EngineResult, Table};
use crate::layout::{
    NAME, POLICY_KEY, PostValue, SEEN, SOURCE, deleted_post_key, encode_number, encode_policy,
    encode_revision, encode_stamp, like_key, like_of_user_key, like_time_key, of_post_key, other_name_key,
    outbox_key, parse_source_key, repost_of_key, revision_key, source_key, user_key,
};
use crate::shared::seq_of;
use guanxi_memory::first_pages::ListChange;
use guanxi_model::plan::{FeedRows, PostRows};
use guanxi_model::post::{AuthorRow, PostStats, Revision};
use guanxi_model::{Edge, EventAt, FanoutPolicy, Position, Post, PostId, Stamp, Uid};

impl PostRows for PlanRows<'_> {
    fn mint_post(&mut self, author: Uid, now_ms: u64) -> PostId {
        self.posts.ids.mint(now_ms, author)
    }

    fn take_post(&mut self, author: Uid, at_ms: u64, wanted: Option<PostId>) -> EngineResult<Option<PostId>> {
        if let Some(id) = wanted
            && self.posts.is_free(&self.snapshot, id)?
        {
            self.posts.ids.observe(id);
            return Ok(Some(id));
        }
        self.posts.take_id(&self.snapshot, author, at_ms)
    }

    fn post(&mut self, id: PostId) -> EngineResult<Option<&Post>> {
        Ok(self.posts.get(&self.snapshot, id)?.map(|value| &value.post))
    }

    fn add_to_outbox(&mut self, author: Uid, id: PostId) -> EngineResult<()> {
        self.batch.put(Table::Outbox, &outbox_key(author, id), &[]);
        self.posts.append(&self.snapshot, author, id)
    }

    fn put_post(&mut self, post: Post, changed: EventAt) {
        let id = post.header.id;
        let (before, after) = (self.posts.deleted_ms(id), post.deleted_ms);
        if before != after {
            if let Some(ms) = before {
                self.batch.remove(Table::Records, &deleted_post_key(ms, id));
            }
            if let Some(ms) = after {
                self.batch.put(Table::Records, &deleted_post_key(ms, id), &[]);
            }
        }
        self.posts.put(PostValue { post, changed: changed.seq() });
    }

    fn end_purge(&mut self, id: PostId) -> EngineResult<()> {
        if let Some(mut value) = self.posts.get(&self.snapshot, id)?.cloned() {
            if let Some(ms) = value.post.deleted_ms.take() {
                self.batch.remove(Table::Records, &deleted_post_key(ms, id));
            }
            self.posts.put(value);
        }
        Ok(())
    }

    fn put_revision(&mut self, id: PostId, revision: &Revision) {
        self.batch.put(Table::Records, &revision_key(id, revision.revision), &encode_revision(revision));
    }

    fn remove_revision(&mut self, id: PostId, revision: u32) {
        self.batch.remove(Table::Records, &revision_key(id, revision));
    }

    fn remove_source(&mut self, author: Uid, id: PostId) -> EngineResult<bool> {
        let mut names = self.posts.other_names(&self.snapshot, author, id)?;
        names.iter().for_each(|name| self.batch.remove(Table::Records, &other_name_key(id, name)));
        names.extend(self.posts.name(&self.snapshot, id)?);
        self.batch.remove(Table::Records, &of_post_key(NAME, id));
        self.posts.remove_name(id);
        let had_name = !names.is_empty();
        for name in names {
            self.batch.remove(Table::Records, &source_key(author, &name));
            self.posts.forget_source((author, name));
        }
        Ok(had_name)
    }

    fn author(&mut self, author: Uid) -> EngineResult<AuthorRow> {
        Ok(self.posts.author(&self.snapshot, author)?.author)
    }

    fn put_author(&mut self, author: Uid, row: AuthorRow) -> EngineResult<()> {
        self.posts.author(&self.snapshot, author)?.author = row;
        Ok(())
    }

    fn stats(&mut self, id: PostId) -> EngineResult<&mut PostStats> {
        self.posts.stats_mut(&self.snapshot, id)
    }

    fn like(&mut self, id: PostId, uid: Uid) -> EngineResult<Option<Stamp>> {
        self.posts.like(&self.snapshot, id, uid)
    }

    fn put_like(&mut self, id: PostId, like: Edge) {
        self.batch.put(Table::Records, &like_key(id, like.uid), &encode_stamp(like.at));
        self.batch.put(Table::Records, &like_time_key(id, like), &[]);
        self.batch.put(Table::Records, &like_of_user_key(like.uid, id), &encode_stamp(like.at));
        self.lists.likers.push((id, ListChange::Added(like)));
        self.posts.put_like(id, like.uid, Some(like.at));
    }

    fn remove_like(&mut self, id: PostId, like: Edge) {
        self.batch.remove(Table::Records, &like_key(id, like.uid));
        self.batch.remove(Table::Records, &like_time_key(id, like));
        self.batch.remove(Table::Records, &like_of_user_key(like.uid, id));
        self.lists.likers.push((id, ListChange::Removed(like)));
        self.posts.put_like(id, like.uid, None);
    }

    fn reposts(&mut self, user: Uid, original: PostId) -> EngineResult<&[PostId]> {
        self.posts.reposts(&self.snapshot, user, original)
    }

    fn list_repost(&mut self, original: PostId, repost: PostId, stands: bool) {
        let key = repost_of_key(original, repost);
        let change = if stands {
            self.batch.put(Table::Records, &key, &[]);
            ListChange::Added(repost)
        } else {
            self.batch.remove(Table::Records, &key);
            ListChange::Removed(repost)
        };
        self.lists.reposts.push((original, change));
    }

    fn put_reposts(&mut self, user: Uid, original: PostId, reposts: Vec<PostId>) {
        self.posts.put_reposts(user, original, reposts);
    }

    fn source(&mut self, author: Uid, key: &str) -> EngineResult<Option<PostId>> {
        self.posts.source(&self.snapshot, author, key)
    }

    fn put_source(&mut self, author: Uid, key: String, id: PostId, is_new: bool) {
        if is_new {
            self.batch.put(Table::Records, &of_post_key(NAME, id), key.as_bytes());
            self.posts.put_name(id, key.clone());
        } else {
            self.batch.put(Table::Records, &other_name_key(id, &key), &[]);
        }
        self.batch.put(Table::Records, &source_key(author, &key), &encode_number(id.get()));
        self.posts.put_source((author, key), id);
    }

    fn remove_sources(&mut self, author: Uid) -> EngineResult<()> {
        let mut names: Vec<String> = self.posts.sources_of(author);
        for row in self.snapshot.prefix(Table::Records, &user_key(SOURCE, author)) {
            // A key that cannot be decoded is named by a verification.
            names.extend(parse_source_key(&row?.0).map(|(_, name)| name.to_owned()));
        }
        for name in names {
            self.batch.remove(Table::Records, &source_key(author, &name));
            self.posts.forget_source((author, name));
        }
        Ok(())
    }
}

impl FeedRows for PlanRows<'_> {
    fn raise_seen(&mut self, uid: Uid, seen: &Position) -> EngineResult<()> {
        let seq = seq_of(seen);
        let seen = self.posts.seen(&self.snapshot, uid)?;
        if seq > *seen {
            *seen = seq;
            self.batch.put(Table::Records, &user_key(SEEN, uid), &encode_number(seq));
        }
        Ok(())
    }

    fn remove_seen(&mut self, uid: Uid) -> EngineResult<()> {
        *self.posts.seen(&self.snapshot, uid)? = 0;
        self.batch.remove(Table::Records, &user_key(SEEN, uid));
        Ok(())
    }

    fn put_policy(&mut self, policy: &FanoutPolicy) {
        self.batch.put(Table::Records, POLICY_KEY, &encode_policy(policy));
    }
}
