//! What is no call: liveness, readiness, metrics, and the description of the API.

use std::sync::Arc;

use axum::Router;
use axum::routing::get;
use http::{StatusCode, header};

use crate::load::Load;

/// The OpenAPI document, generated from the protos by `cargo xtask codegen`.
const OPENAPI: &str = guanxi_proto::OPENAPI;

/// Where it is.
pub(crate) const OPENAPI_PATH: &str = "/openapi.json";

/// Renders the metrics in the text format of Prometheus.
pub type RenderMetrics = Arc<dyn Fn() -> String + Send + Sync>;

/// Whether the store can answer.
pub type Ready = Arc<dyn Fn() -> bool + Send + Sync>;

/// The pages of a listener; only the admin listener has metrics.
pub(crate) fn router(load: Arc<Load>, ready: Ready, metrics: Option<RenderMetrics>) -> Router {
    let closing = Arc::clone(&load);
    let router = Router::new()
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(move || std::future::ready(readiness(closing.is_closing(), ready()))))
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

fn readiness(closing: bool, ready: bool) -> (StatusCode, &'static str) {
    match (closing, ready) {
        (true, _) => (StatusCode::SERVICE_UNAVAILABLE, "closing\n"),
        (false, false) => (StatusCode::SERVICE_UNAVAILABLE, "not ready\n"),
        (false, true) => (StatusCode::OK, "ready\n"),
    }
}
