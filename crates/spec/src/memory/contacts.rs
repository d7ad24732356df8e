//! What the steps of binding a contact do.

use super::state::{Commit, Maps};
use guanxi_model::event::UserChange;
use guanxi_model::limits::{CONTACT_BIND_MS, CONTACT_RESERVATION_MS};
use guanxi_model::user::{Contact, ContactClaim, ContactCommand, ContactKind, UserOutcome};
use guanxi_model::{Reason, Result, Stamp, Uid, User};

impl Maps {
    pub(super) fn contact_command(
        &mut self,
        command: &ContactCommand,
        commit: &mut Commit<'_>,
    ) -> UserOutcome {
        let (uid, contact) = (command.uid(), command.contact());
        let (result, revision) = match command {
            ContactCommand::Reserve { .. } => (self.reserve(contact, uid, commit), 0),
            ContactCommand::Confirm { version, .. } => {
                let meant = self.users.claims.get_mut(contact).filter(|claim| is(claim, uid, *version));
                let open = meant.filter(|claim| !claim.confirmed);
                (Ok(open.map(|claim| claim.confirmed = true).is_some()), 0)
            }
            ContactCommand::Release { version, .. } => {
                let over_ms = version.ms() + CONTACT_RESERVATION_MS;
                let stands = |claim: &ContactClaim| !claim.confirmed && commit.now_ms < over_ms;
                let claim = self.users.claims.get(contact).filter(|claim| is(claim, uid, *version));
                let goes = claim.is_some_and(|claim| !stands(claim));
                if goes {
                    self.users.claims.remove(contact);
                }
                (Ok(goes), 0)
            }
            ContactCommand::Bind { expected_revision, reserved, .. } => {
                let revision = self.user(uid).revision;
                let result = if self.is_deleted(uid) {
                    Err(Reason::UserDeleted)
                } else if revision != *expected_revision {
                    Err(Reason::RevisionMismatch { revision })
                } else if commit.now_ms >= reserved.ms() + CONTACT_BIND_MS {
                    Err(Reason::DeadlineExceeded)
                } else {
                    Ok(self.set_contact(uid, contact, true, commit))
                };
                (result, self.user(uid).revision)
            }
            ContactCommand::Unbind { .. } => {
                let changed = self.set_contact(uid, contact, false, commit);
                (Ok(changed), self.user(uid).revision)
            }
        };
        UserOutcome { result, uid, revision }
    }

    fn reserve(&mut self, contact: &Contact, uid: Uid, commit: &Commit<'_>) -> Result<bool, Reason> {
        if self.users.claims.get(contact).is_some_and(|claim| claim.uid != uid) {
            return Err(Reason::ContactTaken);
        }
        let claim = ContactClaim { uid, version: self.hlc.tick(commit.now_ms), confirmed: false };
        self.users.claims.insert(contact.clone(), claim);
        Ok(true)
    }

    /// Gives a user a contact or takes it away. Another one of its kind stays if it is to be taken away.
    pub(super) fn set_contact(
        &mut self,
        uid: Uid,
        contact: &Contact,
        has: bool,
        commit: &mut Commit<'_>,
    ) -> bool {
        let User { mut contacts, .. } = self.user(uid);
        let (of_kind, change) = match contact.kind() {
            ContactKind::Phone => (&mut contacts.phone, UserChange::PhoneSet),
            ContactKind::Email => (&mut contacts.email, UserChange::EmailSet),
        };
        if has {
            *of_kind = Some(contact.clone());
        } else if of_kind.as_ref() == Some(contact) {
            *of_kind = None;
        }
        self.change(User { contacts, ..self.user(uid) }, change, commit)
    }
}

/// Returns whether a claim is the one that is meant.
fn is(claim: &ContactClaim, uid: Uid, version: Stamp) -> bool {
    claim.uid == uid && claim.version == version
}
