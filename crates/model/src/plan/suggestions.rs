//! What users note of suggestions.

use super::{Deciding, Planner, Planning, State, Stop, failed};
use crate::error::{Reason, Result};
use crate::id::Uid;
use crate::limits::DISMISSED_MAX;
use crate::stamp::Stamp;
use crate::suggestion::DismissCommand;

impl<S: State> Planner<'_, S> {
    /// Dismisses somebody, or takes that back.
    pub(super) fn dismissal(&mut self, command: DismissCommand) -> Planning<Result<bool, Reason>, S> {
        match self.dismiss(command) {
            Ok(changed) => Ok(Ok(changed)),
            Err(Stop::Refused(reason)) => Ok(Err(reason)),
            Err(Stop::Failed(error)) => Err(error),
        }
    }

    fn dismiss(&mut self, DismissCommand { viewer, uid, dismissed }: DismissCommand) -> Deciding<bool, S> {
        if viewer == uid {
            return Err(Reason::SelfRelation.into());
        }
        let known = failed(self.state.dismissed(viewer))?;
        if known.iter().any(|edge| edge.uid == uid) == dismissed {
            return Ok(false);
        }
        if dismissed {
            self.check_not_deleted(viewer)?;
            self.check_not_deleted(uid)?;
            // A user cannot undo a dismissal of long ago: the oldest makes room.
            let oldest = known.iter().min().filter(|_| known.len() >= DISMISSED_MAX as usize);
            if let Some(oldest) = oldest {
                failed(self.state.put_dismissed(viewer, oldest.uid, None))?;
            }
        }
        let at = dismissed.then(|| Stamp::from_ms(self.now_ms));
        failed(self.state.put_dismissed(viewer, uid, at))?;
        Ok(true)
    }

    /// Forgets all whom a user has dismissed.
    pub(super) fn forget_dismissed(&mut self, viewer: Uid) -> Planning<(), S> {
        for edge in self.state.dismissed(viewer)? {
            self.state.put_dismissed(viewer, edge.uid, None)?;
        }
        Ok(())
    }
}
