//! Importing posts with given times. The source's name of a post makes a repeat a no-op.

use super::Deciding;
use super::commands::repost;
use crate::engine::Table;
use crate::layout::{encode_number, source_key};
use crate::writer::plan::{Planner, Planning};
use guanxi_model::event::PostChange;
use guanxi_model::limits::SOURCE_KEY_LEN_MAX;
use guanxi_model::post::{Draft, ImportPost, Kind, PostOutcome, check_draft};
use guanxi_model::{Post, PostHeader, PostId, Reason, Uid};

/// Posts that may carry one millisecond and one gene: the slots of ids.
const PER_MS_MAX: u32 = 16_384;

impl Planner<'_> {
    /// Plans one post of an import.
    pub(in crate::writer) fn import_outcome(&mut self, post: ImportPost) -> Planning<PostOutcome> {
        match self.import_post(post) {
            Ok((id, new)) => self.post_outcome(Some(id), Ok(new)),
            Err(stop) => self.post_outcome(None, Err(stop)),
        }
    }

    /// Imports a post; returns its id, and whether it is new.
    fn import_post(&mut self, post: ImportPost) -> Deciding<(PostId, bool)> {
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
        let source = (author, key);
        if let Some(known) = self.posts.source(&self.snapshot, &source)? {
            return Ok((known, false));
        }
        let kind = self.imported_kind(&draft, reply_to.as_ref(), repost_of.as_ref())?;
        if let Some(standing) = self.standing(author, kind)? {
            self.put_source(source, standing);
            return Ok((standing, false));
        }
        let full = Reason::LimitReached { limit: PER_MS_MAX };
        let id = self.posts.take_id(&self.snapshot, author, at_ms)?.ok_or(full)?;
        let item = PostHeader { id, author, kind, visibility, deleted: false, event: None };
        let (update_ms, create_ms) = (at_ms, at_ms);
        let post = Post { header: item, body: draft.body, revision: 1, update_ms, create_ms };
        self.put_source(source, id);
        self.add_post(post, PostChange::Imported)?;
        Ok((id, true))
    }

    /// What an imported post is to others, which were imported before and which its author may see.
    fn imported_kind(
        &mut self,
        draft: &Draft,
        reply_to: Option<&(Uid, String)>,
        repost_of: Option<&(Uid, String)>,
    ) -> Deciding<Kind> {
        let Some(source) = reply_to.or(repost_of) else { return Ok(Kind::Post) };
        let asked = self.posts.source(&self.snapshot, source)?.ok_or(Reason::PostNotFound)?;
        let original = self.seen_by(draft.author, asked)?.original;
        if reply_to.is_some() {
            return Ok(Kind::Reply { to: original.id, author: original.author });
        }
        Ok(repost(&original, draft.author, &draft.body)?)
    }

    fn put_source(&mut self, source: (Uid, String), id: PostId) {
        self.batch.put(Table::Records, &source_key(source.0, &source.1), &encode_number(id.get()));
        self.posts.put_source(source, id);
    }
}
