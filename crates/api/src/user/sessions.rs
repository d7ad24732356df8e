//! Sessions: refreshed by their own secret, listed and ended by their user.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use buffa::MessageField;
use guanxi_centers::user::AccountCenter;
use guanxi_centers::user::sessions::SessionCenter;
use guanxi_model::limits::SESSION_PAGE_MAX;
use guanxi_model::{Error, Principal, Reason, Result, Session};
use guanxi_proto::v1;
use guanxi_rim::{Caller, Proof};

use super::account::{at, issued};

/// The name of a session in the API.
fn name_of(id: [u8; 32]) -> String {
    URL_SAFE_NO_PAD.encode(id)
}

/// Which session a name is of.
fn id_of(name: &str) -> Result<[u8; 32]> {
    if name.is_empty() {
        return Err(Error::new(Reason::MissingField { field: "session_id" }));
    }
    let id = URL_SAFE_NO_PAD.decode(name).ok().and_then(|bytes| bytes.try_into().ok());
    id.ok_or(Error::new(Reason::InvalidField { field: "session_id" }))
}

pub(super) fn shown(session: &Session, current: Option<[u8; 32]>) -> v1::Session {
    v1::Session {
        session_id: name_of(session.id),
        device: session.device.as_deref().unwrap_or_default().to_owned(),
        create_time: at(session.created_ms),
        last_use_time: at(session.used_ms),
        expire_time: session.expires_ms.map_or_else(MessageField::none, at),
        current: current == Some(session.id),
    }
}

/// The session that a call comes with. A ticket opens a stream and nothing else, so none comes here.
pub(super) const fn current(caller: &Caller) -> Option<[u8; 32]> {
    match caller.proof {
        Proof::Session(key) => Some(key.id),
        _ => None,
    }
}

pub(super) async fn refresh_session(
    center: &SessionCenter,
    request: &v1::RefreshSessionRequestView<'_>,
) -> Result<v1::LoginResponse> {
    if request.refresh_token.is_empty() {
        return Err(Error::new(Reason::MissingField { field: "refresh_token" }));
    }
    center.refresh(request.refresh_token).await.map(|session| issued(&session))
}

pub(super) async fn list_sessions(
    center: &SessionCenter,
    caller: &Caller,
    request: &v1::ListSessionsRequestView<'_>,
) -> Result<v1::ListSessionsResponse> {
    let uid = caller.uid(request.uid, "uid")?;
    let page = center.list(uid, None, SESSION_PAGE_MAX as usize).await?;
    let current = current(caller);
    Ok(v1::ListSessionsResponse { sessions: page.sessions.iter().map(|one| shown(one, current)).collect() })
}

pub(super) async fn revoke_session(
    center: &AccountCenter,
    caller: &Caller,
    request: &v1::RevokeSessionRequestView<'_>,
) -> Result<v1::RevokeSessionResponse> {
    let uid = caller.uid(request.uid, "uid")?;
    if request.everywhere {
        let (ended, position) = center.sign_out(uid).await?;
        return Ok(v1::RevokeSessionResponse { revoked: Some(ended > 0), token: position.to_token() });
    }
    let revoked = center.sessions().revoke(uid, id_of(request.session_id)?).await?;
    Ok(v1::RevokeSessionResponse { revoked: Some(revoked), ..Default::default() })
}

pub(super) async fn logout(
    center: &AccountCenter,
    caller: &Caller,
    request: &v1::LogoutRequestView<'_>,
) -> Result<v1::LogoutResponse> {
    let ended = match (&caller.principal, current(caller)) {
        (Principal::EndUser(uid), _) if request.everywhere => center.sign_out(*uid).await?.0,
        (Principal::EndUser(uid), Some(id)) => u64::from(center.sessions().revoke(*uid, id).await?),
        _ => 0,
    };
    Ok(v1::LogoutResponse { ended: Some(u32::try_from(ended).unwrap_or(u32::MAX)) })
}
