//! Credentials of which those of end users are names for sessions: a wrapper, so that no backend has to.

use crate::{BoxFuture, Credentials, SessionWrites as _, Sessions};
use guanxi_model::{Credential, Principal, Reason, Result, Session, SessionKey, Uid};
use std::sync::Arc;

/// Credentials, where a token of an end user is a session and its credential the operator's name for that.
///
/// The session alone says whether the token is valid; it goes first whenever one is made or revoked. A death in between
/// leaves a session whose secret nobody was told, or a name for nothing. Such a name is as good as gone: it is not
/// found, not listed, and free to be given again.
pub struct NamedSessions {
    credentials: Arc<dyn Credentials>,
    sessions: Arc<dyn Sessions>,
}

/// Whose token a credential is, if it is one of an end user.
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

impl NamedSessions {
    /// Wraps credentials, and the sessions that they name.
    pub fn new(credentials: Arc<dyn Credentials>, sessions: Arc<dyn Sessions>) -> Self {
        Self { credentials, sessions }
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
    async fn add_name(&self, credential: Credential) -> Result<()> {
        let name = credential.name.clone();
        match self.credentials.add(credential.clone()).await {
            Err(error) if error.reason == Reason::AlreadyExists => match self.named(&name).await? {
                Some(known) if !self.stands(&known).await? => {
                    self.credentials.revoke(&name).await?;
                    self.credentials.add(credential).await
                }
                _ => Err(error),
            },
            added => added,
        }
    }
}

impl Credentials for NamedSessions {
    fn add(&self, credential: Credential) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            let Some(uid) = end_user(&credential) else { return self.add_name(credential).await };
            let hash = credential.hash;
            self.sessions.put(session(&credential, uid)).await?;
            let added = self.add_name(credential).await;
            if added.is_err() {
                self.sessions.revoke(uid, hash).await?;
            }
            added
        })
    }

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

    fn revoke(&self, name: &str) -> BoxFuture<'_, Result<bool>> {
        let name = name.to_owned();
        Box::pin(async move {
            let Some(known) = self.named(&name).await? else { return Ok(false) };
            let Some(uid) = end_user(&known) else { return self.credentials.revoke(&name).await };
            let revoked = self.sessions.revoke(uid, known.hash).await?;
            self.credentials.revoke(&name).await?;
            Ok(revoked)
        })
    }
}
