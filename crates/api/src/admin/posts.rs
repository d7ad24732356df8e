//! Import and export of posts and likes.

use buffa::MessageField;
use connectrpc::ConnectError;
use futures::Stream;
use guanxi_centers::operator::{Export, ListedLikes, ListedPosts, PostsPlace};
use guanxi_model::limits::POSTS_MAX;
use guanxi_model::post::{ImportLike, ImportPost, PostOutcome};
use guanxi_model::{Error, PostId, Reason, Result, Stamp, Uid};
use guanxi_ports::ExportLike;
use guanxi_proto::v1;

use super::{AdminApi, chunks, cursor, imported};
use crate::convert::{at_least, required};
use crate::item_errors::item_error;
use crate::limits::EXPORT_CHUNK;
use crate::post::shape::{
    attachment_shown, body, group_shown, optional_post, post_id, visibility, visibility_shown,
};

pub(super) async fn import_posts(
    api: &AdminApi,
    request: &v1::ImportPostsRequestView<'_>,
) -> Result<v1::ImportPostsResponse> {
    let cursor = cursor(request.job, request.position, request.next_position);
    let position = cursor.as_ref().map_or(0, |cursor| cursor.to);
    let found = api.operator.import_posts(request.posts.iter().map(parse), cursor).await?;
    Ok(imported!(ImportPostsResponse, position, found, outcome_shown))
}

fn outcome_shown(outcome: &PostOutcome) -> v1::ImportedPost {
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
        id: optional_post(post.post_id)?,
        key: post.key.to_owned(),
        author: required(post.author, "author")?,
        at_ms: post.unix_ms,
        body: body(post.text, &post.attachments)?,
        visibility: visibility(post.visibility, post.group_id)?.unwrap_or_default(),
        reply_to: post.reply_to.as_option().map(|key| parse_key(key, "reply_to")).transpose()?,
        repost_of: post.repost_of.as_option().map(|key| parse_key(key, "repost_of")).transpose()?,
        deleted: post.deleted,
    })
}

fn parse_key(key: &v1::PostKeyView<'_>, field: &'static str) -> Result<(Uid, String)> {
    let author = required(key.author, field)?;
    if key.key.is_empty() {
        return Err(Error::new(Reason::MissingField { field }));
    }
    Ok((author, key.key.to_owned()))
}

/// A post as an import takes it.
pub(crate) fn import_shown(post: &ImportPost) -> v1::ImportPost {
    let key = |key: &Option<(Uid, String)>| match key {
        Some((author, key)) => MessageField::some(v1::PostKey { author: author.get(), key: key.clone() }),
        None => MessageField::none(),
    };
    v1::ImportPost {
        author: post.author.get(),
        key: post.key.clone(),
        unix_ms: post.at_ms,
        text: post.body.text.clone(),
        attachments: post.body.attachments.iter().map(attachment_shown).collect(),
        visibility: visibility_shown(post.visibility).into(),
        group_id: group_shown(post.visibility),
        reply_to: key(&post.reply_to),
        repost_of: key(&post.repost_of),
        deleted: post.deleted,
        post_id: post.id.map_or(0, PostId::get),
    }
}

pub(super) async fn export_posts(
    api: &AdminApi,
    request: &v1::ExportPostsRequestView<'_>,
) -> Result<impl Stream<Item = Result<v1::ExportPostsResponse, ConnectError>> + Send + use<>> {
    let after = optional_post(request.after_post_id)?;
    let place = PostsPlace { round: request.after_round, after };
    let max_posts = if request.max_posts == 0 { u64::MAX } else { request.max_posts };
    let export = api.operator.export_posts(place, max_posts, at_least(request.token)?).await?;
    Ok(chunks(export, POSTS_MAX as usize, posts_chunk))
}

fn posts_chunk(posts: &[ImportPost], export: &Export<ListedPosts>) -> v1::ExportPostsResponse {
    let PostsPlace { round, after } = export.rows().place();
    v1::ExportPostsResponse {
        posts: posts.iter().map(import_shown).collect(),
        round,
        post_id: after.map_or(0, PostId::get),
        token: export.position().to_token(),
        left_out: export.left_out(),
    }
}

pub(super) async fn import_likes(
    api: &AdminApi,
    request: &v1::ImportLikesRequestView<'_>,
) -> Result<v1::ImportLikesResponse> {
    let cursor = cursor(request.job, request.position, request.next_position);
    let position = cursor.as_ref().map_or(0, |cursor| cursor.to);
    let found = api.operator.import_likes(request.likes.iter().map(parse_like), cursor).await?;
    Ok(imported!(ImportLikesResponse, position, found, outcome_shown))
}

fn parse_like(like: &v1::ImportLikeView<'_>) -> Result<ImportLike> {
    Ok(ImportLike {
        uid: required(like.user, "user")?,
        author: required(like.author, "author")?,
        key: like.key.to_owned(),
        at: like.unix_ms.map(Stamp::from_ms),
    })
}

pub(super) async fn export_likes(
    api: &AdminApi,
    request: &v1::ExportLikesRequestView<'_>,
) -> Result<impl Stream<Item = Result<v1::ExportLikesResponse, ConnectError>> + Send + use<>> {
    let after = match (request.after_post_id, request.after_user) {
        (0, 0) => None,
        (post, user) => Some((post_id(post)?, required(user, "after_user")?)),
    };
    let max_likes = if request.max_likes == 0 { u64::MAX } else { request.max_likes };
    let export = api.operator.export_likes(after, max_likes, at_least(request.token)?).await?;
    Ok(chunks(export, EXPORT_CHUNK, likes_chunk))
}

fn likes_chunk(likes: &[ExportLike], export: &Export<ListedLikes>) -> v1::ExportLikesResponse {
    let like = |found: &ExportLike| v1::ExportedLike {
        user: found.like.uid.get(),
        author: found.author.get(),
        key: found.key.clone(),
        unix_ms: found.like.at.ms(),
        tick: (found.like.at.raw() & 0xffff) as u32,
        post_id: found.id.get(),
    };
    v1::ExportLikesResponse {
        likes: likes.iter().map(like).collect(),
        token: export.position().to_token(),
        left_out: export.left_out(),
    }
}
