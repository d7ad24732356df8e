//! Scores of affinity.

use guanxi_model::Uid;
use guanxi_model::affinity::Score;
use std::collections::BTreeMap;

/// The scores of a user, and in which time they halve.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scores {
    pub(crate) half_life_ms: u64,
    pub(crate) with: BTreeMap<Uid, Score>,
}
