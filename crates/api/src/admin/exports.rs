//! Jobs of a back office: exports, and queries that take long.

use std::sync::Arc;

use buffa::{EnumValue, MessageField};
use guanxi_centers::operator::{
    EXPORT_READ_MAX, ExportFailure, ExportFormat, ExportId, ExportPlan, ExportRows, ExportState,
    ExportStatus, RowForm, StartKey,
};
use guanxi_model::post::Body;
use guanxi_model::{Error, Reason, Result, Stamp, User, check_request_id};
use guanxi_ports::search::{PostColumn, RowSum, RowSummed, UserColumn};
use guanxi_proto::v1::{self, export_job::Failure, row_sum_request::Step};

use super::AdminApi;
use super::export_forms::{json_line, post_head, post_line, user_head, user_line};
use super::row_sums::{self, stepped};
use super::rows::{RowsQuestion, digest, post_row, posts_asked, user_row, users_asked};
use crate::convert::{Time, time};

pub(super) async fn start_export(
    api: &AdminApi,
    request: &v1::StartExportRequestView<'_>,
) -> Result<v1::StartExportResponse> {
    let invalid = |field| Error::new(Reason::InvalidField { field });
    check_request_id(request.request_id)?;
    let format = match request.format.as_known() {
        Some(v1::ExportFormat::EXPORT_TOTALS) => ExportFormat::Totals,
        Some(v1::ExportFormat::EXPORT_CSV) => ExportFormat::Csv,
        Some(v1::ExportFormat::EXPORT_JSON_LINES) => ExportFormat::JsonLines,
        None => return Err(invalid("format")),
    };
    let texts = !request.without_texts && format != ExportFormat::Totals;
    let head = |csv: fn(bool) -> Vec<u8>| if format == ExportFormat::Csv { csv(texts) } else { Vec::new() };
    let (rows, head, steps, digest) = match (request.users.as_option(), request.posts.as_option()) {
        (Some(users), None) => {
            let (asked, steps, digest) = whole(users_asked(users)?, users.page_size, users.page_token)?;
            (ExportRows::Users(asked.query, user_form(format, texts)), head(user_head), steps, digest)
        }
        (None, Some(posts)) => {
            let (asked, steps, digest) = whole(posts_asked(posts)?, posts.page_size, posts.page_token)?;
            (ExportRows::Posts(asked.query, post_form(format, texts)), head(post_head), steps, digest)
        }
        (Some(_), Some(_)) => return Err(invalid("query")),
        (None, None) => return Err(Error::new(Reason::MissingField { field: "query" })),
    };
    let is_of_users = matches!(rows, ExportRows::Users(..));
    let fingerprint = self::digest(&(digest, is_of_users, format, texts));
    let key = StartKey { request_id: request.request_id.to_owned(), fingerprint };
    let sums = move |found: Vec<RowSummed>| {
        found.into_iter().zip(&steps).map(|(found, step)| stepped(found, *step)).collect()
    };
    let plan = ExportPlan { rows, format, with_texts: texts, head, sums: Arc::new(sums) };
    let job = MessageField::some(shown(&api.operator.start_export(key, plan)?));
    Ok(v1::StartExportResponse { job })
}

/// Returns the query of all rows, the steps of its sums, and a digest of both. A request for a page is refused.
fn whole<C: std::fmt::Debug>(
    asked: RowsQuestion<C>,
    size: i32,
    token: &str,
) -> Result<(RowsQuestion<C>, Vec<Step>, u64)>
where
    RowSum<C>: std::fmt::Debug,
{
    let field = if size != 0 { Some("page_size") } else { (!token.is_empty()).then_some("page_token") };
    if let Some(field) = field {
        return Err(Error::new(Reason::InvalidField { field }));
    }
    let steps: Vec<Step> = asked.sums.iter().map(|sum| sum.step).collect();
    let digest = digest(&(asked.digest, &asked.query.ask.sums, &steps));
    Ok((asked, steps, digest))
}

fn user_form(format: ExportFormat, texts: bool) -> RowForm<UserColumn, User> {
    match format {
        ExportFormat::JsonLines => Arc::new(|uid, row, user, out| json_line(&user_row(uid, row, user), out)),
        _ => Arc::new(move |uid, row, user, out| user_line(uid, row, user, out, texts)),
    }
}

fn post_form(format: ExportFormat, texts: bool) -> RowForm<PostColumn, Body> {
    match format {
        ExportFormat::JsonLines => {
            Arc::new(|id, row, body, out| json_line(&post_row(id, row, body.map(|body| body.text)), out))
        }
        _ => Arc::new(move |id, row, body, out| post_line(id, row, body, out, texts)),
    }
}

pub(super) async fn get_export(
    api: &AdminApi,
    request: &v1::GetExportRequestView<'_>,
) -> Result<v1::GetExportResponse> {
    let job = MessageField::some(shown(&api.operator.export_status(id(request.job)?)?));
    Ok(v1::GetExportResponse { job })
}

pub(super) async fn list_exports(
    api: &AdminApi,
    _request: &v1::ListExportsRequestView<'_>,
) -> Result<v1::ListExportsResponse> {
    Ok(v1::ListExportsResponse { jobs: api.operator.export_jobs()?.iter().map(shown).collect() })
}

pub(super) async fn cancel_export(
    api: &AdminApi,
    request: &v1::CancelExportRequestView<'_>,
) -> Result<v1::CancelExportResponse> {
    let job = MessageField::some(shown(&api.operator.cancel_export(id(request.job)?).await?));
    Ok(v1::CancelExportResponse { job })
}

pub(super) async fn read_export(
    api: &AdminApi,
    request: &v1::ReadExportRequestView<'_>,
) -> Result<v1::ReadExportResponse> {
    let max = if request.max_bytes == 0 { EXPORT_READ_MAX } else { request.max_bytes as usize };
    let part = api.operator.read_export(id(request.job)?, request.offset, max).await?;
    let is_end = request.offset + part.bytes.len() as u64 == part.size;
    Ok(v1::ReadExportResponse { chunk: part.bytes, size: part.size, is_end })
}

fn id(name: &str) -> Result<ExportId> {
    if name.is_empty() {
        return Err(Error::new(Reason::MissingField { field: "job" }));
    }
    // What is no name is the name of no job.
    ExportId::parse(name).ok_or_else(|| Error::new(Reason::NotFound))
}

fn shown(status: &ExportStatus) -> v1::ExportJob {
    let (failure, reason) = match &status.failure {
        None => (Failure::FAILURE_UNSPECIFIED, None),
        Some(ExportFailure::SpoolFull) => (Failure::SPOOL_FULL, None),
        Some(ExportFailure::NotWritten(error)) => (Failure::NOT_WRITTEN, Some(error)),
        Some(ExportFailure::TimeOver) => (Failure::TIME_OVER, None),
        Some(ExportFailure::Erasures) => (Failure::ERASURES, None),
        Some(ExportFailure::Refused(error)) => (Failure::REFUSED, Some(error)),
    };
    let at = |ms: Option<u64>| -> Time {
        ms.map_or_else(MessageField::none, |ms| MessageField::some(time(Stamp::from_ms(ms))))
    };
    v1::ExportJob {
        job: status.id.to_string(),
        state: EnumValue::from(state_shown(status.state)),
        of_users: status.is_of_users,
        format: EnumValue::from(match status.format {
            ExportFormat::Totals => v1::ExportFormat::EXPORT_TOTALS,
            ExportFormat::Csv => v1::ExportFormat::EXPORT_CSV,
            ExportFormat::JsonLines => v1::ExportFormat::EXPORT_JSON_LINES,
        }),
        done: status.done,
        total: status.total,
        bytes: status.bytes,
        create_time: at(Some(status.created_ms)),
        start_time: at(status.started_ms),
        end_time: at(status.ended_ms),
        expire_time: at(status.expires_ms),
        restarts: u32::try_from(status.restarts).unwrap_or(u32::MAX),
        failure: EnumValue::from(failure),
        reason: reason.map(|error| error.reason.name()).unwrap_or_default().to_owned(),
        sums: status.sums.iter().cloned().map(row_sums::shown).collect(),
    }
}

const fn state_shown(state: ExportState) -> v1::ExportState {
    match state {
        ExportState::Queued => v1::ExportState::EXPORT_QUEUED,
        ExportState::Running => v1::ExportState::EXPORT_RUNNING,
        ExportState::Done => v1::ExportState::EXPORT_DONE,
        ExportState::Failed => v1::ExportState::EXPORT_FAILED,
        ExportState::Cancelled => v1::ExportState::EXPORT_CANCELLED,
        ExportState::Expired => v1::ExportState::EXPORT_EXPIRED,
    }
}
