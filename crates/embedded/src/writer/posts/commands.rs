//! Creating, changing, deleting and restoring posts.

use super::Deciding;
use crate::engine::Table;
use crate::layout::event_at;
use crate::layout::{PostValue, encode_revision, outbox_key, revision_key};
use crate::writer::plan::{Planner, Planning};
use guanxi_model::event::PostChange;
use guanxi_model::limits::REVISIONS_MAX;
use guanxi_model::post::{Body, Draft, Edit, Kind, Revision, check_body, check_draft};
use guanxi_model::{Post, PostHeader, PostId, Reason, Uid, Visibility};

impl Planner<'_> {
    /// Writes a post; answers its id, and whether it is new.
    pub(super) fn create(&mut self, draft: Draft) -> Deciding<(PostId, bool)> {
        check_draft(&draft).map_err(|error| error.reason)?;
        let kind = self.kind_of(&draft)?;
        if let Some(standing) = self.standing(draft.author, kind)? {
            return Ok((standing, false));
        }
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
        let (update_ms, create_ms) = (self.now_ms, self.now_ms);
        let post = Post { header: item, body, revision: 1, update_ms, create_ms };
        self.add_post(post, PostChange::Created)?;
        Ok((id, true))
    }

    /// The plain repost that stands instead of one that is to be new or restored.
    pub(super) fn standing(&mut self, author: Uid, kind: Kind) -> Planning<Option<PostId>> {
        let Kind::Repost { of, .. } = kind else { return Ok(None) };
        Ok(self.posts.reposts(&self.snapshot, author, of)?.first().copied())
    }

    /// Adds a post to its author's outbox and to the counters of what it refers to.
    pub(super) fn add_post(&mut self, post: Post, change: PostChange) -> Planning<()> {
        let PostHeader { id, author, .. } = post.header;
        self.batch.put(Table::Outbox, &outbox_key(author, id), &[]);
        self.refer(&post.header, true)?;
        self.put_post(post, change)
    }

    /// What a draft is to other posts, if its author may see the one it names and what that stands for.
    fn kind_of(&mut self, draft: &Draft) -> Deciding<Kind> {
        let Some(asked) = draft.reply_to.or(draft.repost_of) else { return Ok(Kind::Post) };
        let original = self.seen_by(draft.author, asked)?.original;
        if draft.reply_to.is_some() {
            return Ok(Kind::Reply { to: original.id, author: original.author });
        }
        Ok(repost(&original, draft.author, &draft.body)?)
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
        if body != old.body && matches!(old.header.kind, Kind::Repost { .. }) {
            return Err(Reason::InvalidField { field: "text" }.into());
        }
        if body != old.body && body.says_nothing() {
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
        let (revision, create_ms) = (old.revision + 1, old.create_ms);
        let post = Post { header: item, body, revision, update_ms: self.now_ms, create_ms };
        self.put_revision(old);
        self.put_post(post, change)?;
        Ok(true)
    }

    fn put_revision(&mut self, old: Post) {
        let Post { header: item, body, revision, update_ms, .. } = old;
        let earlier = Revision { revision, update_ms, visibility: item.visibility, body };
        self.batch.put(Table::Records, &revision_key(item.id, revision), &encode_revision(&earlier));
    }

    /// Deletes or restores a post of the author; `false` if it is so already.
    pub(super) fn set_deleted(&mut self, author: Uid, id: PostId, deleted: bool) -> Deciding<bool> {
        let old = self.own_post(author, id)?;
        if old.header.deleted == deleted {
            return Ok(false);
        }
        let change = if deleted { PostChange::Deleted } else { PostChange::Restored };
        self.refer(&old.header, !deleted)?;
        self.put_post(Post { header: PostHeader { deleted, ..old.header }, ..old }, change)?;
        Ok(true)
    }

    /// Restores a post; answers its id, or for a plain repost that of another which stands.
    pub(super) fn restore(&mut self, author: Uid, id: PostId) -> Deciding<(PostId, bool)> {
        let old = self.own_post(author, id)?.header;
        if old.deleted
            && let Some(standing) = self.standing(author, old.kind)?
        {
            return Ok((standing, false));
        }
        Ok((id, self.set_deleted(author, id, false)?))
    }

    /// Deletes what a user has reposted of a post; `false` without any.
    pub(super) fn undo_repost(&mut self, uid: Uid, id: PostId) -> Deciding<bool> {
        let original = match self.item(id)?.ok_or(Reason::PostNotFound)?.kind {
            Kind::Repost { of, .. } => of,
            Kind::Post | Kind::Reply { .. } | Kind::Quote { .. } => id,
        };
        let standing = self.posts.reposts(&self.snapshot, uid, original)?.to_vec();
        for repost in &standing {
            self.set_deleted(uid, *repost, true)?;
        }
        Ok(!standing.is_empty())
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

/// A repost of an original, or a quote if it says something. Of what not everybody sees, only its own author makes one.
pub(super) fn repost(original: &PostHeader, author: Uid, body: &Body) -> Result<Kind, Reason> {
    if original.visibility != Visibility::Public && original.author != author {
        return Err(Reason::PostForbidden);
    }
    let (of, author) = (original.id, original.author);
    Ok(if body.is_empty() { Kind::Repost { of, author } } else { Kind::Quote { of, author } })
}
