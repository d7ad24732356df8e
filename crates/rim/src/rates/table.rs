//! The spending of a bounded number of keys.

use std::sync::{Mutex, PoisonError};

use governor::nanos::Nanos;
use governor::state::StateStore;
use metrics::Counter;

/// Keys that stand together: a new one looks for room among so many.
const WAYS: usize = 8;

/// A key, and until when what it spent counts; zero for no key.
#[derive(Clone, Copy, Default)]
struct Entry {
    key: u64,
    until: u64,
}

/// The state of one budget's keys. A key that has its whole budget again holds no information, and gives its place to
/// another. When all places of a set are taken by other keys, the one that has spent least loses what it has spent: it is
/// forgotten, not refused. A caller that wants to be forgotten must be outspent by all keys of its set, and no client can
/// tell which set a key is in.
pub(super) struct BudgetTable {
    sets: Box<[Mutex<[Entry; WAYS]>]>,
    /// Keys that lost what they had spent.
    forgotten: Counter,
}

impl BudgetTable {
    /// A table of at least so many keys.
    pub(super) fn new(keys_max: usize, forgotten: Counter) -> Self {
        let sets = keys_max.div_ceil(WAYS).next_power_of_two();
        Self { sets: (0..sets).map(|_| Mutex::default()).collect(), forgotten }
    }

    /// The place of a key, or the one that it takes.
    fn place(set: &[Entry; WAYS], key: u64) -> usize {
        let own = set.iter().position(|entry| entry.key == key && entry.until > 0);
        own.unwrap_or_else(|| {
            let least = set.iter().enumerate().min_by_key(|(_, entry)| entry.until);
            least.map_or(0, |(place, _)| place)
        })
    }
}

/// A key and the time, by which a place that holds no information any more is known.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Spender {
    pub(super) key: u64,
    pub(super) now: u64,
}

impl StateStore for BudgetTable {
    type Key = Spender;

    fn measure_and_replace<T, F, E>(&self, spender: &Spender, measure: F) -> Result<T, E>
    where
        F: Fn(Option<Nanos>) -> Result<(T, Nanos), E>,
    {
        // The key is a hash, so that its low bits are as good as any.
        let set = &self.sets[spender.key as usize & (self.sets.len() - 1)];
        let mut set = set.lock().unwrap_or_else(PoisonError::into_inner);
        let place = Self::place(&set, spender.key);
        let found = set[place];
        let is_own = found.key == spender.key && found.until > 0;
        let (answer, until) = measure(is_own.then(|| Nanos::from(found.until)))?;
        if !is_own && found.until > spender.now {
            self.forgotten.increment(1);
        }
        set[place] = Entry { key: spender.key, until: until.as_u64() };
        Ok(answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spend(table: &BudgetTable, key: u64, until: u64) -> Option<u64> {
        let answer: Result<Option<u64>, ()> = table.measure_and_replace(&Spender { key, now: 0 }, |before| {
            Ok((before.map(Nanos::as_u64), Nanos::from(until)))
        });
        answer.unwrap()
    }

    #[test]
    fn of_too_many_keys_those_that_spent_most_are_remembered() {
        let table = BudgetTable::new(WAYS, Counter::noop());
        for key in 0..WAYS as u64 {
            assert_eq!(spend(&table, key, 1_000 + key), None);
        }
        // Any number of others that spend little push each other out, after the one that had spent least.
        for stranger in 100..10_000 {
            assert_eq!(spend(&table, stranger, 5), None);
        }
        for key in 1..WAYS as u64 {
            assert_eq!(spend(&table, key, 1_000 + key), Some(1_000 + key), "{key}");
        }
    }

    #[test]
    fn what_is_refused_changes_nothing() {
        let table = BudgetTable::new(1, Counter::noop());
        spend(&table, 7, 50);
        let refused: Result<(), ()> = table.measure_and_replace(&Spender { key: 8, now: 0 }, |_| Err(()));
        assert!(refused.is_err());
        assert_eq!(spend(&table, 7, 60), Some(50));
    }
}
