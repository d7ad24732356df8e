//! Creating, changing, deleting and restoring posts.

use super::{Deciding, down, up};
use crate::engine::Table;
use crate::layout::event_at;
use crate::layout::{PostValue, encode_revision, outbox_key, revision_key};
use crate::writer::plan::{Planner, Planning};
use guanxi_model::event::PostChange;
use guanxi_model::limits::REVISIONS_MAX;
use guanxi_model::post::{Body, Draft, Edit, Kind, Revision, check_body, check_draft};
use guanxi_model::{Post, PostHeader, PostId, Reason, Uid, Visibility};

impl Planner<'_> {
    /// Writes a new post.
    pub(super) fn create(&mut self, draft: Draft) -> Deciding<PostId> {
        check_draft(&draft).map_err(|error| error.reason)?;
        let kind = self.kind_of(&draft)?;
        let Draft { author, body, visibility, .. } = draft;
        let id = self.posts.ids.mint(self.now_ms, author);
        let item = PostHeader {
            id,
            author,
            kind,
            visibility,
            deleted: false,
            event: Some(event_at(self.last_seq() + 1)),
        };
        let post = Post { header: item, body, revision: 1, update_ms: self.now_ms };
        self.add_post(post, PostChange::Created)?;
        Ok(id)
    }

    /// Adds a post to its author's outbox and to the counters of what it refers to.
    pub(super) fn add_post(&mut self, post: Post, change: PostChange) -> Planning<()> {
        let PostHeader { id, author, kind, .. } = post.header;
        self.batch.put(Table::Outbox, &outbox_key(author, id), &[]);
        self.count_child(kind, up)?;
        self.put_post(post, change)
    }

    /// What a draft is to other posts, if its author may see the one it names and what that stands for.
    fn kind_of(&mut self, draft: &Draft) -> Deciding<Kind> {
        let Some(asked) = draft.reply_to.or(draft.repost_of) else { return Ok(Kind::Post) };
        let original = self.seen_by(draft.author, asked)?.original;
        if draft.reply_to.is_some() {
            return Ok(Kind::Reply { to: original.id, author: original.author });
        }
        Ok(repost(&original, draft.author)?)
    }

    /// Changes a post of the author; `false` if that changes nothing.
    pub(super) fn update(&mut self, author: Uid, id: PostId, edit: Edit) -> Deciding<bool> {
        let old = self.own_post(author, id)?;
        if old.header.deleted {
            return Err(Reason::PostDeleted.into());
        }
        if edit.expected_revision.is_some_and(|expected| expected != old.revision) {
            return Err(Reason::RevisionMismatch { revision: old.revision }.into());
        }
        let body = Body {
            text: edit.text.unwrap_or_else(|| old.body.text.clone()),
            attachments: edit.attachments.unwrap_or_else(|| old.body.attachments.clone()),
        };
        let visibility = edit.visibility.unwrap_or(old.header.visibility);
        check_body(&body)?;
        let is_plain_repost = matches!(old.header.kind, Kind::Repost { .. }) && body.is_empty();
        if body != old.body && body.says_nothing() && !is_plain_repost {
            return Err(Reason::MissingField { field: "text" }.into());
        }
        if body == old.body && visibility == old.header.visibility {
            return Ok(false);
        }
        let narrows_alone = body == old.body && visibility.is_widened_by(old.header.visibility);
        if old.revision >= REVISIONS_MAX && !narrows_alone {
            return Err(Reason::LimitReached { limit: REVISIONS_MAX }.into());
        }
        let change = match (old.header.visibility, visibility) {
            (before, after) if before == after => PostChange::Edited,
            (before, after) if before.is_widened_by(after) => PostChange::Widened,
            _ => PostChange::Narrowed,
        };
        let item = PostHeader { visibility, ..old.header };
        let post = Post { header: item, body, revision: old.revision + 1, update_ms: self.now_ms };
        self.put_revision(old);
        self.put_post(post, change)?;
        Ok(true)
    }

    fn put_revision(&mut self, old: Post) {
        let Post { header: item, body, revision, update_ms } = old;
        let earlier = Revision { revision, update_ms, visibility: item.visibility, body };
        self.batch.put(Table::Records, &revision_key(item.id, revision), &encode_revision(&earlier));
    }

    /// Deletes or restores a post of the author; `false` if it is so already.
    pub(super) fn set_deleted(&mut self, author: Uid, id: PostId, deleted: bool) -> Deciding<bool> {
        let old = self.own_post(author, id)?;
        if old.header.deleted == deleted {
            return Ok(false);
        }
        let (step, change): (fn(&mut u64), _) =
            if deleted { (down, PostChange::Deleted) } else { (up, PostChange::Restored) };
        self.count_child(old.header.kind, step)?;
        self.put_post(Post { header: PostHeader { deleted, ..old.header }, ..old }, change)?;
        Ok(true)
    }

    /// A post that only its author may change.
    fn own_post(&mut self, author: Uid, id: PostId) -> Deciding<Post> {
        let PostValue { post, .. } = self.posts.get(&self.snapshot, id)?.ok_or(Reason::PostNotFound)?;
        if post.header.author != author {
            return Err(Reason::PostForbidden.into());
        }
        Ok(post.clone())
    }
}

/// A repost of an original. Of what not everybody sees, only its own author makes one.
pub(super) fn repost(original: &PostHeader, author: Uid) -> Result<Kind, Reason> {
    if original.visibility != Visibility::Public && original.author != author {
        return Err(Reason::PostForbidden);
    }
    Ok(Kind::Repost { of: original.id, author: original.author })
}
