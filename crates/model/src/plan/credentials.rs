//! Tokens that operators made: added and revoked.

use super::{Planner, Planning, State};
use crate::credential::{Credential, CredentialCommand};
use crate::error::{Reason, Result};
use crate::limits::CREDENTIALS_MAX;

impl<S: State> Planner<'_, S> {
    /// Plans one operation on credentials; whether state changed, or why not.
    pub(super) fn credential_command(
        &mut self,
        command: CredentialCommand,
    ) -> Planning<Result<bool, Reason>, S> {
        match command {
            CredentialCommand::Add(credential) => self.add_credential(credential),
            CredentialCommand::Revoke { name } => {
                // No credential has such a name, and a backend need not be able to look for it.
                if Credential::check_name(&name).is_err() || !self.state.has_credential(&name)? {
                    return Ok(Ok(false));
                }
                self.state.remove_credential(&name)?;
                Ok(Ok(true))
            }
        }
    }

    fn add_credential(&mut self, credential: Credential) -> Planning<Result<bool, Reason>, S> {
        if self.state.has_credential(&credential.name)? {
            return Ok(Err(Reason::AlreadyExists));
        }
        if self.state.credentials()? >= CREDENTIALS_MAX {
            return Ok(Err(Reason::LimitReached { limit: CREDENTIALS_MAX }));
        }
        self.state.put_credential(credential)?;
        Ok(Ok(true))
    }
}
