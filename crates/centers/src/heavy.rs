//! Places for calls that cost many times what others do.
//!
//! Such a call works in turns, so that other calls run between its steps. Without a bound, many of them at once would all be
//! late, and so would all other calls. So each heavy call holds a place of the process and a place of the user for whom it
//! works, and waits for both in the order of arrival. A call that is given up (its deadline is over, its caller is gone)
//! gives its place back.

use guanxi_model::{Error, Reason, Result, Uid};
use metrics::Counter;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Calls for one user that work or wait: one works, and a screen that is opened twice does not fail.
pub const HEAVY_PER_USER_MAX: usize = 4;

/// Calls for all users that work or wait. Each waits for those before it: of more, those that cost most would only wait for
/// their deadlines.
pub const HEAVY_CALLS_MAX: usize = 256;

/// Calls that work at once where they wait for databases most of the time, and not for a core.
pub const HEAVY_WORKING_REMOTE: usize = 32;

/// Edges of two lists together from which on comparing them is a heavy call.
pub(crate) const HEAVY_EDGES_MIN: u64 = 10_000;

/// When a refused call is to be tried again, in milliseconds.
const RETRY_AFTER_MS: u32 = 500;

/// The places of one process. Cheap to clone; clones share them.
#[derive(Clone)]
pub struct HeavyWork {
    inner: Arc<Inner>,
}

struct Inner {
    working: Arc<Semaphore>,
    places: Mutex<Places>,
    /// Refused since the user has as many as one may, and since all have.
    refused: [Counter; 2],
}

#[derive(Default)]
struct Places {
    users: HashMap<Uid, UserPlaces>,
    all: usize,
}

struct UserPlaces {
    taken: usize,
    turn: Arc<Semaphore>,
}

/// A place, until it is dropped.
pub(crate) struct HeavySlot {
    _working: OwnedSemaphorePermit,
    _turn: OwnedSemaphorePermit,
    _place: Place,
}

/// The place that is given back, whether the call has begun to work or not.
struct Place {
    inner: Arc<Inner>,
    user: Uid,
}

impl Default for HeavyWork {
    /// Half of the machine's cores work on heavy calls, and one at least.
    fn default() -> Self {
        Self::new(thread::available_parallelism().map_or(1, |cores| cores.get().div_ceil(2)))
    }
}

impl HeavyWork {
    /// Places for so many calls that work at once.
    pub fn new(working: usize) -> Self {
        metrics::describe_counter!(
            "guanxi_heavy_calls_refused_total",
            "heavy calls refused since as many waited as one user may have (caller), or as there may be (server)"
        );
        let refused = |bound| metrics::counter!("guanxi_heavy_calls_refused_total", "bound" => bound);
        let working = Arc::new(Semaphore::new(working.max(1)));
        let refused = ["caller", "server"].map(refused);
        Self { inner: Arc::new(Inner { working, places: Mutex::default(), refused }) }
    }

    /// Waits for a place for a call that works for a user.
    ///
    /// # Errors
    /// `OVERLOADED`, at once, when [`HEAVY_PER_USER_MAX`] calls work or wait for the user, or [`HEAVY_CALLS_MAX`] for all.
    pub(crate) async fn begin(&self, user: Uid) -> Result<HeavySlot> {
        let (place, turn) = self.place(user)?;
        let closed = |_| Error::with_detail(Reason::Internal, "places of heavy calls are closed");
        // First the user's own turn: a user's second call takes no place of the process while the first one works.
        let turn = turn.acquire_owned().await.map_err(closed)?;
        let working = Arc::clone(&self.inner.working).acquire_owned().await.map_err(closed)?;
        Ok(HeavySlot { _working: working, _turn: turn, _place: place })
    }

    fn place(&self, user: Uid) -> Result<(Place, Arc<Semaphore>)> {
        let mut places = self.inner.lock();
        let full = places.all >= HEAVY_CALLS_MAX;
        let new = || UserPlaces { taken: 0, turn: Arc::new(Semaphore::new(1)) };
        let bound = match places.users.get(&user).map_or(0, |own| own.taken) {
            HEAVY_PER_USER_MAX.. => Some(0),
            _ => full.then_some(1),
        };
        if let Some(bound) = bound {
            drop(places);
            self.inner.refused[bound].increment(1);
            return Err(Error::new(Reason::Overloaded { retry_after_ms: RETRY_AFTER_MS }));
        }
        places.all += 1;
        let own = places.users.entry(user).or_insert_with(new);
        own.taken += 1;
        Ok((Place { inner: Arc::clone(&self.inner), user }, Arc::clone(&own.turn)))
    }
}

impl Inner {
    fn lock(&self) -> MutexGuard<'_, Places> {
        self.places.lock().expect("nobody panics while holding the places")
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut places = self.inner.lock();
        places.all -= 1;
        if let Entry::Occupied(mut own) = places.users.entry(self.user) {
            own.get_mut().taken -= 1;
            if own.get().taken == 0 {
                own.remove();
            }
        }
    }
}

crate::opaque_debug!(HeavyWork);

#[cfg(test)]
mod tests {
    use super::*;
    use std::pin::Pin;
    use std::task::{Context, Poll, Waker};

    fn u(uid: u64) -> Uid {
        Uid::new(uid).unwrap()
    }

    fn is_refused(taken: Option<Result<HeavySlot>>) -> bool {
        matches!(taken, Some(Err(error)) if error.reason == Reason::Overloaded { retry_after_ms: RETRY_AFTER_MS })
    }

    #[tokio::test]
    async fn calls_of_one_user_take_turns_and_leave_room_for_others() {
        let work = HeavyWork::new(2);
        let first = work.begin(u(1)).await.unwrap();
        let mut waiting: Vec<_> = (1..HEAVY_PER_USER_MAX).map(|_| Box::pin(work.begin(u(1)))).collect();
        assert!(waiting.iter_mut().all(|call| polled(call).is_none()), "one works, the rest wait");
        assert!(is_refused(begun(&work, 1)), "as many as one user may have");
        let other = work.begin(u(2)).await.unwrap();
        assert!(begun(&work, 3).is_none(), "two work in all");
        drop(first);
        let second = waiting.remove(0).await.unwrap();
        assert!(polled(&mut waiting[0]).is_none());
        drop((second, other));
        for call in waiting {
            drop(call.await.unwrap());
        }
        assert_eq!(work.inner.lock().all, 0);
        assert!(work.inner.lock().users.is_empty());
    }

    #[tokio::test]
    async fn what_waits_is_bounded_and_who_gives_up_leaves_nothing() {
        let work = HeavyWork::new(1);
        let first = work.begin(u(1)).await.unwrap();
        let mut waiting: Vec<_> = (2..=HEAVY_CALLS_MAX as u64).map(|n| Box::pin(work.begin(u(n)))).collect();
        assert!(waiting.iter_mut().all(|call| polled(call).is_none()));
        assert!(is_refused(begun(&work, 1_000)));
        waiting.truncate(1);
        assert_eq!(work.inner.lock().all, 2);
        drop(first);
        drop(waiting.remove(0).await.unwrap());
        assert!(work.inner.lock().users.is_empty());
    }

    /// Returns the result of a call at its first poll, or the next; `None` if it waits.
    fn polled<F: Future + ?Sized>(call: &mut Pin<Box<F>>) -> Option<F::Output> {
        match call.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(done) => Some(done),
            Poll::Pending => None,
        }
    }

    fn begun(work: &HeavyWork, user: u64) -> Option<Result<HeavySlot>> {
        polled(&mut Box::pin(work.begin(u(user))))
    }
}
