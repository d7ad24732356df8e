//! What an import does to posts.

use super::posts::repost;
use super::state::{Commit, State};
use guanxi_model::event::PostChange;
use guanxi_model::limits::SOURCE_KEY_LEN_MAX;
use guanxi_model::post::{Draft, ImportPost, Kind, PostOutcome, check_draft};
use guanxi_model::{Post, PostHeader, PostId, Reason, Result};

/// Posts that may carry one millisecond and one gene: the slots of ids.
const PER_MS_MAX: u32 = 16_384;

impl State {
    /// Imports a post; one that is known by its source key stays as it is.
    pub(super) fn import_outcome(&mut self, post: &ImportPost, commit: &mut Commit<'_>) -> PostOutcome {
        match self.import_post(post, commit) {
            Ok((id, new)) => self.outcome(Some(id), Ok(new)),
            Err(reason) => self.outcome(None, Err(reason)),
        }
    }

    fn import_post(&mut self, post: &ImportPost, commit: &mut Commit<'_>) -> Result<(PostId, bool), Reason> {
        let ImportPost { key, author, at_ms, body, visibility, .. } = post;
        check_import(post, commit.now_ms)?;
        let source = (*author, key.clone());
        if let Some(known) = self.posts.sources.get(&source) {
            return Ok((*known, false));
        }
        let kind = self.imported_kind(post)?;
        if let Some(standing) = self.standing(*author, kind) {
            self.posts.sources.insert(source, standing);
            return Ok((standing, false));
        }
        let id = PostId::at_ms(*author, *at_ms)
            .find(|id| !self.posts.posts.contains_key(id))
            .ok_or(Reason::LimitReached { limit: PER_MS_MAX })?;
        self.posts.ids.observe(id);
        self.posts.sources.insert(source, id);
        // Never new to anybody: no event made it.
        let item =
            PostHeader { id, author: *author, kind, visibility: *visibility, deleted: false, event: None };
        let (update_ms, create_ms) = (*at_ms, *at_ms);
        let post = Post { header: item, body: body.clone(), revision: 1, update_ms, create_ms };
        self.add(post, PostChange::Imported, commit);
        Ok((id, true))
    }

    /// What an imported post is to others, which were imported before and which its author may see.
    fn imported_kind(&self, post: &ImportPost) -> Result<Kind, Reason> {
        let Some(source) = post.reply_to.as_ref().or(post.repost_of.as_ref()) else { return Ok(Kind::Post) };
        let asked = self.posts.sources.get(source).ok_or(Reason::PostNotFound)?;
        let original = self.original(*asked, post.author)?;
        if post.reply_to.is_some() {
            return Ok(Kind::Reply { to: original.id, author: original.author });
        }
        repost(&original, post.author, &post.body)
    }
}

/// Checks a post to import by itself.
fn check_import(post: &ImportPost, now_ms: u64) -> Result<(), Reason> {
    // That there are references is all that the check of a draft needs of them.
    let draft = Draft {
        author: post.author,
        body: post.body.clone(),
        visibility: post.visibility,
        reply_to: post.reply_to.as_ref().map(|_| PostId::MIN),
        repost_of: post.repost_of.as_ref().map(|_| PostId::MIN),
    };
    check_draft(&draft).map_err(|error| error.reason)?;
    if post.at_ms < PostId::EPOCH_MS || post.at_ms > now_ms {
        return Err(Reason::TimeOutOfRange);
    }
    if post.key.is_empty() {
        return Err(Reason::MissingField { field: "key" });
    }
    if post.key.len() > SOURCE_KEY_LEN_MAX as usize {
        return Err(Reason::TooLong { field: "key", limit: SOURCE_KEY_LEN_MAX });
    }
    Ok(())
}
