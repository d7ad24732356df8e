//! Jobs of the back office that write rows to files.

use guanxi_proto::v1;
use maud::html;

use crate::parts::{clock, nothing, number};
use crate::texts::Text;
use crate::visit::{Shown, Visit};

pub(super) async fn page(visit: &Visit) -> Shown {
    let found = visit.calls.admin.admin().list_exports(v1::ListExportsRequest::default()).await?;
    let jobs = found.into_owned().jobs;
    let body = html! {
        @if jobs.is_empty() { (nothing(visit)) } @else {
            div.scroll { table {
                thead { tr {
                    @for text in [Text::Job, Text::State, Text::Created] { th scope="col" { (visit.say(text)) } }
                    @for text in [Text::Progress, Text::Size] { th.number scope="col" { (visit.say(text)) } }
                } }
                tbody { @for job in &jobs { tr {
                    td { (job.job) }
                    td { (visit.say(state(job))) @if !job.reason.is_empty() { " " (job.reason) } }
                    td { (clock(visit.look, job.create_time.as_option())) }
                    td.number {
                        @match job.total {
                            Some(total) => {
                                progress max=(total.max(1)) value=(job.done) aria-label=(visit.say(Text::Progress)) {}
                                " " (visit.look.fill(Text::ShownOf, &[&number(job.done), &number(total)]))
                            }
                            None => { (number(job.done)) }
                        }
                    }
                    td.number { (number(job.bytes)) }
                } } }
            } }
        }
    };
    Ok(visit.page(visit.say(Text::Exports), &body))
}

fn state(job: &v1::ExportJob) -> Text {
    use v1::ExportState as State;
    match job.state.as_known() {
        Some(State::EXPORT_RUNNING) => Text::JobRunning,
        Some(State::EXPORT_DONE | State::EXPORT_EXPIRED) => Text::JobDone,
        Some(State::EXPORT_FAILED) => Text::JobFailed,
        Some(State::EXPORT_CANCELLED) => Text::JobCanceled,
        _ => Text::JobQueued,
    }
}
