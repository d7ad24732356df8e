//! Jobs of the back office that write rows to files: start one, see how far it is, cancel it, and take its file.

use std::io;

use axum::body::{Body, Bytes};
use futures::StreamExt as _;
use futures::stream;
use guanxi_proto::v1;
use guanxi_proto::v1::{ExportFormat, ExportState};
use maud::{Markup, html};

use super::filters;
use crate::answer::{Answer, Trouble};
use crate::layout::csrf;
use crate::live;
use crate::parts::{clock, deed, in_path, nothing, number};
use crate::texts::Text;
use crate::visit::{Shown, Visit};

pub(super) async fn page(visit: &Visit) -> Shown {
    let region = region(visit).await?;
    let body = html! {
        p {
            (visit.say(Text::ExportsHint)) " "
            a href="/posts" { (visit.say(Text::Posts)) } " " a href="/rows/users" { (visit.say(Text::AllUsers)) }
        }
        div data-live="/exports/live" aria-live="polite" { (region) }
    };
    Ok(visit.page(visit.say(Text::Exports), &body))
}

/// The jobs, as they go on.
pub(super) async fn live(visit: &Visit) -> Shown {
    Ok(live::redrawn(visit, |visit| Box::pin(region(visit))))
}

async fn region(visit: &Visit) -> Result<Markup, Trouble> {
    let found = visit.calls.admin.admin().list_exports(v1::ListExportsRequest::default()).await?;
    let jobs = found.into_owned().jobs;
    Ok(html! {
        @if jobs.is_empty() { (nothing(visit)) } @else {
            div.scroll tabindex="0" { table {
                thead { tr {
                    @for text in [Text::Job, Text::Rows, Text::State, Text::Created] { th scope="col" { (visit.say(text)) } }
                    @for text in [Text::Progress, Text::Size] { th.number scope="col" { (visit.say(text)) } }
                    th scope="col" { (visit.say(Text::Action)) }
                } }
                tbody { @for job in &jobs { tr {
                    td { (job.job) }
                    td { (visit.say(if job.of_users { Text::Users } else { Text::Posts })) " " (extension(job)) }
                    td { (visit.say(state(job))) @if !job.reason.is_empty() { " " (job.reason) } }
                    td { (clock(visit.look, job.create_time.as_option())) }
                    td.number { (progress(visit, job)) }
                    td.number { (number(job.bytes)) }
                    td { (actions(visit, job)) }
                } } }
            } }
        }
    })
}

fn progress(visit: &Visit, job: &v1::ExportJob) -> Markup {
    html! {
        @match job.total {
            Some(total) => {
                progress max=(total.max(1)) value=(job.done) aria-label=(visit.say(Text::Progress)) {}
                " " (visit.look.fill(Text::ShownOf, &[&number(job.done), &number(total)]))
            }
            None => { (number(job.done)) }
        }
    }
}

fn actions(visit: &Visit, job: &v1::ExportJob) -> Markup {
    let name = in_path(&job.job);
    let cancel = |text| deed(visit, &format!("/do/cancel-export/{name}"), text);
    html! {
        @if visit.operator().may_change() {
            div.row { @match job.state.as_known() {
                Some(ExportState::EXPORT_DONE) => {
                    @if job.bytes > 0 { a href={ "/export/" (name) "/file" } download { (visit.say(Text::Download)) } }
                    (cancel(Text::RemoveFile))
                }
                Some(ExportState::EXPORT_QUEUED | ExportState::EXPORT_RUNNING) => { (cancel(Text::CancelExport)) }
                _ => {}
            } }
        }
    }
}

fn state(job: &v1::ExportJob) -> Text {
    match job.state.as_known() {
        Some(ExportState::EXPORT_RUNNING) => Text::JobRunning,
        Some(ExportState::EXPORT_DONE) => Text::JobDone,
        Some(ExportState::EXPORT_EXPIRED) => Text::JobExpired,
        Some(ExportState::EXPORT_FAILED) => Text::JobFailed,
        Some(ExportState::EXPORT_CANCELLED) => Text::JobCanceled,
        _ => Text::JobQueued,
    }
}

fn extension(job: &v1::ExportJob) -> &'static str {
    match job.format.as_known() {
        Some(ExportFormat::EXPORT_CSV) => "csv",
        Some(ExportFormat::EXPORT_JSON_LINES) => "jsonl",
        _ => "",
    }
}

/// Puts the query of the list that the reader came from into a request.
fn filled(visit: &Visit, request: &mut v1::StartExportRequest) -> Result<(), Trouble> {
    match visit.query.get("of") {
        "posts" => request.posts = super::posts::query(visit)?.into(),
        "users" => request.users = super::user_rows::query(visit)?.into(),
        _ => return Err(Trouble::NotFound),
    }
    Ok(())
}

/// The question before an export.
pub(super) async fn ask(visit: &Visit) -> Shown {
    visit.may_change()?;
    filled(visit, &mut v1::StartExportRequest::default())?;
    let (of_users, carried) = (visit.query.get("of") == "users", filters::carried(visit));
    let rows = visit.say(if of_users { Text::Users } else { Text::Posts });
    // A form that is sent twice starts one job.
    let once: String =
        visit.console.desk.random_bits().iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    let body = html! {
        form method="post" action=(visit.path) {
            (csrf(&visit.session.csrf))
            input type="hidden" name="once" value=(once);
            p { (visit.look.fill(Text::ExportQuestion, &[&rows])) }
            @if !carried.is_empty() {
                dl { @for (name, value) in &carried { dt { (name) } dd dir="auto" { (value) } } }
            }
            p.row {
                label { input type="radio" name="format" value="csv" checked; " " (visit.say(Text::FormatCsv)) }
                label { input type="radio" name="format" value="json"; " " (visit.say(Text::FormatJson)) }
            }
            p { label { input type="checkbox" name="numbers" value="1"; " " (visit.say(Text::NumbersOnly)) } }
            p.row {
                button.danger { (visit.say(Text::Confirm)) }
                a href=(if of_users { "/rows/users" } else { "/posts" }) { (visit.say(Text::Cancel)) }
            }
        }
    };
    Ok(visit.page(visit.say(Text::ExportThese), &body))
}

/// Starts an export.
pub(super) async fn start(visit: &Visit) -> Shown {
    visit.may_change()?;
    let format = match visit.form.get("format") {
        "json" => ExportFormat::EXPORT_JSON_LINES,
        _ => ExportFormat::EXPORT_CSV,
    };
    let mut request = v1::StartExportRequest {
        format: format.into(),
        without_texts: !visit.form.get("numbers").is_empty(),
        request_id: visit.form.get("once").to_owned(),
        ..Default::default()
    };
    filled(visit, &mut request)?;
    drop(visit.calls.admin.admin().start_export(request).await?);
    Ok(Answer::to("/exports"))
}

/// The file of a job, in ranges as the browser takes them.
pub(super) async fn file(visit: &Visit) -> Shown {
    visit.may_change()?;
    let name = visit.part("job").to_owned();
    let request = v1::GetExportRequest { job: name.clone() };
    let job = visit.calls.admin.admin().get_export(request).await?.into_owned().job;
    let job = job.as_option().cloned().unwrap_or_default();
    // A file that is gone is told on a page.
    let first = range(visit, &name, 0).await?;
    let (len, saved_as) = (first.size, file_name(&job));
    let kind = if extension(&job) == "csv" { "text/csv; charset=utf-8" } else { "application/x-ndjson" };
    let ranges = stream::unfold(Some((visit.clone(), name, 0_u64, Some(first))), |state| async move {
        let (visit, name, offset, ready) = state?;
        let read = match ready {
            Some(ready) => Ok(ready),
            None => range(&visit, &name, offset).await,
        };
        match read {
            Ok(read) => {
                let offset = offset + read.chunk.len() as u64;
                let next = (!read.is_end).then_some((visit, name, offset, None));
                Some((Ok(Bytes::from(read.chunk)), next))
            }
            // The length is told before, so the browser knows that the file is not whole.
            Err(trouble) => Some((Err(io::Error::other(trouble.words(visit.look))), None)),
        }
    });
    let body = Body::from_stream(ranges.boxed().take_until(Box::pin(live::over(visit))));
    Ok(Answer::attachment(kind, &saved_as, len, body))
}

async fn range(visit: &Visit, job: &str, offset: u64) -> Result<v1::ReadExportResponse, Trouble> {
    let request = v1::ReadExportRequest { job: job.to_owned(), offset, max_bytes: 0 };
    Ok(visit.calls.admin.admin().read_export(request).await?.into_owned())
}

/// The name under which a browser keeps a file: letters, digits, dots and hyphens.
fn file_name(job: &v1::ExportJob) -> String {
    let name: String = job.job.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').take(64).collect();
    format!("guanxi-{}-{name}.{}", if job.of_users { "users" } else { "posts" }, extension(job))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_of_a_job_leads_out_of_the_header_or_the_directory() {
        let job = v1::ExportJob {
            job: "../a\"\r\nset-cookie: x/\u{202e}b-1".to_owned(),
            format: ExportFormat::EXPORT_CSV.into(),
            ..Default::default()
        };
        assert_eq!(file_name(&job), "guanxi-posts-aset-cookiexb-1.csv");
    }
}
