//! Taking posts and users down, and reinstating them.

use guanxi_model::Result;
use guanxi_proto::v1;

use super::AdminApi;
use crate::convert::required;
use crate::post::shape::post_id;

pub(super) async fn take_down_post(
    api: &AdminApi,
    request: &v1::TakeDownPostRequestView<'_>,
) -> Result<v1::TakeDownPostResponse> {
    let id = post_id(request.post_id)?;
    let done = api.operator.take_down_post(id, request.reason.to_owned()).await?;
    let (changed, revision, token) = (Some(done.changed), done.revision, done.position.to_token());
    Ok(v1::TakeDownPostResponse { changed, revision, token })
}

pub(super) async fn reinstate_post(
    api: &AdminApi,
    request: &v1::ReinstatePostRequestView<'_>,
) -> Result<v1::ReinstatePostResponse> {
    let done = api.operator.reinstate_post(post_id(request.post_id)?).await?;
    let (changed, revision, token) = (Some(done.changed), done.revision, done.position.to_token());
    Ok(v1::ReinstatePostResponse { changed, revision, token })
}

pub(super) async fn take_down_user(
    api: &AdminApi,
    request: &v1::TakeDownUserRequestView<'_>,
) -> Result<v1::TakeDownUserResponse> {
    let uid = required(request.uid, "uid")?;
    let done = api.operator.take_down_user(uid, request.reason.to_owned()).await?;
    let (changed, revision, token) = (Some(done.changed), done.revision, done.position.to_token());
    Ok(v1::TakeDownUserResponse { changed, revision, token })
}

pub(super) async fn reinstate_user(
    api: &AdminApi,
    request: &v1::ReinstateUserRequestView<'_>,
) -> Result<v1::ReinstateUserResponse> {
    let done = api.operator.reinstate_user(required(request.uid, "uid")?).await?;
    let (changed, revision, token) = (Some(done.changed), done.revision, done.position.to_token());
    Ok(v1::ReinstateUserResponse { changed, revision, token })
}
