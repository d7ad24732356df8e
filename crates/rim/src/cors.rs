//! Cross-origin calls from browsers: off unless origins are configured.

use std::str::FromStr as _;
use std::time::Duration;

use http::header::{self, HeaderName, HeaderValue};
use http::{HeaderMap, Method, uri::Authority};
use tower_http::cors::{AllowHeaders, AllowOrigin, CorsLayer};

/// Headers of answers that scripts need to read.
const EXPOSED: [HeaderName; 8] = [
    HeaderName::from_static("grpc-status"),
    HeaderName::from_static("grpc-message"),
    HeaderName::from_static("grpc-status-details-bin"),
    HeaderName::from_static("x-request-id"),
    header::RETRY_AFTER,
    header::WWW_AUTHENTICATE,
    header::ALLOW,
    HeaderName::from_static("accept-post"),
];

/// How long a browser may remember a preflight: the most that browsers accept.
const PREFLIGHT_MAX_AGE: Duration = Duration::from_hours(2);

/// The origins of web pages that may call: none, some, or any.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origins(Which);

#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum Which {
    #[default]
    None,
    These(Vec<HeaderValue>),
    Any,
}

impl Origins {
    /// Reads origins as browsers send them; `*` alone means any, which is harmless since no cookie is read.
    ///
    /// # Errors
    /// Names what no browser ever sends, and says what to write instead.
    pub fn parse<T: AsRef<str>>(texts: &[T]) -> Result<Self, String> {
        let which = match texts {
            [] => Which::None,
            [any] if any.as_ref() == "*" => Which::Any,
            _ => Which::These(texts.iter().map(|text| origin(text.as_ref())).collect::<Result<_, _>>()?),
        };
        Ok(Self(which))
    }

    /// The layer of tower-http for these origins; `None` if no page may call.
    pub(crate) fn layer(&self) -> Option<CorsLayer> {
        let allowed = match &self.0 {
            Which::None => return None,
            Which::These(origins) => AllowOrigin::list(origins.iter().cloned()),
            Which::Any => AllowOrigin::any(),
        };
        let layer = CorsLayer::new()
            .allow_origin(allowed)
            .allow_methods([Method::GET, Method::POST])
            // Tracing libraries add headers of their own, and none of them gives a page rights that it has not.
            .allow_headers(AllowHeaders::mirror_request())
            .expose_headers(EXPOSED)
            .max_age(PREFLIGHT_MAX_AGE);
        Some(layer)
    }
}

/// Returns whether a request comes from a web page: all others need no look at the origins.
pub(crate) fn is_from_page(headers: &HeaderMap) -> bool {
    headers.contains_key(header::ORIGIN)
}

/// An origin that a browser can send.
fn origin(text: &str) -> Result<HeaderValue, String> {
    if text == "*" {
        return Err("`*` means any origin and stands alone: write `*` only, or leave it out".to_owned());
    }
    if text.contains('*') {
        return Err(format!(
            "`{text}` matches no origin, since origins are compared whole: write each one, or `*` alone for any"
        ));
    }
    if text.eq_ignore_ascii_case("null") {
        return Err(
            "`null` is what every sandboxed page sends: write the page's own origin, or `*` for any".into()
        );
    }
    let right = sent_by_browsers(text).ok_or_else(|| {
        format!("`{text}` is no origin: write scheme and host (and port), such as `https://example.com`")
    })?;
    if right != text {
        return Err(format!("`{text}` is no origin that a browser sends: write `{right}`"));
    }
    HeaderValue::from_str(text).map_err(|error| format!("`{text}` is no origin: {error}"))
}

/// Returns the origin that a browser makes of a URL: scheme, host and port alone, in lower case, without the default port.
fn sent_by_browsers(text: &str) -> Option<String> {
    let (scheme, rest) = text.split_once("://").unwrap_or(("https", text));
    let rest = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let rest = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
    let authority = Authority::from_str(rest).ok()?;
    let scheme = scheme.to_ascii_lowercase();
    let is_scheme = scheme.starts_with(|first: char| first.is_ascii_lowercase())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    if !is_scheme || authority.host().is_empty() {
        return None;
    }
    let host = authority.host().to_ascii_lowercase();
    let port =
        authority.port_u16().filter(|port| !matches!((scheme.as_str(), port), ("http", 80) | ("https", 443)));
    Some(port.map_or_else(|| format!("{scheme}://{host}"), |port| format!("{scheme}://{host}:{port}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_browsers_send_is_accepted() {
        for text in [
            "https://example.com",
            "http://localhost:3000",
            "http://127.0.0.1:8080",
            "http://[::1]:5173",
            "capacitor://localhost",
            "chrome-extension://abcdefghijklmnop",
        ] {
            assert!(Origins::parse(&[text]).is_ok(), "{text}");
        }
        assert_eq!(Origins::parse(&["*"]), Ok(Origins(Which::Any)));
        assert_eq!(Origins::parse::<&str>(&[]), Ok(Origins::default()));
    }

    #[test]
    fn what_can_never_match_is_refused_with_what_to_write() {
        for (text, right) in [
            ("https://example.com/", "`https://example.com`"),
            ("https://example.com/app?x#y", "`https://example.com`"),
            ("example.com", "`https://example.com`"),
            ("localhost:3000", "`https://localhost:3000`"),
            ("HTTPS://Example.COM", "`https://example.com`"),
            ("https://example.com:443", "`https://example.com`"),
            ("http://example.com:80/", "`http://example.com`"),
            ("https://me@example.com", "`https://example.com`"),
            ("https://*.example.com", "write each one"),
            ("null", "own origin"),
            ("", "such as"),
            ("https://", "such as"),
            ("https://例え.jp", "such as"),
            ("https://a b", "such as"),
        ] {
            let error = Origins::parse(&[text]).unwrap_err();
            assert!(error.contains(right) && error.contains(text), "{text}: {error}");
        }
        let beside = Origins::parse(&["https://example.com", "*"]).unwrap_err();
        assert!(beside.contains("alone"), "{beside}");
    }
}
