//! Bearer tokens: made, stored, revoked.

use std::num::NonZeroU32;

use super::OperatorCenter;
use guanxi_model::{Credential, Error, Principal, Reason, Result};
use guanxi_ports::CredentialWrites as _;

/// A token, known only to the caller that asked for it.
#[derive(Clone)]
pub struct Secret {
    /// The text that a caller sends.
    pub text: String,
    /// The stored form of it.
    pub hash: [u8; 32],
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret")
    }
}

impl OperatorCenter {
    /// Makes a token and the credential that recognises it, and stores neither.
    ///
    /// # Errors
    /// `MISSING_FIELD`, `TOO_LONG`, `INVALID_FIELD` for the name.
    pub fn mint_token(&self, name: &str, principal: Principal) -> Result<(String, Credential)> {
        Credential::check_name(name)?;
        let Secret { text, hash } = (self.own.mint)(&principal, (self.own.random)());
        let created_ms = self.ports.clock.now_ms();
        Ok((text, Credential { hash, name: name.to_owned(), principal, created_ms, rate_per_minute: None }))
    }

    /// Stores a credential.
    ///
    /// # Errors
    /// `ALREADY_EXISTS`, `LIMIT_REACHED`, or a whole-request error of the store.
    pub async fn add_token(&self, credential: Credential) -> Result<()> {
        self.own.credentials.add(credential).await
    }

    /// Makes a token and stores it; returns its text, which is shown only now.
    ///
    /// # Errors
    /// Those of [`Self::mint_token`] and [`Self::add_token`].
    /// `INVALID_FIELD` for a rate of others than services.
    pub async fn create_token(
        &self,
        name: &str,
        principal: Principal,
        rate_per_minute: Option<NonZeroU32>,
    ) -> Result<String> {
        if rate_per_minute.is_some() && !matches!(principal, Principal::Service(_)) {
            return Err(Error::new(Reason::InvalidField { field: "rate_per_minute" }));
        }
        let (text, credential) = self.mint_token(name, principal)?;
        self.add_token(Credential { rate_per_minute, ..credential }).await?;
        Ok(text)
    }

    /// Revokes a token, effective at once; `false` when there was none of this name.
    ///
    /// # Errors
    /// `MISSING_FIELD`, or a whole-request error of the store.
    pub async fn revoke_token(&self, name: &str) -> Result<bool> {
        if name.is_empty() {
            return Err(Error::new(Reason::MissingField { field: "name" }));
        }
        self.own.credentials.revoke(name).await
    }
}
