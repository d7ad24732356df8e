//! How far an answer knows the logs.

use super::cache::CacheKey;
use guanxi_model::{LogId, Logs};
use std::sync::Arc;

/// For each log the last event that an answer includes. An entry of a user is right for a cut if it is as of no later event of
/// the user's log. One machine has one log, so that its cut is a number.
pub trait Cut {
    /// How users are spread over the logs.
    const LOGS: Logs;

    /// The last event of a log that is included.
    fn seq(&self, log: LogId) -> u64;

    /// No post by a user of a log has a higher id.
    fn ids_high(&self, log: LogId) -> u64;

    /// The last included event of the log of a user, or of the author of a post.
    #[inline]
    fn seq_of<K: CacheKey>(&self, key: K) -> u64 {
        self.seq(Self::LOGS.of_gene(K::gene_of(key.raw())))
    }
}

/// Where a cut stands in a log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CutPlace {
    /// The last event that is included.
    pub seq: u64,
    /// No post by a user of the log has a higher id, as of that event.
    pub ids_high: u64,
}

/// Logs of a cluster: one for each gene.
const GENES: usize = 256;

/// A cut of a log for each gene. It never changes; the next cut is another value, so that a reader keeps the one it began with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GeneCut(Arc<[CutPlace; GENES]>);

/// The beginning of all logs.
impl Default for GeneCut {
    fn default() -> Self {
        Self::new(|_| CutPlace::default())
    }
}

impl GeneCut {
    /// A cut at these places.
    pub fn new(place: impl Fn(LogId) -> CutPlace) -> Self {
        Self(Arc::new(std::array::from_fn(|log| place(LogId(log as u8)))))
    }

    /// The same cut further on in some logs. No log goes back: an earlier place than the present one changes nothing.
    #[must_use]
    pub fn with(&self, places: &[(LogId, CutPlace)]) -> Self {
        let mut next = *self.0;
        for (log, CutPlace { seq, ids_high }) in places {
            let place = &mut next[usize::from(log.0)];
            *place = CutPlace { seq: place.seq.max(*seq), ids_high: place.ids_high.max(*ids_high) };
        }
        Self(Arc::new(next))
    }
}

impl Cut for GeneCut {
    const LOGS: Logs = Logs::PerGene;

    #[inline]
    fn seq(&self, log: LogId) -> u64 {
        self.0[usize::from(log.0)].seq
    }

    #[inline]
    fn ids_high(&self, log: LogId) -> u64 {
        self.0[usize::from(log.0)].ids_high
    }
}

/// A cut of one log, for tests: its last event, and the highest id of a post.
#[cfg(test)]
pub(crate) struct At(pub u64, pub u64);

#[cfg(test)]
impl Cut for At {
    const LOGS: Logs = Logs::One;

    fn seq(&self, _: LogId) -> u64 {
        self.0
    }

    fn ids_high(&self, _: LogId) -> u64 {
        self.1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use guanxi_model::{PostId, Uid};

    #[test]
    fn a_cut_goes_on_log_by_log_and_never_back() {
        let place = |seq, ids_high| CutPlace { seq, ids_high };
        let first = GeneCut::new(|log| place(u64::from(log.0), 7));
        let next = first.with(&[(LogId(3), place(9, 8)), (LogId(4), place(2, 1))]);
        assert_eq!((next.seq(LogId(3)), next.seq(LogId(4)), next.seq(LogId(255))), (9, 4, 255));
        assert_eq!((next.ids_high(LogId(3)), next.ids_high(LogId(4))), (8, 7));
        assert_eq!(first.seq(LogId(3)), 3, "a reader keeps its cut");
        assert_eq!(next.seq_of(Uid::new(0x703).unwrap()), 9);
        assert_eq!(next.seq_of(PostId::new(0x904).unwrap()), 4);
    }
}
