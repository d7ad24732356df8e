//! What is no user's: tokens that operators made, added and revoked, and how home timelines are pushed.

use super::{Planner, Planning, State};
use crate::command::Outcome;
use crate::credential::{Credential, CredentialCommand};
use crate::error::{Reason, Result};
use crate::feed::FanoutPolicy;
use crate::limits::CREDENTIALS_MAX;

impl<S: State> Planner<'_, S> {
    /// Sets how home timelines are pushed.
    pub(super) fn set_policy(&mut self, policy: &FanoutPolicy) -> Outcome {
        self.state.put_policy(policy);
        Outcome::Done
    }

    /// Plans one operation on credentials.
    pub(super) fn credential_command(&mut self, command: CredentialCommand) -> Planning<Outcome, S> {
        Ok(Outcome::Plain(match command {
            CredentialCommand::Add(credential) => self.add_credential(credential)?,
            CredentialCommand::Revoke { name } => Ok(self.revoke_credential(&name)?),
        }))
    }

    fn revoke_credential(&mut self, name: &str) -> Planning<bool, S> {
        // No credential has such a name, and a backend need not be able to look for it.
        if Credential::check_name(name).is_err() || !self.state.has_credential(name)? {
            return Ok(false);
        }
        self.state.remove_credential(name)?;
        Ok(true)
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
