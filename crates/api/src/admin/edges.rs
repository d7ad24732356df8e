//! Import, export and follow limits.

use buffa::{EnumValue, MessageField};
use connectrpc::ConnectError;
use futures::Stream;
use guanxi_centers::operator::{Export, ListedEdges};
use guanxi_model::{Error, ImportEdge, MuteTerms, PairOutcome, Reason, RestrictionKind, Result, Stamp, Uid};
use guanxi_ports::ExportEdge;
use guanxi_proto::v1::{self, export_edges_request::Kind};

use super::{AdminApi, chunks, cursor};
use crate::convert::{at_least, relation, required};
use crate::limits::EXPORT_CHUNK;

pub(super) async fn import_edges(
    api: &AdminApi,
    request: &v1::ImportEdgesRequestView<'_>,
) -> Result<v1::ImportEdgesResponse> {
    let cursor = cursor(request.job, request.position, request.next_position);
    let position = cursor.as_ref().map_or(0, |cursor| cursor.to);
    let kind = kind(request.kind)?;
    let edges = request.edges.iter().map(|edge| parse(edge, kind));
    let found = match kind {
        None => api.operator.import_edges(edges, request.revive, cursor).await?,
        Some(_) if request.revive => return Err(Error::new(Reason::InvalidField { field: "revive" })),
        Some(kind) => api.operator.import_restrictions(kind, edges, cursor).await?,
    };
    let refused = (0..).zip(&found.outcomes).filter_map(|(index, outcome)| refusal(index, outcome));
    let detail = request.edges.iter().zip(&found.outcomes).map(|(edge, outcome)| detail(edge, outcome));
    Ok(v1::ImportEdgesResponse {
        accepted: Some(found.accepted),
        already_there: Some(found.already_there),
        refused: refused.collect(),
        position,
        token: found.position.to_token(),
        outcomes: if request.detail { detail.collect() } else { Vec::new() },
    })
}

/// The restrictions that are meant; `None` for follows.
fn kind(given: EnumValue<Kind>) -> Result<Option<RestrictionKind>> {
    match given.as_known() {
        Some(Kind::KIND_UNSPECIFIED | Kind::FOLLOW) => Ok(None),
        Some(Kind::BLOCK) => Ok(Some(RestrictionKind::Block)),
        Some(Kind::MUTE) => Ok(Some(RestrictionKind::Mute)),
        None => Err(Error::new(Reason::InvalidField { field: "kind" })),
    }
}

fn parse(edge: &v1::ImportEdgeView<'_>, kind: Option<RestrictionKind>) -> Result<ImportEdge> {
    let terms = MuteTerms { reposts_only: edge.reposts_only, until_ms: edge.until_unix_ms };
    if terms != MuteTerms::default() && kind != Some(RestrictionKind::Mute) {
        let field = if terms.reposts_only { "reposts_only" } else { "until_unix_ms" };
        return Err(Error::new(Reason::InvalidField { field }));
    }
    let at = edge.unix_ms.map(Stamp::from_ms);
    Ok(ImportEdge { subject: Uid::new(edge.source)?, object: Uid::new(edge.target)?, at, terms })
}

fn refusal(index: u32, outcome: &PairOutcome) -> Option<v1::RefusedEdge> {
    let reason = outcome.result.as_ref().err()?;
    let limit = match reason {
        Reason::LimitReached { limit } => Some(*limit),
        _ => None,
    };
    Some(v1::RefusedEdge { index, reason: reason.name().to_owned(), limit })
}

/// Returns the result of an edge for the operator, who sees everything. The result has no relation if no store was asked
/// about the edge.
fn detail(edge: &v1::ImportEdgeView<'_>, outcome: &PairOutcome) -> v1::ImportOutcome {
    let unasked = matches!(outcome.result, Err(Reason::UidOutOfRange | Reason::InvalidField { .. }));
    let target = Uid::new(edge.target).ok().filter(|_| !unasked);
    v1::ImportOutcome {
        changed: outcome.result == Ok(true),
        relation: target.map_or_else(MessageField::none, |target| {
            MessageField::some(relation(target, &outcome.relation))
        }),
    }
}

pub(super) async fn get_import_job(
    api: &AdminApi,
    request: &v1::GetImportJobRequestView<'_>,
) -> Result<v1::GetImportJobResponse> {
    let position = api.operator.import_position(request.job).await?;
    Ok(v1::GetImportJobResponse {
        found: Some(position.is_some()),
        position: Some(position.unwrap_or_default()),
    })
}

pub(super) async fn export_edges(
    api: &AdminApi,
    request: &v1::ExportEdgesRequestView<'_>,
) -> Result<impl Stream<Item = Result<v1::ExportEdgesResponse, ConnectError>> + Send + use<>> {
    let after = match (request.after_source, request.after_target) {
        (0, 0) => None,
        (source, target) => Some((required(source, "after_source")?, required(target, "after_target")?)),
    };
    let max_edges = if request.max_edges == 0 { u64::MAX } else { request.max_edges };
    let export = api.operator.export(kind(request.kind)?, after, max_edges, at_least(request.token)?).await?;
    Ok(chunks(export, EXPORT_CHUNK, chunk))
}

fn chunk(edges: &[ExportEdge], export: &Export<ListedEdges>) -> v1::ExportEdgesResponse {
    let edge = |edge: &ExportEdge| v1::ExportEdge {
        source: edge.subject.get(),
        target: edge.object.get(),
        unix_ms: edge.at.ms(),
        tick: (edge.at.raw() & 0xffff) as u32,
        reposts_only: edge.terms.reposts_only,
        until_unix_ms: edge.terms.until_ms,
    };
    v1::ExportEdgesResponse {
        edges: edges.iter().map(edge).collect(),
        token: export.position().to_token(),
        left_out: export.left_out(),
    }
}

pub(super) async fn set_follow_limit(
    api: &AdminApi,
    request: &v1::SetFollowLimitRequestView<'_>,
) -> Result<v1::SetFollowLimitResponse> {
    let position = api.operator.set_follow_limit(required(request.uid, "uid")?, request.limit).await?;
    Ok(v1::SetFollowLimitResponse { token: position.to_token() })
}

pub(super) async fn get_follow_limit(
    api: &AdminApi,
    request: &v1::GetFollowLimitRequestView<'_>,
) -> Result<v1::GetFollowLimitResponse> {
    let uid = required(request.uid, "uid")?;
    let (limit, position) = api.operator.follow_limit(uid, at_least(request.token)?).await?;
    Ok(v1::GetFollowLimitResponse {
        effective: Some(limit.effective),
        own: limit.own,
        token: position.to_token(),
    })
}
