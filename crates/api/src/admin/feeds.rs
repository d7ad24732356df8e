//! Proof of home timelines: live pages against their definition, viewer by viewer.

use std::sync::Arc;

use buffa::MessageField;
use connectrpc::ConnectError;
use futures::Stream;
use guanxi_centers::feed::{FeedCenter, FeedReport};
use guanxi_model::limits::BATCH_MAX;
use guanxi_model::{Error, PostId, Reason, Result, Uid};
use guanxi_ports::GraphView;
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
            let view = api.centers.relation.graph().view(None).await?;
            sample(&*view, size as usize, (api.parts.random)()).await?
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

/// Up to `size` users who follow somebody, each as likely as the others.
///
/// Source: Vitter, "Random sampling with a reservoir" (1985), algorithm R.
async fn sample(view: &dyn GraphView, size: usize, seed: [u8; 32]) -> Result<Vec<Uid>> {
    let mut random = SplitMix(u64::from_le_bytes(*seed.first_chunk().expect("a seed has 32 bytes")));
    let mut kept = Vec::new();
    let mut seen = 0_u64;
    let mut after = None;
    // One step per user: from the last place that an edge of the user could have.
    while let Some(edge) = view.edges(after, 1).await?.first() {
        after = Some((edge.subject, Uid::MAX));
        seen += 1;
        if kept.len() < size {
            kept.push(edge.subject);
            continue;
        }
        let place = random.below(seen);
        if let Some(place) = usize::try_from(place).ok().and_then(|place| kept.get_mut(place)) {
            *place = edge.subject;
        }
    }
    kept.sort_unstable();
    Ok(kept)
}

/// Source: Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014).
struct SplitMix(u64);

impl SplitMix {
    /// A number below `bound`, which is at least 1.
    const fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) as u128 * bound as u128 >> 64) as u64
    }
}
