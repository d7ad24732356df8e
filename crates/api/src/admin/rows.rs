//! The questions of a back office about users and posts.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use buffa::{EnumValue, MessageField};
use guanxi_centers::operator::{PostRowPage, RowQuery, UserRowPage};
use guanxi_centers::user::ShownUser;
use guanxi_model::limits::POSTS_MAX;
use guanxi_model::{Error, Reason, Result, Stamp, User};
use guanxi_ports::search::{FoundRows, PostColumn, Row, RowAsk, RowColumn, RowOrder, RowPlace, UserColumn};
use guanxi_proto::v1;
use xxhash_rust::xxh3::xxh3_64;

use super::AdminApi;
use super::row_filters::{UserFilters, post_filters, user_filters};
use super::row_sums::{Sum, summed, sums};
use crate::convert::time;
use crate::post::lists::page_size;
use crate::user::shape::shown;

/// Bytes of a page token: the walk, the place, how many rows there are, and a digest of the query.
const TOKEN_LEN: usize = 41;

/// The query of a request, without its page.
pub(super) struct RowsQuestion<C> {
    /// The query, of all rows.
    pub(super) query: RowQuery<C>,
    /// Its sums.
    pub(super) sums: Vec<Sum<C>>,
    /// A digest of the query: a page token is good for one alone.
    pub(super) digest: u64,
}

impl<C> RowsQuestion<C> {
    /// The query for the page of a token.
    fn page(&mut self, token: &str, size: i32) -> Result<()> {
        let Reached { walk, after, total } = place(token, self.digest)?;
        self.query.walk = walk;
        (self.query.ask.after, self.query.ask.total) = (after, total);
        self.query.ask.max = page_size(size, POSTS_MAX)?;
        Ok(())
    }
}

/// Returns the query of a request for users.
pub(super) fn users_asked(request: &v1::QueryUsersRequestView<'_>) -> Result<RowsQuestion<UserColumn>> {
    let (filter, by) = (request.filter.as_option(), user_column(request.order_by)?);
    let UserFilters { filters, text, attributes } = user_filters(filter)?;
    let sums = sums(&request.sums, |sum| user_column(sum.of_users))?;
    let order = RowOrder { by, falling: request.descending };
    let digest = digest(&(&filters, &text, &attributes, &order));
    let asked = sums.iter().map(|sum| sum.asked).collect();
    let ask = RowAsk { texts: (), filters, order, after: None, max: 1, total: None, sums: asked };
    Ok(RowsQuestion { query: RowQuery { text, attributes, ask, walk: None }, sums, digest })
}

/// Returns the query of a request for posts.
pub(super) fn posts_asked(request: &v1::QueryPostsRequestView<'_>) -> Result<RowsQuestion<PostColumn>> {
    let (filter, by) = (request.filter.as_option(), post_column(request.order_by)?);
    let (filters, text) = post_filters(filter)?;
    let sums = sums(&request.sums, |sum| post_column(sum.of_posts))?;
    let order = RowOrder { by, falling: request.descending };
    let digest = digest(&(&filters, &text, &order));
    let asked = sums.iter().map(|sum| sum.asked).collect();
    let ask = RowAsk { texts: (), filters, order, after: None, max: 1, total: None, sums: asked };
    Ok(RowsQuestion { query: RowQuery { text, attributes: Vec::new(), ask, walk: None }, sums, digest })
}

pub(super) async fn query_users(
    api: &AdminApi,
    request: &v1::QueryUsersRequestView<'_>,
) -> Result<v1::QueryUsersResponse> {
    let mut asked = users_asked(request)?;
    asked.page(request.page_token, request.page_size)?;
    let RowsQuestion { query, sums, digest } = asked;
    let UserRowPage { found, users } = api.operator.user_rows(query).await?;
    let rows = found.rows.iter().zip(users);
    let users = rows.map(|((uid, row), user)| user_row(*uid, row, user)).collect();
    let (next_page_token, total) = (token(&found, digest), found.total);
    let (as_of, counters_as_of) = (found.as_of.to_token(), found.counters_as_of.to_token());
    let summed = found.sums.into_iter().zip(&sums).map(|(found, sum)| summed(found, sum.step));
    Ok(v1::QueryUsersResponse {
        users,
        next_page_token,
        total,
        sums: summed.collect(),
        as_of,
        counters_as_of,
    })
}

pub(super) async fn query_posts(
    api: &AdminApi,
    request: &v1::QueryPostsRequestView<'_>,
) -> Result<v1::QueryPostsResponse> {
    let mut asked = posts_asked(request)?;
    asked.page(request.page_token, request.page_size)?;
    let RowsQuestion { query, sums, digest } = asked;
    let PostRowPage { found, bodies } = api.operator.post_rows(query).await?;
    let rows = found.rows.iter().zip(bodies);
    let posts = rows.map(|((id, row), body)| post_row(*id, row, body.map(|body| body.text))).collect();
    let (next_page_token, total) = (token(&found, digest), found.total);
    let (as_of, counters_as_of) = (found.as_of.to_token(), found.counters_as_of.to_token());
    let summed = found.sums.into_iter().zip(&sums).map(|(found, sum)| summed(found, sum.step));
    Ok(v1::QueryPostsResponse {
        posts,
        next_page_token,
        total,
        sums: summed.collect(),
        as_of,
        counters_as_of,
    })
}

/// A user as the wire has it; of numbers alone without the user.
pub(super) fn user_row(uid: u64, row: &Row<UserColumn>, user: Option<User>) -> v1::UserRow {
    v1::UserRow {
        uid,
        state: EnumValue::from(user_state(row)),
        user: user.map_or_else(MessageField::none, |user| {
            MessageField::some(shown(&ShownUser { user, whole: true }))
        }),
        followers: row.get(UserColumn::Followers).unwrap_or_default(),
        following: row.get(UserColumn::Following).unwrap_or_default(),
        friends: row.get(UserColumn::Friends).unwrap_or_default(),
        posts: row.get(UserColumn::Posts).unwrap_or_default(),
    }
}

/// A post as the wire has it; of numbers alone without its text.
pub(super) fn post_row(id: u64, row: &Row<PostColumn>, text: Option<String>) -> v1::PostRow {
    let number = |column| row.get(column).unwrap_or_default();
    let state = match number(PostColumn::State) {
        0 => v1::PostState::POST_LIVE,
        1 => v1::PostState::POST_DELETED,
        _ => v1::PostState::POST_TAKEN_DOWN,
    };
    let form = match number(PostColumn::Form) {
        0 => v1::PostForm::POST_PLAIN,
        1 => v1::PostForm::POST_REPLY,
        _ => v1::PostForm::POST_QUOTE,
    };
    let visibility = match number(PostColumn::Audience) {
        0 => v1::post::Visibility::PUBLIC,
        1 => v1::post::Visibility::FOLLOWERS,
        2 => v1::post::Visibility::FRIENDS,
        _ => v1::post::Visibility::GROUP,
    };
    v1::PostRow {
        post_id: id,
        author: number(PostColumn::Author),
        state: EnumValue::from(state),
        form: EnumValue::from(form),
        visibility: EnumValue::from(visibility),
        create_time: MessageField::some(time(Stamp::from_ms(number(PostColumn::Created)))),
        text: text.unwrap_or_default(),
        likes: number(PostColumn::Likes),
        replies: number(PostColumn::Replies),
        reposts: number(PostColumn::Reposts),
    }
}

fn user_state(row: &Row<UserColumn>) -> v1::UserState {
    match row.get(UserColumn::State).unwrap_or_default() {
        0 => v1::UserState::USER_ACTIVE,
        1 => v1::UserState::USER_DEACTIVATED,
        2 => v1::UserState::USER_TAKEN_DOWN,
        _ => v1::UserState::USER_DELETED,
    }
}

/// A column of users; none for the one that is not given.
fn user_column(column: EnumValue<v1::UserColumn>) -> Result<Option<UserColumn>> {
    let known = column.as_known().ok_or_else(|| Error::new(Reason::InvalidField { field: "order_by" }))?;
    Ok(match known {
        v1::UserColumn::USER_COLUMN_UNSPECIFIED => None,
        v1::UserColumn::USER_STATE => Some(UserColumn::State),
        v1::UserColumn::USER_SEX => Some(UserColumn::Sex),
        v1::UserColumn::USER_BIRTH_YEAR => Some(UserColumn::BirthYear),
        v1::UserColumn::USER_REGISTERED => Some(UserColumn::Registered),
        v1::UserColumn::USER_LAST_LOGIN => Some(UserColumn::LastLogin),
        v1::UserColumn::USER_FOLLOWERS => Some(UserColumn::Followers),
        v1::UserColumn::USER_FOLLOWING => Some(UserColumn::Following),
        v1::UserColumn::USER_FRIENDS => Some(UserColumn::Friends),
        v1::UserColumn::USER_POSTS => Some(UserColumn::Posts),
    })
}

/// A column of posts; none for the one that is not given.
fn post_column(column: EnumValue<v1::PostColumn>) -> Result<Option<PostColumn>> {
    let known = column.as_known().ok_or_else(|| Error::new(Reason::InvalidField { field: "order_by" }))?;
    Ok(match known {
        v1::PostColumn::POST_COLUMN_UNSPECIFIED => None,
        v1::PostColumn::POST_STATE => Some(PostColumn::State),
        v1::PostColumn::POST_AUTHOR => Some(PostColumn::Author),
        v1::PostColumn::POST_FORM => Some(PostColumn::Form),
        v1::PostColumn::POST_VISIBILITY => Some(PostColumn::Audience),
        v1::PostColumn::POST_CREATED => Some(PostColumn::Created),
        v1::PostColumn::POST_LIKES => Some(PostColumn::Likes),
        v1::PostColumn::POST_REPLIES => Some(PostColumn::Replies),
        v1::PostColumn::POST_REPOSTS => Some(PostColumn::Reposts),
    })
}

/// A digest of a query: a page token is good for one alone.
pub(super) fn digest(query: &impl std::fmt::Debug) -> u64 {
    xxh3_64(format!("{query:?}").as_bytes())
}

/// The token of the next page. It tells operators nothing that they do not know, and is not sealed.
fn token<C: RowColumn>(found: &FoundRows<C>, digest: u64) -> String {
    let Some(RowPlace { number, id }) = found.next else { return String::new() };
    let mut bytes = Vec::with_capacity(TOKEN_LEN);
    for part in [digest, found.walk, number.unwrap_or_default(), id, found.total] {
        bytes.extend(part.to_be_bytes());
    }
    bytes.push(number.is_some().into());
    URL_SAFE_NO_PAD.encode(bytes)
}

/// Where a walk is after a page; nothing before the first one.
#[derive(Default)]
struct Reached {
    walk: Option<u64>,
    after: Option<RowPlace>,
    total: Option<u64>,
}

/// Reads a token.
fn place(token: &str, digest: u64) -> Result<Reached> {
    if token.is_empty() {
        return Ok(Reached::default());
    }
    let bytes = URL_SAFE_NO_PAD.decode(token).ok().and_then(|bytes| <[u8; TOKEN_LEN]>::try_from(bytes).ok());
    let stale = || Error::new(Reason::StaleCursor);
    let bytes = bytes.ok_or_else(stale)?;
    let part = |at: usize| u64::from_be_bytes(std::array::from_fn(|byte| bytes[8 * at + byte]));
    if part(0) != digest {
        return Err(stale());
    }
    let number = (bytes[TOKEN_LEN - 1] == 1).then(|| part(2));
    Ok(Reached { walk: Some(part(1)), after: Some(RowPlace { number, id: part(3) }), total: Some(part(4)) })
}
