//! Keeping search indexes, and their proof.

use std::sync::Arc;

use buffa::EnumValue;
use connectrpc::ConnectError;
use futures::Stream;
use guanxi_centers::operator::{SearchIndexKind, SearchProof, SearchProofStep};
use guanxi_model::{Error, Reason, Result};
use guanxi_ports::search::DocDiffers;
use guanxi_proto::v1::{self, search_finding::Kind, verify_search_response::Index};
use guanxi_rim::errors::to_wire;
use tokio::time::timeout;

use super::AdminApi;
use crate::limits::VERIFY_SEARCH_STEP_MAX;

/// When to try again while an index is behind.
const RETRY_AFTER_MS: u32 = 10_000;

pub(super) async fn rebuild_search(
    api: &AdminApi,
    _request: &v1::RebuildSearchRequestView<'_>,
) -> Result<v1::RebuildSearchResponse> {
    api.operator.rebuild_search()?;
    Ok(v1::RebuildSearchResponse {})
}

pub(super) async fn verify_search(
    api: &AdminApi,
    _request: &v1::VerifySearchRequestView<'_>,
) -> Result<impl Stream<Item = Result<v1::VerifySearchResponse, ConnectError>> + Send + use<>> {
    let (proof, load) = (api.operator.search_proof()?, Arc::clone(&api.load));
    Ok(futures::stream::unfold(Some((proof, load)), |comparing| async {
        let (mut proof, load) = comparing?;
        let step = tokio::select! {
            biased;
            () = load.closed() => Err(Error::new(Reason::ShuttingDown)),
            step = next(&mut proof) => step,
        };
        match step {
            Ok(step) => step.map(|step| (Ok(told(step)), Some((proof, load)))),
            Err(error) => Some((Err(to_wire(&error)), None)),
        }
    }))
}

async fn next(proof: &mut SearchProof) -> Result<Option<SearchProofStep>> {
    let behind = |_| Error::new(Reason::SearchBehind { retry_after_ms: RETRY_AFTER_MS });
    timeout(VERIFY_SEARCH_STEP_MAX, proof.next()).await.map_err(behind)?
}

fn told(step: SearchProofStep) -> v1::VerifySearchResponse {
    let SearchProofStep { index, compared, findings, left_out, as_of } = step;
    let finding = |(id, differs): (u64, DocDiffers)| {
        let (uid, post_id) = match index {
            SearchIndexKind::Users => (id, 0),
            SearchIndexKind::Posts => (0, id),
        };
        let (kind, field) = match differs {
            DocDiffers::Missing => (Kind::MISSING, String::new()),
            DocDiffers::Surplus => (Kind::SURPLUS, String::new()),
            DocDiffers::Field(name) => (Kind::FIELD_DIFFERS, name),
        };
        v1::SearchFinding { uid, post_id, kind: EnumValue::from(kind), field }
    };
    let findings = findings.into_iter().map(finding).collect();
    let index = EnumValue::from(match index {
        SearchIndexKind::Users => Index::USERS,
        SearchIndexKind::Posts => Index::POSTS,
    });
    v1::VerifySearchResponse { index, compared, findings, left_out, as_of: as_of.to_token() }
}
