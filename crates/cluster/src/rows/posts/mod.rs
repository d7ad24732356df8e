//! Fetching and writing posts, what goes with them, and who likes them.

mod fetch;
mod form;
mod put;

pub(super) use fetch::PostFetch;
pub(crate) use form::{
    kind_columns, kind_of, post_columns, post_header, post_without_content, revision_of, whole_post,
    whole_post_columns,
};
pub(super) use put::put_posts;
