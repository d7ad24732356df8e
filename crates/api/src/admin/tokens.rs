//! Bearer tokens: made, listed, revoked.

use std::num::NonZeroU32;

use buffa::MessageField;
use guanxi_model::{Credential, Error, Principal, Reason, Result, Scopes, Stamp, Uid};
use guanxi_proto::v1;

use super::AdminApi;
use crate::convert::time;

pub(super) async fn create_token(
    api: &AdminApi,
    request: &v1::CreateTokenRequestView<'_>,
) -> Result<v1::CreateTokenResponse> {
    let secret = api
        .operator
        .create_token(request.name, principal(request)?, NonZeroU32::new(request.rate_per_minute))
        .await?;
    Ok(v1::CreateTokenResponse { secret })
}

/// The one kind that is asked for.
fn principal(request: &v1::CreateTokenRequestView<'_>) -> Result<Principal> {
    match (request.scopes.is_empty(), request.end_user, request.admin) {
        (false, 0, false) => Scopes::of_words(request.scopes.iter().copied()).map(Principal::Service),
        (true, 0, true) => Ok(Principal::Admin),
        (true, 0, false) => Err(Error::new(Reason::MissingField { field: "principal" })),
        (true, uid, false) => Uid::new(uid).map(Principal::EndUser),
        _ => Err(Error::new(Reason::InvalidField { field: "principal" })),
    }
}

pub(super) async fn list_tokens(
    api: &AdminApi,
    _request: &v1::ListTokensRequestView<'_>,
) -> Result<v1::ListTokensResponse> {
    let tokens = api.operator.tokens().await?;
    Ok(v1::ListTokensResponse { tokens: tokens.iter().map(present).collect() })
}

fn present(credential: &Credential) -> v1::Token {
    let mut shown = v1::Token {
        name: credential.name.clone(),
        create_time: MessageField::some(time(Stamp::from_ms(credential.created_ms))),
        rate_per_minute: credential.rate_per_minute.map_or(0, NonZeroU32::get),
        ..Default::default()
    };
    match &credential.principal {
        Principal::EndUser(uid) => shown.end_user = uid.get(),
        Principal::Admin => shown.admin = true,
        Principal::Service(scopes) => shown.scopes = scopes.names().map(str::to_owned).collect(),
    }
    shown
}

pub(super) async fn revoke_token(
    api: &AdminApi,
    request: &v1::RevokeTokenRequestView<'_>,
) -> Result<v1::RevokeTokenResponse> {
    if api.operator.revoke_token(request.name).await? {
        Ok(v1::RevokeTokenResponse {})
    } else {
        Err(Error::new(Reason::NotFound))
    }
}
