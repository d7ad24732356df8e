//! Slots of known callers: bounded in all, and for each of them.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasher as _, BuildHasherDefault, RandomState};
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll};

use connectrpc::EncodedStream;
use futures::Stream;
use metrics::Counter;
use rustc_hash::FxHasher;

use crate::caller::Holder;

/// So many locks share the table of holders, so that calls on several cores seldom wait for each other.
const SHARDS: usize = 16;

/// How many slots each holder has, by the hash of the holder. Two holders of one hash share a bound; among 2^64 hashes that
/// is not to be expected. The hash is spread already, so the hasher of the table costs little.
type Holders = HashMap<u64, usize, BuildHasherDefault<FxHasher>>;

/// Slots of one kind.
#[derive(Debug)]
pub(super) struct Slots {
    max: usize,
    per_user: usize,
    per_service: usize,
    taken: AtomicUsize,
    holders: [Mutex<Holders>; SHARDS],
    /// The keys of this process alone, so that no client can tell which holders share a bound.
    hasher: RandomState,
    refused: [Counter; 2],
}

/// Why there is no slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Full {
    /// All are taken.
    Server,
    /// The caller has as many as one may have.
    Caller {
        /// How many that is.
        limit: usize,
    },
}

impl Slots {
    pub(super) fn new(kind: &'static str, max: usize, per_user: usize, per_service: usize) -> Arc<Self> {
        let refused =
            |bound| metrics::counter!("guanxi_slots_refused_total", "kind" => kind, "bound" => bound);
        Arc::new(Self {
            max,
            per_user,
            per_service,
            taken: AtomicUsize::new(0),
            holders: Default::default(),
            hasher: RandomState::new(),
            refused: ["server", "caller"].map(refused),
        })
    }

    pub(super) fn taken(&self) -> usize {
        self.taken.load(Ordering::Relaxed)
    }

    pub(super) const fn max(&self) -> usize {
        self.max
    }

    /// A slot for a holder; without one, only the bound for all counts.
    pub(super) fn take(self: &Arc<Self>, holder: Option<Holder>) -> Result<Slot, Full> {
        let taken = self.try_take(holder);
        match taken {
            Err(Full::Server) => self.refused[0].increment(1),
            Err(Full::Caller { .. }) => self.refused[1].increment(1),
            Ok(_) => {}
        }
        taken
    }

    fn try_take(self: &Arc<Self>, holder: Option<Holder>) -> Result<Slot, Full> {
        // Each is given back by the drop, refused or not.
        let before = self.taken.fetch_add(1, Ordering::Relaxed);
        let mut slot = Slot { slots: Arc::clone(self), holder: None };
        if let Some(holder) = holder {
            let limit = match holder {
                Holder::EndUser(_) => self.per_user,
                Holder::Named(_) => self.per_service,
            };
            let key = self.hasher.hash_one(&holder);
            let mut holders = self.shard(key);
            let own = holders.entry(key).or_default();
            *own += 1;
            let is_full = *own > limit;
            drop(holders);
            slot.holder = Some(key);
            if is_full {
                return Err(Full::Caller { limit });
            }
        }
        if before < self.max { Ok(slot) } else { Err(Full::Server) }
    }

    fn shard(&self, key: u64) -> MutexGuard<'_, Holders> {
        self.holders[key as usize % SHARDS].lock().expect("nobody panics while holding the table")
    }
}

/// A place among those allowed at once; given back when dropped.
#[derive(Debug)]
pub(crate) struct Slot {
    slots: Arc<Slots>,
    /// The hash of the holder.
    holder: Option<u64>,
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.slots.taken.fetch_sub(1, Ordering::Relaxed);
        if let Some(key) = self.holder.take() {
            let mut holders = self.slots.shard(key);
            if let Entry::Occupied(mut own) = holders.entry(key) {
                *own.get_mut() -= 1;
                if *own.get() == 0 {
                    own.remove();
                }
            }
        }
    }
}

/// A stream that keeps a slot until it ends or is dropped.
pub(crate) fn hold<S: Send + Unpin + 'static>(inner: EncodedStream, slot: S) -> EncodedStream {
    Box::pin(Held { inner, _slot: slot })
}

struct Held<S> {
    inner: EncodedStream,
    _slot: S,
}

impl<S: Unpin> Stream for Held<S> {
    type Item = <EncodedStream as Stream>::Item;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.inner.as_mut().poll_next(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use guanxi_model::Uid;

    #[test]
    fn slots_are_bounded_in_all_and_for_each_and_given_back() {
        let slots = Slots::new("test", 3, 1, 2);
        let user = |uid| Some(Holder::EndUser(Uid::new(uid).unwrap()));
        let service = || Some(Holder::Named("a".into()));
        let first = slots.take(user(1)).unwrap();
        assert_eq!(slots.take(user(1)).unwrap_err(), Full::Caller { limit: 1 });
        let (second, third) = (slots.take(service()).unwrap(), slots.take(service()).unwrap());
        assert_eq!(slots.take(service()).unwrap_err(), Full::Caller { limit: 2 });
        for other in [user(2), None] {
            assert_eq!(slots.take(other).unwrap_err(), Full::Server);
        }
        assert_eq!(slots.taken(), 3);
        drop((first, second));
        let again = (slots.take(user(1)).unwrap(), slots.take(None).unwrap());
        drop((again, third));
        assert_eq!(slots.taken(), 0);
        assert!(slots.holders.iter().all(|shard| shard.lock().unwrap().is_empty()));
    }
}
