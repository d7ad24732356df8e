//! `guanxi.v1.AdminService`: what an operator asks, on the admin listener or in a process that has opened a store for a verb.
//!
//! Handlers read the request and write the answer; what is done is the operator center's.

#![allow(clippy::unused_async, reason = "handlers have one form, whether they wait or not")]

mod audit;
mod console;
mod edges;
mod export_forms;
mod exports;
mod fanout;
mod feeds;
mod history;
mod ids;
mod long;
mod overview;
mod posts;
mod proofs;
pub(crate) mod requests;
mod row_filters;
mod row_sums;
mod rows;
mod search;
mod shards;
mod stats;
mod takedowns;
mod tokens;
pub(crate) mod users;

pub(crate) use fanout::{policy_back, policy_shown};
pub(crate) use posts::import_shown;

use std::sync::Arc;

use connectrpc::{ConnectError, RequestContext, Response, ServiceRequest, ServiceResult, ServiceStream};
use guanxi_centers::operator::{Export, ListedRows, OperatorCenter};
use guanxi_model::{ImportCursor, Result};
use guanxi_proto::v1;
use guanxi_rim::errors::to_wire;
use guanxi_rim::{Codes, Load};

use crate::overview::OverviewSource;
use crate::page_token::PageTokens;
use crate::request::{admin_handlers, admin_streams, answer};

/// The handlers.
pub(crate) struct AdminApi {
    operator: OperatorCenter,
    /// The server's version.
    version: &'static str,
    /// The samples of this process; `None` where a verb calls, which takes none.
    overview: Option<Arc<dyn OverviewSource>>,
    /// The codes of the console; `None` where there is no console.
    codes: Option<Codes>,
    load: Arc<Load>,
    pages: PageTokens,
    /// Whether a verb calls in the process that has the store open. Then nothing is noted in the audit log, which the caller
    /// may change as well as the store, and no finding is left out of an answer.
    in_process: bool,
}

impl AdminApi {
    pub(crate) const fn new(
        operator: OperatorCenter,
        version: &'static str,
        overview: Arc<dyn OverviewSource>,
        codes: Option<Codes>,
        load: Arc<Load>,
        pages: PageTokens,
    ) -> Self {
        Self { operator, version, overview: Some(overview), codes, load, pages, in_process: false }
    }

    /// The handlers for a verb on a store that this process has opened for it.
    pub(crate) fn in_process(operator: OperatorCenter) -> Self {
        // Page tokens do not leave the process, so that their key is no secret.
        let pages = PageTokens::new([0; 32]);
        let version = env!("CARGO_PKG_VERSION");
        let (overview, codes) = (None, None);
        Self { operator, version, overview, codes, load: Arc::default(), pages, in_process: true }
    }
}

/// Where an import job goes on; `None` without a job.
fn cursor(job: &str, from: u64, to: u64) -> Option<ImportCursor> {
    (!job.is_empty()).then(|| ImportCursor { job: job.to_owned(), from, to })
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

/// The answers of an export: a chunk of rows each, until it ends or fails.
fn chunks<R: ListedRows, M>(
    export: Export<R>,
    max: usize,
    shown: impl Fn(&[R::Row], &Export<R>) -> M + Copy + Send,
) -> impl futures::Stream<Item = Result<M, ConnectError>> + Send {
    futures::stream::unfold(Some(export), move |export| async move {
        let mut export = export?;
        match export.next(max).await {
            Ok(rows) => Some((Ok(shown(&rows?, &export)), Some(export))),
            Err(error) => Some((Err(to_wire(&error)), None)),
        }
    })
}

/// The answer to an import of rows that each have an outcome.
macro_rules! imported {
    ($response:ident, $position:expr, $found:expr, $outcome:expr) => {{
        let (position, found) = ($position, $found);
        v1::$response {
            accepted: Some(found.accepted),
            already_there: Some(found.already_there),
            refused: Some(found.refused),
            position,
            token: found.position.to_token(),
            outcomes: found.outcomes.iter().map($outcome).collect(),
        }
    }};
}

use imported;

/// Methods that hand the request to the function of their name, and have one answer. All of them are in the audit log, or are
/// left out of it, by one table.
macro_rules! audited {
    ($($module:ident::$method:ident(self, $request:ident) -> $response:ident;)*) => {
        $(
            async fn $method(
                &self,
                ctx: RequestContext,
                request: ServiceRequest<'_, v1::$request>,
            ) -> ServiceResult<v1::$response> {
                answer(self.audited(&ctx, &*request, $module::$method(self, &request)).await)
            }
        )*
    };
}

/// The same of methods with a stream of answers.
macro_rules! audited_streams {
    ($($module:ident::$method:ident(self, $request:ident) -> $item:ident;)*) => {
        $(
            async fn $method(
                &self,
                ctx: RequestContext,
                request: ServiceRequest<'_, v1::$request>,
            ) -> Answers<v1::$item> {
                stream(self.audited_stream(&ctx, &*request, $module::$method(self, &request)).await)
            }
        )*
    };
}

impl v1::AdminService for AdminApi {
    async fn list_audit_entries(
        &self,
        ctx: RequestContext,
        request: ServiceRequest<'_, v1::ListAuditEntriesRequest>,
    ) -> ServiceResult<v1::ListAuditEntriesResponse> {
        answer(audit::list_audit_entries(self, &ctx, &request).await)
    }

    async fn create_console_code(
        &self,
        ctx: RequestContext,
        request: ServiceRequest<'_, v1::CreateConsoleCodeRequest>,
    ) -> ServiceResult<v1::CreateConsoleCodeResponse> {
        answer(self.audited(&ctx, &*request, console::create_code(self, &ctx)).await)
    }

    async fn list_user_events(
        &self,
        ctx: RequestContext,
        request: ServiceRequest<'_, v1::ListUserEventsRequest>,
    ) -> ServiceResult<v1::ListUserEventsResponse> {
        answer(self.audited(&ctx, &*request, history::list_user_events(self, &ctx, &request)).await)
    }

    admin_handlers!(audited);
    admin_streams!(audited_streams);
}
