//! The fair queue of the fan-out: a small author is never stuck behind celebrities, however many they are.
//!
//! Items that have not begun go first, for most items are done with their first chunk. Items that go on take turns among
//! themselves, and get every fourth chunk while new items come.

use super::task::Task;
use std::collections::VecDeque;

/// Items that have not begun. The log is not read beyond, which holds only for as long as it takes to offer a first
/// chunk of each.
const NEW_MAX: usize = 4_096;

/// The most items that go on at once. Readers pull one more. So running items cause at most so many skips, well below what
/// inboxes keep.
const RUNNING_MAX: usize = 512;

const _: () = assert!(RUNNING_MAX < guanxi_ports::SKIPS_MAX);

/// New items that are begun before one that goes on has a turn.
const NEW_RUN: u32 = 3;

/// Items on their way.
#[derive(Default)]
pub(super) struct Queue {
    new: VecDeque<Task>,
    running: VecDeque<Task>,
    /// New items begun since one that goes on had its turn.
    new_run: u32,
}

impl Queue {
    pub(super) fn push(&mut self, task: Task) {
        self.new.push_back(task);
    }

    /// Takes an item back that is not done with its chunk.
    pub(super) fn carry_on(&mut self, task: Task) {
        self.running.push_back(task);
    }

    pub(super) fn next(&mut self) -> Option<Task> {
        if self.new_run < NEW_RUN
            && let Some(task) = self.new.pop_front()
        {
            self.new_run += 1;
            return Some(task);
        }
        self.new_run = 0;
        self.running.pop_front().or_else(|| self.new.pop_front())
    }

    /// Returns whether more events may be read.
    pub(super) fn has_room(&self) -> bool {
        self.new.len() < NEW_MAX
    }

    /// Returns whether no more items may go on.
    pub(super) fn is_full(&self) -> bool {
        self.running.len() >= RUNNING_MAX
    }

    pub(super) fn len(&self) -> usize {
        self.new.len() + self.running.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use guanxi_model::{EventAt, LogId, PostId, Uid};

    fn task(seq: u64) -> Task {
        Task::new(EventAt::new(LogId(0), seq), 0, PostId::MIN, Uid::MIN)
    }

    #[test]
    fn a_new_item_waits_for_few_that_go_on_however_many_there_are() {
        let mut queue = Queue::default();
        (0..RUNNING_MAX as u64).for_each(|seq| queue.carry_on(task(seq)));
        assert!(queue.is_full() && queue.has_room());
        for seq in 1_000..1_100 {
            queue.push(task(seq));
            let waited = (0..200).take_while(|_| {
                let next = queue.next().unwrap();
                let is_new = next.at.seq() == seq;
                if !is_new {
                    queue.carry_on(next);
                }
                !is_new
            });
            assert!(waited.count() <= 1, "item {seq}");
        }
    }

    #[test]
    fn what_goes_on_is_not_starved_by_what_comes() {
        let mut queue = Queue::default();
        queue.carry_on(task(7));
        (100..200).for_each(|seq| queue.push(task(seq)));
        let before = (0..200).take_while(|_| queue.next().unwrap().at.seq() != 7).count();
        assert_eq!(before, NEW_RUN as usize);
    }
}
