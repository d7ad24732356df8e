//! `guanxi.v1.SearchService`: from requests to the search center and back.

mod posts;
mod users;

use std::future::Future;
use std::time::{Duration, Instant};

use connectrpc::{ConnectError, RequestContext, ServiceRequest, ServiceResult};
use guanxi_centers::search::SearchCenter;
use guanxi_model::Uid;
use guanxi_proto::v1;
use xxhash_rust::xxh3::Xxh3Default;

use crate::page_token::{ListScope, PageTokens};
use crate::request::{ListReader, answer, caller, search_handlers, unary};

/// The rest of a call's deadline when it stops waiting for the index, so that the caller is still told that the index is
/// behind.
const DEADLINE_MARGIN: Duration = Duration::from_millis(250);

/// The handlers. Each is a line: what it reads from the request is in the functions it calls.
pub(crate) struct SearchApi {
    center: SearchCenter,
    pages: PageTokens,
}

impl SearchApi {
    pub(crate) const fn new(center: SearchCenter, pages: PageTokens) -> Self {
        Self { center, pages }
    }

    /// The caller of a call, who may read lists.
    fn caller<'a>(&'a self, ctx: &'a RequestContext) -> Result<ListReader<'a>, ConnectError> {
        caller(ctx).map(|caller| ListReader::new(caller, &self.pages))
    }
}

impl v1::SearchService for SearchApi {
    async fn search_posts(
        &self,
        ctx: RequestContext,
        request: ServiceRequest<'_, v1::SearchPostsRequest>,
    ) -> ServiceResult<v1::SearchPostsResponse> {
        let caller = self.caller(&ctx)?;
        answer(posts::search_posts(&self.center, &caller, &request, patience(&ctx)).await)
    }

    async fn search_users(
        &self,
        ctx: RequestContext,
        request: ServiceRequest<'_, v1::SearchUsersRequest>,
    ) -> ServiceResult<v1::SearchUsersResponse> {
        let caller = self.caller(&ctx)?;
        answer(users::search_users(&self.center, &caller, &request, patience(&ctx)).await)
    }

    search_handlers!(unary);
}

/// Completes when a call waits for the index no longer: a moment before its deadline.
fn patience(ctx: &RequestContext) -> impl Future<Output = ()> + Send + use<> {
    let deadline = ctx.deadline().unwrap_or_else(Instant::now);
    let until = deadline.checked_sub(DEADLINE_MARGIN).unwrap_or(deadline);
    tokio::time::sleep_until(until.into())
}

/// A hash of what is searched for: page tokens are sealed for one search.
#[derive(Default)]
struct Hashed(Xxh3Default);

impl Hashed {
    fn number(mut self, number: u64) -> Self {
        self.0.update(&number.to_be_bytes());
        self
    }

    fn uid(self, uid: Option<Uid>) -> Self {
        self.number(uid.map_or(0, Uid::get))
    }

    fn text(mut self, text: &str) -> Self {
        self.0.update(text.as_bytes());
        self
    }

    fn scope(self, kind: u8) -> ListScope {
        let hash = self.0.digest128();
        ListScope::new(kind, (hash >> 64) as u64, hash as u64)
    }
}
