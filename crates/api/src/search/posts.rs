//! Searching posts.

use std::ops::Range;

use buffa::MessageField;
use buffa_types::google::protobuf::TimestampView;
use guanxi_centers::search::{SearchCenter, SearchFilter, SearchHit};
use guanxi_model::limits::POSTS_MAX;
use guanxi_model::{Error, PostId, Reason, Result, Uid};
use guanxi_proto::v1::{self, search_posts_request::Kind};
use xxhash_rust::xxh3::Xxh3Default;

use crate::caller::Caller;
use crate::convert::{at_least, optional};
use crate::page_token::ListScope;
use crate::post::lists::post_page;
use crate::post::shape::shown;

/// The kind of list that seals page tokens of searches, with a hash of what is searched for.
const LIST_KIND: u8 = 0x50;

pub(super) async fn search_posts(
    center: &SearchCenter,
    caller: &Caller,
    request: &v1::SearchPostsRequestView<'_>,
    patience: impl Future<Output = ()> + Send,
) -> Result<v1::SearchPostsResponse> {
    if request.query.is_empty() {
        return Err(Error::new(Reason::MissingField { field: "query" }));
    }
    let viewer = caller.reads_as(request.viewer)?;
    let filter = filter(request)?;
    let tokens = caller.page_tokens(scope(request.query, viewer, &filter))?;
    let page = post_page(request.page_size, POSTS_MAX, request.page_token, &tokens)?;
    let position = at_least(request.token)?;
    let found = center.posts(request.query, viewer, filter, page, position, patience).await?;
    caller.pay_for_rows(found.scanned.into());
    Ok(v1::SearchPostsResponse {
        posts: found.hits.iter().map(|hit| found_post(hit, viewer)).collect(),
        next_page_token: tokens.below(found.next),
        token: found.position.to_token(),
        as_of: found.as_of.to_token(),
    })
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

/// What tokens of a search are sealed for: the same search with another cursor.
fn scope(query: &str, viewer: Option<Uid>, filter: &SearchFilter) -> ListScope {
    let SearchFilter { author, replies, from, until } = filter;
    let mut hash = Xxh3Default::new();
    let mut add = |number: u64| hash.update(&number.to_be_bytes());
    add(viewer.map_or(0, Uid::get));
    add(author.map_or(0, Uid::get));
    add(replies.map_or(0, |replies| 1 + u64::from(replies)));
    add(from.map_or(0, PostId::get));
    add(until.map_or(0, PostId::get));
    hash.update(query.as_bytes());
    let hash = hash.digest128();
    ListScope::new(LIST_KIND, (hash >> 64) as u64, hash as u64)
}

fn found_post(hit: &SearchHit, viewer: Option<Uid>) -> v1::FoundPost {
    let range = |range: &Range<u32>| v1::TextRange { start: range.start, end: range.end };
    v1::FoundPost {
        post: MessageField::some(shown(&hit.post, viewer)),
        highlights: hit.highlights.iter().map(range).collect(),
    }
}
