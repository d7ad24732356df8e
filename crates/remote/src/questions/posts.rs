//! What a view answers about posts.

use crate::places::page_tokens;
use crate::post_view::{is_there, nothing_of_none, revision_back, stats_back};
use crate::view::{RemoteView, scoped_page_back};
use crate::{call, untold};
use guanxi_api::client_side::{likers_scope, reposters_scope};
use guanxi_model::limits::POSTS_MAX;
use guanxi_model::post::{Post, PostHeader, PostMarks, PostStats, Revision};
use guanxi_model::{EdgePage, Error, GroupId, Page, PageStart, PostCursor, PostId, Reason, Result, Uid};
use guanxi_ports::{
    AuthorHead, BoxFuture, OutboxAsk, Outboxes, PostView, RelationView as _, ViewerRelations, first_posts,
};
use guanxi_proto::v1;

impl PostView for RemoteView {
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

    /// The server has confirmed each of its answers.
    fn confirm(&self, _viewer: Uid) -> BoxFuture<'_, Result<bool>> {
        Box::pin(std::future::ready(Ok(true)))
    }

    fn stored_headers(&self, _ask: OutboxAsk, _max: usize) -> BoxFuture<'_, Result<Vec<PostHeader>>> {
        untold("outboxes")
    }

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

    fn shown<'a>(
        &'a self,
        viewer: Option<Uid>,
        ids: &'a [PostId],
    ) -> BoxFuture<'a, Result<Vec<Option<(Post, PostMarks)>>>> {
        Box::pin(async move {
            let posts = self.posts(ids).await?;
            let items = self.items_for(viewer.map_or(0, Uid::get), &ids[..posts.len()]).await?;
            let marks = |item: &v1::PostItem| {
                Ok(if is_there(item)? {
                    let (liked, reposted) =
                        (item.liked.unwrap_or_default(), item.reposted.unwrap_or_default());
                    PostMarks { stats: stats_back(item), liked, reposted }
                } else {
                    PostMarks::default()
                })
            };
            let marks = items.iter().map(marks).collect::<Result<Vec<_>>>()?;
            Ok(posts.into_iter().zip(marks).map(|(post, marks)| Some((post?, marks))).collect())
        })
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
