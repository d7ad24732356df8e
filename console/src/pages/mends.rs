//! A repair of derived rows: asked for with a reason, done by the server up to its end, and watched as it goes on.

use std::sync::{Arc, Mutex, PoisonError};

use buffa::EnumValue;
use guanxi_model::{Error, Reason};
use guanxi_proto::v1;
use guanxi_proto::v1::repair_progress::Stage;
use guanxi_proto::v1::repair_report::Remedy;
use guanxi_proto::v1::repair_response::Step;
use maud::{Markup, html};

use super::tally::difference;
use crate::answer::{Answer, Trouble};
use crate::limits::{FINDINGS_MAX, REASON_LEN_MAX};
use crate::live;
use crate::parts::{copied, number, question};
use crate::texts::Text;
use crate::visit::{Shown, Visit};

/// The last repair that this console has begun. Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct KeptMend(Arc<Mutex<Option<Mend>>>);

/// A repair, as far as it is.
#[derive(Clone)]
enum Mend {
    Runs(Option<v1::RepairProgress>),
    Done(Arc<v1::RepairReport>),
    Failed(Arc<Trouble>),
}

impl KeptMend {
    fn get(&self) -> Option<Mend> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn set(&self, mend: Mend) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(mend);
    }
}

/// The question.
pub(super) async fn ask(visit: &Visit) -> Shown {
    visit.may_change()?;
    let words = visit.say(Text::MendQuestion);
    Ok(visit.page(visit.say(Text::MendNow), &question(visit, words, true, "/consistency")))
}

/// Begins a repair, which goes on whoever looks.
pub(super) async fn act(visit: &Visit) -> Shown {
    visit.may_change()?;
    let mut reason = visit.form.get("reason").to_owned();
    reason.truncate(reason.floor_char_boundary(REASON_LEN_MAX));
    let mut messages = visit.calls.admin.admin_streams().repair(v1::RepairRequest { reason }).await?;
    // Only one repair runs at a time: the server refuses another one by now, or with its first message.
    let kept = visit.console.mend.clone();
    let first = messages.message::<v1::RepairResponse>().await?;
    kept.set(Mend::Runs(None));
    tokio::spawn(async move {
        let mut next = Ok(first);
        let end = loop {
            match next {
                Ok(Some(message)) => match message.to_owned_message().step {
                    Some(Step::Progress(now)) => kept.set(Mend::Runs(Some(*now))),
                    Some(Step::Report(report)) => break Mend::Done(Arc::from(report)),
                    None => {}
                },
                Ok(None) => {
                    let cut = Error::with_detail(Reason::Internal, "a repair without its report");
                    break Mend::Failed(Arc::new(Trouble::from(cut)));
                }
                Err(error) => break Mend::Failed(Arc::new(Trouble::from(error))),
            }
            next = messages.message::<v1::RepairResponse>().await;
        };
        kept.set(end);
    });
    Ok(Answer::to("/consistency#mend"))
}

/// The last repair, as it goes on.
pub(super) async fn live(visit: &Visit) -> Shown {
    Ok(live::redrawn(visit, |visit| Box::pin(async { Ok(drawn(visit)) })))
}

/// The section of the last repair, if this console has begun one.
pub(super) fn section(visit: &Visit) -> Markup {
    html! {
        @if visit.console.mend.get().is_some() {
            section #mend {
                h2 { (visit.say(Text::LastMend)) }
                div data-live="/consistency/mend/live" aria-live="polite" { (drawn(visit)) }
            }
        }
    }
}

fn drawn(visit: &Visit) -> Markup {
    match visit.console.mend.get() {
        None => html! {},
        Some(Mend::Runs(now)) => running(visit, now.as_ref()),
        Some(Mend::Done(report)) => done(visit, &report),
        Some(Mend::Failed(trouble)) => html! { p.wrong { (trouble.words(visit.look)) } },
    }
}

fn running(visit: &Visit, now: Option<&v1::RepairProgress>) -> Markup {
    let Some(now) = now else { return html! { p.soft { (visit.say(Text::Loading)) } } };
    let stage = match now.stage.as_known() {
        Some(Stage::MENDING) => Text::StageMending,
        _ => Text::StageComparing,
    };
    let (done, total) = now.progress.as_option().map_or((0, 0), |now| (now.done, now.total));
    html! {
        p {
            (visit.say(stage)) " "
            progress max=(total.max(1)) value=(done) aria-label=(visit.say(Text::Progress)) {}
            " " (visit.look.fill(Text::ShownOf, &[&number(done), &number(total)]))
        }
        p { (visit.look.fill(Text::MendedSoFar, &[&number(now.mended)])) }
    }
}

fn done(visit: &Visit, report: &v1::RepairReport) -> Markup {
    let none = v1::VerifyReport::default();
    let left = report.left.as_option().unwrap_or(&none);
    let left_total = left.differences_total.unwrap_or(0);
    let sums = [report.found.unwrap_or(0), report.mended.unwrap_or(0), left_total].map(number);
    let words = visit.look.fill(Text::MendDone, &[&sums[0], &sums[1], &sums[2]]);
    html! {
        @if left_total == 0 { p.fine { (words) } } @else {
            p.wrong { (words) }
            ol { @for one in left.differences.iter().take(FINDINGS_MAX) { li { (difference(one)) } } }
            @for remedy in report.remedies.iter().filter_map(EnumValue::as_known) { (to_do(visit, remedy)) }
        }
        form action="/consistency" method="get" {
            input type="hidden" name="check" value="facts";
            button { (visit.say(Text::CheckAgain)) }
        }
    }
}

/// What an operator does about what is left.
fn to_do(visit: &Visit, remedy: Remedy) -> Markup {
    let (text, commands): (Text, &[&str]) = match remedy {
        Remedy::REPAIR_AGAIN | Remedy::REMEDY_UNSPECIFIED => {
            (Text::RemedyAgain, &["guanxi repair --server URL"])
        }
        Remedy::RESTORE_DUMP => {
            (Text::RemedyDump, &["guanxi backup FILE --server URL", "guanxi restore FILE --data DIR"])
        }
        Remedy::RESTORE_BACKUP => (Text::RemedyBackup, &["guanxi restore FILE --data DIR"]),
        Remedy::END_FACT => (Text::RemedyFact, &[]),
    };
    html! {
        p { (visit.say(text)) }
        @for command in commands { p { (copied(visit, command)) } }
    }
}
