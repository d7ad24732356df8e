//! The two cookies: the session, which no script reads, and how pages look, which holds no secret.

use http::{HeaderMap, HeaderValue, header};

/// The cookie of the session.
pub(crate) const SESSION: &str = "guanxi_console";

/// The cookie of language, theme and time zone.
pub(crate) const LOOK: &str = "guanxi_look";

/// Returns the value of a cookie. Of two of one name, which another page of the host may have set, neither is believed.
pub(crate) fn find<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let lines = headers.get_all(header::COOKIE).iter().filter_map(|line| line.to_str().ok());
    let mut values = lines.flat_map(|line| line.split(';')).filter_map(|pair| {
        let (key, value) = pair.trim().split_once('=')?;
        (key == name).then_some(value)
    });
    values.next().filter(|_| values.next().is_none())
}

/// Returns the line that sets a cookie until the browser is closed. Over TLS it is never sent in the clear.
pub(crate) fn set(name: &str, value: &str, is_tls: bool) -> HeaderValue {
    line(name, value, if name == SESSION { "; HttpOnly" } else { "; Max-Age=31536000" }, is_tls)
}

/// Returns the line that ends a cookie.
pub(crate) fn forget(name: &str, is_tls: bool) -> HeaderValue {
    line(name, "", "; HttpOnly; Max-Age=0", is_tls)
}

fn line(name: &str, value: &str, more: &str, is_tls: bool) -> HeaderValue {
    let secure = if is_tls { "; Secure" } else { "" };
    HeaderValue::try_from(format!("{name}={value}; Path=/; SameSite=Strict{more}{secure}"))
        .expect("names are constants, and values are base64url or of a few letters")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cookie_is_found_by_its_whole_name_and_once() {
        let of = |line: &'static str| {
            let headers = HeaderMap::from_iter([(header::COOKIE, HeaderValue::from_static(line))]);
            find(&headers, SESSION).map(str::to_owned)
        };
        assert_eq!(of("a=1; guanxi_console=xyz; b=2"), Some("xyz".to_owned()));
        assert_eq!(of("xguanxi_console=1; guanxi_consolex=2"), None);
        assert_eq!(of("guanxi_console=1; guanxi_console=2"), None);
        assert_eq!(of("guanxi_console"), None);
    }

    #[test]
    fn scripts_read_no_session_and_the_network_none_behind_tls() {
        let text = |line: HeaderValue| line.to_str().unwrap().to_owned();
        assert_eq!(
            text(set(SESSION, "x", true)),
            "guanxi_console=x; Path=/; SameSite=Strict; HttpOnly; Secure"
        );
        assert!(!text(set(SESSION, "x", false)).contains("Secure"));
        assert!(text(forget(SESSION, true)).contains("Max-Age=0"));
    }
}
