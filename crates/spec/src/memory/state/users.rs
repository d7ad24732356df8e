//! Accounts.

use guanxi_model::user::{Contact, ContactClaim, PasswordHash};
use guanxi_model::{LoginName, Uid, User};
use std::collections::BTreeMap;

/// Accounts, profiles and passwords. A login name lies in the shard of its hash, which is that of its user, too.
#[derive(Clone, Debug, Default)]
pub(crate) struct UserMaps {
    pub(crate) users: BTreeMap<Uid, User>,
    pub(crate) login_names: BTreeMap<LoginName, Uid>,
    pub(crate) passwords: BTreeMap<Uid, PasswordHash>,
    /// When users signed out everywhere, in Unix milliseconds; kept for ever.
    pub(crate) signed_out: BTreeMap<Uid, u64>,
    /// Each lies in the shard of its contact.
    pub(crate) claims: BTreeMap<Contact, ContactClaim>,
}

impl UserMaps {
    /// Returns whether anything is kept of a user.
    pub(crate) fn knows(&self, uid: Uid) -> bool {
        self.users.contains_key(&uid)
    }
}
