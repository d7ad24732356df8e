//! `guanxi.v1.AdminService`: what an operator asks. Served on the admin listener alone.

mod edges;
mod fanout;
mod feeds;
mod long;
mod posts;
mod tokens;

pub(crate) use fanout::{policy_back, policy_shown};
pub(crate) use tokens::{READ, WRITE, scope_names};

use std::sync::Arc;

use connectrpc::{ConnectError, RequestContext, Response, ServiceRequest, ServiceResult, ServiceStream};
use guanxi_centers::Centers;
use guanxi_model::{Clock, Result};
use guanxi_ports::{Credentials, Upkeep};
use guanxi_proto::v1;
use tokio::sync::Semaphore;

use crate::error::to_wire;
use crate::load::Load;
use crate::request::answer;

/// 256 random bits from the operating system; a parameter, so that simulations can own them.
pub type Random = Arc<dyn Fn() -> [u8; 32] + Send + Sync>;

/// What the operator's calls need beyond the relation center.
#[derive(Clone)]
pub struct AdminParts {
    /// The stored tokens.
    pub credentials: Arc<dyn Credentials>,
    /// Proof and backup.
    pub upkeep: Arc<dyn Upkeep>,
    /// For the time at which a token is made, and at which the server started.
    pub clock: Arc<dyn Clock>,
    /// For new tokens.
    pub random: Random,
    /// The server's version.
    pub version: &'static str,
}

/// The handlers.
pub(crate) struct AdminApi {
    centers: Centers,
    parts: AdminParts,
    load: Arc<Load>,
    started_ms: u64,
    /// One long task at a time: each reads the whole store.
    long: Arc<Semaphore>,
}

impl AdminApi {
    pub(crate) fn new(centers: Centers, parts: AdminParts, load: Arc<Load>) -> Self {
        let started_ms = parts.clock.now_ms();
        Self { centers, parts, load, started_ms, long: Arc::new(Semaphore::new(1)) }
    }

    fn stats(&self) -> v1::StatsResponse {
        let head = self.centers.relation.log().head();
        let small = |count: usize| Some(u32::try_from(count).unwrap_or(u32::MAX));
        v1::StatsResponse {
            version: self.parts.version.to_owned(),
            start_time: buffa::MessageField::some(crate::convert::time(guanxi_model::Stamp::from_ms(
                self.started_ms,
            ))),
            log_seq: Some(head.seq),
            token: head.to_token(),
            connections: small(self.load.connections()),
            calls_in_flight: small(self.load.calls_in_flight()),
            tokens: small(self.parts.credentials.list().len()),
        }
    }
}

/// A stream of answers, as handlers return it.
type Answers<T> = ServiceResult<ServiceStream<T>>;

fn stream<T: Send + 'static>(
    result: Result<impl futures::Stream<Item = Result<T, ConnectError>> + Send + 'static>,
) -> Answers<T> {
    match result {
        Ok(stream) => Ok(Response::stream(stream)),
        Err(error) => Err(to_wire(&error)),
    }
}

/// A handler that hands the request to a function.
macro_rules! handler {
    ($method:ident, $request:ident, $response:ident, $call:expr) => {
        async fn $method(
            &self,
            _ctx: RequestContext,
            request: ServiceRequest<'_, v1::$request>,
        ) -> ServiceResult<v1::$response> {
            answer($call(self, &request).await)
        }
    };
}

impl v1::AdminService for AdminApi {
    handler!(import_edges, ImportEdgesRequest, ImportEdgesResponse, edges::import);
    handler!(import_posts, ImportPostsRequest, ImportPostsResponse, posts::import);
    handler!(get_import_job, GetImportJobRequest, GetImportJobResponse, edges::job);
    handler!(set_follow_limit, SetFollowLimitRequest, SetFollowLimitResponse, edges::set_limit);
    handler!(get_follow_limit, GetFollowLimitRequest, GetFollowLimitResponse, edges::limit);
    handler!(put_fanout_policy, PutFanoutPolicyRequest, PutFanoutPolicyResponse, fanout::put);
    handler!(create_token, CreateTokenRequest, CreateTokenResponse, tokens::create);
    handler!(revoke_token, RevokeTokenRequest, RevokeTokenResponse, tokens::revoke);

    async fn list_tokens(
        &self,
        _ctx: RequestContext,
        _request: ServiceRequest<'_, v1::ListTokensRequest>,
    ) -> ServiceResult<v1::ListTokensResponse> {
        Response::ok(tokens::list(self))
    }

    async fn get_fanout_status(
        &self,
        _ctx: RequestContext,
        request: ServiceRequest<'_, v1::GetFanoutStatusRequest>,
    ) -> ServiceResult<v1::GetFanoutStatusResponse> {
        answer(fanout::status(self, &request))
    }

    async fn get_fanout_policy(
        &self,
        _ctx: RequestContext,
        _request: ServiceRequest<'_, v1::GetFanoutPolicyRequest>,
    ) -> ServiceResult<v1::GetFanoutPolicyResponse> {
        Response::ok(fanout::get(self))
    }

    async fn stats(
        &self,
        _ctx: RequestContext,
        _request: ServiceRequest<'_, v1::StatsRequest>,
    ) -> ServiceResult<v1::StatsResponse> {
        Response::ok(Self::stats(self))
    }

    async fn verify(
        &self,
        _ctx: RequestContext,
        _request: ServiceRequest<'_, v1::VerifyRequest>,
    ) -> Answers<v1::VerifyResponse> {
        stream(long::verify(self))
    }

    async fn verify_feed(
        &self,
        _ctx: RequestContext,
        request: ServiceRequest<'_, v1::VerifyFeedRequest>,
    ) -> Answers<v1::VerifyFeedResponse> {
        stream(feeds::verify(self, &request).await)
    }

    async fn backup(
        &self,
        _ctx: RequestContext,
        _request: ServiceRequest<'_, v1::BackupRequest>,
    ) -> Answers<v1::BackupResponse> {
        stream(long::backup(self))
    }

    async fn export_edges(
        &self,
        _ctx: RequestContext,
        request: ServiceRequest<'_, v1::ExportEdgesRequest>,
    ) -> Answers<v1::ExportEdgesResponse> {
        stream(edges::export(self, &request).await)
    }
}
