//! Searching users.

use buffa::MessageField;
use guanxi_centers::search::{SearchCenter, UserHit};
use guanxi_model::{Error, Reason, Result};
use guanxi_proto::v1;
use guanxi_rim::Caller;

use super::Hashed;
use crate::convert::{at_least, relation};
use crate::request::ListReader;
use crate::user::shape::shown;

/// The kind of list that seals page tokens of searches for users.
const LIST_KIND: u8 = 0x52;

/// Users of a page at most: 50 of the largest profiles are 1.3 MB.
const PAGE_MAX: u32 = 50;

/// Users of a page that says nothing else.
const PAGE_DEFAULT: usize = 20;

/// Suggestions at most.
const SUGGESTED_MAX: u32 = 20;

/// Suggestions of a call that says nothing else.
const SUGGESTED_DEFAULT: usize = 8;

pub(super) async fn search_users(
    center: &SearchCenter,
    caller: &ListReader<'_>,
    request: &v1::SearchUsersRequestView<'_>,
    patience: impl Future<Output = ()> + Send,
) -> Result<v1::SearchUsersResponse> {
    let viewer = caller.reads_as(request.viewer)?;
    let size = size(request.page_size, PAGE_MAX, PAGE_DEFAULT)?;
    let scope = Hashed::default().uid(viewer).text(given(request.query)?).scope(LIST_KIND);
    let tokens = caller.page_tokens(scope);
    let place = tokens.rank_place(request.page_token)?;
    let position = at_least(request.token)?;
    let found = center.users_page(request.query, viewer, (place, size), position, patience).await?;
    caller.pay_for_rows(found.looked.into());
    Ok(v1::SearchUsersResponse {
        users: found.hits.iter().map(found_user).collect(),
        next_page_token: tokens.ranked(found.next),
        token: found.position.to_token(),
        as_of: found.as_of.to_token(),
    })
}

pub(super) async fn suggest(
    center: &SearchCenter,
    caller: &Caller,
    request: &v1::SuggestRequestView<'_>,
) -> Result<v1::SuggestResponse> {
    let viewer = caller.reads_as(request.viewer)?;
    let size = size(request.page_size, SUGGESTED_MAX, SUGGESTED_DEFAULT)?;
    let query = given(request.query)?;
    let found = center.suggest(query, viewer, size, None, std::future::pending()).await?;
    caller.pay_for_rows(found.looked.into());
    Ok(v1::SuggestResponse {
        users: found.hits.iter().map(found_user).collect(),
        token: found.position.to_token(),
        as_of: found.as_of.to_token(),
    })
}

/// A query, which is required.
pub(super) fn given(query: &str) -> Result<&str> {
    if query.is_empty() { Err(Error::new(Reason::MissingField { field: "query" })) } else { Ok(query) }
}

fn size(given: i32, limit: u32, default: usize) -> Result<usize> {
    match u32::try_from(given) {
        Ok(0) => Ok(default),
        Ok(size) if size <= limit => Ok(size as usize),
        _ => Err(Error::new(Reason::PageTooLarge { limit })),
    }
}

fn found_user(hit: &UserHit) -> v1::FoundUser {
    let uid = hit.user.user.uid;
    v1::FoundUser {
        user: MessageField::some(shown(&hit.user)),
        relation: hit
            .relation
            .as_ref()
            .map_or_else(MessageField::none, |found| MessageField::some(relation(uid, found))),
        known_followers: hit.known_followers,
    }
}
