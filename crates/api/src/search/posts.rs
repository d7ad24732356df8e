//! Searching posts.

use std::ops::Range;

use buffa::MessageField;
use buffa_types::google::protobuf::TimestampView;
use guanxi_centers::search::{SearchCenter, SearchFilter, SearchHit, SearchPage};
use guanxi_model::limits::POSTS_MAX;
use guanxi_model::{Error, PostId, Reason, Result, Uid};
use guanxi_proto::v1::{
    self,
    search_posts_request::{Kind, Order},
};
use guanxi_rim::Caller;

use super::Hashed;
use super::users::given;
use crate::convert::{at_least, optional};
use crate::page_token::ListScope;
use crate::post::lists::{page_size, post_page};
use crate::post::shape::shown;
use crate::request::ListReader;

/// The kinds of lists that seal page tokens of searches, by the order of the posts.
const BY_TIME: u8 = 0x50;
const BY_RELEVANCE: u8 = 0x51;

pub(super) async fn search_posts(
    center: &SearchCenter,
    caller: &ListReader<'_>,
    request: &v1::SearchPostsRequestView<'_>,
    patience: impl Future<Output = ()> + Send,
) -> Result<v1::SearchPostsResponse> {
    let query = given(request.query)?;
    let viewer = caller.reads_as(request.viewer)?;
    let (filter, position) = (filter(request)?, at_least(request.token)?);
    match request.order.as_known() {
        Some(Order::ORDER_UNSPECIFIED | Order::NEWEST) => {
            let tokens = caller.page_tokens(scope(BY_TIME, query, viewer, &filter));
            let page = post_page(request.page_size, POSTS_MAX, request.page_token, &tokens)?;
            let found = center.posts(query, viewer, filter, page, position, patience).await?;
            Ok(response(caller, viewer, &found, tokens.below(found.next)))
        }
        Some(Order::RELEVANCE) => {
            let tokens = caller.page_tokens(scope(BY_RELEVANCE, query, viewer, &filter));
            let size = page_size(request.page_size, POSTS_MAX)?;
            let page = (tokens.rank_place(request.page_token)?, size);
            let found = center.best_posts(query, viewer, filter, page, position, patience).await?;
            Ok(response(caller, viewer, &found, tokens.ranked(found.next)))
        }
        None => Err(Error::new(Reason::InvalidField { field: "order" })),
    }
}

/// A page as the wire has it, once it is paid for.
fn response<N>(
    caller: &Caller,
    viewer: Option<Uid>,
    found: &SearchPage<N>,
    next_page_token: String,
) -> v1::SearchPostsResponse {
    caller.pay_for_rows(found.scanned.into());
    v1::SearchPostsResponse {
        posts: found.hits.iter().map(|hit| found_post(hit, viewer)).collect(),
        next_page_token,
        token: found.position.to_token(),
        as_of: found.as_of.to_token(),
    }
}

/// Which posts a request wants.
fn filter(request: &v1::SearchPostsRequestView<'_>) -> Result<SearchFilter> {
    let replies = match request.kind.as_known() {
        Some(Kind::KIND_UNSPECIFIED | Kind::ALL) => None,
        Some(Kind::POSTS) => Some(false),
        Some(Kind::REPLIES) => Some(true),
        None => return Err(Error::new(Reason::InvalidField { field: "kind" })),
    };
    let time = |time: Option<&TimestampView<'_>>, field| time.map(|time| first_id(time, field)).transpose();
    Ok(SearchFilter {
        author: optional(request.author)?,
        replies,
        from: time(request.from_time.as_option(), "from_time")?,
        until: time(request.until_time.as_option(), "until_time")?,
    })
}

/// The first id that a post of some time may have.
///
/// # Errors
/// `INVALID_FIELD` for nanoseconds that are none.
fn first_id(time: &TimestampView<'_>, field: &'static str) -> Result<PostId> {
    if !(0..1_000_000_000).contains(&time.nanos) {
        return Err(Error::new(Reason::InvalidField { field }));
    }
    let ms = i128::from(time.seconds) * 1_000 + i128::from(time.nanos / 1_000_000);
    Ok(PostId::first_at_ms(u64::try_from(ms.max(0)).unwrap_or(u64::MAX)))
}

/// Returns the scope for which the tokens of a search are sealed: the same search with another cursor.
fn scope(kind: u8, query: &str, viewer: Option<Uid>, filter: &SearchFilter) -> ListScope {
    let SearchFilter { author, replies, from, until } = filter;
    Hashed::default()
        .uid(viewer)
        .uid(*author)
        .number(replies.map_or(0, |replies| 1 + u64::from(replies)))
        .number(from.map_or(0, PostId::get))
        .number(until.map_or(0, PostId::get))
        .text(query)
        .scope(kind)
}

fn found_post(hit: &SearchHit, viewer: Option<Uid>) -> v1::FoundPost {
    let range = |range: &Range<u32>| v1::TextRange { start: range.start, end: range.end };
    v1::FoundPost {
        post: MessageField::some(shown(&hit.post, viewer)),
        highlights: hit.highlights.iter().map(range).collect(),
    }
}
