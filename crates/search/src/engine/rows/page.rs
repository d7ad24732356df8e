//! A page of rows: the first ones behind a place, in an order.

use guanxi_ports::search::{RowAsk, RowOrder, RowPlace};
use std::collections::BinaryHeap;
use tantivy::DocId;

/// Where a document is: its segment, and its number there.
pub(super) type Address = (usize, DocId);

/// What orders rows.
type Key = (bool, u64, u64);

/// The first rows behind a place, of those that were offered.
pub(super) struct FirstRows<C> {
    order: RowOrder<C>,
    after: Option<Key>,
    max: usize,
    /// The last one on top: it goes when one comes that is before it. One more than the page tells that there are more.
    first: BinaryHeap<(Key, Option<u64>, Address)>,
}

impl<C: Copy> FirstRows<C> {
    pub(super) fn new<T>(ask: &RowAsk<C, T>) -> Self {
        let after = ask.after.map(|place| ask.order.key(place));
        Self { order: ask.order, after, max: ask.max, first: BinaryHeap::new() }
    }

    /// Takes a row if it is on the page. Returns whether one behind it may be.
    pub(super) fn offer(&mut self, place: RowPlace, address: Address) -> bool {
        let key = self.order.key(place);
        if self.after.is_some_and(|after| key <= after) {
            return true;
        }
        let is_full = self.first.len() > self.max;
        if is_full && self.first.peek().is_some_and(|(last, ..)| key >= *last) {
            return false;
        }
        if is_full {
            self.first.pop();
        }
        self.first.push((key, place.number, address));
        true
    }

    /// The rows in their order, and whether there are more.
    pub(super) fn done(self) -> (Vec<(RowPlace, Address)>, bool) {
        let falling = self.order.falling;
        let place = |(key, number, address): (Key, Option<u64>, Address)| {
            let id = if falling { !key.2 } else { key.2 };
            (RowPlace { number, id }, address)
        };
        let mut rows: Vec<_> = self.first.into_sorted_vec().into_iter().map(place).collect();
        let more = rows.len() > self.max;
        rows.truncate(self.max);
        (rows, more)
    }
}
