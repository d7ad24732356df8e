//! `guanxi.v1.FeedService`: from requests to the feed center and back.

mod group;
mod read;
mod stream;

use std::sync::Arc;

use connectrpc::{ConnectError, RequestContext, Response, ServiceRequest, ServiceResult, ServiceStream};
use guanxi_centers::feed::FeedCenter;
use guanxi_proto::v1;
use guanxi_rim::Load;
use guanxi_rim::errors::to_wire;

use crate::page_token::PageTokens;
use crate::request::{ListReader, caller, feed_handlers, unary};

/// The handlers. Each is a line: what it reads from the request is in the functions it calls.
pub(crate) struct FeedApi {
    center: FeedCenter,
    load: Arc<Load>,
    pages: PageTokens,
}

impl FeedApi {
    pub(crate) const fn new(center: FeedCenter, load: Arc<Load>, pages: PageTokens) -> Self {
        Self { center, load, pages }
    }

    /// The caller of a call, who may read lists.
    fn caller<'a>(&'a self, ctx: &'a RequestContext) -> Result<ListReader<'a>, ConnectError> {
        caller(ctx).map(|caller| ListReader::new(caller, &self.pages))
    }
}

impl v1::FeedService for FeedApi {
    feed_handlers!(unary);

    async fn stream_home_timeline(
        &self,
        ctx: RequestContext,
        request: ServiceRequest<'_, v1::StreamHomeTimelineRequest>,
    ) -> ServiceResult<ServiceStream<v1::HomeNews>> {
        let stream = stream::open(&self.center, Arc::clone(&self.load), caller(&ctx)?, &request).await;
        stream.map(Response::stream).map_err(|error| to_wire(&error))
    }
}
