//! What a request must be before a page looks at it: of a host that is ours, of a page of ours, and with the token of its session
//! if it changes something. The headers that every answer has are here, too.

mod cookies;

use guanxi_rim::Hosts;
use http::header::{self, HeaderName};
use http::{HeaderMap, HeaderValue, Method};

pub(crate) use cookies::{LOOK, SESSION, find, forget, set};

/// Where a browser says from where a request comes.
const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Where it says how it was asked: `navigate` for a page that is shown.
const SEC_FETCH_MODE: HeaderName = HeaderName::from_static("sec-fetch-mode");

/// Where it says for what: `document` for the page of a window, and not of a frame.
const SEC_FETCH_DEST: HeaderName = HeaderName::from_static("sec-fetch-dest");

/// Why a request is refused before a page looks at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Foreign {
    /// The Host header names a host that is not this server: a page of another site that was bound to our address.
    Host,
    /// Another site has sent the request.
    Origin,
}

/// Checks from where a request comes.
///
/// - `Host` must be ours, for every method, so that no name that is bound to our address anew reaches a page.
/// - `Origin`, where a browser sends it, must be the host itself. A request that changes something must have it, or say by
///   `Sec-Fetch-Site` that it comes from a page of ours.
/// - A request that a page of another origin makes is a link that somebody follows, and no picture, script or frame. The cookie is
///   sent with those from any port of this host, and a look at a user is noted as one of the operator.
pub(crate) fn check(hosts: &Hosts, method: &Method, headers: &HeaderMap) -> Result<(), Foreign> {
    let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    let several = headers.get_all(header::HOST).iter().count() > 1;
    let host = text(header::HOST).filter(|host| !several && hosts.has(host)).ok_or(Foreign::Host)?;
    let is_ours = |origin: &str| {
        let (scheme, name) = origin.split_once("://").unwrap_or_default();
        matches!(scheme, "http" | "https") && name.eq_ignore_ascii_case(host)
    };
    let site = text(SEC_FETCH_SITE);
    let origin = headers.get(header::ORIGIN).map(|origin| origin.to_str().is_ok_and(is_ours));
    let is_safe = matches!(*method, Method::GET | Method::HEAD);
    let is_followed = (text(SEC_FETCH_MODE), text(SEC_FETCH_DEST)) == (Some("navigate"), Some("document"));
    match (origin, site, is_safe) {
        // A link from another site leads here without the cookie, which is of the strict kind.
        (Some(true), _, _) | (None, Some("same-origin" | "none"), _) | (None, None, true) => Ok(()),
        (None, Some(_), true) if is_followed => Ok(()),
        (Some(false) | None, _, _) => Err(Foreign::Origin),
    }
}

/// The headers of every answer: nothing from elsewhere is loaded, no page is framed, and nothing is told to where a link leads.
pub(crate) const HEADERS: [(HeaderName, &str); 8] = [
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'",
    ),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    // Not `no-referrer`: with it a browser sends forms with `Origin: null`, which is refused.
    (header::REFERRER_POLICY, "same-origin"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (HeaderName::from_static("permissions-policy"), "camera=(), geolocation=(), microphone=()"),
    (HeaderName::from_static("x-robots-tag"), "noindex"),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(method: &Method, headers: &[(&'static str, &str)]) -> Result<(), Foreign> {
        let headers = headers
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::try_from(*value).unwrap()));
        check(&Hosts::default(), method, &headers.collect())
    }

    #[test]
    fn the_policy_lets_browsers_say_that_a_form_is_of_a_page_of_ours() {
        let has = |(name, value)| name == header::REFERRER_POLICY && value == "same-origin";
        assert!(HEADERS.into_iter().any(has));
    }

    #[test]
    fn a_host_is_ours_or_nothing_is_answered() {
        let get = |host| checked(&Method::GET, &[("host", host)]);
        assert_eq!(get("127.0.0.1:7421"), Ok(()));
        assert_eq!(get("evil.example:7421"), Err(Foreign::Host));
        assert_eq!(checked(&Method::GET, &[]), Err(Foreign::Host));
    }

    #[test]
    fn what_changes_something_comes_from_a_page_of_ours() {
        let post = |more: &[(&'static str, &str)]| {
            checked(&Method::POST, &[&[("host", "localhost:7421")], more].concat())
        };
        assert_eq!(post(&[("origin", "http://localhost:7421")]), Ok(()));
        assert_eq!(post(&[("origin", "https://LOCALHOST:7421")]), Ok(()));
        assert_eq!(post(&[("sec-fetch-site", "same-origin")]), Ok(()));
        for other in
            ["http://localhost:7422", "http://evil.example", "null", "localhost:7421", "ftp://localhost:7421"]
        {
            assert_eq!(post(&[("origin", other)]), Err(Foreign::Origin), "{other}");
            let both = [("origin", other), ("sec-fetch-site", "same-origin")];
            assert_eq!(post(&both), Err(Foreign::Origin), "{other}");
        }
        assert_eq!(post(&[]), Err(Foreign::Origin));
        assert_eq!(post(&[("sec-fetch-site", "cross-site")]), Err(Foreign::Origin));
        let get = [("host", "localhost:7421"), ("origin", "http://evil.example")];
        assert_eq!(checked(&Method::GET, &get), Err(Foreign::Origin));
    }

    #[test]
    fn a_page_of_another_origin_may_link_here_and_include_nothing() {
        let get = |site, mode, dest| {
            let headers = [
                ("host", "localhost:7421"),
                ("sec-fetch-site", site),
                ("sec-fetch-mode", mode),
                ("sec-fetch-dest", dest),
            ];
            checked(&Method::GET, &headers)
        };
        for (mode, dest) in [
            ("no-cors", "image"),
            ("no-cors", "script"),
            ("cors", "empty"),
            ("no-cors", "empty"),
            ("navigate", "iframe"),
            ("navigate", "object"),
            ("websocket", "empty"),
        ] {
            for site in ["cross-site", "same-site"] {
                assert_eq!(get(site, mode, dest), Err(Foreign::Origin), "{site} {mode} {dest}");
            }
            assert_eq!(get("same-origin", mode, dest), Ok(()));
        }
        for site in ["cross-site", "same-site", "none", "same-origin"] {
            assert_eq!(get(site, "navigate", "document"), Ok(()), "{site}");
        }
        assert_eq!(
            checked(&Method::GET, &[("host", "localhost"), ("sec-fetch-site", "cross-site")]),
            Err(Foreign::Origin)
        );
    }
}
