//! Pages of posts, and what their tokens are sealed for.

use guanxi_model::limits::HOME_PAGE_DEFAULT;
use guanxi_model::post::AuthorFilter;
use guanxi_model::{Error, PostId, PostPage, Reason, Result, Uid};

use crate::page_token::{ListScope, ListTokens};

/// Returns the scope for which the tokens of an author's list are sealed.
pub(crate) fn author_scope(author: Uid, filter: AuthorFilter, viewer: Option<Uid>) -> ListScope {
    let kind = match filter {
        AuthorFilter::Posts => 8,
        AuthorFilter::Replies => 9,
        AuthorFilter::All => 10,
    };
    ListScope::new(kind, author.get(), viewer.map_or(0, Uid::get))
}

/// Returns the scope for which the tokens of a home are sealed.
pub(crate) fn home_scope(viewer: Uid) -> ListScope {
    ListScope::new(11, viewer.get(), 0)
}

/// Returns the scope for which the tokens of a post's list of likers are sealed.
pub fn likers_scope(id: PostId) -> ListScope {
    ListScope::new(12, id.get(), 0)
}

/// Returns the scope for which the tokens of a post's list of reposts and quotes are sealed.
pub fn reposters_scope(id: PostId) -> ListScope {
    ListScope::new(26, id.get(), 0)
}

/// How many items a page of posts has.
///
/// # Errors
/// `PAGE_TOO_LARGE` below 0 and above `limit`; 0 means [`HOME_PAGE_DEFAULT`].
pub(crate) fn page_size(size: i32, limit: u32) -> Result<usize> {
    match u32::try_from(size) {
        Ok(0) => Ok(HOME_PAGE_DEFAULT as usize),
        Ok(size) if size <= limit => Ok(size as usize),
        _ => Err(Error::new(Reason::PageTooLarge { limit })),
    }
}

/// The page of a request for a list of posts.
///
/// # Errors
/// `PAGE_TOO_LARGE`, `STALE_CURSOR`.
pub(crate) fn post_page(size: i32, limit: u32, token: &str, tokens: &ListTokens) -> Result<PostPage> {
    let below = if token.is_empty() { None } else { Some(tokens.post_cursor(token)?.0) };
    Ok(PostPage { below, size: page_size(size, limit)? })
}
