//! Accounts, login names, passwords, contacts and sign-outs. Of users of other shards a shard knows only how they stand.

use super::{Cells, NotFetched, Rows};
use guanxi_model::plan::{GroupRows as _, PostRows as _, UserRows};
use guanxi_model::user::{Contact, ContactClaim, LoginName, PasswordHash, Standing, User};
use guanxi_model::{Counts, Stamp, Uid};

/// The rows of users that a batch has.
#[derive(Debug, Default)]
pub struct AccountCells {
    /// What is kept of users of locked shards.
    pub accounts: Cells<Uid, Option<User>>,
    /// How users of other shards stand.
    pub standings: Cells<Uid, Standing>,
    /// The users of login names.
    pub login_names: Cells<LoginName, Option<Uid>>,
    /// Passwords.
    pub passwords: Cells<Uid, Option<PasswordHash>>,
    /// When users signed out everywhere, in Unix milliseconds.
    pub signed_out: Cells<Uid, Option<u64>>,
    /// The claims of contacts.
    pub claims: Cells<Contact, Option<ContactClaim>>,
}

/// Changes of credentials.
#[derive(Clone, Debug, Default)]
pub struct EndedChanges {
    /// Users by their revisions, and whether they are not there.
    pub users: Vec<(Uid, u32, bool)>,
    /// When users signed out everywhere, in Unix milliseconds.
    pub signed_out: Vec<(Uid, u64)>,
}

impl Rows {
    /// Returns whose credentials the batch ends, or makes good again, for the memory of the process.
    pub fn ended(&self) -> EndedChanges {
        let users = self.accounts.accounts.changed();
        let users = users.filter_map(|(uid, user)| {
            let user = user.as_ref()?;
            Some((uid, user.revision, user.standing().is_gone()))
        });
        let signed_out = self.accounts.signed_out.changed();
        let signed_out = signed_out.filter_map(|(uid, at_ms)| Some((uid, (*at_ms)?)));
        EndedChanges { users: users.collect(), signed_out: signed_out.collect() }
    }
}

impl UserRows for Rows {
    fn user(&mut self, uid: Uid) -> Result<Option<User>, NotFetched> {
        Ok(self.accounts.accounts.get(uid)?.clone())
    }

    fn standing(&mut self, uid: Uid) -> Result<Standing, NotFetched> {
        if self.is_home(uid) {
            return Ok(self.accounts.accounts.get(uid)?.as_ref().map(User::standing).unwrap_or_default());
        }
        self.accounts.standings.get(uid).copied()
    }

    fn is_used(&mut self, uid: Uid) -> Result<bool, NotFetched> {
        Ok(self.accounts.accounts.get(uid)?.is_some()
            || self.users.get(uid)?.counts != Counts::default()
            || self.has_external_id(uid)?
            || self.author(uid)?.head.last_id.is_some()
            || self.owned_groups(uid)?.1.is_some())
    }

    fn put_user(&mut self, user: User) -> Result<(), NotFetched> {
        let row = self.accounts.accounts.change(user.uid)?;
        *row = Some(user);
        Ok(())
    }

    fn login_name(&mut self, name: &LoginName) -> Result<Option<Uid>, NotFetched> {
        self.accounts.login_names.get(name).copied()
    }

    fn put_login_name(&mut self, name: &LoginName, uid: Uid) -> Result<(), NotFetched> {
        self.accounts.login_names.put(name.clone(), Some(uid));
        Ok(())
    }

    fn password(&mut self, uid: Uid) -> Result<Option<PasswordHash>, NotFetched> {
        self.accounts.passwords.get(uid).cloned()
    }

    fn put_password(&mut self, uid: Uid, password: &PasswordHash) -> Result<(), NotFetched> {
        self.accounts.passwords.put(uid, Some(password.clone()));
        Ok(())
    }

    fn remove_login_name(&mut self, name: &LoginName) -> Result<(), NotFetched> {
        self.accounts.login_names.put(name.clone(), None);
        Ok(())
    }

    fn remove_password(&mut self, uid: Uid) -> Result<(), NotFetched> {
        self.accounts.passwords.put(uid, None);
        Ok(())
    }

    fn signed_out(&mut self, uid: Uid) -> Result<Option<u64>, NotFetched> {
        self.accounts.signed_out.get(uid).copied()
    }

    fn put_signed_out(&mut self, uid: Uid, at_ms: u64) -> Result<(), NotFetched> {
        *self.accounts.signed_out.change(uid)? = Some(at_ms);
        Ok(())
    }

    fn claim(&mut self, contact: &Contact) -> Result<Option<ContactClaim>, NotFetched> {
        self.accounts.claims.get(contact).copied()
    }

    /// A claim lies here although its user may not.
    fn claim_version(&mut self, _uid: Uid, now_ms: u64) -> Stamp {
        self.shards.mint(self.home, now_ms)
    }

    fn put_claim(&mut self, contact: &Contact, claim: Option<ContactClaim>) -> Result<(), NotFetched> {
        *self.accounts.claims.change(contact)? = claim;
        Ok(())
    }
}
