//! The weights of interactions between users.

use super::Settings;
use guanxi_model::DAY_MS;
use guanxi_model::affinity::{AffinityTerms, InteractionWeights};

impl Settings {
    /// How interactions become scores.
    pub(crate) const fn affinity_terms(&self) -> AffinityTerms {
        AffinityTerms {
            weights: InteractionWeights {
                visit: self.affinity_visit,
                message: self.affinity_message,
                like: self.affinity_like,
                reply: self.affinity_reply,
                repost: self.affinity_repost,
            },
            half_life_ms: self.affinity_half_life_days as u64 * DAY_MS,
        }
    }
}
