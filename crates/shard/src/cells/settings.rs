//! Settings that are of no user: the tokens that operators made, how home timelines are pushed, and what operators did. They lie in the
//! first database, where each change of them holds the row with their version.

use super::{Cells, NotFetched, Rows};
use guanxi_model::plan::{AuditRows, CredentialRows};
use guanxi_model::{AuditEntry, AuditId, Credential, FanoutPolicy};

/// The locked row.
#[derive(Clone, Copy, Debug)]
pub struct SettingState {
    /// The version: the number of the last change.
    pub change: i64,
    /// How many credentials there are, as of this point of the plan.
    pub many: i64,
}

/// What a batch has of settings.
#[derive(Debug, Default)]
pub struct SettingCells {
    /// Whether the batch is one of settings, and of no shard.
    are_here: bool,
    /// The locked row.
    pub state: Option<SettingState>,
    /// By name.
    pub credentials: Cells<String, Option<Credential>>,
    /// What operators did.
    pub audit: Cells<AuditId, Option<AuditEntry>>,
    /// What the policy is set to.
    pub policy: Option<FanoutPolicy>,
}

impl SettingCells {
    /// Returns what a batch of settings begins with.
    pub(super) fn here() -> Self {
        Self { are_here: true, ..Self::default() }
    }

    /// Returns whether the batch is one of settings: it has no log.
    pub const fn are_here(&self) -> bool {
        self.are_here
    }

    /// Sets how home timelines are pushed.
    pub(super) const fn set_policy(&mut self, policy: FanoutPolicy) {
        self.policy = Some(policy);
    }

    /// The version that the changes of the batch are of.
    pub fn next_change(&self) -> i64 {
        self.state.map_or(0, |state| state.change + 1)
    }

    fn state(&mut self) -> Result<&mut SettingState, NotFetched> {
        self.state.as_mut().ok_or_else(|| NotFetched("the version of settings".to_owned()))
    }
}

/// What a batch has changed of credentials, for the copy of the process that has written it.
#[derive(Clone, Debug, Default)]
pub struct CredentialChanges {
    /// The version that they are of.
    pub change: i64,
    /// What names stand for now, if for anything.
    pub changed: Vec<(String, Option<Credential>)>,
}

impl Rows {
    /// Returns what the batch has changed of credentials.
    pub fn credential_changes(&self) -> CredentialChanges {
        let changed = self.settings.credentials.compared().filter(|(_, before, now)| before != now);
        let changed = changed.map(|(name, _, now)| (name, now.clone())).collect();
        CredentialChanges { change: self.settings.next_change(), changed }
    }
}

impl CredentialRows for Rows {
    fn has_credential(&mut self, name: &str) -> Result<bool, NotFetched> {
        Ok(self.settings.credentials.get(name.to_owned())?.is_some())
    }

    fn credentials(&mut self) -> Result<u32, NotFetched> {
        Ok(u32::try_from(self.settings.state()?.many.max(0)).unwrap_or(u32::MAX))
    }

    fn put_credential(&mut self, credential: Credential) -> Result<(), NotFetched> {
        self.settings.state()?.many += 1;
        let row = self.settings.credentials.change(credential.name.clone())?;
        *row = Some(credential);
        Ok(())
    }

    fn remove_credential(&mut self, name: &str) -> Result<(), NotFetched> {
        self.settings.state()?.many -= 1;
        *self.settings.credentials.change(name.to_owned())? = None;
        Ok(())
    }
}

impl AuditRows for Rows {
    fn audit_entry(&mut self, id: AuditId) -> Result<Option<AuditEntry>, NotFetched> {
        self.settings.audit.get(id).cloned()
    }

    fn put_audit_entry(&mut self, entry: AuditEntry) -> Result<(), NotFetched> {
        let row = self.settings.audit.change(entry.id)?;
        *row = Some(entry);
        Ok(())
    }

    fn remove_audit_entry(&mut self, id: AuditId) -> Result<(), NotFetched> {
        *self.settings.audit.change(id)? = None;
        Ok(())
    }
}
