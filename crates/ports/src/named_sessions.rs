//! Credentials of which those of end users are names for sessions: a wrapper, so that no backend has to.

use crate::{Applied, BoxFuture, Credentials, Facts, SessionWrites as _, Sessions};
use guanxi_model::{
    Command, Credential, CredentialCommand, Error, Outcome, Principal, Reason, Result, Session, SessionKey,
    Uid, Write,
};
use std::sync::Arc;

/// Credentials, where a token of an end user is a session and its credential the operator's name for that.
///
/// The session alone says whether the token is valid; it goes first whenever one is made or revoked. A process that
/// dies in between leaves a session whose secret no caller was told, or a name without a session. Such a name is as
/// good as gone: it is not found, not listed, and free to be given again.
///
/// Adding and revoking one are writes of their own here, without a request id: they are a write of the user's session and one
/// of the credential. Every other write goes through as it is.
pub struct NamedSessions {
    credentials: Arc<dyn Credentials>,
    facts: Arc<dyn Facts>,
    sessions: Arc<dyn Sessions>,
}

/// Returns whose token a credential is, if it is one of an end user.
const fn end_user(credential: &Credential) -> Option<Uid> {
    match credential.principal {
        Principal::EndUser(uid) => Some(uid),
        Principal::Service(_) | Principal::Admin => None,
    }
}

/// The session of an end user's new token.
const fn session(credential: &Credential, uid: Uid) -> Session {
    Session::lone(uid, credential.hash, credential.created_ms)
}

/// A write that is one command of credentials alone, which can be done in steps.
fn only_credential(write: &Write) -> Option<&CredentialCommand> {
    match (&write.commands[..], &write.request, &write.cursor) {
        ([Command::Credential(command)], None, None) => Some(command),
        _ => None,
    }
}

impl NamedSessions {
    /// Wraps credentials and the sessions that they name. Changes are written through facts: the same store, with the
    /// layers that wrap its writes.
    pub fn new(
        credentials: Arc<dyn Credentials>,
        facts: Arc<dyn Facts>,
        sessions: Arc<dyn Sessions>,
    ) -> Self {
        Self { credentials, facts, sessions }
    }

    /// Returns whether a stored credential still stands for something.
    async fn stands(&self, credential: &Credential) -> Result<bool> {
        let Some(uid) = end_user(credential) else { return Ok(true) };
        let found = self.sessions.find(SessionKey::lone(uid.gene(), credential.hash)).await?;
        Ok(found.is_some_and(|found| found.uid == uid))
    }

    async fn named(&self, name: &str) -> Result<Option<Credential>> {
        Ok(self.credentials.list().await?.into_iter().find(|credential| credential.name == name))
    }

    /// Adds a credential, in the place of one of its name that stands for nothing any more.
    async fn add_name(&self, credential: &Credential) -> Result<Applied> {
        let add = || CredentialCommand::Add(credential.clone());
        let applied = self.facts.apply(Write::of(add())).await?;
        if applied.outcomes != [Outcome::Plain(Err(Reason::AlreadyExists))] {
            return Ok(applied);
        }
        let Some(known) = self.named(&credential.name).await? else { return Ok(applied) };
        if self.stands(&known).await? {
            return Ok(applied);
        }
        let revoke = CredentialCommand::Revoke { name: known.name };
        let mut replaced = self.facts.apply(Write::all([revoke, add()])).await?;
        replaced.outcomes.drain(..replaced.outcomes.len().min(1));
        Ok(replaced)
    }

    async fn add(&self, credential: Credential) -> Result<Applied> {
        let Some(uid) = end_user(&credential) else { return self.add_name(&credential).await };
        Credential::check_name(&credential.name)?;
        self.sessions.put(session(&credential, uid)).await?;
        let added = self.add_name(&credential).await;
        let is_added = added.as_ref().is_ok_and(|applied| applied.changed() > 0);
        if !is_added {
            self.sessions.revoke(uid, credential.hash).await?;
        }
        added
    }

    async fn revoke(&self, name: String) -> Result<Applied> {
        let known = self.named(&name).await?;
        let named = known.as_ref().and_then(|known| Some((end_user(known)?, known.hash)));
        let ended = match named {
            Some((uid, hash)) => Some(self.sessions.revoke(uid, hash).await?),
            None => None,
        };
        let applied = self.facts.apply(Write::of(CredentialCommand::Revoke { name })).await?;
        // A name without a session was as good as gone.
        let outcomes = ended.map_or(applied.outcomes, |ended| vec![Outcome::Plain(Ok(ended))]);
        Ok(Applied { outcomes, ..applied })
    }

    /// Refuses to do in one write what here are writes of a session and of a credential.
    async fn check_whole(&self, write: &Write) -> Result<()> {
        let mut commands = write.commands.iter().filter_map(|command| match command {
            Command::Credential(command) => Some(command),
            _ => None,
        });
        let Some(first) = commands.next() else { return Ok(()) };
        let all = self.credentials.list().await?;
        let is_session = |command: &CredentialCommand| match command {
            CredentialCommand::Add(credential) => end_user(credential).is_some(),
            CredentialCommand::Revoke { name } => {
                all.iter().any(|known| known.name == *name && end_user(known).is_some())
            }
        };
        if is_session(first) || commands.any(is_session) {
            return Err(Error::with_detail(Reason::InvalidField { field: "request_id" }, TOKENS_ALONE));
        }
        Ok(())
    }
}

/// Why a write with a token of an end user among others is refused.
const TOKENS_ALONE: &str =
    "a token of an end user is added and revoked by a write of its own, without a request id";

impl Facts for NamedSessions {
    fn apply(&self, write: Write) -> BoxFuture<'_, Result<Applied>> {
        Box::pin(async move {
            match only_credential(&write) {
                Some(CredentialCommand::Add(credential)) => self.add(credential.clone()).await,
                Some(CredentialCommand::Revoke { name }) => self.revoke(name.clone()).await,
                None => {
                    self.check_whole(&write).await?;
                    self.facts.apply(write).await
                }
            }
        })
    }
}

impl Credentials for NamedSessions {
    fn find(&self, hash: [u8; 32]) -> BoxFuture<'_, Result<Option<Credential>>> {
        Box::pin(async move {
            let Some(found) = self.credentials.find(hash).await? else { return Ok(None) };
            Ok(self.stands(&found).await?.then_some(found))
        })
    }

    fn list(&self) -> BoxFuture<'_, Result<Vec<Credential>>> {
        Box::pin(async move {
            let mut standing = Vec::new();
            for credential in self.credentials.list().await? {
                if self.stands(&credential).await? {
                    standing.push(credential);
                }
            }
            Ok(standing)
        })
    }
}
