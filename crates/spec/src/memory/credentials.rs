//! Tokens that operators made: one map by name.

use super::MemoryStore;
use super::state::Maps;
use guanxi_model::limits::CREDENTIALS_MAX;
use guanxi_model::{Credential, CredentialCommand, Reason, Result};
use guanxi_ports::{BoxFuture, Credentials};
use std::future::ready;

impl Maps {
    /// Does one operation on credentials; whether state changed, or why not.
    pub(super) fn credential_command(&mut self, command: &CredentialCommand) -> Result<bool, Reason> {
        match command {
            CredentialCommand::Add(credential) => {
                if self.credentials.contains_key(&credential.name) {
                    return Err(Reason::AlreadyExists);
                }
                if self.credentials.len() >= CREDENTIALS_MAX as usize {
                    return Err(Reason::LimitReached { limit: CREDENTIALS_MAX });
                }
                self.credentials.insert(credential.name.clone(), credential.clone());
                Ok(true)
            }
            CredentialCommand::Revoke { name } => Ok(self.credentials.remove(name).is_some()),
        }
    }
}

impl Credentials for MemoryStore {
    fn find(&self, hash: [u8; 32]) -> BoxFuture<'_, Result<Option<Credential>>> {
        let state = self.shared.now();
        let found = state.credentials.values().find(|credential| credential.hash == hash).cloned();
        Box::pin(ready(Ok(found)))
    }

    fn list(&self) -> BoxFuture<'_, Result<Vec<Credential>>> {
        Box::pin(ready(Ok(self.shared.now().credentials.values().cloned().collect())))
    }
}
