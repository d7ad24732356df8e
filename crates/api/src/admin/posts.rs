//! Import of posts.

use buffa::MessageField;
use guanxi_model::limits::IMPORT_POSTS_MAX;
use guanxi_model::post::{ImportPost, PostOutcome};
use guanxi_model::{Error, PostId, PostWrite, Reason, Result, Uid};
use guanxi_proto::v1;

use super::AdminApi;
use super::edges::mark;
use crate::convert::required;
use crate::error::item_error;
use crate::post::shape::{body, visibility};

pub(super) async fn import(
    api: &AdminApi,
    request: &v1::ImportPostsRequestView<'_>,
) -> Result<v1::ImportPostsResponse> {
    if request.posts.len() > IMPORT_POSTS_MAX as usize {
        return Err(Error::new(Reason::BatchTooLarge { limit: IMPORT_POSTS_MAX }));
    }
    let mark = mark(request.job, request.position, request.next_position)?;
    let position = mark.as_ref().map_or(0, |mark| mark.to);
    let mut outcomes = vec![v1::ImportedPost::default(); request.posts.len()];
    let (mut posts, mut places) = (Vec::new(), Vec::new());
    for (post, place) in request.posts.iter().zip(0_usize..) {
        match parse(post) {
            Ok(post) => {
                posts.push(post);
                places.push(place);
            }
            Err(error) => outcomes[place].error = MessageField::some(item_error(&error.reason)),
        }
    }
    let write = PostWrite::Import { posts, mark };
    let written = api.centers.post.posts().write_posts(write).await?;
    for (place, outcome) in places.into_iter().zip(&written.outcomes) {
        outcomes[place] = imported(outcome);
    }
    let count = |which: fn(&v1::ImportedPost) -> bool| {
        Some(u32::try_from(outcomes.iter().filter(|post| which(post)).count()).unwrap_or(u32::MAX))
    };
    Ok(v1::ImportPostsResponse {
        accepted: count(|post| post.changed),
        already_there: count(|post| !post.changed && post.error.is_unset()),
        refused: count(|post| post.error.is_set()),
        position,
        token: written.position.to_token(),
        outcomes,
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
