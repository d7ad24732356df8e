//! Reads of posts.

use super::PinnedView;
use crate::engine::EngineError;
use crate::rows;
use guanxi_model::post::PostMarks;
use guanxi_model::{EdgePage, Error, Page, PageStart, Post, PostHeader, PostId, Reason, Result, Uid};
use guanxi_ports::OutboxAsk;

impl PinnedView {
    /// Returns whether a post can exist at this view: ids are minted in ascending order, so one above the last is
    /// newer.
    fn may_exist(&self, id: PostId) -> bool {
        id.get() <= self.view().ids_high
    }

    pub(super) fn post(&self, id: PostId) -> Result<Option<Post>> {
        if !self.may_exist(id) {
            return Ok(None);
        }
        Ok(rows::posts::post(&self.view().snapshot, id)?.map(|value| value.post))
    }

    /// The viewer's marks are looked up only where the post has likes or reposts at all: most posts have none, and the
    /// counters are of the same commit.
    pub(super) fn marks_of(&self, viewer: Option<Uid>, id: PostId) -> Result<PostMarks> {
        let snapshot = &self.view().snapshot;
        let stats = rows::posts::stats(snapshot, id)?;
        let Some(viewer) = viewer else { return Ok(PostMarks { stats, ..PostMarks::default() }) };
        Ok(PostMarks {
            stats,
            liked: stats.likes > 0 && rows::posts::likes(snapshot, id, viewer)?,
            reposted: stats.reposts > 0 && rows::posts::reposted(snapshot, viewer, id)?,
        })
    }

    pub(super) fn likers_page(&self, id: PostId, page: Page) -> Result<EdgePage> {
        let after = match page.start() {
            PageStart::Newest => None,
            PageStart::After(cursor) => Some(cursor.0),
            PageStart::Offset(_) => return Err(Error::new(Reason::InvalidField { field: "offset" })),
        };
        let likes = || Ok(rows::posts::stats(&self.view().snapshot, id)?.likes);
        let part = (after, page.size() + 1);
        let found = self.entries(&self.shared().lists.likers, id, part, likes, rows::posts::likers)?;
        Ok(EdgePage::cut(found, page.size()))
    }

    pub(super) fn reposts_page(
        &self,
        original: PostId,
        below: Option<PostId>,
        max: usize,
    ) -> Result<Vec<PostId>> {
        let standing = || Ok(rows::posts::stats(&self.view().snapshot, original)?.reposts);
        let lists = &self.shared().lists;
        self.entries(&lists.reposts, original, (below, max), standing, rows::posts::reposts_of)
    }

    /// Returns whether each subject follows a user: asked of the subject, whose set is bounded.
    pub(super) fn follow_of(&self, subjects: &[Uid], object: Uid) -> Result<Vec<bool>> {
        let known: Vec<Option<bool>> = {
            let users = self.shared().relations.read(self.view());
            users.get_many(subjects).iter().map(|user| Some((*user)?.packed().follows(object))).collect()
        };
        let follows = |(subject, known): (&Uid, Option<bool>)| {
            known.map_or_else(|| Ok(self.user(*subject)?.packed().follows(object)), Ok)
        };
        subjects.iter().zip(known).map(follows).collect()
    }

    pub(super) fn blocked_by_of(&self, viewer: Uid, authors: &[Uid]) -> Result<Vec<bool>> {
        Ok(self.relations_of(viewer, authors)?.iter().map(|relation| relation.blocked_by).collect())
    }

    pub(super) fn stored(&self, ask: OutboxAsk, max: usize) -> Result<Vec<PostHeader>> {
        let snapshot = &self.view().snapshot;
        let headers = rows::posts::outbox(snapshot, ask.author, ask.below).take(max).map(|id| {
            let id = id?;
            let lost = || EngineError::Damaged(format!("post {id} is missing"));
            Ok(rows::posts::header(snapshot, id)?.ok_or_else(lost)?.0)
        });
        headers.collect()
    }
}
