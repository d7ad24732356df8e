//! Phone numbers and mail addresses: the steps of binding and unbinding them.

use super::{Deciding, Planner, Planning, State, Stop, failed};
use crate::error::Reason;
use crate::event::UserChange;
use crate::id::Uid;
use crate::stamp::Stamp;
use crate::user::{Contact, ContactClaim, ContactCommand, ContactKind, User, UserOutcome};

impl<S: State> Planner<'_, S> {
    /// Plans one step.
    pub(super) fn contact_command(&mut self, command: ContactCommand) -> Planning<UserOutcome, S> {
        let uid = command.uid();
        let is_of_user = matches!(command, ContactCommand::Bind { .. } | ContactCommand::Unbind { .. });
        let decided = match command {
            ContactCommand::Reserve { contact, uid } => self.reserve(&contact, uid),
            ContactCommand::Bind { uid, contact, expected_revision, reserved } => {
                self.bind(uid, contact, expected_revision, reserved)
            }
            ContactCommand::Confirm { contact, uid, version } => self.confirm(&contact, uid, version),
            ContactCommand::Unbind { uid, contact } => self.unbind(uid, &contact),
            ContactCommand::Release { contact, uid, version } => self.release(&contact, uid, version),
        };
        let result = match decided {
            Ok(changed) => Ok(changed),
            Err(Stop::Refused(reason)) => Err(reason),
            Err(Stop::Failed(error)) => return Err(error),
        };
        let user = if is_of_user { self.state.user(uid)? } else { None };
        Ok(UserOutcome { result, uid, revision: user.map_or(0, |user| user.revision) })
    }

    /// A user that reserves a contact which it has claimed already begins anew: a release of the version before is
    /// too late then.
    fn reserve(&mut self, contact: &Contact, uid: Uid) -> Deciding<bool, S> {
        if failed(self.state.claim(contact))?.is_some_and(|claim| claim.uid != uid) {
            return Err(Reason::ContactTaken.into());
        }
        let version = self.state.claim_version(uid, self.now_ms);
        failed(self.state.put_claim(contact, Some(ContactClaim { uid, version, confirmed: false })))?;
        Ok(true)
    }

    fn bind(
        &mut self,
        uid: Uid,
        contact: Contact,
        expected_revision: u32,
        reserved: Stamp,
    ) -> Deciding<bool, S> {
        self.check_not_deleted(uid)?;
        let user = failed(self.user_or_unknown(uid))?;
        if user.revision != expected_revision {
            return Err(Reason::RevisionMismatch { revision: user.revision }.into());
        }
        if !ContactCommand::may_be_bound(reserved, self.now_ms) {
            return Err(Reason::DeadlineExceeded.into());
        }
        if user.contacts.has(&contact) {
            return Ok(false);
        }
        self.put_contact(user, contact.kind(), Some(contact))
    }

    fn confirm(&mut self, contact: &Contact, uid: Uid, version: Stamp) -> Deciding<bool, S> {
        let claim = failed(self.state.claim(contact))?;
        let meant = claim.filter(|claim| (claim.uid, claim.version) == (uid, version) && !claim.confirmed);
        let Some(claim) = meant else { return Ok(false) };
        failed(self.state.put_claim(contact, Some(ContactClaim { confirmed: true, ..claim })))?;
        Ok(true)
    }

    fn unbind(&mut self, uid: Uid, contact: &Contact) -> Deciding<bool, S> {
        let user = failed(self.user_or_unknown(uid))?;
        if !user.contacts.has(contact) {
            return Ok(false);
        }
        self.put_contact(user, contact.kind(), None)
    }

    fn release(&mut self, contact: &Contact, uid: Uid, version: Stamp) -> Deciding<bool, S> {
        let claim = failed(self.state.claim(contact))?;
        let meant = claim.filter(|claim| (claim.uid, claim.version) == (uid, version));
        if !meant.is_some_and(|claim| claim.may_be_released(self.now_ms)) {
            return Ok(false);
        }
        failed(self.state.put_claim(contact, None))?;
        Ok(true)
    }

    fn put_contact(
        &mut self,
        mut user: User,
        kind: ContactKind,
        contact: Option<Contact>,
    ) -> Deciding<bool, S> {
        user.contacts.set(kind, contact);
        user.revision += 1;
        let change = match kind {
            ContactKind::Phone => UserChange::PhoneSet,
            ContactKind::Email => UserChange::EmailSet,
        };
        failed(self.put_user(user, change))?;
        Ok(true)
    }
}
