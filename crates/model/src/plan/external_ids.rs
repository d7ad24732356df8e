//! The dictionary of external ids.

use super::{Deciding, Planner, Planning, State, Stop, failed};
use crate::error::Reason;
use crate::event::{Change, UserChange};
use crate::id::Uid;
use crate::user::{ExternalId, UserOutcome};

impl<S: State> Planner<'_, S> {
    /// Gives a uid to an external id, unless it has one.
    pub(super) fn assign_external_id(
        &mut self,
        uid: Uid,
        id: &ExternalId,
        listed: bool,
    ) -> Planning<UserOutcome, S> {
        let known = self.state.external_uid(id)?;
        let decided = if known.is_some() { Ok(false) } else { self.assign_new(uid, id, listed) };
        let result = match decided {
            Ok(changed) => Ok(changed),
            Err(Stop::Refused(reason)) => Err(reason),
            Err(Stop::Failed(error)) => return Err(error),
        };
        Ok(UserOutcome { result, uid: known.unwrap_or(uid), revision: 0 })
    }

    pub(super) fn assign_new(&mut self, uid: Uid, id: &ExternalId, listed: bool) -> Deciding<bool, S> {
        if uid.gene() != id.gene() {
            return Err(Reason::InvalidField { field: "uid" }.into());
        }
        let was_erased = failed(self.state.is_erased_id(id))?;
        if listed && was_erased {
            return Err(Reason::UserDeleted.into());
        }
        if failed(self.state.is_used(uid))? {
            return Err(Reason::UidInUse.into());
        }
        failed(self.state.put_external_id(id, uid))?;
        let version = self.state.stamp(uid, self.now_ms);
        self.state.log(version, uid, Change::User(UserChange::ExternalIdAssigned));
        if was_erased {
            // What an issuer has signed for the user before under this name is not good for the new one.
            failed(self.log_user(uid, UserChange::SignedOut))?;
        }
        Ok(true)
    }
}
