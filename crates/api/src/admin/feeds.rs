//! Proof of home timelines: live pages against their definition, viewer by viewer.

use std::sync::Arc;

use buffa::MessageField;
use connectrpc::ConnectError;
use futures::Stream;
use guanxi_centers::feed::{FeedCenter, FeedReport};
use guanxi_model::limits::BATCH_MAX;
use guanxi_model::{Error, PostId, Reason, Result, Uid};
use guanxi_proto::v1;
use tokio::sync::OwnedSemaphorePermit;

use super::AdminApi;
use super::long::permit;
use crate::convert::required_list;
use crate::error::to_wire;
use crate::limits::VERIFY_IDS_MAX;
use crate::load::Load;

/// Viewers of a sample when no number is asked for.
const SAMPLE_DEFAULT: u32 = 100;

/// Comparisons under way.
struct Comparing {
    feed: FeedCenter,
    load: Arc<Load>,
    viewers: Vec<Uid>,
    done: usize,
    max_items: usize,
    _permit: OwnedSemaphorePermit,
}

pub(super) async fn verify(
    api: &AdminApi,
    request: &v1::VerifyFeedRequestView<'_>,
) -> Result<impl Stream<Item = Result<v1::VerifyFeedResponse, ConnectError>> + Send + use<>> {
    let permit = permit(api)?;
    let viewers = match (request.viewers.is_empty(), request.sample) {
        (false, 0) => required_list(&request.viewers, "viewers", BATCH_MAX)?,
        (false, _) => return Err(Error::new(Reason::InvalidField { field: "sample" })),
        (true, size) if size > BATCH_MAX => {
            return Err(Error::new(Reason::BatchTooLarge { limit: BATCH_MAX }));
        }
        (true, size) => {
            let size = if size == 0 { SAMPLE_DEFAULT } else { size };
            let random = (api.parts.random)();
            let seed = u64::from_le_bytes(*random.first_chunk().expect("there are 32 bytes"));
            api.centers.feed.sample(size as usize, seed).await?
        }
    };
    let max_items = match request.max_items {
        0 => usize::MAX,
        max => usize::try_from(max).unwrap_or(usize::MAX),
    };
    let (feed, load) = (api.centers.feed.clone(), Arc::clone(&api.load));
    let comparing = Comparing { feed, load, viewers, done: 0, max_items, _permit: permit };
    Ok(futures::stream::unfold(Some(comparing), |comparing| async {
        let mut comparing = comparing?;
        match comparing.next().await? {
            Ok(report) => Some((Ok(report), Some(comparing))),
            Err(error) => Some((Err(to_wire(&error)), None)),
        }
    }))
}

impl Comparing {
    /// Compares the next home; `None` when all are done.
    async fn next(&mut self) -> Option<Result<v1::VerifyFeedResponse>> {
        let viewer = *self.viewers.get(self.done)?;
        let found = tokio::select! {
            biased;
            () = self.load.closed() => Err(Error::new(Reason::ShuttingDown)),
            found = self.feed.verify(viewer, self.max_items) => found,
        };
        self.done += 1;
        let progress = v1::Progress { done: self.done as u64, total: self.viewers.len() as u64 };
        Some(found.map(|found| report(&found, progress)))
    }
}

fn report(found: &FeedReport, progress: v1::Progress) -> v1::VerifyFeedResponse {
    let ids = |ids: &[PostId]| ids.iter().take(VERIFY_IDS_MAX).map(|id| id.get()).collect();
    v1::VerifyFeedResponse {
        viewer: found.viewer.get(),
        items: Some(found.items),
        pages: Some(found.pages),
        from_inbox: Some(found.from_inbox),
        missing: ids(&found.missing),
        unexpected: ids(&found.unexpected),
        misplaced: ids(&found.misplaced),
        progress: MessageField::some(progress),
        token: found.position.to_token(),
    }
}
