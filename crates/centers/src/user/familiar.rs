//! From which networks users came lately: a bounded table in memory, which calls fill.
//!
//! In a flood of logins a user of such a pair waits apart from strangers. The table says nothing else of anybody: it opens
//! nothing, is in no answer, and is empty after a restart, until sessions are used again.

use guanxi_model::{Clock, Uid};
use std::collections::HashSet;
use std::sync::{Arc, PoisonError, RwLock};

/// Pairs of a generation; there are two of them, of some 40 bytes a pair.
pub const FAMILIAR_PAIRS_MAX: usize = 32_768;

/// How long a generation takes what comes, in milliseconds: a pair is known for half a day to a day after its last call.
const GENERATION_MS: u64 = 12 * 3_600 * 1_000;

/// A network with all that are near it, by what its addresses share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Network(pub u128);

/// The logins of one span of time: users with networks, and networks.
#[derive(Debug, Default)]
struct Generation {
    pairs: HashSet<(Uid, Network)>,
    networks: HashSet<Network>,
}

#[derive(Debug, Default)]
struct Generations {
    young: Generation,
    old: Generation,
    /// When the young one began.
    since_ms: u64,
}

/// The table. Cheap to clone.
#[derive(Clone)]
pub struct FamiliarNetworks {
    generations: Arc<RwLock<Generations>>,
    pairs_max: usize,
    clock: Arc<dyn Clock>,
}

crate::opaque_debug!(FamiliarNetworks);

impl FamiliarNetworks {
    /// An empty table of at most [`FAMILIAR_PAIRS_MAX`] pairs in each generation.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { generations: Arc::default(), pairs_max: FAMILIAR_PAIRS_MAX, clock }
    }

    /// Notes that a user has shown, from a network, that it is the user. Costs a look for a pair that is known.
    pub fn note(&self, uid: Uid, network: Network) {
        let (pair, now_ms) = ((uid, network), self.clock.now_ms());
        {
            let generations = self.generations.read().unwrap_or_else(PoisonError::into_inner);
            if generations.young.pairs.contains(&pair) && !generations.is_over(now_ms) {
                return;
            }
        }
        let mut generations = self.generations.write().unwrap_or_else(PoisonError::into_inner);
        if generations.is_over(now_ms) || generations.young.pairs.len() >= self.pairs_max {
            generations.old = std::mem::take(&mut generations.young);
            generations.since_ms = now_ms;
        }
        generations.young.networks.insert(network);
        generations.young.pairs.insert(pair);
    }

    /// Returns whether a user came from a network lately.
    pub fn knows(&self, uid: Uid, network: Network) -> bool {
        let pair = (uid, network);
        self.any(|generation| generation.pairs.contains(&pair))
    }

    /// Returns whether any user came from a network lately.
    pub fn knows_network(&self, network: Network) -> bool {
        self.any(|generation| generation.networks.contains(&network))
    }

    fn any(&self, is_in: impl Fn(&Generation) -> bool) -> bool {
        let generations = self.generations.read().unwrap_or_else(PoisonError::into_inner);
        let age_ms = self.clock.now_ms().saturating_sub(generations.since_ms);
        (age_ms < 2 * GENERATION_MS && is_in(&generations.young))
            || (age_ms < GENERATION_MS && is_in(&generations.old))
    }
}

impl Generations {
    const fn is_over(&self, now_ms: u64) -> bool {
        now_ms.saturating_sub(self.since_ms) >= GENERATION_MS
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use guanxi_model::ManualClock;

    fn uid(raw: u64) -> Uid {
        Uid::new(raw).unwrap()
    }

    #[test]
    fn a_pair_is_known_for_half_a_day_to_a_day_after_its_last_call() {
        let clock = Arc::new(ManualClock::new(1_700_000_000_000));
        let table = FamiliarNetworks::new(clock.clone());
        let (home, away) = (Network(1), Network(2));
        table.note(uid(1), home);
        assert!(table.knows(uid(1), home) && table.knows_network(home));
        assert!(!table.knows(uid(2), home) && !table.knows(uid(1), away) && !table.knows_network(away));
        clock.advance(GENERATION_MS);
        table.note(uid(2), away);
        clock.advance(GENERATION_MS - 1);
        assert!(table.knows(uid(1), home), "no day is over");
        clock.advance(1);
        assert!(!table.knows(uid(1), home) && !table.knows_network(home));
        assert!(table.knows(uid(2), away));
        clock.advance(GENERATION_MS);
        assert!(!table.knows(uid(2), away));
    }

    #[test]
    fn the_table_is_bounded_and_the_last_ones_stay() {
        let clock = Arc::new(ManualClock::new(1_700_000_000_000));
        let table = FamiliarNetworks { pairs_max: 10, ..FamiliarNetworks::new(clock) };
        for n in 0..1_000_u64 {
            table.note(uid(n + 1), Network(u128::from(n)));
        }
        let known = (0..1_000_u64).filter(|n| table.knows(uid(n + 1), Network(u128::from(*n))));
        let known: Vec<u64> = known.collect();
        assert!(
            (10..=20).contains(&known.len()) && known.is_sorted() && known.last() == Some(&999),
            "{known:?}"
        );
    }
}
