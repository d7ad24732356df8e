//! The dictionary of external ids.

use guanxi_centers::user::{ExternalIdCenter, KnownUid, ResolvedIds};
use guanxi_model::limits::RESOLVE_IDS_MAX;
use guanxi_model::{Error, ExternalId, Reason, Result, Scope, Uid};
use guanxi_proto::v1;
use guanxi_rim::Caller;
use guanxi_rim::rules::Access;

use crate::convert::at_least;

pub(super) async fn resolve_ids(
    center: &ExternalIdCenter,
    caller: &Caller,
    request: &v1::ResolveIdsRequestView<'_>,
) -> Result<v1::ResolveIdsResponse> {
    if request.create {
        caller.enter(Access::Service(Scope::UserWrite))?;
    }
    caller.pay_for_batch(request.external_ids.len() + request.uids.len())?;
    resolved(center, request).await
}

/// Returns the dictionary's answer to a caller that may ask it.
pub(crate) async fn resolved(
    center: &ExternalIdCenter,
    request: &v1::ResolveIdsRequestView<'_>,
) -> Result<v1::ResolveIdsResponse> {
    const FIELD: &str = "external_ids";
    let asked = request.external_ids.len() + request.uids.len();
    if asked == 0 {
        return Err(Error::new(Reason::MissingField { field: FIELD }));
    }
    // Before the conversion: nothing is done for a batch that is refused anyway.
    if asked > RESOLVE_IDS_MAX as usize {
        return Err(Error::new(Reason::BatchTooLarge { limit: RESOLVE_IDS_MAX }));
    }
    let ids =
        request.external_ids.iter().map(|id| ExternalId::new(*id, FIELD)).collect::<Result<Vec<_>>>()?;
    let uids = request.uids.iter().map(|uid| Uid::new(*uid)).collect::<Result<Vec<_>>>()?;
    let at_least = at_least(request.token)?;
    let found = match (request.create, request.listed) {
        (true, false) => center.resolve_or_create(&ids, &uids, at_least).await?,
        (true, true) => center.resolve_list(&ids, &uids, at_least).await?,
        (false, _) => center.resolve(&ids, &uids, at_least).await?,
    };
    Ok(shown(&ids, &uids, &found))
}

fn shown(ids: &[ExternalId], uids: &[Uid], found: &ResolvedIds) -> v1::ResolveIdsResponse {
    let raw = |uid: Option<Uid>| uid.map_or(0, Uid::get);
    let text = |id: Option<&ExternalId>| id.map_or("", ExternalId::as_str).to_owned();
    let of_ids = ids.iter().zip(&found.uids).map(|(id, KnownUid { uid, created, erased })| v1::ResolvedId {
        uid: raw(*uid),
        external_id: text(Some(id)),
        created: *created,
        erased: *erased,
    });
    let named = uids.iter().zip(&found.external_ids).map(|(uid, id)| v1::ResolvedId {
        uid: raw(Some(*uid)),
        external_id: text(id.as_ref()),
        created: false,
        erased: false,
    });
    v1::ResolveIdsResponse {
        by_external_id: of_ids.collect(),
        by_uid: named.collect(),
        token: found.position.to_token(),
    }
}
