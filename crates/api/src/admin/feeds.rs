//! Proof of home timelines: live pages against their definition, viewer by viewer.

use std::sync::Arc;

use buffa::MessageField;
use connectrpc::ConnectError;
use futures::Stream;
use guanxi_centers::feed::FeedReport;
use guanxi_centers::operator::HomesAsked;
use guanxi_model::limits::BATCH_MAX;
use guanxi_model::{Error, GroupId, PostId, Reason, Result};
use guanxi_ports::Progress;
use guanxi_proto::v1;
use guanxi_rim::errors::to_wire;

use super::AdminApi;
use crate::convert::required_list;
use crate::limits::VERIFY_IDS_MAX;

pub(super) async fn verify_feed(
    api: &AdminApi,
    request: &v1::VerifyFeedRequestView<'_>,
) -> Result<impl Stream<Item = Result<v1::VerifyFeedResponse, ConnectError>> + Send + use<>> {
    let task = api.operator.long_task()?;
    let viewers = if request.viewers.is_empty() {
        Vec::new()
    } else {
        required_list(&request.viewers, "viewers", BATCH_MAX)?
    };
    let asked = HomesAsked { viewers, sample: request.sample, max_items: request.max_items };
    let (proof, load) = (task.homes(asked).await?, Arc::clone(&api.load));
    let ids_max = if api.in_process { usize::MAX } else { VERIFY_IDS_MAX };
    Ok(futures::stream::unfold(Some((proof, load)), move |comparing| async move {
        let (mut proof, load) = comparing?;
        let found = tokio::select! {
            biased;
            () = load.closed() => Err(Error::new(Reason::ShuttingDown)),
            found = proof.next() => found,
        };
        match found {
            Ok(found) => {
                found.map(|(found, progress)| (Ok(report(&found, progress, ids_max)), Some((proof, load))))
            }
            Err(error) => Some((Err(to_wire(&error)), None)),
        }
    }))
}

fn report(found: &FeedReport, progress: Progress, ids_max: usize) -> v1::VerifyFeedResponse {
    let ids = |ids: &[PostId]| ids.iter().take(ids_max).map(|id| id.get()).collect();
    v1::VerifyFeedResponse {
        viewer: found.viewer.get(),
        group_id: found.group.map_or(0, GroupId::get),
        items: Some(found.items),
        pages: Some(found.pages),
        from_inbox: Some(found.from_inbox),
        missing: ids(&found.missing),
        unexpected: ids(&found.unexpected),
        misplaced: ids(&found.misplaced),
        progress: MessageField::some(super::proofs::progress(progress)),
        token: found.position.to_token(),
    }
}
