//! The dictionary of external ids, for imports.

use guanxi_model::Result;
use guanxi_proto::v1;

use super::AdminApi;
use crate::user::external_ids::resolved;

pub(super) async fn resolve_ids(
    api: &AdminApi,
    request: &v1::ResolveIdsRequestView<'_>,
) -> Result<v1::ResolveIdsResponse> {
    resolved(&api.operator.external_ids(), request).await
}
