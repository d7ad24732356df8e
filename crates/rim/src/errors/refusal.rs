//! The answer to a caller that is not let in: who it is, what the call needs, and how a token that may call is made.

use connectrpc::ConnectError;
use guanxi_model::{Error, Principal, Reason, Scope};
use http::{HeaderMap, HeaderValue, header};

use super::{to_wire, with_words};
use crate::caller::Caller;
use crate::jwt::Problem;
use crate::listener::Endpoint;
use crate::rules::{Access, Rule};

/// The answer to a client whose token is not valid (RFC 6750).
const INVALID_TOKEN: &str = "Bearer error=\"invalid_token\"";

/// The placeholder for a name that the operator gives.
const NAME: &str = "NAME";

/// The text in place of the admin listener's address, for callers that are not told it.
const ADMIN_URL: &str = "ADMIN_URL";

/// The refusal of a call by a name that is not this server's, where no credential is asked for.
const FOREIGN_HOST: &str = "this server asks for no token (`--no-auth`), so a call names it by an address, by `localhost`, or by \
                            a name in `console_hosts`: other names may be those of a web page that was bound to this machine";

/// A refusal of a call with a rule, by the listener's guard.
pub(crate) fn refusal(
    error: &Error,
    headers: &HeaderMap,
    caller: Option<&Caller>,
    rule: &Rule,
    admin: Option<Endpoint>,
) -> ConnectError {
    let wire = to_wire(error);
    let (who, challenge) = match (&error.reason, caller) {
        (Reason::PermissionDenied, Some(caller)) => (described(&caller.principal), None),
        (Reason::PermissionDenied, None) => return with_words(&wire, FOREIGN_HOST.to_owned(), vec![]),
        (Reason::TokenRefused { problem }, _) => return jwt_refused(&wire, problem),
        (Reason::Unauthenticated, _) if headers.contains_key(header::AUTHORIZATION) => {
            let who = "a caller with a token that this server does not know (mistyped, revoked, expired, or of another server)";
            (who.to_owned(), Some(INVALID_TOKEN))
        }
        (Reason::Unauthenticated, _) => {
            ("a caller without a token (send `authorization: Bearer TOKEN`)".to_owned(), Some("Bearer"))
        }
        _ => return wire,
    };
    let mut wire = told(&wire, &who, rule, admin);
    if let Some(challenge) = challenge {
        wire.response_headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static(challenge));
    }
    wire
}

/// The refusal of a JWT: nothing here makes another one, but for the issuer.
fn jwt_refused(wire: &ConnectError, problem: &str) -> ConnectError {
    let message = format!("the token is refused: {}", Problem::words_of(problem));
    let mut wire = with_words(wire, message, vec![("problem", problem.to_owned())]);
    wire.response_headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static(INVALID_TOKEN));
    wire
}

/// A refusal by a handler: an end user acts, and reads, only as itself. Other errors are as they were.
pub(crate) fn of_handler(wire: ConnectError, rule: &Rule, admin: Option<Endpoint>) -> ConnectError {
    let is_denied = |shown: &serde_json::Value| shown["reason"] == Reason::PermissionDenied.name();
    match (wire.details.first().and_then(|detail| detail.debug.as_ref()), rule.own) {
        (Some(shown), Some(own)) if is_denied(shown) => {
            let who = format!("an end user, who acts only as itself (`{own}` is another user)");
            told(&wire, &who, rule, admin)
        }
        _ => wire,
    }
}

fn told(wire: &ConnectError, who: &str, rule: &Rule, admin: Option<Endpoint>) -> ConnectError {
    let wants = wanted(rule);
    let command = command(rule.access, admin);
    let (_, method) = rule.path.rsplit_once('.').unwrap_or(("", rule.path));
    let message =
        format!("the call comes from {who}; {method} needs {wants}; make a token for it with `{command}`");
    with_words(wire, message, vec![("caller", who.to_owned()), ("wants", wants), ("command", command)])
}

fn described(principal: &Principal) -> String {
    match principal {
        Principal::EndUser(uid) => format!("the end user {uid}"),
        Principal::Admin => "an operator, whose tokens are valid only on the admin listener".to_owned(),
        Principal::Service(scopes) => {
            let names: Vec<&str> = scopes.names().collect();
            if names.is_empty() {
                "a service without scopes".to_owned()
            } else {
                format!("a service with the scopes {}", names.join(", "))
            }
        }
    }
}

fn wanted(rule: &Rule) -> String {
    match rule.access {
        Access::Open => "nothing".to_owned(),
        Access::AdminRead => format!("an operator, or a service with the scope {}", Scope::AdminRead.name()),
        Access::Admin => "an operator".to_owned(),
        Access::Service(scope) => format!("a service with the scope {}", scope.name()),
        Access::User(scope) => {
            let own = rule.own.map_or_else(String::new, |own| format!(" that is `{own}`"));
            format!("an end user{own}, or a service with the scope {}", scope.name())
        }
    }
}

/// The command that makes a token which the rule lets in, as it is typed beside the running server. Callers who are not on
/// this machine are not told where the admin listener is.
fn command(access: Access, admin: Option<Endpoint>) -> String {
    let principal = match access {
        Access::User(scope) | Access::Service(scope) => format!("--service {}", scope.name()),
        Access::AdminRead => format!("--service {}", Scope::AdminRead.name()),
        Access::Open | Access::Admin => "--admin".to_owned(),
    };
    let server = admin.map_or_else(|| ADMIN_URL.to_owned(), |admin| admin.to_string());
    format!("guanxi token create {NAME} {principal} --server {server} --token-file DATA_DIR/admin-token")
}
