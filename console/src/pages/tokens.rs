//! The tokens of services, operators and end users, by name. Their secrets are on no page.

use guanxi_proto::v1;
use maud::{Markup, html};

use crate::parts::{clock, deed, in_path, nothing};
use crate::texts::Text;
use crate::visit::{Shown, Visit};

pub(super) async fn page(visit: &Visit) -> Shown {
    let found = visit.calls.admin.admin().list_tokens(v1::ListTokensRequest::default()).await?;
    let tokens = found.into_owned().tokens;
    let body = html! {
        @if tokens.is_empty() { (nothing(visit)) } @else {
            div.scroll tabindex="0" { table {
                thead { tr {
                    @for text in [Text::Name, Text::Principal, Text::Created, Text::Action] { th scope="col" { (visit.say(text)) } }
                } }
                tbody { @for token in &tokens { tr {
                    td { (token.name) }
                    td { (principal(visit, token)) }
                    td { (clock(visit.look, token.create_time.as_option())) }
                    td { (deed(visit, &format!("/do/revoke-token/{}", in_path(&token.name)), Text::RevokeToken)) }
                } } }
            } }
        }
    };
    Ok(visit.page(visit.say(Text::Tokens), &body))
}

fn principal(visit: &Visit, token: &v1::Token) -> Markup {
    html! {
        @if token.admin { span.badge.warn { (visit.say(Text::Operator)) } }
        @else if token.end_user != 0 { a href={ "/user/" (token.end_user) } { (visit.say(Text::User)) " " (token.end_user) } }
        @else { (token.scopes.join(", ")) }
    }
}
