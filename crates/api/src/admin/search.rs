//! Keeping search indexes.

use guanxi_model::Result;
use guanxi_proto::v1;

use super::AdminApi;

pub(super) async fn rebuild_search(
    api: &AdminApi,
    _request: &v1::RebuildSearchRequestView<'_>,
) -> Result<v1::RebuildSearchResponse> {
    api.operator.rebuild_search()?;
    Ok(v1::RebuildSearchResponse {})
}
