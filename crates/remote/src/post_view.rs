//! What the API tells of posts. It shows posts to readers, so it cannot tell what a deleted post was, what an outbox
//! holds of them, or how far somebody has read.

use std::num::NonZeroU64;

use guanxi_api::client_side::{
    Time, attachment_kind, likers_scope, place_of, reposters_scope, stamp, visibility as visibility_given,
};
use guanxi_model::limits::POSTS_MAX;
use guanxi_model::post::{
    Attachment, Body, ImportPost, Kind, Post, PostHeader, PostMarks, PostStats, Revision,
};
use guanxi_model::{
    EdgePage, Error, GroupId, Page, PageStart, PostCursor, PostId, Reason, Result, Uid, Visibility,
};
use guanxi_ports::{
    AuthorHead, BoxFuture, ExportLike, GroupView as _, OutboxAsk, OutboxView, Outboxes, PostView, UserLike,
    ViewerRelations, first_posts,
};
use guanxi_proto::PostClient;
use guanxi_proto::v1::{self, post_item::Status};

use super::places::page_tokens;
use super::view::{RemoteView, scoped_page_back};
use super::{broken, call, untold};

impl OutboxView for RemoteView {
    fn viewer_relations(&self, _viewer: Uid) -> BoxFuture<'_, Result<Box<dyn ViewerRelations>>> {
        untold("viewer_relations")
    }

    fn heads<'a>(&'a self, _authors: &'a [Uid]) -> BoxFuture<'a, Result<Vec<AuthorHead>>> {
        untold("heads of outboxes")
    }

    fn created_from<'a>(&'a self, _authors: &'a [Uid]) -> BoxFuture<'a, Result<Vec<Option<PostId>>>> {
        untold("where created posts begin")
    }

    fn outboxes<'a>(&'a self, _asks: &'a [OutboxAsk], _max: usize) -> BoxFuture<'a, Result<Outboxes>> {
        untold("outboxes")
    }

    fn headers<'a>(&'a self, ids: &'a [PostId]) -> BoxFuture<'a, Result<Vec<Option<PostHeader>>>> {
        Box::pin(async move {
            let posts = self.posts_of(ids).await?;
            Ok(posts.into_iter().map(|post| post.map(|post| post.header)).collect())
        })
    }

    fn follow<'a>(&'a self, subjects: &'a [Uid], object: Uid) -> BoxFuture<'a, Result<Vec<bool>>> {
        let pairs: Vec<(Uid, Uid)> = subjects.iter().map(|subject| (*subject, object)).collect();
        Box::pin(async move {
            let relations = self.pairs_of(&pairs).await?;
            Ok(relations.iter().map(|relation| relation.following_since.is_some()).collect())
        })
    }

    fn blocked_by<'a>(&'a self, viewer: Uid, authors: &'a [Uid]) -> BoxFuture<'a, Result<Vec<bool>>> {
        Box::pin(async move {
            let relations = self.relations_of(viewer, authors).await?;
            Ok(relations.iter().map(|relation| relation.blocked_by).collect())
        })
    }

    fn in_groups<'a>(&'a self, uid: Uid, groups: &'a [(Uid, GroupId)]) -> BoxFuture<'a, Result<Vec<bool>>> {
        Box::pin(async move {
            let mut is_in = Vec::with_capacity(groups.len());
            for (owner, id) in groups {
                is_in.push(self.groups_with(*owner, &[uid]).await?.concat().contains(id));
            }
            Ok(is_in)
        })
    }

    /// Nothing is known of the backend behind the server.
    fn mirrors_are_exact(&self) -> bool {
        false
    }

    /// The server has confirmed each of its answers.
    fn confirm(&self, _viewer: Uid) -> BoxFuture<'_, Result<bool>> {
        Box::pin(std::future::ready(Ok(true)))
    }

    fn stored_headers(&self, _ask: OutboxAsk, _max: usize) -> BoxFuture<'_, Result<Vec<PostHeader>>> {
        untold("outboxes")
    }
}

impl PostView for RemoteView {
    fn posts<'a>(&'a self, ids: &'a [PostId]) -> BoxFuture<'a, Result<Vec<Option<Post>>>> {
        Box::pin(async move { first_posts(self.posts_of(ids).await?.into_iter().map(Ok)) })
    }

    fn revisions(&self, id: PostId, below: Option<u32>, max: usize) -> BoxFuture<'_, Result<Vec<Revision>>> {
        Box::pin(async move {
            let request = v1::ListPostRevisionsRequest {
                post_id: id.get(),
                viewer: 0,
                page_size: i32::try_from(max.min(POSTS_MAX as usize)).unwrap_or(i32::MAX),
                below_revision: below.unwrap_or_default(),
                token: self.token(),
            };
            let answer = nothing_of_none(call(self.post().list_post_revisions(request).await))?;
            answer.revisions.iter().map(revision_back).collect()
        })
    }

    fn stats<'a>(&'a self, ids: &'a [PostId]) -> BoxFuture<'a, Result<Vec<PostStats>>> {
        Box::pin(async move {
            let mut stats = Vec::with_capacity(ids.len());
            for ids in ids.chunks(POSTS_MAX as usize) {
                let post_ids = ids.iter().map(|id| id.get()).collect();
                let request = v1::BatchGetPostStatsRequest { post_ids, viewer: 0, token: self.token() };
                let answer = call(self.post().batch_get_post_stats(request).await)?;
                for item in &answer.stats {
                    stats.push(if is_there(item)? { stats_back(item) } else { PostStats::default() });
                }
            }
            Ok(stats)
        })
    }

    fn marks<'a>(&'a self, viewer: Uid, ids: &'a [PostId]) -> BoxFuture<'a, Result<Vec<PostMarks>>> {
        Box::pin(async move {
            let items = self.items_for(viewer.get(), ids).await?;
            let marks = |item: &v1::PostItem| {
                Ok(if is_there(item)? {
                    let (liked, reposted) =
                        (item.liked.unwrap_or_default(), item.reposted.unwrap_or_default());
                    PostMarks { stats: stats_back(item), liked, reposted }
                } else {
                    PostMarks::default()
                })
            };
            items.iter().map(marks).collect()
        })
    }

    fn all_posts(&self, after: Option<PostId>, max: usize) -> BoxFuture<'_, Result<Vec<ImportPost>>> {
        Box::pin(async move {
            // The API has posts in rounds, so that all of them have to be read to put some in the order of ids.
            let mut all: Vec<ImportPost> = Vec::new();
            let mut keep = |chunk: &[ImportPost]| {
                all.extend_from_slice(chunk);
                Ok(())
            };
            self.admin.export_posts(Some(&self.position), &mut keep).await?;
            all.retain(|post| post.id > after);
            all.sort_unstable_by_key(|post| post.id);
            all.truncate(max);
            Ok(all)
        })
    }

    fn all_likes(&self, after: Option<(PostId, Uid)>, max: usize) -> BoxFuture<'_, Result<Vec<ExportLike>>> {
        Box::pin(async move {
            let mut found: Vec<ExportLike> = Vec::new();
            let Some(max) = NonZeroU64::new(max as u64) else { return Ok(found) };
            let mut keep = |chunk: &[ExportLike]| {
                found.extend_from_slice(chunk);
                Ok(())
            };
            self.admin.export_likes(after, Some(max), Some(&self.position), &mut keep).await?;
            Ok(found)
        })
    }

    fn likes_by(&self, _: Uid, _: Option<PostId>, _: usize) -> BoxFuture<'_, Result<Vec<UserLike>>> {
        untold("what a user likes")
    }

    fn deleted_posts(&self, _: Option<(u64, PostId)>, _: usize) -> BoxFuture<'_, Result<Vec<(u64, PostId)>>> {
        untold("which posts are deleted")
    }

    fn imported_names<'a>(
        &'a self,
        _: Uid,
        _: Option<&'a str>,
        _: usize,
    ) -> BoxFuture<'a, Result<Vec<(String, PostId)>>> {
        untold("under which names posts were imported")
    }

    fn likers(&self, id: PostId, page: Page) -> BoxFuture<'_, Result<EdgePage>> {
        Box::pin(async move {
            let scope = likers_scope(id);
            let page_token = match page.start() {
                PageStart::Newest => String::new(),
                PageStart::After(cursor) => page_tokens(scope).after(Some(cursor)),
                PageStart::Offset(_) => return Err(Error::new(Reason::InvalidField { field: "offset" })),
            };
            let request = v1::ListLikersRequest {
                post_id: id.get(),
                page_size: i32::try_from(page.size()).unwrap_or(i32::MAX),
                page_token,
                viewer: 0,
                token: self.token(),
            };
            let answer = nothing_of_none(call(self.post().list_likers(request).await))?;
            scoped_page_back(&answer.users, &answer.next_page_token, scope)
        })
    }

    fn reposts_of(
        &self,
        original: PostId,
        below: Option<PostId>,
        max: usize,
    ) -> BoxFuture<'_, Result<Vec<PostId>>> {
        Box::pin(async move {
            let tokens = page_tokens(reposters_scope(original));
            let (mut found, mut page_token) = (Vec::new(), tokens.below(below.map(PostCursor)));
            while found.len() < max {
                let page_size =
                    i32::try_from((max - found.len()).min(POSTS_MAX as usize)).unwrap_or(i32::MAX);
                let request = v1::ListRepostersRequest {
                    post_id: original.get(),
                    page_size,
                    page_token,
                    viewer: 0,
                    token: self.token(),
                };
                let answer = nothing_of_none(call(self.post().list_reposters(request).await))?;
                for reposter in &answer.reposters {
                    found.push(PostId::new(reposter.post_id)?);
                }
                page_token = answer.next_page_token;
                if page_token.is_empty() {
                    break;
                }
            }
            Ok(found)
        })
    }
}

impl RemoteView {
    fn post(&self) -> &PostClient {
        self.main.post()
    }

    async fn items_for(&self, viewer: u64, ids: &[PostId]) -> Result<Vec<v1::PostItem>> {
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

    async fn posts_of(&self, ids: &[PostId]) -> Result<Vec<Option<Post>>> {
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
fn nothing_of_none<T: Default>(answer: Result<T>) -> Result<T> {
    match answer {
        Err(error) if error.reason == Reason::PostNotFound => Ok(T::default()),
        answer => answer,
    }
}

/// Whether a post exists.
fn is_there(item: &v1::PostItem) -> Result<bool> {
    match item.status.as_known() {
        Some(Status::OK) => Ok(true),
        Some(Status::NOT_FOUND) => Ok(false),
        Some(Status::DELETED | Status::FORBIDDEN) => {
            Err(Error::with_detail(Reason::Internal, "the API does not tell what a deleted post was"))
        }
        Some(Status::OMITTED | Status::STATUS_UNSPECIFIED) | None => Err(broken("an unknown status")),
    }
}

fn stats_back(item: &v1::PostItem) -> PostStats {
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

fn revision_back(post: &v1::Post) -> Result<Revision> {
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
