//! Credentials of a group: what the planner reads of them, and the rows that its changes come to.

use super::changes::PlanRows;
use crate::engine::{EngineResult, Table};
use crate::layout::{CREDENTIAL, encode_credential, named_key};
use guanxi_model::Credential;
use guanxi_model::plan::CredentialRows;

impl CredentialRows for PlanRows<'_> {
    fn has_credential(&mut self, name: &str) -> EngineResult<bool> {
        let changed = self.credentials.changed.get(name);
        Ok(changed.map_or_else(|| self.shared.credentials.has(name), Option::is_some))
    }

    fn credentials(&mut self) -> EngineResult<u32> {
        let before = self.shared.credentials.count() as u64;
        Ok(u32::try_from(before.saturating_add_signed(self.credentials.more)).unwrap_or(u32::MAX))
    }

    fn put_credential(&mut self, credential: Credential) -> EngineResult<()> {
        let key = named_key(CREDENTIAL, &credential.name);
        self.batch.put(Table::Records, &key, &encode_credential(&credential));
        self.credentials.more += 1;
        self.credentials.changed.insert(credential.name.clone(), Some(credential));
        Ok(())
    }

    fn remove_credential(&mut self, name: &str) -> EngineResult<()> {
        self.batch.remove(Table::Records, &named_key(CREDENTIAL, name));
        self.credentials.more -= 1;
        self.credentials.changed.insert(name.to_owned(), None);
        Ok(())
    }
}
