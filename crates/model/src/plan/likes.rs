//! Likes: who likes a post, and how many.

use super::posts::{down, up};
use super::{Deciding, Planner, Planning, State, failed};
use crate::error::Reason;
use crate::event::Change;
use crate::id::Uid;
use crate::page::Edge;
use crate::post::{ImportLike, PostId, PostOutcome};
use crate::stamp::Stamp;

impl<S: State> Planner<'_, S> {
    /// A user begins to like a post that it may see; `false` if it does already.
    pub(super) fn like(&mut self, uid: Uid, id: PostId) -> Deciding<bool, S> {
        let author = self.seen_by(uid, id)?.named.author;
        failed(self.add_like(uid, id, author, None))
    }

    /// Plans one like of an import.
    pub(super) fn import_like(&mut self, like: &ImportLike) -> Planning<PostOutcome, S> {
        match self.like_at(like) {
            Ok((id, new)) => self.post_outcome(Some(id), Ok(new)),
            Err(stop) => self.post_outcome(None, Err(stop)),
        }
    }

    /// A user has begun to like a post at a given time; returns the post, and whether the like is new.
    fn like_at(&mut self, like: &ImportLike) -> Deciding<(PostId, bool), S> {
        like.check()?;
        self.check_not_deleted(like.uid)?;
        self.check_not_deleted(like.author)?;
        let at = Stamp::of_fact(like.at, self.now_ms)?;
        let id = self.keyed(like.author, &like.key)?;
        Ok((id, failed(self.add_like(like.uid, id, like.author, at))?))
    }

    /// A user likes a post, since now if no time is given; `false` if it does already, since then.
    fn add_like(&mut self, uid: Uid, id: PostId, author: Uid, at: Option<Stamp>) -> Planning<bool, S> {
        if self.state.like(id, uid)?.is_some() {
            return Ok(false);
        }
        let version = self.state.stamp(uid, self.now_ms);
        let at = at.unwrap_or(version);
        self.state.put_like(id, Edge { at, uid });
        up(&mut self.state.stats(id)?.likes);
        self.state.log(version, uid, Change::Liked { id, author, at });
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
