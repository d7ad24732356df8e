//! Cross-origin calls from browsers: off unless origins are configured.

use http::header::{self, HeaderValue};
use http::{HeaderMap, Response, StatusCode};

/// Headers that the protocols need in requests.
const REQUEST_HEADERS: &str = "authorization, content-type, connect-protocol-version, connect-timeout-ms, \
     grpc-timeout, x-grpc-web, x-user-agent";

/// Headers of answers that scripts need to read.
const EXPOSED_HEADERS: &str = "grpc-status, grpc-message, grpc-status-details-bin";

/// How long a browser may remember a preflight, in seconds: 2 h, the most that browsers accept.
const MAX_AGE: &str = "7200";

/// The origins that may call.
pub(crate) struct Cors {
    origins: Vec<String>,
}

impl Cors {
    pub(crate) fn new(origins: Vec<String>) -> Self {
        Self { origins }
    }

    /// The request's origin, if it is one of those allowed.
    pub(crate) fn allowed(&self, headers: &HeaderMap) -> Option<HeaderValue> {
        if self.origins.is_empty() {
            return None;
        }
        let origin = headers.get(header::ORIGIN)?;
        self.origins.iter().any(|allowed| allowed.as_bytes() == origin.as_bytes()).then(|| origin.clone())
    }

    /// The answer to a browser that asks whether it may call.
    pub(crate) fn preflight(origin: &HeaderValue) -> Response<()> {
        let mut answer = Response::new(());
        *answer.status_mut() = StatusCode::NO_CONTENT;
        let headers = answer.headers_mut();
        Self::expose(origin, headers);
        headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET, POST"));
        headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static(REQUEST_HEADERS));
        headers.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static(MAX_AGE));
        answer
    }

    /// Marks an answer as readable for the origin.
    pub(crate) fn expose(origin: &HeaderValue, headers: &mut HeaderMap) {
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
        headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(EXPOSED_HEADERS));
        headers.append(header::VARY, HeaderValue::from_static("origin"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_listed_origins_are_allowed_and_none_by_default() {
        let mut headers = HeaderMap::new();
        headers.insert(header::ORIGIN, HeaderValue::from_static("https://a.example"));
        assert!(Cors::new(Vec::new()).allowed(&headers).is_none());
        assert!(Cors::new(vec!["https://b.example".to_owned()]).allowed(&headers).is_none());
        assert!(Cors::new(vec!["https://a.example".to_owned()]).allowed(&headers).is_some());
    }
}
