//! Writes: one function per method.
//!
//! A write is one commit. It is whole or absent even if the future that asked for it is dropped.

use guanxi_centers::post::PostCenter;
use guanxi_model::post::{Draft, Edit};
use guanxi_model::{Error, PostId, Reason, RequestKey, Result, Uid};
use guanxi_ports::Revised;
use guanxi_proto::v1;
use guanxi_rim::Caller;

use super::fingerprint::{of_change, of_draft, of_edit};
use super::shape::{attachments, body, optional_post, post_id, visibility};
use crate::request::request_key;

fn written(written: &Revised<PostId>) -> v1::WritePostResponse {
    v1::WritePostResponse {
        post_id: written.id.get(),
        changed: Some(written.changed),
        revision: written.revision,
        token: written.position.to_token(),
    }
}

pub(super) async fn create_post(
    center: &PostCenter,
    caller: &Caller,
    request: &v1::CreatePostRequestView<'_>,
) -> Result<v1::WritePostResponse> {
    let author = caller.uid(request.author, "author")?;
    let draft = Draft {
        author,
        body: body(request.text, &request.attachments)?,
        visibility: visibility(request.visibility, request.group_id)?.unwrap_or_default(),
        reply_to: optional_post(request.reply_to)?,
        repost_of: optional_post(request.repost_of)?,
    };
    let key = request_key(caller, author, request.request_id, |hash| of_draft(&draft, hash))?;
    center.create(draft, key).await.map(|found| written(&found))
}

pub(super) async fn update_post(
    center: &PostCenter,
    caller: &Caller,
    request: &v1::UpdatePostRequestView<'_>,
) -> Result<v1::WritePostResponse> {
    let author = caller.uid(request.author, "author")?;
    let id = post_id(request.post_id)?;
    let edit = edit(request)?;
    let key = request_key(caller, author, request.request_id, |hash| of_edit(author, id, &edit, hash))?;
    center.update(author, id, edit, key).await.map(|found| written(&found))
}

/// Returns the fields that an update sets: those that its mask names, or without a mask all fields that are not empty.
fn edit(request: &v1::UpdatePostRequestView<'_>) -> Result<Edit> {
    let visibility = visibility(request.visibility, request.group_id)?;
    let (mut text, mut files, mut visible_to) =
        (!request.text.is_empty(), !request.attachments.is_empty(), visibility.is_some());
    if let Some(mask) = request.update_mask.as_option() {
        (text, files, visible_to) = (false, false, false);
        for path in &mask.paths {
            match *path {
                "text" => text = true,
                "attachments" => files = true,
                "visibility" => visible_to = true,
                _ => return Err(Error::new(Reason::InvalidField { field: "update_mask" })),
            }
        }
    }
    let attachments = attachments(&request.attachments)?;
    Ok(Edit {
        text: text.then(|| request.text.to_owned()),
        attachments: files.then_some(attachments),
        visibility: visible_to.then_some(visibility.unwrap_or_default()),
        expected_revision: (request.expected_revision != 0).then_some(request.expected_revision),
    })
}

/// Returns the common part of the writes that name only a user and a post.
fn change(
    caller: &Caller,
    name: &str,
    uid: Uid,
    post: u64,
    request_id: &str,
) -> Result<(PostId, Option<RequestKey>)> {
    let id = post_id(post)?;
    let key = request_key(caller, uid, request_id, |hash| of_change(name, uid, id, hash))?;
    Ok((id, key))
}

/// A function that does one operation of a user on a post; `$name` is in fingerprints, and frozen.
macro_rules! change {
    ($method:ident($request:ident . $user:ident) => $center:ident) => {
        pub(super) async fn $method(
            center: &PostCenter,
            caller: &Caller,
            request: &v1::$request<'_>,
        ) -> Result<v1::WritePostResponse> {
            let user = caller.uid(request.$user, stringify!($user))?;
            let (id, key) = change(caller, stringify!($method), user, request.post_id, request.request_id)?;
            center.$center(user, id, key).await.map(|found| written(&found))
        }
    };
}

change!(delete_post(DeletePostRequestView.author) => delete);
change!(restore_post(RestorePostRequestView.author) => restore);
change!(like_post(LikePostRequestView.uid) => like);
change!(unlike_post(UnlikePostRequestView.uid) => unlike);
change!(undo_repost(UndoRepostRequestView.uid) => undo_repost);
