//! Likes: who likes a post, and how many.

use super::posts::{down, up};
use super::{Deciding, Planner, State, failed};
use crate::error::Reason;
use crate::event::Change;
use crate::id::Uid;
use crate::page::Edge;
use crate::post::PostId;

impl<S: State> Planner<'_, S> {
    /// A user begins to like a post that it may see; `false` if it does already.
    pub(super) fn like(&mut self, uid: Uid, id: PostId) -> Deciding<bool, S> {
        let author = self.seen_by(uid, id)?.named.author;
        if failed(self.state.like(id, uid))?.is_some() {
            return Ok(false);
        }
        let at = self.state.stamp(uid, self.now_ms);
        self.state.put_like(id, Edge { at, uid });
        up(&mut failed(self.state.stats(id))?.likes);
        self.state.log(at, uid, Change::Liked { id, author });
        Ok(true)
    }

    /// A user no longer likes a post; `false` if it did not.
    pub(super) fn unlike(&mut self, uid: Uid, id: PostId) -> Deciding<bool, S> {
        let author = failed(self.header(id))?.ok_or(Reason::PostNotFound)?.author;
        let Some(at) = failed(self.state.like(id, uid))? else { return Ok(false) };
        self.state.remove_like(id, Edge { at, uid });
        down(&mut failed(self.state.stats(id))?.likes);
        let version = self.state.stamp(uid, self.now_ms);
        self.state.log(version, uid, Change::Unliked { id, author });
        Ok(true)
    }
}
