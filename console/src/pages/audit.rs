//! The audit log: what operators did and looked at.

use guanxi_proto::v1;
use maud::{Markup, html};

use super::filters;
use crate::limits::PAGE_ROWS;
use crate::parts::{clock, nothing, pager};
use crate::texts::Text;
use crate::visit::{Shown, Visit};

pub(super) async fn page(visit: &Visit) -> Shown {
    let of = |name: &str| visit.query.get(name).to_owned();
    let request = v1::ListAuditEntriesRequest {
        principal: of("operator"),
        action: of("action"),
        target: of("target"),
        since_time: filters::time(visit, "time-from")?.into(),
        until_time: filters::time(visit, "time-until")?.into(),
        page_size: PAGE_ROWS,
        page_token: of("page"),
    };
    let found = visit.calls.admin.admin().list_audit_entries(request).await?.into_owned();
    let body = html! {
        form.row action="/audit" method="get" {
            @for (name, text) in [("operator", Text::Operator), ("action", Text::Action), ("target", Text::Targets)] {
                label for=(name) { (visit.say(text)) }
                input id=(name) name=(name) value=(visit.query.get(name)) maxlength="200";
            }
            (filters::time_fields(visit, "time", Text::Time))
            button { (visit.say(Text::Find)) }
        }
        (table(visit, &found.entries))
        (pager(visit, &found.next_page_token))
    };
    Ok(visit.page(visit.say(Text::AuditLog), &body))
}

/// Entries, newest first.
pub(super) fn table(visit: &Visit, entries: &[v1::AuditEntry]) -> Markup {
    html! {
        @if entries.is_empty() { (nothing(visit)) } @else {
            div.scroll tabindex="0" { table {
                thead { tr {
                    @for text in [Text::Time, Text::Operator, Text::Action, Text::Targets, Text::Reason, Text::Outcome] {
                        th scope="col" { (visit.say(text)) }
                    }
                } }
                tbody { @for entry in entries { tr {
                    td { (clock(visit.look, entry.time.as_option())) }
                    td { (entry.principal) }
                    td { (entry.action) }
                    td { @for target in &entry.targets { (about(target)) " " } }
                    td dir="auto" { (entry.reason) }
                    td { (outcome(visit, entry)) }
                } } }
            } }
        }
    }
}

/// A target as the log has it, such as `uid:5`, with a link to its page if there is one.
fn about(target: &str) -> Markup {
    match target.split_once(':') {
        Some(("uid", id)) => html! { a href={ "/user/" (id) } { (target) } },
        Some(("post", id)) => html! { a href={ "/post/" (id) } { (target) } },
        _ => html! { (target) },
    }
}

fn outcome(visit: &Visit, entry: &v1::AuditEntry) -> Markup {
    use v1::audit_entry::Outcome;
    match entry.outcome.as_known() {
        Some(Outcome::DONE) => html! { span.badge.good { (visit.say(Text::OutcomeDone)) } },
        Some(Outcome::REFUSED) => {
            html! { span.badge.bad { (visit.look.fill(Text::OutcomeRefused, &[&entry.refusal])) } }
        }
        _ => html! { span.badge.warn { (visit.say(Text::OutcomeBegun)) } },
    }
}
