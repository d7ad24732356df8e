//! `guanxi.v1.PostService`: from requests to the post center and back.

mod fingerprint;
pub(crate) mod lists;
mod read;
pub(crate) mod shape;
mod write;

use connectrpc::{ConnectError, RequestContext};
use guanxi_centers::post::PostCenter;
use guanxi_proto::v1;

use crate::page_token::PageTokens;
use crate::request::{ListReader, caller, post_handlers, unary};

/// The handlers. Each is a line: what it reads from the request is in the functions it calls.
pub(crate) struct PostApi {
    center: PostCenter,
    pages: PageTokens,
}

impl PostApi {
    pub(crate) const fn new(center: PostCenter, pages: PageTokens) -> Self {
        Self { center, pages }
    }

    /// The caller of a call, who may read lists.
    fn caller<'a>(&'a self, ctx: &'a RequestContext) -> Result<ListReader<'a>, ConnectError> {
        caller(ctx).map(|caller| ListReader::new(caller, &self.pages))
    }
}

impl v1::PostService for PostApi {
    post_handlers!(unary);
}
