//! Accounts: one function per method.

use buffa::MessageField;
use guanxi_centers::user::familiar::Network;
use guanxi_centers::user::passwords::{PasswordQueue, PasswordTurn};
use guanxi_centers::user::sessions::IssuedSession;
use guanxi_centers::user::{AccountCenter, LoginAttempt, NewAccount};
use guanxi_model::user::{Identifier, Profile};
use guanxi_model::{Principal, Result, Stamp, Uid};
use guanxi_proto::v1;
use guanxi_rim::{Budgets, Caller, CallerAddress, neighbours};
use guanxi_texts::{new_login_name, nickname};
use std::time::Duration;

use super::given::Given;
use super::password::{chosen, given_password};
use super::write::written;
use crate::convert::{Time, required, time};
use crate::request::request_key;

/// The budgets under which an attempt to prove a password is counted, and how long its answer is waited for.
pub(super) struct Attempts<'a> {
    pub budgets: &'a Budgets,
    pub address: Option<CallerAddress>,
    pub time_left: Option<Duration>,
}

pub(super) async fn register(
    center: &AccountCenter,
    caller: &Caller,
    time_left: Option<Duration>,
    request: &v1::RegisterRequestView<'_>,
) -> Result<v1::RegisterResponse> {
    let login_name = new_login_name(request.login_name, caller.names())?;
    let password = Some(request.password).filter(|password| !password.is_empty());
    let password = password.map(chosen).transpose()?;
    let profile = Profile { nickname: nickname(request.nickname)?, ..Profile::default() };
    profile.check()?;
    // The password is not part of it: a hash that is made to be quick would tell it. The center compares it.
    let is_stranger = caller.is_registrant();
    let caller = caller.asks_for(&login_name);
    let key = request_key(&caller, AccountCenter::registrar(&login_name), request.request_id, |hash| {
        hash.name("register").text(login_name.as_str()).text(&profile.nickname);
    })?;
    let queue = if is_stranger { PasswordQueue::Strangers } else { PasswordQueue::Familiar };
    let turn = PasswordTurn { queue, time_left };
    let written = center.register(NewAccount { login_name, password, profile }, key, turn).await?;
    Ok(v1::RegisterResponse { uid: written.id.get(), token: written.position.to_token() })
}

pub(super) async fn login(
    center: &AccountCenter,
    Attempts { budgets, address, time_left }: Attempts<'_>,
    request: &v1::LoginRequestView<'_>,
) -> Result<v1::LoginResponse> {
    let given = Given::one_of(request.login_name, request.phone, request.email)?;
    let (password, device) = (given_password(request.password)?, device(request.device)?);
    // A name that no user can have is answered as a name that no user has.
    let who = given.identifier().ok();
    budgets.login(&attempted(given, who.as_ref()), address)?;
    let network = address.map(|address| Network(neighbours(address)));
    let (who, device) = (who.as_ref(), device.as_deref());
    let attempt = LoginAttempt { who, password, device, network, time_left };
    center.login(attempt).await.map(|session| issued(&session))
}

pub(super) async fn change_password(
    center: &AccountCenter,
    caller: &Caller,
    Attempts { budgets, address, time_left }: Attempts<'_>,
    request: &v1::ChangePasswordRequestView<'_>,
) -> Result<v1::LoginResponse> {
    let uid = caller.uid(request.uid, "uid")?;
    let (old, new) = (given_password(request.old_password)?, chosen(request.new_password)?);
    let device = device(request.device)?;
    budgets.login(&attempts_of(uid), address)?;
    let session = center.change_password(uid, old, new, device.as_deref(), time_left).await?;
    Ok(issued(&session))
}

/// A holder of a user's session need not be the user. So an end user must give its password, if it has one.
pub(super) async fn delete_user(
    center: &AccountCenter,
    caller: &Caller,
    Attempts { budgets, address, time_left }: Attempts<'_>,
    request: &v1::DeleteUserRequestView<'_>,
) -> Result<v1::WriteUserResponse> {
    let uid = caller.uid(request.uid, "uid")?;
    // The password is not part of it: a hash that is made to be quick would tell it.
    let key = request_key(caller, uid, request.request_id, |hash| {
        hash.name("delete_user").number(uid.get());
    })?;
    if matches!(caller.principal, Principal::EndUser(_)) && center.has_password(uid).await? {
        let password = given_password(request.password)?;
        budgets.login(&attempts_of(uid), address)?;
        center.prove(uid, password, time_left).await?;
    }
    center.delete(uid, key).await.map(|found| written(&found))
}

pub(super) async fn set_password(
    center: &AccountCenter,
    time_left: Option<Duration>,
    request: &v1::SetPasswordRequestView<'_>,
) -> Result<v1::SetPasswordResponse> {
    let uid = required(request.uid, "uid")?;
    let position = center.set_password(uid, chosen(request.new_password)?, time_left).await?;
    Ok(v1::SetPasswordResponse { token: position.to_token() })
}

/// Returns the key under which attempts of a known user are counted. No login name has a space in it, and no other login text
/// begins like this key.
fn attempts_of(uid: Uid) -> String {
    format!("uid {uid}")
}

/// Returns the key under which attempts are counted: the name or contact that is meant, in any spelling.
fn attempted(given: Given<'_>, who: Option<&Identifier>) -> String {
    let text = match who {
        Some(Identifier::LoginName(name)) => name.as_str(),
        Some(Identifier::Contact(contact)) => contact.expose(),
        None => given.text(),
    };
    match given {
        Given::LoginName(_) => text.to_owned(),
        // No login name has a space in it.
        Given::Contact(kind, _) => format!("{} {text}", kind.field()),
    }
}

fn device(given: &str) -> Result<Option<String>> {
    Ok(Some(guanxi_texts::device(given)?).filter(|device| !device.is_empty()))
}

pub(super) fn at(ms: u64) -> Time {
    MessageField::some(time(Stamp::from_ms(ms)))
}

/// A session as the wire has it.
pub(super) fn issued(session: &IssuedSession) -> v1::LoginResponse {
    v1::LoginResponse {
        uid: session.session.uid.get(),
        access_token: session.access.as_str().to_owned(),
        access_expire_time: at(session.access_expires_ms),
        refresh_token: session.refresh.as_str().to_owned(),
        expire_time: session.session.expires_ms.map_or_else(MessageField::none, at),
    }
}
