//! Where no index is kept.

use guanxi_model::{Error, Position, Reason, Result};
use guanxi_ports::{
    BoxFuture, FoundPosts, FoundUsers, PostAsk, PostSearch, SearchIndex, UserAsk, UserSearch,
};
use std::future::ready;

/// The indexes of a process that keeps none.
pub(super) struct NoIndex;

/// Why nothing can be asked of a process that keeps no index.
pub(crate) fn off() -> Error {
    Error::with_detail(Reason::SearchUnavailable { cause: "off" }, "this process keeps no search index")
}

fn none<T>() -> Result<T> {
    Err(off())
}

impl SearchIndex for NoIndex {
    fn as_of(&self) -> Result<Position> {
        none()
    }

    fn wait<'a>(&'a self, _: &'a Position) -> BoxFuture<'a, Result<()>> {
        Box::pin(ready(none()))
    }
}

impl PostSearch for NoIndex {
    fn search<'a>(&'a self, _: PostAsk<'a>) -> BoxFuture<'a, Result<FoundPosts>> {
        Box::pin(ready(none()))
    }
}

impl UserSearch for NoIndex {
    fn search_users<'a>(&'a self, _: UserAsk<'a>) -> BoxFuture<'a, Result<FoundUsers>> {
        Box::pin(ready(none()))
    }
}
