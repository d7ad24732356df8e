//! Taking posts and users down, and reinstating them.

use super::{Deciding, Planner, State, failed};
use crate::error::Reason;
use crate::event::{PostChange, UserChange};
use crate::id::Uid;
use crate::post::{Post, PostHeader, PostId};
use crate::user::User;

impl<S: State> Planner<'_, S> {
    /// Takes a post down; `false` if it is already, and keeps its first reason.
    pub(super) fn take_down(&mut self, author: Uid, id: PostId, reason: String) -> Deciding<bool, S> {
        let old = self.own_post(author, id)?;
        if old.revision == 0 {
            return Err(Reason::PostDeleted.into());
        }
        if old.takedown.is_some() {
            return Ok(false);
        }
        if !old.header.deleted {
            failed(self.refer(&old.header, false))?;
        }
        let header = PostHeader { deleted: true, taken_down: !old.header.deleted, ..old.header };
        failed(self.put_post(Post { header, takedown: Some(reason), ..old }, PostChange::TakenDown))?;
        Ok(true)
    }

    /// Ends that a post is taken down; `false` if it is not.
    pub(super) fn reinstate(&mut self, author: Uid, id: PostId) -> Deciding<bool, S> {
        let old = self.own_post(author, id)?;
        if old.takedown.is_none() {
            return Ok(false);
        }
        let mut new = Post { takedown: None, ..old };
        if new.header.taken_down {
            // The author may have reposted the original again: a user has one plain repost of it at a time.
            let is_replaced = failed(self.standing_repost(author, new.header.kind))?.is_some();
            (new.header.taken_down, new.header.deleted) = (false, is_replaced);
            if is_replaced {
                new.deleted_ms = Some(self.now_ms);
            } else {
                failed(self.refer(&new.header, true))?;
            }
        }
        failed(self.put_post(new, PostChange::Reinstated))?;
        Ok(true)
    }

    /// Takes a user down and ends its sessions; `false` if it is already, and keeps its first reason.
    pub(super) fn take_user_down(&mut self, uid: Uid, reason: String) -> Deciding<bool, S> {
        self.check_not_deleted(uid)?;
        let old = failed(self.user_or_unknown(uid))?;
        if old.takedown.is_some() {
            // As for a deactivated user: an operator may have made tokens of it since.
            failed(self.end_sessions(uid))?;
            return Ok(false);
        }
        let was_there = !old.standing().is_gone();
        let new = User { takedown: Some(reason), revision: old.revision + 1, ..old };
        let event = failed(self.put_user(new, UserChange::TakenDown))?;
        failed(self.end_sessions(uid))?;
        if was_there {
            failed(self.reset_author(uid, event))?;
        }
        Ok(true)
    }

    /// Ends that a user is taken down; `false` if it is not.
    pub(super) fn reinstate_user(&mut self, uid: Uid) -> Deciding<bool, S> {
        self.check_not_deleted(uid)?;
        let old = failed(self.user_or_unknown(uid))?;
        if old.takedown.is_none() {
            return Ok(false);
        }
        let new = User { takedown: None, revision: old.revision + 1, ..old };
        let is_there = !new.standing().is_gone();
        let event = failed(self.put_user(new, UserChange::Reinstated))?;
        if is_there {
            failed(self.reset_author(uid, event))?;
        }
        Ok(true)
    }

    /// Refuses who is taken down, with the reason.
    pub(super) fn check_not_taken_down(&mut self, uid: Uid) -> Deciding<(), S> {
        if !failed(self.state.standing(uid))?.taken_down {
            return Ok(());
        }
        let reason = failed(self.state.user(uid))?.and_then(|user| user.takedown).unwrap_or_default();
        Err(Reason::UserTakenDown { reason }.into())
    }
}
