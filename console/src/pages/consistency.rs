//! Checks: a full check of facts against what is derived from them, as it goes on.

use futures::StreamExt as _;
use futures::stream;
use guanxi_proto::v1;
use guanxi_proto::v1::verify_response::Step;
use maud::{Markup, html};

use crate::answer::Trouble;
use crate::live;
use crate::parts::number;
use crate::texts::Text;
use crate::visit::{Shown, Visit};

/// The page. A check begins when the reader asks for one; with script it is watched here, without it the page answers at its end.
pub(super) async fn page(visit: &Visit) -> Shown {
    let begins = !visit.query.get("check").is_empty();
    let body = html! {
        p { (visit.say(Text::CheckHint)) }
        form action="/consistency" method="get" {
            input type="hidden" name="check" value="1";
            button.strong { (visit.say(Text::StartCheck)) }
        }
        @if begins {
            div data-live="/consistency/check" aria-live="polite" aria-busy="true" {
                noscript { p { a href="/consistency/check?whole=1" { (visit.say(Text::StartCheck)) } } }
                p.soft { (visit.say(Text::Loading)) }
            }
        }
    };
    Ok(visit.page(visit.say(Text::Consistency), &body))
}

/// A check, as a stream of its progress; for a browser without script, as a page at its end.
pub(super) async fn check(visit: &Visit) -> Shown {
    let calls = visit.calls.admin.admin_streams();
    let mut steps = calls.verify(v1::VerifyRequest::default()).await.map_err(Trouble::from)?;
    if !visit.query.get("whole").is_empty() {
        let mut last = html! {};
        while let Some(step) = steps.message::<v1::VerifyResponse>().await? {
            last = drawn(visit, &step.to_owned_message());
        }
        return Ok(visit.page(visit.say(Text::Consistency), &last));
    }
    let visit_of = visit.clone();
    let fragments = stream::unfold(Some((steps, visit_of)), |state| async move {
        let (mut steps, visit) = state?;
        match steps.message::<v1::VerifyResponse>().await {
            Ok(Some(step)) => {
                let drawn = drawn(&visit, &step.to_owned_message()).into_string();
                Some((live::event("fragment", &drawn), Some((steps, visit))))
            }
            Ok(None) => None,
            Err(error) => {
                let words = Trouble::from(error).words(visit.look);
                let drawn = html! { p.wrong { (words) } }.into_string();
                Some((live::event("fragment", &drawn), None))
            }
        }
    });
    Ok(live::events(visit, fragments.boxed()))
}

fn drawn(visit: &Visit, step: &v1::VerifyResponse) -> Markup {
    match &step.step {
        Some(Step::Progress(now)) => html! {
            p {
                progress max=(now.total.max(1)) value=(now.done) aria-label=(visit.say(Text::Progress)) {}
                " " (visit.look.fill(Text::ShownOf, &[&number(now.done), &number(now.total)]))
            }
        },
        Some(Step::Report(report)) => {
            let compared = [report.forward, report.reverse, report.counters, report.posts, report.likes];
            let compared: u64 = compared.into_iter().flatten().sum();
            match report.differences_total.unwrap_or(0) {
                0 => html! { p.fine { (visit.look.fill(Text::CheckClean, &[&number(compared)])) } },
                found => html! { p.wrong { (visit.look.fill(Text::CheckFinds, &[&number(found)])) } },
            }
        }
        None => html! {},
    }
}
