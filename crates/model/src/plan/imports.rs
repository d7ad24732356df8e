//! Importing posts with given times. The source's name of a post makes a repeat a no-op.

use super::posts::repost;
use super::{Deciding, Planner, Planning, State, failed};
use crate::error::Reason;
use crate::event::PostChange;
use crate::id::Uid;
use crate::limits::SOURCE_KEY_LEN_MAX;
use crate::post::{Draft, ImportPost, Kind, Post, PostHeader, PostId, PostOutcome, check_draft};

/// Posts that may carry one millisecond and one gene: the slots of ids.
const PER_MS_MAX: u32 = 16_384;

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
        let ImportPost { key, author, at_ms, body, visibility, reply_to, repost_of } = post;
        // Whether there are references is all that the check needs of them.
        let marker = |reference: &Option<(Uid, String)>| reference.as_ref().map(|_| PostId::MIN);
        let (reply, quote) = (marker(&reply_to), marker(&repost_of));
        let draft = Draft { author, body, visibility, reply_to: reply, repost_of: quote };
        check_draft(&draft).map_err(|error| error.reason)?;
        if at_ms < PostId::EPOCH_MS || at_ms > self.now_ms {
            return Err(Reason::TimeOutOfRange.into());
        }
        if key.is_empty() {
            return Err(Reason::MissingField { field: "key" }.into());
        }
        if key.len() > SOURCE_KEY_LEN_MAX as usize {
            return Err(Reason::TooLong { field: "key", limit: SOURCE_KEY_LEN_MAX }.into());
        }
        if let Some(known) = failed(self.state.source(author, &key))? {
            return Ok((known, false));
        }
        let kind = self.imported_kind(&draft, reply_to.as_ref(), repost_of.as_ref())?;
        if let Some(standing) = failed(self.standing(author, kind))? {
            self.state.put_source(author, key, standing);
            return Ok((standing, false));
        }
        let full = Reason::LimitReached { limit: PER_MS_MAX };
        let id = failed(self.state.take_post(author, at_ms))?.ok_or(full)?;
        let header = PostHeader { id, author, kind, visibility, deleted: false, event: None };
        let (update_ms, create_ms) = (at_ms, at_ms);
        let post = Post { header, body: draft.body, revision: 1, update_ms, create_ms };
        self.state.put_source(author, key, id);
        failed(self.add_post(post, PostChange::Imported))?;
        Ok((id, true))
    }

    /// What an imported post is to others, which were imported before and which its author may see.
    fn imported_kind(
        &mut self,
        draft: &Draft,
        reply_to: Option<&(Uid, String)>,
        repost_of: Option<&(Uid, String)>,
    ) -> Deciding<Kind, S> {
        let Some((author, key)) = reply_to.or(repost_of) else { return Ok(Kind::Post) };
        let asked = failed(self.state.source(*author, key))?.ok_or(Reason::PostNotFound)?;
        let original = self.seen_by(draft.author, asked)?.original;
        if reply_to.is_some() {
            return Ok(Kind::Reply { to: original.id, author: original.author });
        }
        Ok(repost(&original, draft.author, &draft.body)?)
    }
}
