//! Users from elsewhere, each kept whole in one step.

use super::{Deciding, Planner, State, failed};
use crate::error::Reason;
use crate::event::UserChange;
use crate::id::Uid;
use crate::limits::FACT_AHEAD_MAX_MS;
use crate::stamp::Stamp;
use crate::user::{ContactCommand, Contacts, ExternalId, ImportUser, Privacy, Profile, User, UserStatus};

impl<S: State> Planner<'_, S> {
    /// Keeps a user of whom nothing is kept. Everything that may refuse it is asked before anything is kept.
    pub(super) fn import_user(
        &mut self,
        user: ImportUser,
        reserved: [Option<Stamp>; 2],
    ) -> Deciding<bool, S> {
        let ImportUser { uid, is_minted: _, login_name, password, profile, registered_ms, .. } = &user;
        profile.check()?;
        if registered_ms.is_some_and(|ms| ms > self.now_ms.saturating_add(FACT_AHEAD_MAX_MS)) {
            return Err(Reason::TimeOutOfRange.into());
        }
        for (contact, reserved) in [&user.contacts.phone, &user.contacts.email].into_iter().zip(reserved) {
            let is_bound = |at| ContactCommand::may_be_bound(at, self.now_ms);
            if contact.is_some() && !reserved.is_some_and(is_bound) {
                return Err(Reason::DeadlineExceeded.into());
            }
        }
        if login_name.is_some() && user.external_id.is_some() {
            return Err(Reason::InvalidField { field: "external_id" }.into());
        }
        // An id of another shard is not looked up: this one knows nothing of it.
        if user.external_id.as_ref().is_some_and(|id| id.gene() != uid.gene()) {
            return Err(Reason::InvalidField { field: "uid" }.into());
        }
        if login_name.is_none() {
            self.check_not_deleted(*uid)?;
            if failed(self.state.user(*uid))?.is_some() {
                return Ok(false);
            }
        }
        if let Some(name) = login_name {
            self.take_name(*uid, name, password.as_ref())?;
        }
        let is_assigned = match &user.external_id {
            Some(id) => self.take_external_id(*uid, id)?,
            None => false,
        };
        let registered_ms =
            login_name.as_ref().map(|_| registered_ms.map_or(self.now_ms, |ms| ms.min(self.now_ms)));
        Ok(self.keep_imported(user, registered_ms)? || is_assigned)
    }

    /// Gives a user the id that it has elsewhere. Returns whether that is new.
    fn take_external_id(&mut self, uid: Uid, id: &ExternalId) -> Deciding<bool, S> {
        match failed(self.state.external_uid(id))? {
            Some(known) if known == uid => Ok(false),
            Some(_) => Err(Reason::InvalidField { field: "external_id" }.into()),
            None => self.assign_new(uid, id, true),
        }
    }

    /// Keeps what is known of a user, and logs each part of it as what sets that part does.
    fn keep_imported(&mut self, user: ImportUser, registered_ms: Option<u64>) -> Deciding<bool, S> {
        let ImportUser { uid, login_name, profile, privacy, is_deactivated, contacts, .. } = user;
        let Contacts { phone, email } = &contacts;
        let changes: Vec<UserChange> = [
            (login_name.is_some(), UserChange::Registered),
            (login_name.is_none() && profile != Profile::default(), UserChange::ProfileUpdated),
            (privacy != Privacy::default(), UserChange::PrivacySet),
            (phone.is_some(), UserChange::PhoneSet),
            (email.is_some(), UserChange::EmailSet),
            (is_deactivated, UserChange::Deactivated),
        ]
        .into_iter()
        .filter_map(|(is_set, change)| is_set.then_some(change))
        .collect();
        let Some((last, before)) = changes.split_last() else { return Ok(false) };
        let status = if is_deactivated { UserStatus::Deactivated } else { UserStatus::Active };
        let revision = u32::try_from(changes.len()).unwrap_or(u32::MAX);
        let unknown = User::unknown(uid);
        let kept =
            User { login_name, registered_ms, profile, privacy, status, revision, contacts, ..unknown };
        for change in before {
            failed(self.log_user(uid, *change))?;
        }
        let event = failed(self.put_user(kept, *last))?;
        if is_deactivated {
            failed(self.end_sessions(uid))?;
            failed(self.reset_author(uid, event))?;
        }
        Ok(true)
    }
}
