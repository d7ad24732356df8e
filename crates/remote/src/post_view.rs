//! What the API tells of posts. It shows posts to readers, so it cannot tell what a deleted post was, what an outbox
//! holds of them, or how far somebody has read.

use guanxi_api::client_side::{Time, attachment_kind, place_of, stamp, visibility as visibility_given};
use guanxi_model::limits::POSTS_MAX;
use guanxi_model::post::{Attachment, Body, Kind, Post, PostHeader, PostStats, Revision};
use guanxi_model::{Error, PostId, Reason, Result, Uid, Visibility};
use guanxi_proto::PostClient;
use guanxi_proto::v1::{self, post_item::Status};

use super::view::RemoteView;
use super::{broken, call};

impl RemoteView {
    pub(super) fn post(&self) -> &PostClient {
        self.main.post()
    }

    pub(super) async fn items_for(&self, viewer: u64, ids: &[PostId]) -> Result<Vec<v1::PostItem>> {
        let mut items = Vec::with_capacity(ids.len());
        while items.len() < ids.len() {
            let rest = &ids[items.len()..];
            let post_ids = rest.iter().take(POSTS_MAX as usize).map(|id| id.get()).collect();
            let request = v1::BatchGetPostsRequest { post_ids, viewer, token: self.token() };
            let answer = call(self.post().batch_get_posts(request).await)?;
            let is_there = |item: &v1::PostItem| item.status.as_known() != Some(Status::OMITTED);
            let before = items.len();
            items.extend(answer.posts.into_iter().take_while(is_there));
            if items.len() == before {
                return Err(broken("an answer without any post"));
            }
        }
        Ok(items)
    }

    pub(super) async fn posts_of(&self, ids: &[PostId]) -> Result<Vec<Option<Post>>> {
        let items = self.items_for(0, ids).await?;
        let one = |item: &v1::PostItem| {
            if !is_there(item)? {
                return Ok(None);
            }
            item.post.as_option().map(post_back).transpose()
        };
        items.iter().map(one).collect()
    }
}

/// A post that does not exist has nothing, where the API says that it does not exist.
pub(super) fn nothing_of_none<T: Default>(answer: Result<T>) -> Result<T> {
    match answer {
        Err(error) if error.reason == Reason::PostNotFound => Ok(T::default()),
        answer => answer,
    }
}

/// Returns whether a post exists.
pub(super) fn is_there(item: &v1::PostItem) -> Result<bool> {
    match item.status.as_known() {
        Some(Status::OK) => Ok(true),
        Some(Status::NOT_FOUND) => Ok(false),
        Some(Status::DELETED | Status::FORBIDDEN) => {
            Err(Error::with_detail(Reason::Internal, "the API does not tell what a deleted post was"))
        }
        Some(Status::OMITTED | Status::STATUS_UNSPECIFIED) | None => Err(broken("an unknown status")),
    }
}

pub(super) fn stats_back(item: &v1::PostItem) -> PostStats {
    PostStats {
        likes: item.likes.unwrap_or_default().into(),
        replies: item.replies.unwrap_or_default().into(),
        reposts: item.reposts.unwrap_or_default().into(),
    }
}

fn post_back(post: &v1::Post) -> Result<Post> {
    let author = || Uid::new(post.original_author);
    let kind = match (post.reply_to, post.repost_of) {
        (0, 0) => Kind::Post,
        (to, 0) => Kind::Reply { to: PostId::new(to)?, author: author()? },
        (_, of) if post.text.is_empty() && post.attachments.is_empty() => {
            Kind::Repost { of: PostId::new(of)?, author: author()? }
        }
        (_, of) => Kind::Quote { of: PostId::new(of)?, author: author()? },
    };
    let takedown = Some(post.takedown_reason.clone()).filter(|reason| !reason.is_empty());
    let taken_down = takedown.is_some();
    let item = PostHeader {
        id: PostId::new(post.post_id)?,
        author: Uid::new(post.author)?,
        kind,
        visibility: visibility_back(post)?,
        deleted: taken_down,
        taken_down,
        event: post.event.as_option().map(place_of).transpose()?,
    };
    let (update_ms, create_ms) = (ms_back(&post.update_time)?, ms_back(&post.create_time)?);
    let (body, revision) = (body_back(post)?, post.revision);
    Ok(Post { header: item, body, revision, update_ms, create_ms, deleted_ms: None, takedown })
}

pub(super) fn revision_back(post: &v1::Post) -> Result<Revision> {
    Ok(Revision {
        revision: post.revision,
        update_ms: ms_back(&post.update_time)?,
        visibility: visibility_back(post)?,
        body: body_back(post)?,
    })
}

fn ms_back(time: &Time) -> Result<u64> {
    let time = time.as_option().and_then(stamp).ok_or_else(|| broken("a post without a time"))?;
    Ok(time.ms())
}

fn visibility_back(post: &v1::Post) -> Result<Visibility> {
    visibility_given(post.visibility, post.group_id)?.ok_or_else(|| broken("a post without a visibility"))
}

fn body_back(post: &v1::Post) -> Result<Body> {
    let one = |given: &v1::Attachment| {
        let reference = given.reference.clone();
        attachment_kind(given.kind).map(|kind| Attachment { kind, reference })
    };
    let attachments = post.attachments.iter().map(one).collect::<Result<_>>()?;
    Ok(Body { text: post.text.clone(), attachments })
}
