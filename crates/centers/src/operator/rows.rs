//! The queries of a back office: users and posts by what is known of them, from the indexes alone. Only the texts of a page
//! are read from the facts.

use super::OperatorCenter;
use crate::search::{off, parse_name, parse_query};
use guanxi_model::post::Body;
use guanxi_model::{Error, PostId, Reason, Result, Uid, User};
use guanxi_ports::SearchUpkeep;
use guanxi_ports::search::{
    FoundRows, PostColumn, PostRowAsk, RowAsk, RowColumn, RowSum, UserColumn, UserRowAsk, UserTexts, Within,
};
use std::collections::HashMap;
use std::sync::Arc;

/// Sums of one query.
pub const ROW_SUMS_MAX: usize = 8;

/// Attributes of one query.
pub const ROW_ATTRIBUTES_MAX: usize = 8;

/// Numbers that one column may be any of.
pub const ROW_NUMBERS_MAX: usize = 1_000;

/// Numbers of one top list.
pub const ROW_TOP_MAX: usize = 1_000;

/// A query for rows; its texts are as they were typed.
#[derive(Clone, Debug)]
pub struct RowQuery<C> {
    /// The words to search for in the names of users, or in the texts of posts.
    pub text: Option<String>,
    /// Attributes of users, with their values.
    pub attributes: Vec<(String, String)>,
    /// The rest.
    pub ask: RowAsk<C, ()>,
    /// The walk of the page before; none for the first page.
    pub walk: Option<u64>,
}

impl RowQuery<UserColumn> {
    /// The question for the index, within the limits.
    pub(super) fn of_users(self) -> Result<(Option<u64>, UserRowAsk)> {
        let Self { text, attributes, ask, walk } = self;
        check(&ask)?;
        if attributes.len() > ROW_ATTRIBUTES_MAX {
            return Err(too_many(ROW_ATTRIBUTES_MAX));
        }
        let name = text.map(|typed| parse_name(&typed).map(|name| (name, typed))).transpose()?;
        Ok((walk, with(ask, UserTexts { name, attributes })))
    }
}

impl RowQuery<PostColumn> {
    /// The question for the index, within the limits.
    pub(super) fn of_posts(self) -> Result<(Option<u64>, PostRowAsk)> {
        let Self { text, ask, walk, .. } = self;
        check(&ask)?;
        Ok((walk, with(ask, text.map(|text| parse_query(&text)).transpose()?)))
    }
}

/// A page of users, with the present row of each; none of a user that was erased meanwhile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserRowPage {
    /// The rows.
    pub found: FoundRows<UserColumn>,
    /// The users, in the same order.
    pub users: Vec<Option<User>>,
}

/// A page of posts, with what each says now; nothing of one that was purged meanwhile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostRowPage {
    /// The rows.
    pub found: FoundRows<PostColumn>,
    /// The bodies, in the same order.
    pub bodies: Vec<Option<Body>>,
}

impl OperatorCenter {
    /// A page of the users whom a query takes, in its order.
    ///
    /// # Errors
    /// `SEARCH_UNAVAILABLE`; `STALE_CURSOR`; `BAD_QUERY`; `BATCH_TOO_LARGE` for too many sums, attributes or numbers;
    /// `LIMIT_REACHED` for a sum with too many steps or values.
    pub async fn user_rows(&self, query: RowQuery<UserColumn>) -> Result<UserRowPage> {
        let found = self.found_users(query).await?;
        let users = self.users_of(&found).await?;
        Ok(UserRowPage { found, users })
    }

    /// A page of the posts that a query takes, in its order.
    ///
    /// # Errors
    /// As [`user_rows`](Self::user_rows).
    pub async fn post_rows(&self, query: RowQuery<PostColumn>) -> Result<PostRowPage> {
        let found = self.found_posts(query).await?;
        let bodies = self.bodies_of(&found).await?;
        Ok(PostRowPage { found, bodies })
    }

    /// The numbers of a page of users.
    pub(super) async fn found_users(&self, query: RowQuery<UserColumn>) -> Result<FoundRows<UserColumn>> {
        let (walk, ask) = query.of_users()?;
        self.indexes()?.users().user_rows(walk, ask).await
    }

    /// Returns the present rows of the users of a page.
    pub(super) async fn users_of(&self, found: &FoundRows<UserColumn>) -> Result<Vec<Option<User>>> {
        let uids: Vec<Uid> = found.rows.iter().filter_map(|(id, _)| Uid::new(*id).ok()).collect();
        self.ports.store.view(None).await?.users(&uids).await
    }

    /// The numbers of a page of posts.
    pub(super) async fn found_posts(&self, query: RowQuery<PostColumn>) -> Result<FoundRows<PostColumn>> {
        let (walk, ask) = query.of_posts()?;
        self.indexes()?.posts().post_rows(walk, ask).await
    }

    /// Returns the present bodies of the posts of a page.
    pub(super) async fn bodies_of(&self, found: &FoundRows<PostColumn>) -> Result<Vec<Option<Body>>> {
        let ids: Vec<PostId> = found.rows.iter().filter_map(|(id, _)| PostId::new(*id).ok()).collect();
        let (mut bodies, mut rest) = (HashMap::new(), &ids[..]);
        let view = self.ports.store.view(None).await?;
        while !rest.is_empty() {
            let posts = view.posts(rest).await?;
            rest = &rest[posts.len().clamp(1, rest.len())..];
            bodies.extend(posts.into_iter().flatten().map(|post| (post.header.id, post.body)));
        }
        Ok(ids.iter().map(|id| bodies.remove(id)).collect())
    }

    pub(super) fn indexes(&self) -> Result<&Arc<dyn SearchUpkeep>> {
        self.search.as_ref().ok_or_else(off)
    }
}

/// Checks the limits.
fn check<C: RowColumn>(ask: &RowAsk<C, ()>) -> Result<()> {
    if ask.sums.len() > ROW_SUMS_MAX {
        return Err(too_many(ROW_SUMS_MAX));
    }
    let too_long = |(_, within): &(C, Within)| match within {
        Within::OneOf(numbers) => numbers.len() > ROW_NUMBERS_MAX,
        Within::Between(..) => false,
    };
    if ask.filters.iter().any(too_long) {
        return Err(too_many(ROW_NUMBERS_MAX));
    }
    let is_out = |sum: &RowSum<C>| matches!(sum, RowSum::Top { max, .. } if !(1..=ROW_TOP_MAX).contains(max));
    if ask.sums.iter().any(is_out) {
        return Err(Error::new(Reason::InvalidField { field: "max" }));
    }
    Ok(())
}

fn too_many(max: usize) -> Error {
    Error::new(Reason::BatchTooLarge { limit: u32::try_from(max).unwrap_or(u32::MAX) })
}

fn with<C, T>(ask: RowAsk<C, ()>, texts: T) -> RowAsk<C, T> {
    let RowAsk { filters, order, after, max, total, sums, .. } = ask;
    RowAsk { texts, filters, order, after, max, total, sums }
}
