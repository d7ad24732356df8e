//! The registry of the hub: a slot for each open stream, and the index from the subjects of events to slots.
//!
//! The index is made of lists. An entry is one word of four bytes: the slot, and a tag that says which interest the entry is
//! for. A list has a few thousand words at most, so one short scan of it finds the streams that an event concerns. A map from
//! users to their streams would be exact, but would cost a key, a place in a table and an allocation for each user. That is
//! most expensive where few of the open streams follow each of the followed users.
//!
//! A stream that ends leaves its entries where they are. They are swept a few at a time, as many as make up for the entries
//! that became useless. A slot is used again once no entry names it.

use super::interest::{Interest, InterestKey, LISTS, ListEntry, SLOTS_MAX};
use guanxi_model::{Error, Reason, Result};
use std::task::Waker;

/// Entries that are looked at for each that becomes useless. With two, at most about half of all are useless.
const SWEEP: usize = 2;

/// When a stream that found no slot should come back, in milliseconds.
const RETRY_AFTER_MS: u32 = 1_000;

/// A stream.
#[derive(Default)]
struct StreamSlot {
    /// It waits, and is woken by this.
    waker: Option<Waker>,
    /// Entries in lists that name it.
    entries: u32,
    /// The last failure that it was told of.
    failure: u32,
    is_live: bool,
    /// Something came that concerns it.
    is_due: bool,
    /// It stands in `waiting`.
    is_queued: bool,
}

impl StreamSlot {
    fn mark(&mut self, woken: &mut Vec<Waker>) {
        if self.is_live && !self.is_due {
            self.is_due = true;
            woken.extend(self.waker.take());
        }
    }
}

/// The open streams.
#[derive(Default)]
pub(super) struct Registry {
    slots: Vec<StreamSlot>,
    /// Slots that nothing names.
    free: Vec<u32>,
    live: usize,
    /// None before the first stream.
    lists: Vec<Vec<ListEntry>>,
    /// Slots that want every event: few, each a Watch without a filter.
    everything: Vec<u32>,
    /// The list that is swept next.
    swept: usize,
    /// Slots that waited at some time and may do so still.
    waiting: Vec<u32>,
}

impl Registry {
    /// Open streams.
    pub(super) const fn live(&self) -> usize {
        self.live
    }

    /// Bytes of the slots and of the index.
    pub(super) fn bytes(&self) -> usize {
        let lists: usize = self.lists.iter().map(Vec::capacity).sum();
        self.slots.capacity() * size_of::<StreamSlot>()
            + (self.free.capacity() + self.waiting.capacity() + self.everything.capacity()) * size_of::<u32>()
            + self.lists.capacity() * size_of::<Vec<ListEntry>>()
            + lists * size_of::<ListEntry>()
    }

    /// Adds a stream, which is due at once. `failure` is the last failure that the stream need not be told of.
    ///
    /// # Errors
    /// `OVERLOADED` when there is no slot left.
    pub(super) fn add(&mut self, interests: impl IntoIterator<Item = Interest>, failure: u32) -> Result<u32> {
        let number = self.slot()?;
        if self.lists.is_empty() {
            self.lists.resize_with(LISTS, Vec::new);
        }
        self.live += 1;
        let slot = &mut self.slots[number as usize];
        *slot = StreamSlot {
            is_live: true,
            is_due: true,
            failure,
            is_queued: slot.is_queued,
            ..StreamSlot::default()
        };
        self.enter(number, interests);
        Ok(number)
    }

    /// Lets a stream be told of more. It is due at once.
    pub(super) fn extend(&mut self, number: u32, interests: impl IntoIterator<Item = Interest>) {
        self.slots[number as usize].is_due = true;
        self.enter(number, interests);
    }

    fn enter(&mut self, number: u32, interests: impl IntoIterator<Item = Interest>) {
        let slot = &mut self.slots[number as usize];
        for interest in interests {
            if let Some(InterestKey { list, tag }) = InterestKey::of(interest) {
                let list = &mut self.lists[list];
                if list.len() == list.capacity() {
                    // A quarter more, not twice as much: lists are most of the memory.
                    list.reserve_exact(4 + list.len() / 4);
                }
                list.push(ListEntry::new(number, tag));
                slot.entries += 1;
            } else if self.everything.last() != Some(&number) {
                self.everything.push(number);
            }
        }
    }

    fn slot(&mut self) -> Result<u32> {
        if self.free.is_empty() && self.slots.len() == SLOTS_MAX {
            self.sweep(usize::MAX);
        }
        if let Some(number) = self.free.pop() {
            return Ok(number);
        }
        if self.slots.len() == SLOTS_MAX {
            let reason = Reason::Overloaded { retry_after_ms: RETRY_AFTER_MS };
            return Err(Error::with_detail(reason, "as many streams are open as one process tells of"));
        }
        self.slots.push(StreamSlot::default());
        Ok(self.slots.len() as u32 - 1)
    }

    /// Lets a stream go.
    pub(super) fn remove(&mut self, number: u32) {
        self.live -= 1;
        if self.live == 0 {
            *self = Self::default();
            return;
        }
        let slot = &mut self.slots[number as usize];
        (slot.is_live, slot.waker) = (false, None);
        self.everything.retain(|other| *other != number);
        let entries = slot.entries as usize;
        if entries == 0 {
            self.free.push(number);
        }
        self.sweep(SWEEP * entries);
    }

    /// Looks at so many entries at least, or at all, and drops those that name no stream any more.
    fn sweep(&mut self, entries: usize) {
        let mut seen = 0;
        for _ in 0..self.lists.len() {
            if seen >= entries {
                return;
            }
            let list = &mut self.lists[self.swept];
            self.swept = (self.swept + 1) % LISTS;
            seen += list.len();
            list.retain(|entry| {
                let slot = &mut self.slots[entry.slot() as usize];
                if !slot.is_live {
                    slot.entries -= 1;
                    if slot.entries == 0 {
                        self.free.push(entry.slot());
                    }
                }
                slot.is_live
            });
            if list.len() < list.capacity() / 2 {
                list.shrink_to(list.len() + list.len() / 4);
            }
        }
    }

    /// Marks the streams with an interest, and collects what wakes them.
    pub(super) fn mark(&mut self, interest: Interest, woken: &mut Vec<Waker>) {
        let Some(InterestKey { list, tag }) = InterestKey::of(interest) else { return };
        let Some(list) = self.lists.get(list) else { return };
        for entry in list.iter().filter(|entry| entry.has(tag)) {
            self.slots[entry.slot() as usize].mark(woken);
        }
    }

    /// Marks the streams that want every event.
    pub(super) fn mark_those_of_everything(&mut self, woken: &mut Vec<Waker>) {
        for number in &self.everything {
            self.slots[*number as usize].mark(woken);
        }
    }

    /// Marks every stream.
    pub(super) fn mark_all(&mut self, woken: &mut Vec<Waker>) {
        self.slots.iter_mut().for_each(|slot| slot.mark(woken));
    }

    /// Collects what wakes every stream, marking none.
    pub(super) fn wake_all(&mut self, woken: &mut Vec<Waker>) {
        woken.extend(self.slots.iter_mut().filter_map(|slot| slot.waker.take()));
    }

    /// Returns whether a stream is due.
    pub(super) fn is_due(&self, number: u32) -> bool {
        self.slots[number as usize].is_due
    }

    /// Takes the mark off a stream; whether there was one.
    pub(super) fn take_due(&mut self, number: u32) -> bool {
        std::mem::take(&mut self.slots[number as usize].is_due)
    }

    /// Returns whether a stream has not been told of a failure; it has now.
    pub(super) fn take_failure(&mut self, number: u32, failure: u32) -> bool {
        std::mem::replace(&mut self.slots[number as usize].failure, failure) != failure
    }

    /// A stream waits.
    pub(super) fn wait(&mut self, number: u32, waker: &Waker) {
        let slot = &mut self.slots[number as usize];
        match &mut slot.waker {
            Some(known) => known.clone_from(waker),
            none => *none = Some(waker.clone()),
        }
        if !slot.is_queued {
            slot.is_queued = true;
            self.waiting.push(number);
        }
    }

    /// A stream waits no longer.
    pub(super) fn leave(&mut self, number: u32) {
        self.slots[number as usize].waker = None;
    }

    /// Returns the waker of one of the streams that wait.
    pub(super) fn wake_one(&mut self) -> Option<Waker> {
        while let Some(number) = self.waiting.pop() {
            let slot = &mut self.slots[number as usize];
            slot.is_queued = false;
            if let Some(waker) = slot.waker.take() {
                return Some(waker);
            }
        }
        None
    }
}
