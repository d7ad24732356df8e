//! Signing in by a token or a one-time code, and signing out.

use std::time::Instant;

use guanxi_model::Reason;
use maud::html;

use crate::answer::Answer;
use crate::gate::{self, SESSION};
use crate::layout::plain;
use crate::limits::TOKEN_LEN_MAX;
use crate::texts::Text;
use crate::visit::{Knock, Shown, Visit};

/// The page that asks for a token, or for one click if the address has a code. A code is used by a form alone, so that a look ahead
/// of the browser does not use it up.
pub(super) async fn page(knock: Knock) -> Answer {
    asked(&knock, None)
}

fn asked(knock: &Knock, wrong: Option<Text>) -> Answer {
    let look = knock.look;
    let code = knock.query.get("code");
    let next = [&knock.form, &knock.query]
        .map(|values| values.get("next"))
        .into_iter()
        .find(|next| !next.is_empty());
    let body = html! {
        @if let Some(wrong) = wrong { p.wrong role="alert" { (look.say(wrong)) } }
        form action="/sign-in" method="post" {
            @if let Some(next) = next { input type="hidden" name="next" value=(next); }
            @if code.is_empty() {
                p #hint { (look.say(Text::SignInHint)) }
                p.row {
                    label for="token" { (look.say(Text::AdminToken)) }
                    input #token name="token" type="password" required maxlength=(TOKEN_LEN_MAX) size="50"
                        autocomplete="current-password" aria-describedby="hint";
                    button.strong { (look.say(Text::SignIn)) }
                }
                p.soft { (look.say(Text::TokenPlace)) }
            } @else {
                input type="hidden" name="code" value=(code);
                p { (look.say(Text::SignInByCode)) }
                p { button.strong { (look.say(Text::SignIn)) } }
            }
        }
    };
    let page = plain(look, look.say(Text::SignIn), &body);
    match wrong {
        None => Answer::page(page),
        Some(Text::SignInTooOften) => Answer::failed(http::StatusCode::TOO_MANY_REQUESTS, page),
        Some(_) => Answer::failed(http::StatusCode::UNAUTHORIZED, page),
    }
}

/// Begins a session.
pub(super) async fn sign_in(knock: Knock) -> Answer {
    let (token, code) = (knock.form.get("token"), knock.form.get("code"));
    let desk = &knock.console.desk;
    let found = if token.len() > TOKEN_LEN_MAX || code.len() > TOKEN_LEN_MAX {
        Ok(None)
    } else if code.is_empty() {
        desk.sign_in(token, knock.address).await
    } else {
        desk.redeem(code, knock.address).await
    };
    match found {
        Ok(Some(operator)) => {
            let (_, secret) = knock.console.begin(operator, Instant::now());
            let next = knock.form.get("next");
            Answer::to(if next.is_empty() { "/" } else { next }).with_cookie(gate::set(
                SESSION,
                &secret,
                knock.console.is_tls,
            ))
        }
        Ok(None) => asked(&knock, Some(Text::SignInRefused)),
        Err(error) if matches!(error.reason, Reason::RateLimited { .. }) => {
            asked(&knock, Some(Text::SignInTooOften))
        }
        Err(error) => {
            tracing::warn!(%error, "an operator could not sign in to the console");
            asked(&knock, Some(Text::ServerBusy))
        }
    }
}

/// Ends the session, and its streams.
pub(super) async fn sign_out(visit: &Visit) -> Shown {
    visit.console.sessions.end(&visit.session);
    Ok(Answer::to("/sign-in").with_cookie(gate::forget(SESSION, visit.console.is_tls)))
}
