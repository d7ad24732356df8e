//! Reads: one function per method.

use buffa::MessageField;
use guanxi_centers::user::{GotUser, UserCenter};
use guanxi_model::limits::USERS_MAX;
use guanxi_model::{Result, Uid};
use guanxi_proto::v1;
use guanxi_rim::Caller;

use super::given::Given;
use super::shape::shown;
use crate::convert::{at_least, required, required_list};

pub(super) async fn get_user(
    center: &UserCenter,
    caller: &Caller,
    request: &v1::GetUserRequestView<'_>,
) -> Result<v1::GetUserResponse> {
    let uid = required(request.uid, "uid")?;
    let got = center.get(caller.viewer(), &[uid], at_least(request.token)?).await?;
    let user = got.users.first().map(|user| told(uid, user));
    Ok(v1::GetUserResponse { user: user.into(), token: got.position.to_token() })
}

/// A user by itself and among others: of one of whom nothing is kept the uid alone, since it may have relations and posts.
fn told(uid: Uid, user: &GotUser) -> v1::User {
    match user {
        GotUser::Shown(user) => shown(user),
        GotUser::Nothing => v1::User { uid: uid.get(), ..Default::default() },
        GotUser::Omitted => v1::User { uid: uid.get(), omitted: true, ..Default::default() },
    }
}

pub(super) async fn batch_get_users(
    center: &UserCenter,
    caller: &Caller,
    request: &v1::BatchGetUsersRequestView<'_>,
) -> Result<v1::BatchGetUsersResponse> {
    let uids = required_list(&request.uids, "uids", USERS_MAX)?;
    caller.pay_for_batch(uids.len())?;
    let got = center.get(caller.viewer(), &uids, at_least(request.token)?).await?;
    let users = uids.iter().zip(&got.users).map(|(uid, user)| told(*uid, user));
    Ok(v1::BatchGetUsersResponse { users: users.collect(), token: got.position.to_token() })
}

pub(super) async fn lookup_user(
    center: &UserCenter,
    caller: &Caller,
    request: &v1::LookupUserRequestView<'_>,
) -> Result<v1::LookupUserResponse> {
    let given = Given::one_of(request.login_name, request.phone, request.email)?;
    let who = given.identifier()?;
    let (user, position) = center.lookup(caller.viewer(), &who, at_least(request.token)?).await?;
    Ok(v1::LookupUserResponse { user: MessageField::some(shown(&user)), token: position.to_token() })
}
