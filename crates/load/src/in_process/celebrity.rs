//! A post of an author whom everybody follows: seen by each of them at its acknowledgement, and pushed to the active
//! ones.

use super::fanout::{LivePost, draft};
use super::{Scene, first_page};
use crate::broken;
use guanxi_model::Result;
use guanxi_model::random::Rng;
use std::time::Duration;

/// Followers whose pages are read right after the acknowledgement.
const SAMPLE: usize = 1_000;
/// How long a push may take before the run gives up.
const PUSH_MAX: Duration = Duration::from_mins(2);

/// What one post came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pushed {
    /// The post.
    pub post: LivePost,
    /// Followers whose page had it when it was acknowledged: all that were asked, before anything was pushed.
    pub seen: u64,
    /// Inboxes that it was delivered to.
    pub delivered: u64,
    /// How long the push took.
    pub push_s: f64,
}

/// Posts as the celebrity, asks a sample of all its followers for their pages before anything is pushed, and then
/// pushes.
///
/// # Errors
/// When a follower's page lacks the post, or a step fails.
pub(super) async fn post(scene: Scene<'_>, number: u32) -> Result<Pushed> {
    let Scene { backend, feed, world, .. } = scene;
    let author = world.celebrity().ok_or_else(|| broken("the world has no celebrity"))?;
    let written = backend.post_center().create(draft(world.uid(author), world.text(number)), None).await?;
    let mut rng = Rng::new(u64::from(number));
    for _ in 0..SAMPLE {
        let follower = world.uid(rng.below(author as usize) as u32);
        let home = feed.home(follower, first_page(), Some(written.position.clone())).await?;
        if !home.ids.contains(&written.id) {
            return Err(broken(format_args!(
                "{follower:?} does not see the celebrity's {:?}: {:?}",
                written.id, home.ids
            )));
        }
    }
    let (delivered, push_s) = scene.push_all(PUSH_MAX).await?;
    Ok(Pushed { post: LivePost { id: written.id, author }, seen: SAMPLE as u64, delivered, push_s })
}
