//! Import and export of requests that wait.

use buffa::{EnumValue, MessageField};
use connectrpc::ConnectError;
use futures::Stream;
use guanxi_centers::operator::{Export, WaitingRequests};
use guanxi_model::{Error, ImportRequest, PairOutcome, Reason, RequestKind, Result};
use guanxi_proto::v1::{self, waiting_request::Kind};
use guanxi_texts::message as message_of;

use super::{AdminApi, chunks, cursor, imported};
use crate::convert::{at_least, required};
use crate::item_errors::item_error;
use crate::limits::EXPORT_REQUESTS_CHUNK;

pub(super) async fn import_requests(
    api: &AdminApi,
    request: &v1::ImportRequestsRequestView<'_>,
) -> Result<v1::ImportRequestsResponse> {
    let cursor = cursor(request.job, request.position, request.next_position);
    let position = cursor.as_ref().map_or(0, |cursor| cursor.to);
    let rows = request
        .requests
        .iter()
        .map(|asked| parse((asked.sender, asked.receiver), asked.kind, asked.message, asked.expire_unix_ms));
    let found = api.operator.import_requests(rows, cursor).await?;
    Ok(imported!(ImportRequestsResponse, position, found, outcome_shown))
}

fn outcome_shown(outcome: &PairOutcome) -> v1::ImportedRequest {
    match &outcome.result {
        Ok(changed) => v1::ImportedRequest { changed: *changed, ..Default::default() },
        Err(reason) => {
            v1::ImportedRequest { error: MessageField::some(item_error(reason)), ..Default::default() }
        }
    }
}

/// Reads a request.
fn parse(
    (sender, receiver): (u64, u64),
    kind: EnumValue<Kind>,
    message: &str,
    expires_ms: Option<u64>,
) -> Result<ImportRequest> {
    let kind = match kind.as_known() {
        Some(Kind::FOLLOW) => RequestKind::Follow,
        Some(Kind::FRIEND) => RequestKind::Friend,
        Some(Kind::KIND_UNSPECIFIED) | None => {
            return Err(Error::new(Reason::InvalidField { field: "kind" }));
        }
    };
    let (sender, receiver) = (required(sender, "sender")?, required(receiver, "receiver")?);
    let message = message_of(message)?;
    Ok(ImportRequest { sender, receiver, kind, expires_ms, message })
}

/// A request as an import takes it.
pub(crate) fn shown(request: &ImportRequest) -> v1::WaitingRequest {
    v1::WaitingRequest {
        sender: request.sender.get(),
        receiver: request.receiver.get(),
        kind: EnumValue::from(match request.kind {
            RequestKind::Follow => Kind::FOLLOW,
            RequestKind::Friend => Kind::FRIEND,
        }),
        message: request.message.clone(),
        expire_unix_ms: request.expires_ms,
    }
}

/// A request of an export.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn back(shown: &v1::WaitingRequest) -> Result<ImportRequest> {
    parse((shown.sender, shown.receiver), shown.kind, &shown.message, shown.expire_unix_ms)
}

pub(super) async fn export_requests(
    api: &AdminApi,
    request: &v1::ExportRequestsRequestView<'_>,
) -> Result<impl Stream<Item = Result<v1::ExportRequestsResponse, ConnectError>> + Send + use<>> {
    let export = api.operator.export_requests(at_least(request.token)?).await?;
    Ok(chunks(export, EXPORT_REQUESTS_CHUNK, chunk))
}

fn chunk(requests: &[ImportRequest], export: &Export<WaitingRequests>) -> v1::ExportRequestsResponse {
    v1::ExportRequestsResponse {
        requests: requests.iter().map(shown).collect(),
        token: export.position().to_token(),
        left_out: export.left_out(),
    }
}
