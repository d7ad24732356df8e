//! Rows of one kind: those that were fetched, with a batch's own changes on top.

use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::ops::RangeBounds;

/// A plan has asked for a row that was not fetched: a defect of what names the rows of a write.
#[derive(Debug)]
pub struct NotFetched(
    /// Which row.
    pub String,
);

/// A row, and whether the batch has changed it.
#[derive(Clone, Debug)]
struct Cell<V> {
    value: V,
    /// What was fetched, once the batch has changed it.
    before: Option<V>,
}

/// Rows by their keys. One that is not in the database has the value of its absence, the default.
#[derive(Clone, Debug)]
pub struct Cells<K, V>(BTreeMap<K, Cell<V>>);

impl<K, V> Default for Cells<K, V> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<K: Ord + Clone + Debug, V: Default + Clone> Cells<K, V> {
    /// Says that a row was fetched, which is absent until [`found`](Self::found) says otherwise.
    pub fn fetched(&mut self, key: K) {
        self.0.entry(key).or_insert_with(|| Cell { value: V::default(), before: None });
    }

    /// Says what a fetched row holds.
    pub fn found(&mut self, key: K, value: V) {
        self.0.insert(key, Cell { value, before: None });
    }

    /// Returns whether a row was fetched.
    pub fn has(&self, key: impl Borrow<K>) -> bool {
        self.0.contains_key(key.borrow())
    }

    /// A row.
    pub fn get(&self, key: impl Borrow<K>) -> Result<&V, NotFetched> {
        let key = key.borrow();
        self.0.get(key).map(|cell| &cell.value).ok_or_else(|| Self::missing(key))
    }

    /// A row, to be changed.
    pub fn change(&mut self, key: impl Borrow<K>) -> Result<&mut V, NotFetched> {
        let key = key.borrow();
        let cell = self.0.get_mut(key).ok_or_else(|| Self::missing(key))?;
        cell.before.get_or_insert_with(|| cell.value.clone());
        Ok(&mut cell.value)
    }

    /// The rows that changed, as they were fetched and as they are now.
    pub fn compared(&self) -> impl Iterator<Item = (K, &V, &V)> {
        self.0.iter().filter_map(|(key, cell)| Some((key.clone(), cell.before.as_ref()?, &cell.value)))
    }

    /// Puts a row, over any value. A row that was not fetched counts as absent before.
    pub fn put(&mut self, key: K, value: V) {
        let before = self.0.remove(&key).map(|cell| cell.before.unwrap_or(cell.value)).unwrap_or_default();
        self.0.insert(key, Cell { value, before: Some(before) });
    }

    /// The rows of some keys that were fetched, in their order.
    pub fn range(&self, keys: impl RangeBounds<K>) -> impl Iterator<Item = (K, &V)> {
        self.0.range(keys).map(|(key, cell)| (key.clone(), &cell.value))
    }

    /// Removes some of the rows that are known.
    pub fn reset(&mut self, which: impl Fn(&K) -> bool) {
        for (_, cell) in self.0.iter_mut().filter(|(key, _)| which(key)) {
            cell.before.get_or_insert_with(|| cell.value.clone());
            cell.value = V::default();
        }
    }

    /// The rows that changed, in the order of their keys.
    pub fn changed(&self) -> impl Iterator<Item = (K, &V)> {
        self.0.iter().filter(|(_, cell)| cell.before.is_some()).map(|(key, cell)| (key.clone(), &cell.value))
    }

    fn missing(key: &K) -> NotFetched {
        NotFetched(format!("{key:?} of {}", std::any::type_name::<V>()))
    }
}
