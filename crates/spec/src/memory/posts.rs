//! What a write does to posts.

use super::state::{Commit, Maps};
use guanxi_model::event::PostChange;
use guanxi_model::limits::REVISIONS_MAX;
use guanxi_model::post::{
    Body, Draft, Edit, Hidden, Kind, PURGING_MS, PostCommand, PostOutcome, Revision, check_body, check_draft,
    visible,
};
use guanxi_model::{Change, EventAt, Post, PostHeader, PostId, Reason, Relation, Result, Uid, Visibility};
use guanxi_ports::AuthorHead;

/// The answer to an operation on one post: whether state changed, or why not.
type Decided = Result<bool, Reason>;

impl Maps {
    pub(super) fn post_command(&mut self, command: &PostCommand, commit: &mut Commit<'_>) -> PostOutcome {
        let is_new = matches!(
            command,
            PostCommand::Create(_)
                | PostCommand::Update { .. }
                | PostCommand::Restore { .. }
                | PostCommand::Like { .. }
        );
        let refusal = self.standing(command.actor()).refusal().filter(|_| is_new);
        if let Some(reason) = refusal {
            return self.outcome(command.id(), Err(reason));
        }
        let (id, result) = match command {
            PostCommand::Create(draft) => match self.create(draft, commit) {
                Ok((id, new)) => (Some(id), Ok(new)),
                Err(reason) => (None, Err(reason)),
            },
            PostCommand::Update { author, id, edit } => (Some(*id), self.update(*author, *id, edit, commit)),
            PostCommand::Delete { author, id } => (Some(*id), self.set_deleted(*author, *id, true, commit)),
            PostCommand::Restore { author, id } => match self.standing_instead(*author, *id) {
                Some(standing) => (Some(standing), Ok(false)),
                None => (Some(*id), self.restore(*author, *id, commit)),
            },
            PostCommand::Like { uid, id } => (Some(*id), self.like(*uid, *id, commit)),
            PostCommand::Unlike { uid, id } => (Some(*id), self.unlike(*uid, *id, commit)),
            PostCommand::UndoRepost { uid, id } => (Some(*id), self.undo_repost(*uid, *id, commit)),
            PostCommand::Purge { author, id, deleted_until } => {
                (Some(*id), self.purge(*author, *id, *deleted_until, commit))
            }
            PostCommand::EndPurge { author, id } => (Some(*id), self.end_purge(*author, *id)),
            PostCommand::TakeDown { author, id, reason } => {
                (Some(*id), self.take_down(*author, *id, reason, commit))
            }
            PostCommand::Reinstate { author, id } => (Some(*id), self.reinstate(*author, *id, commit)),
        };
        self.outcome(id, result)
    }

    /// An outcome with the post in question, if it exists, as it is now.
    pub(super) fn outcome(&self, id: Option<PostId>, result: Decided) -> PostOutcome {
        let post = id.and_then(|id| self.posts.posts.get(&id));
        PostOutcome {
            result,
            id: post.map(|post| post.header.id),
            revision: post.map_or(0, |post| post.revision),
        }
    }

    pub(super) fn post(&self, id: PostId) -> Result<&Post, Reason> {
        self.posts.posts.get(&id).ok_or(Reason::PostNotFound)
    }

    /// Returns a post as readers find it: a post of an inactive author is as good as deleted.
    fn shown(&self, id: PostId) -> Result<PostHeader, Reason> {
        let header = self.post(id)?.header;
        Ok(PostHeader { deleted: header.deleted || self.standing(header.author).is_gone(), ..header })
    }

    /// The original that a post stands for: itself, or what it reposts. The user must see both.
    pub(super) fn original(&self, id: PostId, viewer: Uid) -> Result<PostHeader, Reason> {
        let item = self.shown(id)?;
        let original = match item.kind {
            Kind::Repost { of, .. } => self.shown(of)?,
            Kind::Post | Kind::Reply { .. } | Kind::Quote { .. } => item,
        };
        let to_original = self.relation_of_reader(viewer, original.author);
        visible(
            &item,
            &self.relation_of_reader(viewer, item.author),
            Some((&original, &to_original)),
            viewer,
            |owner, id| self.groups.has(owner, id, viewer),
        )
        .map_err(|hidden| match hidden {
            Hidden::Deleted | Hidden::OriginalGone => Reason::PostDeleted,
            _ => Reason::PostForbidden,
        })?;
        Ok(original)
    }

    /// Returns what the rules of visibility ask of a viewer and an author: whether the author follows the viewer is the
    /// author's own fact, which lies beside its posts.
    fn relation_of_reader(&self, viewer: Uid, author: Uid) -> Relation {
        Relation {
            followed_by: self.follows.contains_key(&(author, viewer)),
            ..self.relation(viewer, author)
        }
    }

    /// The plain reposts of a post by a user that stand, oldest first. There is one at most, but for old ones.
    pub(super) fn plain_reposts(&self, uid: Uid, original: PostId) -> Vec<PostId> {
        let posts = self.posts.posts.values().map(|post| post.header);
        let by_user = posts.filter(|item| item.author == uid && !item.deleted);
        by_user
            .filter(|item| matches!(item.kind, Kind::Repost { of, .. } if of == original))
            .map(|item| item.id)
            .collect()
    }

    /// The plain repost that stands instead of one that is to be new or restored.
    pub(super) fn standing_repost(&self, uid: Uid, kind: Kind) -> Option<PostId> {
        let Kind::Repost { of, .. } = kind else { return None };
        self.plain_reposts(uid, of).first().copied()
    }

    fn standing_instead(&self, author: Uid, id: PostId) -> Option<PostId> {
        let Post { header: item, revision, takedown, .. } = self.posts.posts.get(&id)?;
        if item.author == author && item.deleted && *revision > 0 && takedown.is_none() {
            self.standing_repost(author, item.kind)
        } else {
            None
        }
    }

    fn undo_repost(&mut self, uid: Uid, id: PostId, commit: &mut Commit<'_>) -> Decided {
        let original = match self.post(id)?.header.kind {
            Kind::Repost { of, .. } => of,
            Kind::Post | Kind::Reply { .. } | Kind::Quote { .. } => id,
        };
        let standing = self.plain_reposts(uid, original);
        for repost in &standing {
            self.set_deleted(uid, *repost, true, commit)?;
        }
        Ok(!standing.is_empty())
    }

    /// Writes a post; returns its id, and whether it is new.
    fn create(&mut self, draft: &Draft, commit: &mut Commit<'_>) -> Result<(PostId, bool), Reason> {
        check_draft(draft).map_err(|error| error.reason)?;
        let kind = self.kind_of(draft)?;
        if let Some(standing) = self.standing_repost(draft.author, kind) {
            return Ok((standing, false));
        }
        let Draft { author, visibility, .. } = *draft;
        self.groups.address(author, visibility)?;
        let id = self.posts.ids.mint(commit.now_ms, author);
        // The next event is the one that makes it.
        let item = PostHeader {
            id,
            author,
            kind,
            visibility,
            deleted: false,
            taken_down: false,
            event: Some(self.next_at(author, commit.options.logs)),
        };
        let (update_ms, create_ms) = (commit.now_ms, commit.now_ms);
        let post = Post {
            header: item,
            body: draft.body.clone(),
            revision: 1,
            update_ms,
            create_ms,
            deleted_ms: None,
            takedown: None,
        };
        self.add(post, PostChange::Created, commit);
        Ok((id, true))
    }

    /// Adds a post to its author's outbox.
    pub(super) fn add(&mut self, post: Post, change: PostChange, commit: &mut Commit<'_>) {
        let item = post.header;
        self.posts.posts.insert(item.id, post);
        self.posts.outboxes.insert((item.author, item.id));
        self.changed(item, change, commit);
    }

    /// Returns what a draft is to other posts, which its author may see.
    fn kind_of(&self, draft: &Draft) -> Result<Kind, Reason> {
        let Some(asked) = draft.reply_to.or(draft.repost_of) else { return Ok(Kind::Post) };
        let original = self.original(asked, draft.author)?;
        if draft.reply_to.is_some() {
            return Ok(Kind::Reply { to: original.id, author: original.author });
        }
        repost(&original, draft.author, &draft.body)
    }

    fn update(&mut self, author: Uid, id: PostId, edit: &Edit, commit: &mut Commit<'_>) -> Decided {
        let old = self.own_post(author, id)?.clone();
        if old.header.taken_down {
            return Err(Reason::PostTakenDown);
        }
        if old.header.deleted {
            return Err(Reason::PostDeleted);
        }
        if edit.expected_revision.is_some_and(|expected| expected != old.revision) {
            return Err(Reason::RevisionMismatch { revision: old.revision });
        }
        let body = Body {
            text: edit.text.clone().unwrap_or_else(|| old.body.text.clone()),
            attachments: edit.attachments.clone().unwrap_or_else(|| old.body.attachments.clone()),
        };
        let visibility = edit.visibility.unwrap_or(old.header.visibility);
        check_body(&body)?;
        let says_other = body != old.body;
        if says_other && matches!(old.header.kind, Kind::Repost { .. }) {
            return Err(Reason::InvalidField { field: "text" });
        }
        if says_other && body.says_nothing() {
            return Err(Reason::MissingField { field: "text" });
        }
        if !says_other && visibility == old.header.visibility {
            return Ok(false);
        }
        // Fewer may always be shown a post, by an edit of that alone.
        let only_narrows = !says_other && visibility.is_widened_by(old.header.visibility);
        if old.revision >= REVISIONS_MAX && !only_narrows {
            return Err(Reason::LimitReached { limit: REVISIONS_MAX });
        }
        if visibility != old.header.visibility {
            self.groups.address(author, visibility)?;
        }
        let change =
            match (visibility == old.header.visibility, visibility.is_widened_by(old.header.visibility)) {
                (true, _) => PostChange::Edited,
                (false, true) => PostChange::Narrowed,
                (false, false) => PostChange::Widened,
            };
        let item = PostHeader { visibility, ..old.header };
        let (revision, create_ms) = (old.revision + 1, old.create_ms);
        let (update_ms, deleted_ms) = (commit.now_ms, None);
        let new = Post { header: item, body, revision, update_ms, create_ms, deleted_ms, takedown: None };
        let Post { revision, update_ms, body, .. } = old;
        let earlier = Revision { revision, update_ms, visibility: old.header.visibility, body };
        self.posts.history.insert((id, revision), earlier);
        self.posts.posts.insert(id, new);
        self.changed(item, change, commit);
        Ok(true)
    }

    fn restore(&mut self, author: Uid, id: PostId, commit: &mut Commit<'_>) -> Decided {
        let post = self.own_post(author, id)?;
        if post.revision == 0 {
            // Nothing of it came here.
            return Err(Reason::PostDeleted);
        }
        if post.takedown.is_some() {
            return Err(Reason::PostTakenDown);
        }
        self.set_deleted(author, id, false, commit)
    }

    /// Deletes or restores a post. What is taken down is gone already, but not by its author.
    fn set_deleted(&mut self, author: Uid, id: PostId, deleted: bool, commit: &mut Commit<'_>) -> Decided {
        let old = self.own_post(author, id)?.header;
        if old.deleted == deleted && !old.taken_down {
            return Ok(false);
        }
        let header = PostHeader { deleted, taken_down: false, ..old };
        if let Some(post) = self.posts.posts.get_mut(&id) {
            post.header = header;
            post.deleted_ms = deleted.then_some(commit.now_ms);
        }
        let change = if deleted { PostChange::Deleted } else { PostChange::Restored };
        self.changed(header, change, commit);
        Ok(true)
    }

    /// Hides a post from everybody but its author.
    fn take_down(&mut self, author: Uid, id: PostId, reason: &str, commit: &mut Commit<'_>) -> Decided {
        let old = self.own_post(author, id)?;
        if old.revision == 0 {
            return Err(Reason::PostDeleted);
        }
        if old.takedown.is_some() {
            return Ok(false);
        }
        let header = PostHeader { deleted: true, taken_down: !old.header.deleted, ..old.header };
        if let Some(post) = self.posts.posts.get_mut(&id) {
            post.header = header;
            post.takedown = Some(reason.to_owned());
        }
        self.changed(header, PostChange::TakenDown, commit);
        Ok(true)
    }

    /// Shows a post that was taken down, unless its author has deleted it, or reposted the same again.
    fn reinstate(&mut self, author: Uid, id: PostId, commit: &mut Commit<'_>) -> Decided {
        let old = self.own_post(author, id)?;
        if old.takedown.is_none() {
            return Ok(false);
        }
        let old = old.header;
        let is_replaced = old.taken_down && self.standing_repost(author, old.kind).is_some();
        let deleted = is_replaced || !old.taken_down;
        let header = PostHeader { deleted, taken_down: false, ..old };
        if let Some(post) = self.posts.posts.get_mut(&id) {
            post.header = header;
            post.takedown = None;
            post.deleted_ms = if is_replaced { Some(commit.now_ms) } else { post.deleted_ms };
        }
        self.changed(header, PostChange::Reinstated, commit);
        Ok(true)
    }

    /// Removes all that a post said and says, and keeps that it was.
    fn purge(
        &mut self,
        author: Uid,
        id: PostId,
        deleted_until: Option<u64>,
        commit: &mut Commit<'_>,
    ) -> Decided {
        let post = self.own_post(author, id)?;
        if let Some(until) = deleted_until
            && post.deleted_ms.is_none_or(|at| at > until)
        {
            return Ok(false);
        }
        let (says_nothing, is_gone) = (post.revision == 0, post.header.deleted);
        self.posts.names.remove(&id);
        let names = self.posts.sources.len();
        self.posts.sources.retain(|(of, _), known| *of != author || *known != id);
        let had_name = self.posts.sources.len() < names;
        if says_nothing {
            return Ok(had_name);
        }
        if !is_gone {
            self.set_deleted(author, id, true, commit)?;
        }
        self.posts.history.retain(|(of, _), _| *of != id);
        let Some(post) = self.posts.posts.get_mut(&id) else { return Err(Reason::PostNotFound) };
        (post.body, post.revision, post.update_ms) = (Body::default(), 0, commit.now_ms);
        (post.deleted_ms, post.takedown, post.header.taken_down) = (Some(PURGING_MS), None, false);
        if let Kind::Quote { of, author } = post.header.kind {
            post.header.kind = Kind::Repost { of, author };
        }
        let header = post.header;
        self.changed(header, PostChange::Purged, commit);
        Ok(true)
    }

    /// Forgets that likes of a purged post are to be taken back.
    fn end_purge(&mut self, author: Uid, id: PostId) -> Decided {
        let is_purging = self.own_post(author, id)?.deleted_ms == Some(PURGING_MS);
        if let Some(post) = self.posts.posts.get_mut(&id).filter(|_| is_purging) {
            post.deleted_ms = None;
        }
        Ok(is_purging)
    }

    /// A post that only its author may change.
    fn own_post(&self, author: Uid, id: PostId) -> Result<&Post, Reason> {
        let post = self.post(id)?;
        if post.header.author == author { Ok(post) } else { Err(Reason::PostForbidden) }
    }

    fn like(&mut self, uid: Uid, id: PostId, commit: &mut Commit<'_>) -> Decided {
        self.original(id, uid)?;
        let author = self.post(id)?.header.author;
        if self.posts.liked.contains_key(&(uid, id)) {
            return Ok(false);
        }
        let version = self.hlc.tick(commit.now_ms);
        self.posts.liked.insert((uid, id), version);
        self.log_for(version, uid, Change::Liked { id, author, at: version }, (author, None), commit);
        Ok(true)
    }

    fn unlike(&mut self, uid: Uid, id: PostId, commit: &mut Commit<'_>) -> Decided {
        let author = self.post(id)?.header.author;
        if self.posts.liked.remove(&(uid, id)).is_none() {
            return Ok(false);
        }
        let version = self.hlc.tick(commit.now_ms);
        self.log_for(version, uid, Change::Unliked { id, author }, (author, None), commit);
        Ok(true)
    }

    /// Logs a change of a post, and notes it in the head of its author's outbox.
    fn changed(&mut self, item: PostHeader, kind: PostChange, commit: &mut Commit<'_>) {
        let version = self.hlc.tick(commit.now_ms);
        let change = Change::Post { id: item.id, kind };
        let at = match item.kind {
            Kind::Post => self.log(version, item.author, change, commit),
            Kind::Reply { author, .. } | Kind::Repost { author, .. } | Kind::Quote { author, .. } => {
                self.log_for(version, item.author, change, (author, Some(item)), commit)
            }
        };
        if kind == PostChange::Edited {
            return;
        }
        let beginning = EventAt::beginning(at.log());
        let none = AuthorHead { last_id: None, last: beginning, changed: beginning };
        let head = self.posts.heads.entry(item.author).or_insert(none);
        head.last_id = head.last_id.max(Some(item.id));
        head.last = at;
        if kind != PostChange::Created {
            head.changed = at;
        }
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
