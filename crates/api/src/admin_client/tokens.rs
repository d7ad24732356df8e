//! Tokens of callers.

use std::num::NonZeroU32;

use guanxi_model::{Credential, Principal, Reason, Result, Scopes, Uid};
use guanxi_proto::v1;

use super::OperatorClient;
use crate::client_side::{broken, call};
use crate::convert::stamp;

impl OperatorClient {
    /// Has the server make a token, and answers its secret, which is shown only now.
    ///
    /// # Errors
    /// `ALREADY_EXISTS`, `TOO_LONG`, `MISSING_FIELD`, `LIMIT_REACHED`.
    pub async fn create_token(
        &self,
        name: &str,
        principal: &Principal,
        rate_per_minute: Option<NonZeroU32>,
    ) -> Result<String> {
        let rate_per_minute = rate_per_minute.map_or(0, NonZeroU32::get);
        let mut request =
            v1::CreateTokenRequest { name: name.to_owned(), rate_per_minute, ..Default::default() };
        match principal {
            Principal::EndUser(uid) => request.end_user = uid.get(),
            Principal::Admin => request.admin = true,
            Principal::Service(scopes) => request.scopes = scopes.names().map(str::to_owned).collect(),
        }
        Ok(call(self.0.admin().create_token(request).await)?.secret)
    }

    /// All tokens by name. Their hashes stay on the server; those answered here are zero.
    ///
    /// # Errors
    /// When the server cannot be reached.
    pub async fn list_tokens(&self) -> Result<Vec<Credential>> {
        let answer = call(self.0.admin().list_tokens(v1::ListTokensRequest::default()).await)?;
        answer.tokens.iter().map(credential_back).collect()
    }

    /// Revokes a token; `false` when there was none of this name.
    ///
    /// # Errors
    /// When the server cannot be reached.
    pub async fn revoke_token(&self, name: &str) -> Result<bool> {
        let request = v1::RevokeTokenRequest { name: name.to_owned() };
        match call(self.0.admin().revoke_token(request).await) {
            Ok(_) => Ok(true),
            Err(error) if error.reason == Reason::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }
}

fn credential_back(token: &v1::Token) -> Result<Credential> {
    let scopes = || Scopes::of_names(token.scopes.iter().map(String::as_str));
    let principal = match (token.admin, token.end_user) {
        (true, _) => Principal::Admin,
        (false, 0) => Principal::Service(scopes().ok_or_else(|| broken("too many scopes"))?),
        (false, uid) => Principal::EndUser(Uid::new(uid)?),
    };
    let created =
        token.create_time.as_option().and_then(stamp).ok_or_else(|| broken("a token without a time"))?;
    Ok(Credential {
        hash: [0; 32],
        name: token.name.clone(),
        principal,
        created_ms: created.ms(),
        rate_per_minute: NonZeroU32::new(token.rate_per_minute),
    })
}
