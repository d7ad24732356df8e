//! Reads: one function per method.

use buffa::{EnumValue, MessageField};
use guanxi_centers::post::{PostCenter, PostStatus};
use guanxi_model::limits::POSTS_MAX;
use guanxi_model::post::{AuthorFilter, Kind, Revision};
use guanxi_model::{Error, Reason, Result};
use guanxi_proto::v1::{self, list_author_posts_request::Filter};
use guanxi_rim::Caller;

use super::lists::{author_scope, likers_scope, page_size, post_page, reposters_scope};
use super::shape::{as_read, counters, item, post_id, post_ids, revision, shown};
use crate::convert::{at_least, edge_page, required, time};
use crate::request::ListReader;

pub(super) async fn get_post(
    center: &PostCenter,
    caller: &Caller,
    request: &v1::GetPostRequestView<'_>,
) -> Result<v1::GetPostResponse> {
    let id = post_id(request.post_id)?;
    let viewer = caller.reads_as(request.viewer)?;
    let got = center.get(&[id], viewer, at_least(request.token)?).await?;
    let reason = match got.posts.first() {
        Some(PostStatus::Ok(post)) => {
            return Ok(v1::GetPostResponse {
                item: MessageField::some(shown(post, viewer)),
                token: got.position.to_token(),
            });
        }
        Some(PostStatus::NotFound) => Reason::PostNotFound,
        Some(PostStatus::Deleted) => Reason::PostDeleted,
        Some(PostStatus::Forbidden) => Reason::PostForbidden,
        Some(PostStatus::Omitted) | None => return Err(Error::with_detail(Reason::Internal, "no status")),
    };
    Err(Error::new(reason))
}

pub(super) async fn batch_get_posts(
    center: &PostCenter,
    caller: &Caller,
    request: &v1::BatchGetPostsRequestView<'_>,
) -> Result<v1::BatchGetPostsResponse> {
    let ids = post_ids(&request.post_ids)?;
    let viewer = caller.reads_as(request.viewer)?;
    caller.pay_for_batch(ids.len())?;
    let got = center.get(&ids, viewer, at_least(request.token)?).await?;
    let found = ids.iter().zip(&got.posts);
    Ok(v1::BatchGetPostsResponse {
        posts: found.map(|(id, status)| item(*id, status, viewer)).collect(),
        token: got.position.to_token(),
    })
}

pub(super) async fn batch_get_post_stats(
    center: &PostCenter,
    caller: &Caller,
    request: &v1::BatchGetPostStatsRequestView<'_>,
) -> Result<v1::BatchGetPostStatsResponse> {
    let ids = post_ids(&request.post_ids)?;
    let viewer = caller.reads_as(request.viewer)?;
    caller.pay_for_batch(ids.len())?;
    let got = center.stats(&ids, viewer, at_least(request.token)?).await?;
    let found = ids.iter().zip(&got.stats);
    let one = |(id, found): (&_, &_)| match found {
        Ok(stats) => counters(*id, *stats),
        Err(status) => item(*id, status, None),
    };
    Ok(v1::BatchGetPostStatsResponse { stats: found.map(one).collect(), token: got.position.to_token() })
}

pub(super) async fn list_post_revisions(
    center: &PostCenter,
    caller: &Caller,
    request: &v1::ListPostRevisionsRequestView<'_>,
) -> Result<v1::ListPostRevisionsResponse> {
    let id = post_id(request.post_id)?;
    let size = page_size(request.page_size, POSTS_MAX)?;
    let viewer = caller.reads_as(request.viewer)?;
    let below = (request.below_revision != 0).then_some(request.below_revision);
    let found = center.revisions(id, viewer, below, size, at_least(request.token)?).await?;
    let shown = |earlier: &Revision| as_read(revision(id, found.create_ms, earlier), viewer, found.author);
    Ok(v1::ListPostRevisionsResponse {
        revisions: found.revisions.iter().map(shown).collect(),
        next_below_revision: found.next_below.unwrap_or_default(),
        token: found.position.to_token(),
    })
}

fn filter(given: EnumValue<Filter>) -> Result<AuthorFilter> {
    match given.as_known() {
        Some(Filter::FILTER_UNSPECIFIED | Filter::POSTS) => Ok(AuthorFilter::Posts),
        Some(Filter::REPLIES) => Ok(AuthorFilter::Replies),
        Some(Filter::ALL) => Ok(AuthorFilter::All),
        None => Err(Error::new(Reason::InvalidField { field: "filter" })),
    }
}

pub(super) async fn list_author_posts(
    center: &PostCenter,
    caller: &ListReader<'_>,
    request: &v1::ListAuthorPostsRequestView<'_>,
) -> Result<v1::ListAuthorPostsResponse> {
    let author = required(request.author, "author")?;
    let filter = filter(request.filter)?;
    let viewer = caller.reads_as(request.viewer)?;
    let tokens = caller.page_tokens(author_scope(author, filter, viewer));
    let page = post_page(request.page_size, POSTS_MAX, request.page_token, &tokens)?;
    let found = center.list_author(author, filter, page, viewer, at_least(request.token)?).await?;
    Ok(v1::ListAuthorPostsResponse {
        posts: found.posts.iter().map(|post| shown(post, viewer)).collect(),
        next_page_token: tokens.below(found.next),
        token: found.position.to_token(),
    })
}

pub(super) async fn list_likers(
    center: &PostCenter,
    caller: &ListReader<'_>,
    request: &v1::ListLikersRequestView<'_>,
) -> Result<v1::ListLikersResponse> {
    let id = post_id(request.post_id)?;
    let viewer = caller.reads_as(request.viewer)?;
    let tokens = caller.page_tokens(likers_scope(id));
    let page = edge_page(request.page_size, request.page_token, 0, &tokens)?;
    let found = center.likers(id, viewer, page, at_least(request.token)?).await?;
    let users = found.page.items.iter().map(|edge| v1::ListItem {
        uid: edge.uid.get(),
        create_time: MessageField::some(time(edge.at)),
        ..Default::default()
    });
    Ok(v1::ListLikersResponse {
        users: users.collect(),
        next_page_token: tokens.after(found.page.next),
        token: found.position.to_token(),
    })
}

pub(super) async fn list_reposters(
    center: &PostCenter,
    caller: &ListReader<'_>,
    request: &v1::ListRepostersRequestView<'_>,
) -> Result<v1::ListRepostersResponse> {
    let id = post_id(request.post_id)?;
    let viewer = caller.reads_as(request.viewer)?;
    let tokens = caller.page_tokens(reposters_scope(id));
    let page = post_page(request.page_size, POSTS_MAX, request.page_token, &tokens)?;
    let found = center.reposters(id, viewer, page, at_least(request.token)?).await?;
    let reposters = found.reposts.iter().map(|header| v1::Reposter {
        uid: header.author.get(),
        post_id: header.id.get(),
        quote: Some(matches!(header.kind, Kind::Quote { .. })),
    });
    Ok(v1::ListRepostersResponse {
        reposters: reposters.collect(),
        next_page_token: tokens.below(found.next),
        token: found.position.to_token(),
    })
}
