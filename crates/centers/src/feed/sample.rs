//! Whose homes to prove, when nobody is named.

use super::FeedCenter;
use guanxi_model::{Result, Uid};

impl FeedCenter {
    /// Up to `size` users who follow somebody, each as likely as the others, in the order of their ids.
    ///
    /// Source: Vitter, "Random sampling with a reservoir" (1985), algorithm R.
    ///
    /// # Errors
    /// Those of pinning a view.
    pub async fn sample(&self, size: usize, seed: u64) -> Result<Vec<Uid>> {
        let view = self.posts.post_view(None).await?;
        let mut random = SplitMix(seed);
        let mut kept = Vec::new();
        let mut passed = 0_u64;
        let mut after = None;
        // One step per user: from the last place that an edge of the user could have.
        while let Some(edge) = view.edges(after, 1).await?.first() {
            after = Some((edge.subject, Uid::MAX));
            passed += 1;
            if kept.len() < size {
                kept.push(edge.subject);
                continue;
            }
            let place = random.below(passed);
            if let Some(place) = usize::try_from(place).ok().and_then(|place| kept.get_mut(place)) {
                *place = edge.subject;
            }
        }
        kept.sort_unstable();
        Ok(kept)
    }
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
        (((mixed ^ (mixed >> 31)) as u128 * bound as u128) >> 64) as u64
    }
}
