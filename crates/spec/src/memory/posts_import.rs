//! What an import does to posts and likes.

use super::posts::repost;
use super::state::{Commit, Maps};
use guanxi_model::event::PostChange;
use guanxi_model::limits::FACT_AHEAD_MAX_MS;
use guanxi_model::post::{ImportLike, ImportPost, Kind, PostOutcome, id_of_key};
use guanxi_model::{Change, Post, PostHeader, PostId, Reason, Result, Uid};

/// Milliseconds in which posts of one time take their ids, of which each has 16,384 for one gene.
const SPILL_MS: u64 = 1_000;
const PER_TIME_MAX: u32 = 16_384_000;

impl Maps {
    /// Imports a post; one that is known by its source key stays as it is.
    pub(super) fn import_outcome(&mut self, post: &ImportPost, commit: &mut Commit<'_>) -> PostOutcome {
        match self.import_post(post, commit) {
            Ok((id, new)) => self.outcome(Some(id), Ok(new)),
            Err(reason) => self.outcome(None, Err(reason)),
        }
    }

    fn import_post(&mut self, post: &ImportPost, commit: &mut Commit<'_>) -> Result<(PostId, bool), Reason> {
        let ImportPost { key, author, at_ms, body, visibility, deleted, .. } = post;
        post.check(commit.now_ms)?;
        if self.is_deleted(*author) {
            return Err(Reason::UserDeleted);
        }
        match self.keyed(*author, key) {
            Some(id) if !self.is_imported_as(id, *author, key) && self.post(id)?.create_ms != *at_ms => {
                return Err(Reason::InvalidField { field: "key" });
            }
            Some(id) => return Ok((id, false)),
            None => {}
        }
        let kind = self.imported_kind(post)?;
        let source = (*author, key.clone());
        if !deleted && let Some(standing) = self.standing_repost(*author, kind) {
            self.posts.sources.insert(source, standing);
            return Ok((standing, false));
        }
        self.groups.address_imported(post)?;
        let id = if post.id.is_none() && *at_ms > commit.now_ms {
            self.posts.ids.mint(commit.now_ms, *author)
        } else {
            let is_free = |id: &PostId| !self.posts.posts.contains_key(id);
            // A millisecond is full when its last id is taken.
            let open = |ms: &u64| PostId::last_at_ms(*author, *ms).is_some_and(|last| is_free(&last));
            let first_open = || (*at_ms..*at_ms + SPILL_MS).find(open);
            let first_free = || PostId::at_ms(*author, first_open()?).find(is_free);
            post.id.filter(is_free).or_else(first_free).ok_or(Reason::LimitReached { limit: PER_TIME_MAX })?
        };
        let at_ms = (*at_ms).min(commit.now_ms);
        self.posts.ids.observe(id);
        self.posts.sources.insert(source, id);
        self.posts.names.insert(id, key.clone());
        let (author, visibility, deleted) = (*author, *visibility, *deleted);
        // Never new to anybody: no event made it.
        let item = PostHeader { id, author, kind, visibility, deleted, taken_down: false, event: None };
        let (update_ms, create_ms, revision) = (at_ms, at_ms, u32::from(!deleted));
        let post = Post {
            header: item,
            body: body.clone(),
            revision,
            update_ms,
            create_ms,
            deleted_ms: None,
            takedown: None,
        };
        self.add(post, PostChange::Imported, commit);
        Ok((id, true))
    }

    fn is_imported_as(&self, id: PostId, author: Uid, key: &str) -> bool {
        self.posts.sources.get(&(author, key.to_owned())) == Some(&id)
    }

    /// The post that a key means: what was imported under it, or what its author has written here.
    fn keyed(&self, author: Uid, key: &str) -> Option<PostId> {
        if let Some(id) = self.posts.sources.get(&(author, key.to_owned())) {
            return Some(*id);
        }
        let written = self.posts.posts.get(&id_of_key(key)?)?.header;
        (written.author == author && written.event.is_some()).then_some(written.id)
    }

    /// The key under which a post is exported: the one that it was imported with, else its id, with pluses while another
    /// post of the author was imported under that.
    pub(super) fn key_of(&self, post: &PostHeader) -> String {
        if let Some(name) = self.posts.names.get(&post.id) {
            return name.clone();
        }
        let mut key = post.id.to_string();
        while self.posts.sources.contains_key(&(post.author, key.clone())) {
            key.push('+');
        }
        key
    }

    /// Returns what an imported post is to others, which were there before. Its author may see them, or could when it was
    /// written in the store that it comes from.
    fn imported_kind(&self, post: &ImportPost) -> Result<Kind, Reason> {
        let Some((author, key)) = post.refers_to() else { return Ok(Kind::Post) };
        let asked = self.keyed(*author, key).ok_or(Reason::PostNotFound)?;
        let original = if post.id.is_none() {
            self.original(asked, post.author)?
        } else {
            let named = self.post(asked)?.header;
            match named.kind {
                Kind::Repost { of, .. } => self.post(of)?.header,
                _ => named,
            }
        };
        let (of, author) = (original.id, original.author);
        match &post.reply_to {
            Some(_) => Ok(Kind::Reply { to: of, author }),
            None if post.id.is_none() => repost(&original, post.author, &post.body),
            None if post.body.is_empty() => Ok(Kind::Repost { of, author }),
            None => Ok(Kind::Quote { of, author }),
        }
    }

    /// Imports a like; one that is there keeps its time.
    pub(super) fn import_like(&mut self, like: &ImportLike, commit: &mut Commit<'_>) -> PostOutcome {
        let ImportLike { uid, author, key, at } = like;
        if let Err(reason) = like.check() {
            return self.outcome(None, Err(reason));
        }
        if self.is_deleted(*uid) || self.is_deleted(*author) {
            return self.outcome(None, Err(Reason::UserDeleted));
        }
        if at.is_some_and(|at| at.ms() > commit.now_ms + FACT_AHEAD_MAX_MS) {
            return self.outcome(None, Err(Reason::TimeOutOfRange));
        }
        let Some(id) = self.keyed(*author, key) else {
            return self.outcome(None, Err(Reason::PostNotFound));
        };
        let is_new = !self.posts.liked.contains_key(&(*uid, id));
        if is_new {
            let version = self.hlc.tick(commit.now_ms);
            let at = at.filter(|at| at.ms() <= commit.now_ms).unwrap_or(version);
            self.posts.liked.insert((*uid, id), at);
            let liked = Change::Liked { id, author: *author, at };
            self.log_for(version, *uid, liked, (*author, None), commit);
        }
        self.outcome(Some(id), Ok(is_new))
    }
}
