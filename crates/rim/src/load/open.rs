//! Slots of callers that have shown no token: the newest take the places of the oldest.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard};

use metrics::Counter;
use tokio::sync::oneshot;

/// A few places that no caller can hold against newcomers.
///
/// Their calls are health checks, which take microseconds. A caller that holds a place for long sends a body that does not
/// come, or listens to a health that does not change. If newcomers were refused, a stranger could hold all places, and a load
/// balancer would then take the server for dead.
#[derive(Debug)]
pub(super) struct OpenSlots {
    max: usize,
    taken: Mutex<Places>,
    evicted: Counter,
}

#[derive(Debug, Default)]
struct Places {
    next: u64,
    /// In the order of their taking. Dropping a sender tells its holder to leave.
    held: VecDeque<(u64, oneshot::Sender<()>)>,
}

/// A place, until it is dropped or given to a newcomer.
#[derive(Debug)]
pub(crate) struct OpenSlot {
    slots: Arc<OpenSlots>,
    id: u64,
}

/// Completes when a place was given to a newcomer, or dropped.
pub(crate) type Evicted = oneshot::Receiver<()>;

impl OpenSlots {
    pub(super) fn new(max: usize, kind: &'static str) -> Arc<Self> {
        let evicted = metrics::counter!("guanxi_open_slots_evicted_total", "kind" => kind);
        Arc::new(Self { max: max.max(1), taken: Mutex::default(), evicted })
    }

    /// A place, which is the oldest one's if there is no other.
    pub(super) fn take(self: &Arc<Self>) -> (OpenSlot, Evicted) {
        let (stay, leave) = oneshot::channel();
        let mut places = self.lock();
        if places.held.len() >= self.max {
            places.held.pop_front();
            self.evicted.increment(1);
        }
        let id = places.next;
        places.next += 1;
        places.held.push_back((id, stay));
        drop(places);
        (OpenSlot { slots: Arc::clone(self), id }, leave)
    }

    pub(super) fn taken(&self) -> usize {
        self.lock().held.len()
    }

    pub(super) const fn max(&self) -> usize {
        self.max
    }

    fn lock(&self) -> MutexGuard<'_, Places> {
        self.taken.lock().expect("nobody panics while holding the places")
    }
}

impl Drop for OpenSlot {
    fn drop(&mut self) {
        let mut places = self.slots.lock();
        // Ids ascend, so the place is found at once, or it is gone already.
        if let Ok(at) = places.held.binary_search_by_key(&self.id, |(id, _)| *id) {
            places.held.remove(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newcomers_take_the_places_of_the_oldest() {
        let slots = OpenSlots::new(2, "test");
        let ((first, mut leave), (second, mut stay)) = (slots.take(), slots.take());
        assert!(leave.try_recv().is_err_and(|why| why == oneshot::error::TryRecvError::Empty));
        let (_third, _) = slots.take();
        assert_eq!(leave.try_recv(), Err(oneshot::error::TryRecvError::Closed));
        assert_eq!(stay.try_recv(), Err(oneshot::error::TryRecvError::Empty));
        drop(first);
        assert_eq!(slots.taken(), 2, "its place was another's already");
        drop(second);
        assert_eq!(slots.taken(), 1);
    }
}
