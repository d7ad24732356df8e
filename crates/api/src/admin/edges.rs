//! Import, export and follow limits.

use buffa::MessageField;
use connectrpc::ConnectError;
use futures::Stream;
use guanxi_model::limits::{FOLLOW_LIMIT_MAX, IMPORT_BATCH_MAX, IMPORT_TIME_MAX_MS, JOB_NAME_LEN_MAX};
use guanxi_model::{Error, ImportCursor, ImportEdge, Outcome, Reason, Result, Stamp, Uid, Write};
use guanxi_ports::GraphView;
use guanxi_proto::v1;

use super::AdminApi;
use crate::convert::{at_least, relation, required};
use crate::error::to_wire;
use crate::limits::EXPORT_CHUNK;

/// The edges of a batch that can be written, each with its place in the request, and those that cannot.
#[derive(Default)]
struct Sorted {
    edges: Vec<ImportEdge>,
    places: Vec<u32>,
    refused: Vec<v1::RefusedEdge>,
}

pub(super) async fn import(
    api: &AdminApi,
    request: &v1::ImportEdgesRequestView<'_>,
) -> Result<v1::ImportEdgesResponse> {
    if request.edges.len() > IMPORT_BATCH_MAX as usize {
        return Err(Error::new(Reason::BatchTooLarge { limit: IMPORT_BATCH_MAX }));
    }
    let mark = mark(request.job, request.position, request.next_position)?;
    let position = mark.as_ref().map_or(0, |mark| mark.to);
    let Sorted { edges, places, mut refused } = sort(request);
    let targets: Vec<Uid> = edges.iter().map(|edge| edge.object).collect();
    let written =
        api.centers.relation.graph().write(Write::Import { edges, revive: request.revive, mark }).await?;
    let (mut accepted, mut already_there) = (0, 0);
    let mut detail = Detail::new(request);
    for ((place, target), outcome) in places.iter().zip(targets).zip(&written.outcomes) {
        match &outcome.result {
            Ok(true) => accepted += 1,
            Ok(false) => already_there += 1,
            Err(reason) => refused.push(refusal(*place, reason)),
        }
        detail.set(*place, target, outcome);
    }
    refused.sort_by_key(|edge| edge.index);
    Ok(v1::ImportEdgesResponse {
        accepted: Some(accepted),
        already_there: Some(already_there),
        refused,
        position,
        token: written.position.to_token(),
        outcomes: detail.0,
    })
}

/// One outcome per edge, if they were asked for.
struct Detail(Vec<v1::ImportOutcome>);

impl Detail {
    fn new(request: &v1::ImportEdgesRequestView<'_>) -> Self {
        let count = if request.detail { request.edges.len() } else { 0 };
        Self(vec![v1::ImportOutcome::default(); count])
    }

    fn set(&mut self, place: u32, target: Uid, outcome: &Outcome) {
        if let Some(detail) = self.0.get_mut(place as usize) {
            detail.changed = outcome.result == Ok(true);
            detail.relation = MessageField::some(relation(target, &outcome.relation));
        }
    }
}

/// Where a job stands after a batch; `None` without a job.
pub(super) fn mark(job: &str, from: u64, to: u64) -> Result<Option<ImportCursor>> {
    if job.is_empty() {
        return Ok(None);
    }
    check_job(job)?;
    if to < from {
        return Err(Error::new(Reason::InvalidField { field: "next_position" }));
    }
    Ok(Some(ImportCursor { job: job.to_owned(), from, to }))
}

fn check_job(job: &str) -> Result<()> {
    if job.len() > JOB_NAME_LEN_MAX as usize {
        return Err(Error::new(Reason::TooLong { field: "job", limit: JOB_NAME_LEN_MAX }));
    }
    Ok(())
}

fn sort(request: &v1::ImportEdgesRequestView<'_>) -> Sorted {
    let mut sorted = Sorted::default();
    for (edge, place) in request.edges.iter().zip(0..) {
        match parse(edge) {
            Ok(edge) => {
                sorted.edges.push(edge);
                sorted.places.push(place);
            }
            Err(error) => sorted.refused.push(refusal(place, &error.reason)),
        }
    }
    sorted
}

fn parse(edge: &v1::ImportEdgeView<'_>) -> Result<ImportEdge> {
    let at = match edge.unix_ms {
        Some(ms) if ms > IMPORT_TIME_MAX_MS => {
            return Err(Error::new(Reason::InvalidField { field: "unix_ms" }));
        }
        given => given.map(Stamp::from_ms),
    };
    Ok(ImportEdge { subject: Uid::new(edge.source)?, object: Uid::new(edge.target)?, at })
}

fn refusal(index: u32, reason: &Reason) -> v1::RefusedEdge {
    let limit = match reason {
        Reason::LimitReached { limit } => Some(*limit),
        _ => None,
    };
    v1::RefusedEdge { index, reason: reason.name().to_owned(), limit }
}

pub(super) async fn job(
    api: &AdminApi,
    request: &v1::GetImportJobRequestView<'_>,
) -> Result<v1::GetImportJobResponse> {
    if request.job.is_empty() {
        return Err(Error::new(Reason::MissingField { field: "job" }));
    }
    check_job(request.job)?;
    let position = api.centers.relation.graph().view(None).await?.import_position(request.job).await?;
    Ok(v1::GetImportJobResponse {
        found: Some(position.is_some()),
        position: Some(position.unwrap_or_default()),
    })
}

/// An export under way: one pinned view, and the last edge sent.
struct Export {
    view: Box<dyn GraphView>,
    after: Option<(Uid, Uid)>,
    left: u64,
}

pub(super) async fn export(
    api: &AdminApi,
    request: &v1::ExportEdgesRequestView<'_>,
) -> Result<impl Stream<Item = Result<v1::ExportEdgesResponse, ConnectError>> + Send + use<>> {
    let after = match (request.after_source, request.after_target) {
        (0, 0) => None,
        (source, target) => Some((required(source, "after_source")?, required(target, "after_target")?)),
    };
    let left = if request.max_edges == 0 { u64::MAX } else { request.max_edges };
    let view = api.centers.relation.graph().view(at_least(request.token)?).await?;
    let export = Export { view, after, left };
    Ok(futures::stream::unfold(Some(export), |export| async {
        let mut export = export?;
        match export.next().await {
            Ok((chunk, more)) => Some((Ok(chunk), more.then_some(export))),
            Err(error) => Some((Err(to_wire(&error)), None)),
        }
    }))
}

impl Export {
    /// The next chunk, and whether there may be another. Even an empty graph has one, for its token.
    async fn next(&mut self) -> Result<(v1::ExportEdgesResponse, bool)> {
        let max = usize::try_from(self.left).unwrap_or(usize::MAX).min(EXPORT_CHUNK);
        let edges = self.view.edges(self.after, max).await?;
        self.left -= edges.len() as u64;
        let more = edges.len() == max && self.left > 0;
        self.after = edges.last().map(|edge| (edge.subject, edge.object)).or(self.after);
        let chunk = v1::ExportEdgesResponse {
            edges: edges
                .iter()
                .map(|edge| v1::ExportEdge {
                    source: edge.subject.get(),
                    target: edge.object.get(),
                    unix_ms: edge.at.ms(),
                    tick: (edge.at.raw() & 0xffff) as u32,
                })
                .collect(),
            token: self.view.position().to_token(),
        };
        Ok((chunk, more))
    }
}

pub(super) async fn set_limit(
    api: &AdminApi,
    request: &v1::SetFollowLimitRequestView<'_>,
) -> Result<v1::SetFollowLimitResponse> {
    let uid = required(request.uid, "uid")?;
    if request.limit.is_some_and(|limit| limit > FOLLOW_LIMIT_MAX) {
        return Err(Error::new(Reason::InvalidField { field: "limit" }));
    }
    let written =
        api.centers.relation.graph().write(Write::SetFollowLimit { uid, limit: request.limit }).await?;
    Ok(v1::SetFollowLimitResponse { token: written.position.to_token() })
}

pub(super) async fn limit(
    api: &AdminApi,
    request: &v1::GetFollowLimitRequestView<'_>,
) -> Result<v1::GetFollowLimitResponse> {
    let uid = required(request.uid, "uid")?;
    let view = api.centers.relation.graph().view(at_least(request.token)?).await?;
    let limit = view.follow_limit(uid).await?;
    Ok(v1::GetFollowLimitResponse {
        effective: Some(limit.effective),
        own: limit.own,
        token: view.position().to_token(),
    })
}
