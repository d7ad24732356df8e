//! The pages beside calls: liveness, readiness, metrics, and the description of the API.

use std::sync::Arc;

use axum::Router;
use axum::routing::get;
use http::{Request, StatusCode, header};

use crate::load::Load;

/// The OpenAPI document, generated from the protos by `cargo xtask codegen`.
const OPENAPI: &str = guanxi_proto::OPENAPI;

/// Where it is.
pub(crate) const OPENAPI_PATH: &str = "/openapi.json";

/// Renders the metrics in the text format of Prometheus.
pub type RenderMetrics = Arc<dyn Fn() -> String + Send + Sync>;

/// Whether the store can answer, for `/readyz`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Readiness {
    /// Whether calls are to be sent here.
    pub is_ready: bool,
    /// What is wrong, also while calls are to be sent here: a database of several that is away. Operators are told alone.
    pub problems: Vec<String>,
}

impl Readiness {
    /// Of a store of one part.
    pub const fn of(is_ready: bool) -> Self {
        Self { is_ready, problems: Vec::new() }
    }
}

/// Tells whether the store can answer.
pub type Ready = Arc<dyn Fn() -> Readiness + Send + Sync>;

/// The page for a caller that gives no path: it says what the listener is, and where to go on. Strangers read it, so it has
/// no address and no version.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Front {
    /// The listener for users and services.
    Main,
    /// The operator's.
    Admin,
    /// That of a process that answers no calls.
    Pages,
}

impl Front {
    const fn text(self) -> &'static str {
        match self {
            Self::Main => {
                "\
guanxi: a social graph and home feed server. This is the API for users and services.

  curl -H 'content-type: application/json' -H \"authorization: Bearer $TOKEN\" \\
    -d '{\"actor\":\"1\",\"object\":\"2\"}' $THIS/guanxi.v1.RelationService/Follow

The operator makes tokens: guanxi token create --help
Methods: /openapi.json, and docs/api.md; a first walk is docs/ten-minutes.md
Health: /healthz and /readyz
"
            }
            Self::Admin => {
                "\
guanxi: a social graph and home feed server. This is the listener of its operator.

  curl -H 'content-type: application/json' -H \"authorization: Bearer $ADMIN_TOKEN\" \\
    -d '{}' $THIS/guanxi.v1.AdminService/Stats

The first start writes the operator's token into the data directory: admin-token
A browser sees the console at this address; guanxi console prints one that signs in
Methods: /openapi.json, and docs/api.md; how to run it is docs/operations.md
Health: /healthz and /readyz; metrics for Prometheus: /metrics
"
            }
            Self::Pages => {
                "\
guanxi: a social graph and home feed server. This process works in the background and answers no calls.

  curl $THIS/metrics

How to run a cluster is docs/cluster.md
Health: /healthz and /readyz; metrics for Prometheus: /metrics
"
            }
        }
    }
}

/// The pages of a listener; only the admin listener has metrics.
pub(crate) fn router(load: Arc<Load>, ready: Ready, metrics: Option<RenderMetrics>, front: Front) -> Router {
    let closing = Arc::clone(&load);
    let router = Router::new()
        .route("/", get(move || std::future::ready(front.text())))
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(move || std::future::ready(told(closing.is_closing(), ready(), front))))
        .route(OPENAPI_PATH, get(|| async { ([(header::CONTENT_TYPE, "application/json")], OPENAPI) }));
    match metrics {
        None => router,
        Some(render) => router.route(
            "/metrics",
            get(move || {
                load.publish();
                let page = render();
                async { ([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], page) }
            }),
        ),
    }
}

/// Returns whether a request is for a site beside the pages of the listener, if it has one: `/` is, for a client that asks for
/// HTML, as browsers do.
pub(crate) fn is_of_site<B>(request: &Request<B>) -> bool {
    match request.uri().path() {
        "/healthz" | "/readyz" | "/metrics" | OPENAPI_PATH => false,
        "/" => request
            .headers()
            .get_all(header::ACCEPT)
            .iter()
            .any(|accept| accept.as_bytes().windows(b"text/html".len()).any(|part| part == b"text/html")),
        _ => true,
    }
}

/// The answer to `/readyz`: a word, and for operators a line for each problem.
fn told(closing: bool, Readiness { is_ready, problems }: Readiness, front: Front) -> (StatusCode, String) {
    let (status, word) = match (closing, is_ready) {
        (true, _) => (StatusCode::SERVICE_UNAVAILABLE, "closing\n"),
        (false, false) => (StatusCode::SERVICE_UNAVAILABLE, "not ready\n"),
        (false, true) => (StatusCode::OK, "ready\n"),
    };
    let mut text = word.to_owned();
    if !matches!(front, Front::Main) {
        problems.iter().for_each(|problem| text.extend([problem.as_str(), "\n"]));
    }
    (status, text)
}
