//! Creating, changing, deleting and restoring posts.

use super::{Deciding, Planner, Planning, State, Stop, failed};
use crate::error::Reason;
use crate::event::{Change, PostChange};
use crate::id::Uid;
use crate::limits::REVISIONS_MAX;
use crate::post::{
    AuthorRow, Body, Draft, Edit, Hidden, Kind, PURGING_MS, Post, PostCommand, PostHeader, PostId,
    PostOutcome, PostStats, Revision, Visibility, check_body, check_draft, visible,
};

/// A post that the actor may see.
pub(super) struct SeenPost {
    /// The post that was named.
    pub named: PostHeader,
    /// What it stands for: itself, or the original of a plain repost.
    pub original: PostHeader,
}

impl<S: State> Planner<'_, S> {
    pub(super) fn post_command(&mut self, command: PostCommand) -> Planning<PostOutcome, S> {
        let (id, decided) = match self.check_actor(&command) {
            Ok(()) => self.decide_post(command),
            Err(stop) => (command.id(), Err(stop)),
        };
        self.post_outcome(id, decided)
    }

    /// A user that is not active writes nothing and likes nothing. An operation that undoes is never refused.
    fn check_actor(&mut self, command: &PostCommand) -> Deciding<(), S> {
        match command {
            PostCommand::Create(_)
            | PostCommand::Update { .. }
            | PostCommand::Restore { .. }
            | PostCommand::Like { .. } => self.check_is_there(command.actor()),
            PostCommand::Delete { .. }
            | PostCommand::Unlike { .. }
            | PostCommand::UndoRepost { .. }
            | PostCommand::Purge { .. }
            | PostCommand::EndPurge { .. }
            | PostCommand::TakeDown { .. }
            | PostCommand::Reinstate { .. } => Ok(()),
        }
    }

    fn decide_post(&mut self, command: PostCommand) -> (Option<PostId>, Deciding<bool, S>) {
        match command {
            PostCommand::Create(draft) => match self.create(draft) {
                Ok((id, new)) => (Some(id), Ok(new)),
                Err(stop) => (None, Err(stop)),
            },
            PostCommand::Update { author, id, edit } => (Some(id), self.update(author, id, edit)),
            PostCommand::Delete { author, id } => (Some(id), self.set_deleted(author, id, true)),
            PostCommand::Restore { author, id } => match self.restore(author, id) {
                Ok((id, changed)) => (Some(id), Ok(changed)),
                Err(stop) => (Some(id), Err(stop)),
            },
            PostCommand::Like { uid, id } => (Some(id), self.like(uid, id)),
            PostCommand::Unlike { uid, id } => (Some(id), self.unlike(uid, id)),
            PostCommand::UndoRepost { uid, id } => (Some(id), self.undo_repost(uid, id)),
            PostCommand::Purge { author, id, deleted_until } => {
                (Some(id), self.purge(author, id, deleted_until))
            }
            PostCommand::EndPurge { author, id } => (Some(id), self.end_purge(author, id)),
            PostCommand::TakeDown { author, id, reason } => (Some(id), self.take_down(author, id, reason)),
            PostCommand::Reinstate { author, id } => (Some(id), self.reinstate(author, id)),
        }
    }

    /// The outcome of an operation on a post, with the post's revision afterwards.
    pub(super) fn post_outcome(
        &mut self,
        id: Option<PostId>,
        decided: Deciding<bool, S>,
    ) -> Planning<PostOutcome, S> {
        let result = match decided {
            Ok(changed) => Ok(changed),
            Err(Stop::Refused(reason)) => Err(reason),
            Err(Stop::Failed(error)) => return Err(error),
        };
        let post = match id {
            Some(id) => self.state.post(id)?,
            None => None,
        };
        let (id, revision) = post.map_or((None, 0), |post| (Some(post.header.id), post.revision));
        Ok(PostOutcome { result, id, revision })
    }

    /// Writes a post; returns its id, and whether it is new.
    fn create(&mut self, draft: Draft) -> Deciding<(PostId, bool), S> {
        check_draft(&draft).map_err(|error| error.reason)?;
        let kind = self.kind_of(&draft)?;
        if let Some(standing) = failed(self.standing_repost(draft.author, kind))? {
            return Ok((standing, false));
        }
        let Draft { author, body, visibility, .. } = draft;
        self.note_audience(author, visibility)?;
        let id = self.state.mint_post(author, self.now_ms);
        let event = Some(self.state.next_event(author));
        let header = PostHeader { id, author, kind, visibility, deleted: false, taken_down: false, event };
        let (update_ms, create_ms) = (self.now_ms, self.now_ms);
        failed(self.add_post(
            Post { header, body, revision: 1, update_ms, create_ms, deleted_ms: None, takedown: None },
            PostChange::Created,
        ))?;
        Ok((id, true))
    }

    /// The plain repost that stands instead of one that is to be new or restored.
    pub(super) fn standing_repost(&mut self, author: Uid, kind: Kind) -> Planning<Option<PostId>, S> {
        let Kind::Repost { of, .. } = kind else { return Ok(None) };
        Ok(self.state.reposts(author, of)?.first().copied())
    }

    /// Adds a post to its author's outbox and to the counters of what it refers to.
    pub(super) fn add_post(&mut self, post: Post, change: PostChange) -> Planning<(), S> {
        let PostHeader { id, author, .. } = post.header;
        self.state.add_to_outbox(author, id)?;
        if !post.header.deleted {
            self.refer(&post.header, true)?;
        }
        self.put_post(post, change)
    }

    /// Returns what a draft is to other posts, if its author may see the one it names and what that stands for.
    fn kind_of(&mut self, draft: &Draft) -> Deciding<Kind, S> {
        let Some(asked) = draft.reply_to.or(draft.repost_of) else { return Ok(Kind::Post) };
        let original = self.seen_by(draft.author, asked)?.original;
        if draft.reply_to.is_some() {
            return Ok(Kind::Reply { to: original.id, author: original.author });
        }
        Ok(repost(&original, draft.author, &draft.body)?)
    }

    /// Changes a post of the author; `false` if that changes nothing.
    fn update(&mut self, author: Uid, id: PostId, edit: Edit) -> Deciding<bool, S> {
        let old = self.own_post(author, id)?;
        if old.header.deleted {
            let is_taken_down = old.header.taken_down;
            return Err(if is_taken_down { Reason::PostTakenDown } else { Reason::PostDeleted }.into());
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
        let narrows = visibility.is_widened_by(old.header.visibility);
        let narrows_alone = narrows && body == old.body;
        if old.revision >= REVISIONS_MAX && !narrows_alone {
            return Err(Reason::LimitReached { limit: REVISIONS_MAX }.into());
        }
        let change = if visibility == old.header.visibility {
            PostChange::Edited
        } else {
            self.note_audience(author, visibility)?;
            if narrows { PostChange::Narrowed } else { PostChange::Widened }
        };
        let header = PostHeader { visibility, ..old.header };
        let (revision, create_ms) = (old.revision + 1, old.create_ms);
        self.put_revision(old);
        failed(self.put_post(
            Post {
                header,
                body,
                revision,
                update_ms: self.now_ms,
                create_ms,
                deleted_ms: None,
                takedown: None,
            },
            change,
        ))?;
        Ok(true)
    }

    fn put_revision(&mut self, old: Post) {
        let Post { header: PostHeader { id, visibility, .. }, body, revision, update_ms, .. } = old;
        self.state.put_revision(id, &Revision { revision, update_ms, visibility, body });
    }

    /// Deletes or restores a post of the author; `false` if it is so already. What is taken down is gone before its author
    /// deletes it, which then only says that it stays so.
    fn set_deleted(&mut self, author: Uid, id: PostId, deleted: bool) -> Deciding<bool, S> {
        let old = self.own_post(author, id)?;
        if old.header.deleted == deleted && !old.header.taken_down {
            return Ok(false);
        }
        let change = if deleted { PostChange::Deleted } else { PostChange::Restored };
        if old.header.deleted != deleted {
            failed(self.refer(&old.header, !deleted))?;
        }
        let deleted_ms = deleted.then_some(self.now_ms);
        let header = PostHeader { deleted, taken_down: false, ..old.header };
        failed(self.put_post(Post { header, deleted_ms, ..old }, change))?;
        Ok(true)
    }

    /// Restores a post; returns its id, or for a plain repost that of another which stands.
    fn restore(&mut self, author: Uid, id: PostId) -> Deciding<(PostId, bool), S> {
        let Post { header: old, revision, takedown, .. } = self.own_post(author, id)?;
        if revision == 0 {
            return Err(Reason::PostDeleted.into());
        }
        if takedown.is_some() {
            return Err(Reason::PostTakenDown.into());
        }
        if old.deleted
            && let Some(standing) = failed(self.standing_repost(author, old.kind))?
        {
            return Ok((standing, false));
        }
        Ok((id, self.set_deleted(author, id, false)?))
    }

    /// Deletes what a user has reposted of a post; `false` without any.
    fn undo_repost(&mut self, uid: Uid, id: PostId) -> Deciding<bool, S> {
        let original = match failed(self.header(id))?.ok_or(Reason::PostNotFound)?.kind {
            Kind::Repost { of, .. } => of,
            Kind::Post | Kind::Reply { .. } | Kind::Quote { .. } => id,
        };
        let standing = failed(self.state.reposts(uid, original))?.to_vec();
        for repost in &standing {
            self.set_deleted(uid, *repost, true)?;
        }
        Ok(!standing.is_empty())
    }

    /// Deletes a post for good: what it said, its earlier revisions, and a source's name for it. What is left tells that it
    /// was, whose, and what it was to others, as counters and places in lists need it. `false` if nothing of it is here.
    fn purge(&mut self, author: Uid, id: PostId, deleted_until: Option<u64>) -> Deciding<bool, S> {
        let post = self.own_post(author, id)?;
        let is_due = deleted_until.is_none_or(|until| post.deleted_ms.is_some_and(|at| at <= until));
        if !is_due {
            return Ok(false);
        }
        // What came deleted says nothing, but has the source's name.
        let had_name = failed(self.state.remove_source(author, id))?;
        if post.revision == 0 {
            return Ok(had_name);
        }
        if !post.header.deleted {
            self.set_deleted(author, id, true)?;
        }
        (1..post.revision).for_each(|revision| self.state.remove_revision(id, revision));
        // A quote that says nothing is a repost.
        let kind = match post.header.kind {
            Kind::Quote { of, author } => Kind::Repost { of, author },
            kind => kind,
        };
        let header = PostHeader { deleted: true, taken_down: false, kind, ..post.header };
        let husk = Post {
            header,
            body: Body::default(),
            revision: 0,
            update_ms: self.now_ms,
            deleted_ms: Some(PURGING_MS),
            takedown: None,
            ..post
        };
        failed(self.put_post(husk, PostChange::Purged))?;
        Ok(true)
    }

    /// Notes that nothing is left to do about a purged post; `false` if nothing was.
    fn end_purge(&mut self, author: Uid, id: PostId) -> Deciding<bool, S> {
        if self.own_post(author, id)?.deleted_ms != Some(PURGING_MS) {
            return Ok(false);
        }
        failed(self.state.end_purge(id))?;
        Ok(true)
    }

    /// A post that only its author may change.
    pub(super) fn own_post(&mut self, author: Uid, id: PostId) -> Deciding<Post, S> {
        let post = failed(self.state.post(id))?.ok_or(Reason::PostNotFound)?;
        if post.header.author != author {
            return Err(Reason::PostForbidden.into());
        }
        Ok(post.clone())
    }

    /// A post without its content.
    pub(super) fn header(&mut self, id: PostId) -> Planning<Option<PostHeader>, S> {
        Ok(self.state.post(id)?.map(|post| post.header))
    }

    /// Returns a post as readers find it: the posts of a user that is not active are as good as deleted.
    fn shown_header(&mut self, id: PostId) -> Planning<Option<PostHeader>, S> {
        let Some(header) = self.header(id)? else { return Ok(None) };
        let is_gone = self.state.standing(header.author)?.is_gone();
        Ok(Some(PostHeader { deleted: header.deleted || is_gone, ..header }))
    }

    /// A post that a user may see, and what it stands for: itself, or the original of a repost, seen as well.
    pub(super) fn seen_by(&mut self, viewer: Uid, id: PostId) -> Deciding<SeenPost, S> {
        let named = failed(self.shown_header(id))?.ok_or(Reason::PostNotFound)?;
        let relation = failed(self.relation(viewer, named.author))?;
        let original = match named.kind {
            Kind::Repost { of, .. } => match failed(self.shown_header(of))? {
                Some(original) => Some((original, failed(self.relation(viewer, original.author))?)),
                None => None,
            },
            Kind::Post | Kind::Reply { .. } | Kind::Quote { .. } => None,
        };
        let shown = [Some(named), original.as_ref().map(|(original, _)| *original)];
        let groups = failed(self.memberships_behind(viewer, shown))?;
        let beside = original.as_ref().map(|(original, relation)| (original, relation));
        let is_in = |owner, id| groups.contains(&(owner, id));
        visible(&named, &relation, beside, viewer, is_in).map_err(Hidden::refusal)?;
        Ok(SeenPost { named, original: original.map_or(named, |(original, _)| original) })
    }

    /// Puts a new or changed post, with its event.
    pub(super) fn put_post(&mut self, post: Post, change: PostChange) -> Planning<(), S> {
        let header = post.header;
        let version = self.state.stamp(header.author, self.now_ms);
        let event = self.state.log(version, header.author, Change::Post { id: header.id, kind: change });
        // An edit changes no list.
        if change != PostChange::Edited {
            let AuthorRow { mut head, mut created_from } = self.state.author(header.author)?;
            if matches!(change, PostChange::Created | PostChange::Imported) {
                head.last_id = head.last_id.max(Some(header.id));
            }
            // Ids of posts that are created rise.
            if change == PostChange::Created {
                created_from = created_from.or(Some(header.id));
            }
            head.last = event;
            if change.resets() {
                head.changed = event;
            }
            self.state.put_author(header.author, AuthorRow { head, created_from })?;
        }
        self.state.put_post(post, event);
        Ok(())
    }

    /// Counts a reply, repost or quote at what it refers to, or no longer does; lists a repost or quote there, and indexes a
    /// plain repost.
    pub(super) fn refer(&mut self, header: &PostHeader, stands: bool) -> Planning<(), S> {
        let (parent, counter): (_, fn(&mut PostStats) -> &mut u64) = match header.kind {
            Kind::Post => return Ok(()),
            Kind::Reply { to, .. } => (to, |stats| &mut stats.replies),
            Kind::Repost { of, .. } | Kind::Quote { of, .. } => (of, |stats| &mut stats.reposts),
        };
        let step = if stands { up } else { down };
        step(counter(self.state.stats(parent)?));
        if let Some((original, _)) = header.kind.shared() {
            self.state.list_repost(original, header.id, stands);
        }
        match header.kind {
            Kind::Repost { of, .. } => self.index_repost(header, of, stands),
            Kind::Post | Kind::Reply { .. } | Kind::Quote { .. } => Ok(()),
        }
    }

    fn index_repost(&mut self, repost: &PostHeader, original: PostId, stands: bool) -> Planning<(), S> {
        let mut ids = self.state.reposts(repost.author, original)?.to_vec();
        match (ids.binary_search(&repost.id), stands) {
            (Err(at), true) => ids.insert(at, repost.id),
            (Ok(at), false) => drop(ids.remove(at)),
            (Ok(_), true) | (Err(_), false) => return Ok(()),
        }
        self.state.put_reposts(repost.author, original, ids);
        Ok(())
    }
}

/// A repost of an original, or a quote if it says something. Only its own author reposts or quotes a post that is not
/// public.
pub(super) fn repost(original: &PostHeader, author: Uid, body: &Body) -> Result<Kind, Reason> {
    if original.visibility != Visibility::Public && original.author != author {
        return Err(Reason::PostForbidden);
    }
    let (of, author) = (original.id, original.author);
    Ok(if body.is_empty() { Kind::Repost { of, author } } else { Kind::Quote { of, author } })
}

/// One more.
pub(super) const fn up(counter: &mut u64) {
    *counter += 1;
}

/// One less.
pub(super) const fn down(counter: &mut u64) {
    *counter = counter.saturating_sub(1);
}
