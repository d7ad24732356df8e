//! From which networks users came lately: a bounded table in memory, which calls fill.
//!
//! In a flood of logins a user of such a pair waits apart from strangers. The table says nothing else of anybody: it opens
//! nothing, is in no answer, and is empty after a restart, until sessions are used again.

use guanxi_model::{Clock, Uid};
use std::collections::HashSet;
use std::net::IpAddr;
use std::sync::{Arc, PoisonError, RwLock};

/// Pairs of a generation; there are two of them, of some 40 bytes a pair.
pub const FAMILIAR_PAIRS_MAX: usize = 32_768;

/// How long a generation takes what comes, in milliseconds: a pair is known for half a day to a day after its last call.
const GENERATION_MS: u64 = 12 * 3_600 * 1_000;

/// Bits of an address that its neighbours share: the pool of a provider, a school, an office.
const BITS_V4: u32 = 24;
/// The same of IPv6: what one site has.
const BITS_V6: u32 = 48;

/// A network with all that are near it: /24 of IPv4, /48 of IPv6.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Network(u128);

impl From<IpAddr> for Network {
    fn from(address: IpAddr) -> Self {
        match address.to_canonical() {
            // The mapped prefix is all ones above the address, so that no two kinds are taken for one.
            IpAddr::V4(address) => {
                Self((u128::MAX << 32) | u128::from(u32::from(address) & (u32::MAX << (32 - BITS_V4))))
            }
            IpAddr::V6(address) => Self(u128::from(address) & (u128::MAX << (128 - BITS_V6))),
        }
    }
}

/// What came in a time.
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

impl std::fmt::Debug for FamiliarNetworks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FamiliarNetworks").finish_non_exhaustive()
    }
}

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

    /// Whether a user came from a network lately.
    pub fn knows(&self, uid: Uid, network: Network) -> bool {
        let pair = (uid, network);
        self.any(|generation| generation.pairs.contains(&pair))
    }

    /// Whether any user came from a network lately.
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

    fn network(address: &str) -> Network {
        Network::from(address.parse::<IpAddr>().unwrap())
    }

    fn uid(raw: u64) -> Uid {
        Uid::new(raw).unwrap()
    }

    #[test]
    fn neighbours_are_one_network_and_kinds_of_addresses_are_two() {
        assert_eq!(network("192.0.2.7"), network("192.0.2.250"));
        assert_ne!(network("192.0.2.7"), network("192.0.3.7"));
        assert_eq!(network("::ffff:192.0.2.7"), network("192.0.2.1"));
        assert_eq!(network("2001:db8:1:2::3"), network("2001:db8:1:ffff::"));
        assert_ne!(network("2001:db8:1::"), network("2001:db8:2::"));
    }

    #[test]
    fn a_pair_is_known_for_half_a_day_to_a_day_after_its_last_call() {
        let clock = Arc::new(ManualClock::new(1_700_000_000_000));
        let table = FamiliarNetworks::new(clock.clone());
        let (home, away) = (network("192.0.2.7"), network("198.51.100.7"));
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
