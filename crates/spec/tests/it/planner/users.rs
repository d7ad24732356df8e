//! Rows of users as a database would hold them.

use super::rows::{NotFetched, Rows, Selected};
use guanxi_model::plan::{GroupRows as _, RowKey, UserRows};
use guanxi_model::user::{Contact, ContactClaim, PasswordHash};
use guanxi_model::{Counts, LoginName, Result, Uid, User};
use std::collections::BTreeMap;

/// Accounts, profiles and passwords.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct UserTables {
    users: BTreeMap<Uid, User>,
    login_names: BTreeMap<LoginName, Uid>,
    passwords: BTreeMap<Uid, PasswordHash>,
    claims: BTreeMap<Contact, ContactClaim>,
    signed_out: BTreeMap<Uid, u64>,
}

impl UserTables {
    pub(super) fn user(&self, uid: Uid) -> Option<&User> {
        self.users.get(&uid)
    }

    pub(super) fn uid_of(&self, name: &LoginName) -> Option<Uid> {
        self.login_names.get(name).copied()
    }

    pub(super) fn claim(&self, contact: &Contact) -> Option<ContactClaim> {
        self.claims.get(contact).copied()
    }

    /// From when on what others issue to a user who is there must have been issued.
    pub(super) fn not_before_ms(&self, uid: Uid) -> u64 {
        self.signed_out.get(&uid).map_or(0, |at_ms| at_ms + 1)
    }

    pub(super) fn password(&self, uid: Uid) -> Option<&PasswordHash> {
        self.passwords.get(&uid)
    }
}

impl UserRows for Selected<'_, &mut Rows> {
    fn user(&mut self, uid: Uid) -> Result<Option<User>, NotFetched> {
        self.check(RowKey::Account(uid))?;
        Ok(self.rows().users.users.get(&uid).cloned())
    }

    fn is_used(&mut self, uid: Uid) -> Result<bool, NotFetched> {
        for key in [RowKey::Account(uid), RowKey::User(uid), RowKey::Author(uid), RowKey::ExternalId(uid)] {
            self.check(key)?;
        }
        let has_groups = self.owned_groups(uid)?.1.is_some();
        let rows = self.rows();
        let has_posts = rows.author(uid).head.last_id.is_some();
        let is_external = rows.external_ids.id_of(uid).is_some();
        Ok(is_external
            || has_groups
            || has_posts
            || rows.counts(uid) != Counts::default()
            || rows.users.users.contains_key(&uid))
    }

    fn put_user(&mut self, user: User) -> Result<(), NotFetched> {
        self.rows().users.users.insert(user.uid, user);
        Ok(())
    }

    fn login_name(&mut self, name: &LoginName) -> Result<Option<Uid>, NotFetched> {
        self.check(RowKey::LoginName(name.clone()))?;
        Ok(self.rows().users.uid_of(name))
    }

    fn put_login_name(&mut self, name: &LoginName, uid: Uid) -> Result<(), NotFetched> {
        self.rows().users.login_names.insert(name.clone(), uid);
        Ok(())
    }

    fn password(&mut self, uid: Uid) -> Result<Option<PasswordHash>, NotFetched> {
        self.check(RowKey::Password(uid))?;
        Ok(self.rows().users.passwords.get(&uid).cloned())
    }

    fn put_password(&mut self, uid: Uid, password: &PasswordHash) -> Result<(), NotFetched> {
        self.rows().users.passwords.insert(uid, password.clone());
        Ok(())
    }

    fn remove_login_name(&mut self, name: &LoginName) -> Result<(), NotFetched> {
        self.rows().users.login_names.remove(name);
        Ok(())
    }

    fn remove_password(&mut self, uid: Uid) -> Result<(), NotFetched> {
        self.rows().users.passwords.remove(&uid);
        Ok(())
    }

    fn signed_out(&mut self, uid: Uid) -> Result<Option<u64>, NotFetched> {
        self.check(RowKey::SignedOut(uid))?;
        Ok(self.rows().users.signed_out.get(&uid).copied())
    }

    fn put_signed_out(&mut self, uid: Uid, at_ms: u64) -> Result<(), NotFetched> {
        self.rows().users.signed_out.insert(uid, at_ms);
        Ok(())
    }

    fn claim(&mut self, contact: &Contact) -> Result<Option<ContactClaim>, NotFetched> {
        self.check(RowKey::Claim(contact.clone()))?;
        Ok(self.rows().users.claim(contact))
    }

    fn put_claim(&mut self, contact: &Contact, claim: Option<ContactClaim>) -> Result<(), NotFetched> {
        let claims = &mut self.rows().users.claims;
        match claim {
            Some(claim) => drop(claims.insert(contact.clone(), claim)),
            None => drop(claims.remove(contact)),
        }
        Ok(())
    }
}
