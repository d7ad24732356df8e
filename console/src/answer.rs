//! What a page answers: HTML, a redirect, a file of ours, or what went wrong in plain words.

use axum::body::Body;
use axum::response::IntoResponse;
use connectrpc::{ConnectError, ErrorCode};
use guanxi_model::{Code, Error, Reason};
use guanxi_rim::errors::from_wire;
use http::{HeaderValue, Response, StatusCode, header};
use maud::Markup;

use crate::gate::Foreign;
use crate::look::Look;
use crate::texts::Text;

/// The answer of a page.
pub(crate) struct Answer(Response<Body>);

impl Answer {
    /// A page of HTML.
    pub(crate) fn page(markup: Markup) -> Self {
        Self::of(StatusCode::OK, "text/html; charset=utf-8", markup.into_string())
    }

    /// A page of HTML about something that went wrong.
    pub(crate) fn failed(status: StatusCode, markup: Markup) -> Self {
        Self::of(status, "text/html; charset=utf-8", markup.into_string())
    }

    /// A file of ours.
    pub(crate) fn file(kind: &'static str, text: &'static str) -> Self {
        let mut answer = Self::of(StatusCode::OK, kind, text);
        // It changes with the program alone, and its address has the program's version.
        answer
            .0
            .headers_mut()
            .insert(header::CACHE_CONTROL, HeaderValue::from_static("private, max-age=31536000, immutable"));
        answer
    }

    /// A file that the browser keeps and never shows. `name` has only letters, digits, dots and hyphens.
    pub(crate) fn attachment(kind: &'static str, name: &str, len: u64, body: Body) -> Self {
        let mut answer = Self::of(StatusCode::OK, kind, body);
        let headers = answer.0.headers_mut();
        let place = HeaderValue::try_from(format!("attachment; filename=\"{name}\""));
        headers.insert(header::CONTENT_DISPOSITION, place.unwrap_or(HeaderValue::from_static("attachment")));
        headers.insert(header::CONTENT_LENGTH, HeaderValue::from(len));
        answer
    }

    /// Server-sent events.
    pub(crate) fn events(body: Body) -> Self {
        Self::of(StatusCode::OK, "text/event-stream", body)
    }

    /// A redirect to a page of ours, which the browser asks for by GET.
    pub(crate) fn to(path: &str) -> Self {
        let place = HeaderValue::try_from(if is_ours(path) { path } else { "/" });
        let place = place.unwrap_or(HeaderValue::from_static("/"));
        let mut answer = Self::of(StatusCode::SEE_OTHER, "text/plain", "");
        answer.0.headers_mut().insert(header::LOCATION, place);
        answer
    }

    /// The same answer, that sets a cookie.
    pub(crate) fn with_cookie(mut self, line: HeaderValue) -> Self {
        self.0.headers_mut().append(header::SET_COOKIE, line);
        self
    }

    fn of(status: StatusCode, kind: &'static str, body: impl Into<Body>) -> Self {
        let mut response = Response::new(body.into());
        *response.status_mut() = status;
        response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
        Self(response)
    }
}

/// Returns whether a path leads to a page of ours. It begins with one slash: `//host` would lead elsewhere. A browser reads a
/// backslash as a slash, and drops tabs and line ends, so `/\t/host` would lead there, too.
fn is_ours(path: &str) -> bool {
    let is_plain = path.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    is_plain && path.starts_with('/') && !path.starts_with("//")
}

impl IntoResponse for Answer {
    fn into_response(self) -> axum::response::Response {
        self.0
    }
}

/// Why a page cannot answer.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// No such page.
    NotFound,
    /// The request comes from elsewhere.
    Foreign(Foreign),
    /// Nobody is signed in.
    SignedOut,
    /// A form that cannot be read.
    FormTooLarge,
    /// A form of another session.
    FormStale,
    /// The operator only looks.
    OnlyLooks,
    /// A value that the reader gave is none; the text says of what.
    Bad(Text, String),
    /// A call was refused.
    Call(Error),
}

impl From<ConnectError> for Trouble {
    fn from(error: ConnectError) -> Self {
        if error.code == ErrorCode::PermissionDenied {
            return Self::OnlyLooks;
        }
        Self::Call(from_wire(&error))
    }
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Self {
        Self::Call(error)
    }
}

impl Trouble {
    /// Returns the error that the audit log keeps.
    pub(crate) fn error(&self) -> Error {
        match self {
            Self::Call(error) => error.clone(),
            Self::OnlyLooks => Error::new(Reason::PermissionDenied),
            _ => Error::new(Reason::Internal),
        }
    }

    /// Returns the status of the answer.
    pub(crate) fn status(&self) -> StatusCode {
        match self {
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::SignedOut => StatusCode::UNAUTHORIZED,
            Self::Foreign(_) | Self::FormStale | Self::OnlyLooks => StatusCode::FORBIDDEN,
            Self::FormTooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::Bad(..) => StatusCode::BAD_REQUEST,
            Self::Call(error) => match error.reason.code() {
                Code::ResourceExhausted => StatusCode::TOO_MANY_REQUESTS,
                Code::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
                Code::NotFound => StatusCode::NOT_FOUND,
                Code::Internal => StatusCode::INTERNAL_SERVER_ERROR,
                _ => StatusCode::BAD_REQUEST,
            },
        }
    }

    /// Returns what is wrong, in the reader's language.
    pub(crate) fn words(&self, look: Look) -> String {
        match self {
            Self::NotFound => look.say(Text::NotFoundHint).to_owned(),
            Self::SignedOut => look.say(Text::SessionOver).to_owned(),
            Self::Foreign(Foreign::Host) => look.say(Text::ForeignHost).to_owned(),
            Self::Foreign(Foreign::Origin) => look.say(Text::ForeignOrigin).to_owned(),
            Self::FormTooLarge => look.say(Text::FormTooLarge).to_owned(),
            Self::FormStale => look.say(Text::FormStale).to_owned(),
            Self::OnlyLooks => look.say(Text::OnlyLooksRefusal).to_owned(),
            Self::Bad(text, value) => look.fill(*text, &[value]),
            Self::Call(error) => match error.reason {
                Reason::RateLimited { .. } => look.say(Text::SignInTooOften).to_owned(),
                Reason::Overloaded { .. } | Reason::ShuttingDown => look.say(Text::ServerBusy).to_owned(),
                _ => look.fill(Text::CallFailed, &[error]),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns whether a browser that is at a page of ours stays with us, by <https://url.spec.whatwg.org/#concept-basic-url-parser>.
    fn stays(place: &str) -> bool {
        let place = place.trim_matches(|c: char| c <= ' ');
        let place: String = place.chars().filter(|c| !matches!(c, '\t' | '\n' | '\r')).collect();
        let place = place.replace('\\', "/");
        let has_scheme = place.split(['/', '?', '#']).next().is_some_and(|first| first.contains(':'));
        !has_scheme && !place.starts_with("//")
    }

    #[test]
    fn no_redirect_leads_elsewhere() {
        let pieces = ["/", "\\", "\t", "\r", "\n", " ", ".", "@", ":", "?", "evil.example", "\u{3002}", "\0"];
        let mut paths = vec![String::new()];
        for _ in 0..4 {
            let longer: Vec<String> =
                paths.iter().flat_map(|path| pieces.map(|piece| format!("{path}{piece}"))).collect();
            paths.extend(longer);
        }
        for path in paths {
            let answer = Answer::to(&path).into_response();
            let place = answer.headers()[header::LOCATION].to_str().unwrap_or("//");
            assert!(stays(place), "{path:?} leads to {place:?}");
        }
        assert!(!stays("/\t/evil.example") && !stays("//x") && !stays("http:x") && stays("/user/7?back=//x"));
        let to = |path| Answer::to(path).into_response().headers()[header::LOCATION].clone();
        assert_eq!(to("/user/7?page=a%2Fb&x=//y"), "/user/7?page=a%2Fb&x=//y");
    }
}
