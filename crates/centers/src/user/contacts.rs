//! Phone numbers and mail addresses: bound and unbound, in the steps that the model describes.

use super::UserCenter;

use guanxi_model::user::{Contact, ContactClaim, ContactCommand, ContactKind, UserCommand};
use guanxi_model::{Error, Reason, Result, Stamp, Uid, User};
use guanxi_ports::Revised;

/// Times that a bind begins anew since the user was changed meanwhile. As many changes in a row, each within the few
/// milliseconds of a try, are somebody's loop.
const BIND_TRIES_MAX: usize = 8;

impl UserCenter {
    /// Binds a contact to a user, which needs no account, in place of another contact of the same kind. The caller has made
    /// sure that the contact is the user's. A repeated bind changes nothing.
    ///
    /// # Errors
    /// `USER_DELETED`; `CONTACT_TAKEN`; `REVISION_MISMATCH` when the user is changed all the time.
    pub async fn bind(&self, uid: Uid, contact: &Contact) -> Result<Revised<Uid>> {
        let mut tries = 0;
        loop {
            tries += 1;
            match self.try_bind(uid, contact).await {
                // The user was changed since it was read, or this process was stopped for minutes.
                Err(Error { reason: Reason::RevisionMismatch { .. } | Reason::DeadlineExceeded, .. })
                    if tries < BIND_TRIES_MAX => {}
                answer => return answer,
            }
        }
    }

    async fn try_bind(&self, uid: Uid, contact: &Contact) -> Result<Revised<Uid>> {
        let view = self.store.view(None).await?;
        let user = view.users(&[uid]).await?.pop().flatten().unwrap_or_else(|| User::unknown(uid));
        if user.status.is_deleted() {
            return Err(Error::new(Reason::UserDeleted));
        }
        let old = user.contacts.of(contact.kind()).cloned();
        let old_claim = match &old {
            Some(old) => view.claim_of(old).await?,
            None => None,
        };
        let is_own = |claim: &Option<ContactClaim>| claim.is_some_and(|claim| claim.uid == uid);
        if old.as_ref() == Some(contact) && is_own(&old_claim) {
            let position = view.position();
            self.meet(contact, None).await?;
            return Ok(Revised { id: uid, changed: false, revision: user.revision, position });
        }
        let version = self.reserve(&user, contact).await?;
        let bind = ContactCommand::Bind {
            uid,
            contact: contact.clone(),
            expected_revision: user.revision,
            reserved: version,
        };
        let written = match self.step(bind).await {
            // Nothing was bound, so that others may have it at once.
            Err(error) if matches!(error.reason, Reason::UserDeleted | Reason::RevisionMismatch { .. }) => {
                self.end_reservation(contact.clone(), uid, version, false).await;
                return Err(error);
            }
            answer => answer?,
        };
        self.end_reservation(contact.clone(), uid, version, true).await;
        if let Some((contact, claim)) = old.filter(|old| old != contact).zip(old_claim)
            && claim.uid == uid
        {
            self.let_go(contact, claim).await;
        }
        Ok(written)
    }

    /// Takes a contact away from a user who has one of a kind.
    ///
    /// # Errors
    /// Whole-request errors of the store.
    pub async fn unbind(&self, uid: Uid, kind: ContactKind) -> Result<Revised<Uid>> {
        let view = self.store.view(None).await?;
        let user = view.users(&[uid]).await?.pop().flatten().unwrap_or_else(|| User::unknown(uid));
        let Some(contact) = user.contacts.of(kind).cloned() else {
            let position = view.position();
            return Ok(Revised { id: uid, changed: false, revision: user.revision, position });
        };
        // Before the user's row lets go of it: a later claim may be of another user that binds it again. A claim that was
        // never confirmed is confirmed now, and may be released.
        let (_, view) = self.meet(&contact, None).await?;
        let claim = view.claim_of(&contact).await?.filter(|claim| claim.uid == uid);
        let written = self.step(ContactCommand::Unbind { uid, contact: contact.clone() }).await?;
        if let Some(claim) = claim.filter(|_| written.changed) {
            self.let_go(contact, claim).await;
        }
        Ok(written)
    }

    /// Reserves a contact that no user has. If a process that died has left a claim of it, that claim is removed first.
    /// Returns the version of the claim.
    pub(crate) async fn reserve(&self, user: &User, contact: &Contact) -> Result<Stamp> {
        let User { uid, revision, .. } = *user;
        let reserve = || ContactCommand::Reserve { contact: contact.clone(), uid };
        let reserved = match self.step(reserve()).await {
            Err(Error { reason: Reason::ContactTaken, .. }) => {
                self.meet(contact, None).await?;
                self.step(reserve()).await?
            }
            answer => answer?,
        };
        let view = self.store.view(Some(&reserved.position)).await?;
        match view.claim_of(contact).await? {
            Some(claim) if claim.uid == uid => Ok(claim.version),
            Some(_) => Err(Error::new(Reason::ContactTaken)),
            // The user itself has bound it meanwhile, and unbound it: no user has it.
            None => Err(Error::new(Reason::RevisionMismatch { revision })),
        }
    }

    /// Ends a reservation: the contact is the user's for good, or it is free.
    pub(crate) async fn end_reservation(&self, contact: Contact, uid: Uid, version: Stamp, is_bound: bool) {
        self.mend(ContactCommand::Confirm { contact: contact.clone(), uid, version }).await;
        if !is_bound {
            self.let_go(contact, ContactClaim { uid, version, confirmed: true }).await;
        }
    }

    /// Releases the claim of a contact that its user has no more.
    async fn let_go(&self, contact: Contact, claim: ContactClaim) {
        let ContactClaim { uid, version, .. } = claim;
        self.mend(ContactCommand::Release { contact, uid, version }).await;
    }

    async fn step(&self, command: ContactCommand) -> Result<Revised<Uid>> {
        self.command(UserCommand::from(command), None).await
    }
}
