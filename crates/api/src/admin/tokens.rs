//! Bearer tokens: made, listed, revoked.

use buffa::MessageField;
use guanxi_model::limits::CREDENTIAL_NAME_LEN_MAX;
use guanxi_model::{Credential, Error, Principal, Reason, Result, Scopes, Stamp, Uid};
use guanxi_proto::v1;

use super::AdminApi;
use crate::auth::{hash_token, mint_token};
use crate::convert::time;

/// Names of scopes on the wire.
pub(crate) const READ: &str = "relation.read";
pub(crate) const WRITE: &str = "relation.write";

pub(super) async fn create(
    api: &AdminApi,
    request: &v1::CreateTokenRequestView<'_>,
) -> Result<v1::CreateTokenResponse> {
    let name = check_name(request.name)?.to_owned();
    let principal = principal(request)?;
    let secret = mint_token((api.parts.random)());
    let created_ms = api.parts.clock.now_ms();
    let credential = Credential { hash: hash_token(&secret), name, principal, created_ms };
    api.parts.credentials.add(credential).await?;
    Ok(v1::CreateTokenResponse { secret })
}

fn check_name(name: &str) -> Result<&str> {
    if name.is_empty() {
        return Err(Error::new(Reason::MissingField { field: "name" }));
    }
    if name.len() > CREDENTIAL_NAME_LEN_MAX as usize {
        return Err(Error::new(Reason::TooLong { field: "name", limit: CREDENTIAL_NAME_LEN_MAX }));
    }
    Ok(name)
}

fn principal(request: &v1::CreateTokenRequestView<'_>) -> Result<Principal> {
    use v1::__buffa::view::oneof::create_token_request::Principal as Asked;
    match &request.principal {
        None => Err(Error::new(Reason::MissingField { field: "principal" })),
        Some(Asked::EndUser(0)) => Err(Error::new(Reason::MissingField { field: "end_user" })),
        Some(Asked::EndUser(uid)) => Uid::new(*uid).map(Principal::EndUser),
        Some(Asked::Admin(_)) => Ok(Principal::Admin),
        Some(Asked::Service(service)) => scopes(service).map(Principal::Service),
    }
}

fn scopes(service: &v1::ServicePrincipalView<'_>) -> Result<Scopes> {
    let mut scopes = Scopes::default();
    for scope in &service.scopes {
        match *scope {
            READ => scopes.read = true,
            WRITE => scopes.write = true,
            _ => return Err(Error::new(Reason::InvalidField { field: "scopes" })),
        }
    }
    if scopes == Scopes::default() {
        return Err(Error::new(Reason::MissingField { field: "scopes" }));
    }
    Ok(scopes)
}

pub(super) fn list(api: &AdminApi) -> v1::ListTokensResponse {
    v1::ListTokensResponse { tokens: api.parts.credentials.list().iter().map(present).collect() }
}

fn present(credential: &Credential) -> v1::Token {
    use v1::token::Principal as Shown;
    let principal = match credential.principal {
        Principal::EndUser(uid) => Shown::EndUser(uid.get()),
        Principal::Admin => Shown::Admin(Box::default()),
        Principal::Service(scopes) => {
            let held = [(scopes.read, READ), (scopes.write, WRITE)];
            let names = held.into_iter().filter(|(held, _)| *held).map(|(_, name)| name.to_owned());
            Shown::Service(Box::new(v1::ServicePrincipal { scopes: names.collect() }))
        }
    };
    v1::Token {
        name: credential.name.clone(),
        principal: Some(principal),
        create_time: MessageField::some(time(Stamp::from_ms(credential.created_ms))),
    }
}

pub(super) async fn revoke(
    api: &AdminApi,
    request: &v1::RevokeTokenRequestView<'_>,
) -> Result<v1::RevokeTokenResponse> {
    if request.name.is_empty() {
        return Err(Error::new(Reason::MissingField { field: "name" }));
    }
    if api.parts.credentials.revoke(request.name).await? {
        Ok(v1::RevokeTokenResponse {})
    } else {
        Err(Error::new(Reason::NotFound))
    }
}
