//! `guanxi.v1.RelationService`: from requests to the relation center and back.

mod affinity;
mod groups;
mod ordered;
mod read;
mod requests;
mod suggestions;
mod watch;
mod write;

use std::sync::Arc;

use connectrpc::{ConnectError, RequestContext, Response, ServiceRequest, ServiceResult, ServiceStream};
use guanxi_centers::affinity::AffinityCenter;
use guanxi_centers::group::GroupCenter;
use guanxi_centers::relation::RelationCenter;
use guanxi_model::Op;
use guanxi_proto::v1;
use guanxi_rim::Load;
use guanxi_rim::errors::to_wire;

pub use groups::members_scope;
pub(crate) use groups::shown as group_shown;
pub use requests::requests_scope;
pub(crate) use watch::events_shown;
pub use watch::op_of;
use write::pair_response;

use crate::page_token::PageTokens;
use crate::request::{ListReader, answer, caller, relation_handlers, unary};

/// The handlers. Each is a line: what it reads from the request is in the functions it calls.
pub(crate) struct RelationApi {
    center: RelationCenter,
    groups: GroupCenter,
    affinity: AffinityCenter,
    load: Arc<Load>,
    pages: PageTokens,
}

impl RelationApi {
    pub(crate) fn new(
        center: RelationCenter,
        groups: GroupCenter,
        affinity: AffinityCenter,
        load: Arc<Load>,
        pages: PageTokens,
    ) -> Self {
        Self { center, groups, affinity, load, pages }
    }

    /// The caller of a call, who may read lists.
    fn caller<'a>(&'a self, ctx: &'a RequestContext) -> Result<ListReader<'a>, ConnectError> {
        caller(ctx).map(|caller| ListReader::new(caller, &self.pages))
    }
}

/// A handler of each operation on a pair that is asked for with the two users alone.
macro_rules! pair_writes {
    (
        plain { $(
            $(#[$doc:meta])*
            $op:ident {
                $code:literal, $name:literal, $title:literal, $guard:expr, $cause:ident,
                $method:ident($request:ident) -> $response:ident
            }
        )* }
        own { $($own:tt)* }
    ) => {
        $(
            async fn $method(
                &self,
                ctx: RequestContext,
                request: ServiceRequest<'_, v1::$request>,
            ) -> ServiceResult<v1::$response> {
                let (subject, object, request_id) = (request.subject, request.object, request.request_id);
                let written = self.act(caller(&ctx)?, Op::$op, subject, object, request_id).await;
                answer(written.map(|written| pair_response!($response, written)))
            }
        )*
    };
}

/// A handler of each operation that one user does on many.
macro_rules! batch_writes {
    ($($op:ident: $method:ident($request:ident) -> $response:ident;)*) => {
        $(
            async fn $method(
                &self,
                ctx: RequestContext,
                request: ServiceRequest<'_, v1::$request>,
            ) -> ServiceResult<v1::$response> {
                let (subject, objects, request_id) = (request.subject, &request.objects, request.request_id);
                let written = self.act_on_many(caller(&ctx)?, Op::$op, subject, objects, request_id).await;
                answer(written.map(|written| v1::$response {
                    outcomes: written.outcomes.iter().map(write::item).collect(),
                    token: written.position.to_token(),
                }))
            }
        )*
    };
}

impl v1::RelationService for RelationApi {
    guanxi_model::for_each_pair_op!(pair_writes);

    relation_handlers!(unary);

    batch_writes! {
        Follow: batch_follow(BatchFollowRequest) -> BatchFollowResponse;
        Unfollow: batch_unfollow(BatchUnfollowRequest) -> BatchUnfollowResponse;
        ApproveFollow: batch_approve_follow(BatchApproveFollowRequest) -> BatchApproveFollowResponse;
        RejectFollow: batch_reject_follow(BatchRejectFollowRequest) -> BatchRejectFollowResponse;
    }

    async fn watch(
        &self,
        _ctx: RequestContext,
        request: ServiceRequest<'_, v1::WatchRequest>,
    ) -> ServiceResult<ServiceStream<v1::WatchResponse>> {
        let stream = watch::open(&self.center, Arc::clone(&self.load), &request).await;
        stream.map(Response::stream).map_err(|error| to_wire(&error))
    }
}
