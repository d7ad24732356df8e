//! Import of posts.

use buffa::MessageField;
use guanxi_model::post::{ImportPost, PostOutcome};
use guanxi_model::{Error, PostId, Reason, Result, Uid};
use guanxi_proto::v1;

use super::{AdminApi, cursor};
use crate::convert::required;
use crate::error::item_error;
use crate::post::shape::{body, visibility};

pub(super) async fn import_posts(
    api: &AdminApi,
    request: &v1::ImportPostsRequestView<'_>,
) -> Result<v1::ImportPostsResponse> {
    let cursor = cursor(request.job, request.position, request.next_position);
    let position = cursor.as_ref().map_or(0, |cursor| cursor.to);
    let found = api.operator.import_posts(request.posts.iter().map(parse), cursor).await?;
    Ok(v1::ImportPostsResponse {
        accepted: Some(found.accepted),
        already_there: Some(found.already_there),
        refused: Some(found.refused),
        position,
        token: found.position.to_token(),
        outcomes: found.outcomes.iter().map(imported).collect(),
    })
}

fn imported(outcome: &PostOutcome) -> v1::ImportedPost {
    match &outcome.result {
        Ok(changed) => v1::ImportedPost {
            post_id: outcome.id.map_or(0, PostId::get),
            changed: *changed,
            revision: outcome.revision,
            ..Default::default()
        },
        Err(reason) => {
            v1::ImportedPost { error: MessageField::some(item_error(reason)), ..Default::default() }
        }
    }
}

fn parse(post: &v1::ImportPostView<'_>) -> Result<ImportPost> {
    Ok(ImportPost {
        key: post.key.to_owned(),
        author: required(post.author, "author")?,
        at_ms: post.unix_ms,
        body: body(post.text, &post.attachments)?,
        visibility: visibility(post.visibility)?.unwrap_or_default(),
        reply_to: post.reply_to.as_option().map(|key| parse_key(key, "reply_to")).transpose()?,
        repost_of: post.repost_of.as_option().map(|key| parse_key(key, "repost_of")).transpose()?,
    })
}

fn parse_key(key: &v1::PostKeyView<'_>, field: &'static str) -> Result<(Uid, String)> {
    let author = required(key.author, field)?;
    if key.key.is_empty() {
        return Err(Error::new(Reason::MissingField { field }));
    }
    Ok((author, key.key.to_owned()))
}
