//! Importing posts with given times. The source's name of a post makes a repeat a no-op.

use super::posts::repost;
use super::{Deciding, Planner, Planning, State, failed};
use crate::error::Reason;
use crate::event::PostChange;
use crate::id::Uid;
use crate::limits::IMPORT_SPILL_MS;
use crate::post::{ImportPost, Kind, Post, PostHeader, PostId, PostOutcome, id_of_key};

/// Posts of one time and one gene: the ids of the milliseconds in which they may take theirs.
const PER_TIME_MAX: u32 = PostId::PER_MS * IMPORT_SPILL_MS as u32;

impl<S: State> Planner<'_, S> {
    /// Plans one post of an import.
    pub(super) fn import_outcome(&mut self, post: ImportPost) -> Planning<PostOutcome, S> {
        match self.import_post(post) {
            Ok((id, new)) => self.post_outcome(Some(id), Ok(new)),
            Err(stop) => self.post_outcome(None, Err(stop)),
        }
    }

    /// Imports a post; returns its id, and whether it is new.
    fn import_post(&mut self, post: ImportPost) -> Deciding<(PostId, bool), S> {
        post.check(self.now_ms)?;
        self.check_not_deleted(post.author)?;
        if let Some(known) = self.imported_before(&post)? {
            return Ok((known, false));
        }
        let kind = self.imported_kind(&post)?;
        if !post.deleted
            && let Some(standing) = failed(self.standing_repost(post.author, kind))?
        {
            self.state.put_source(post.author, post.key, standing, false);
            return Ok((standing, false));
        }
        self.note_imported_audience(&post)?;
        let ImportPost { id: wanted, key, author, at_ms, body, visibility, deleted, .. } = post;
        let id = if wanted.is_none() && at_ms > self.now_ms {
            self.state.mint_post(author, self.now_ms)
        } else {
            self.take_id(author, at_ms, wanted)?
        };
        let at_ms = at_ms.min(self.now_ms);
        let header = PostHeader { id, author, kind, visibility, deleted, taken_down: false, event: None };
        let (update_ms, create_ms, revision) = (at_ms, at_ms, u32::from(!deleted));
        self.state.put_source(author, key, id, true);
        failed(self.add_post(
            Post { header, body, revision, update_ms, create_ms, deleted_ms: None, takedown: None },
            PostChange::Imported,
        ))?;
        Ok((id, true))
    }

    /// The wanted id if it is free, else the first free one of the time, or of the milliseconds behind it while those
    /// before are full: so posts of one time keep the order in which they come.
    fn take_id(&mut self, author: Uid, at_ms: u64, wanted: Option<PostId>) -> Deciding<PostId, S> {
        let mut wanted = wanted;
        for ms in at_ms..at_ms.saturating_add(IMPORT_SPILL_MS) {
            if let Some(id) = failed(self.state.take_post(author, ms, wanted.take()))? {
                return Ok(id);
            }
        }
        Err(Reason::LimitReached { limit: PER_TIME_MAX }.into())
    }

    /// The post that is here under a post's key. A post that was written here is the same if its time is, too.
    fn imported_before(&mut self, post: &ImportPost) -> Deciding<Option<PostId>, S> {
        if let Some(known) = failed(self.state.source(post.author, &post.key))? {
            return Ok(Some(known));
        }
        let Some(id) = self.written_here(post.author, &post.key)? else { return Ok(None) };
        match failed(self.state.post(id))? {
            Some(written) if written.create_ms != post.at_ms => {
                Err(Reason::InvalidField { field: "key" }.into())
            }
            _ => Ok(Some(id)),
        }
    }

    /// The post that an author has written here and not imported, by the key that it has when it is exported.
    fn written_here(&mut self, author: Uid, key: &str) -> Deciding<Option<PostId>, S> {
        let Some(id) = id_of_key(key) else { return Ok(None) };
        let header = failed(self.header(id))?;
        Ok(header.filter(|header| header.author == author && header.event.is_some()).map(|header| header.id))
    }

    /// The post that a key means.
    pub(super) fn keyed(&mut self, author: Uid, key: &str) -> Deciding<PostId, S> {
        if let Some(known) = failed(self.state.source(author, key))? {
            return Ok(known);
        }
        Ok(self.written_here(author, key)?.ok_or(Reason::PostNotFound)?)
    }

    /// Returns what an imported post is to others, which are here, and which its author may see unless it is of an
    /// export: there its author could when it was written.
    fn imported_kind(&mut self, post: &ImportPost) -> Deciding<Kind, S> {
        let Some((author, key)) = post.refers_to() else { return Ok(Kind::Post) };
        let asked = self.keyed(*author, key)?;
        let is_reply = post.reply_to.is_some();
        if post.id.is_none() {
            let original = self.seen_by(post.author, asked)?.original;
            if is_reply {
                return Ok(Kind::Reply { to: original.id, author: original.author });
            }
            return Ok(repost(&original, post.author, &post.body)?);
        }
        let named = failed(self.header(asked))?.ok_or(Reason::PostNotFound)?;
        let (of, author) = match named.kind {
            Kind::Repost { of, author } => (of, author),
            Kind::Post | Kind::Reply { .. } | Kind::Quote { .. } => (named.id, named.author),
        };
        Ok(match (is_reply, post.body.is_empty()) {
            (true, _) => Kind::Reply { to: of, author },
            (false, true) => Kind::Repost { of, author },
            (false, false) => Kind::Quote { of, author },
        })
    }
}
