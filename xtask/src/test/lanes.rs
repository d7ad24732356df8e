//! Two lanes of work: one for what mostly waits (for a server, a child, a clock), one for what computes. A core that waits
//! for nothing would idle if the two kinds ran one after the other.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::thread;

/// What a piece of work mostly does, and so the lane that it is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lane {
    /// It waits for others.
    Waits,
    /// It keeps a core busy.
    Computes,
}

/// Work that has not begun, the longest of each lane first.
pub(super) struct Lanes<Job> {
    waiting: VecDeque<Job>,
    computing: VecDeque<Job>,
}

impl<Job: Send> Lanes<Job> {
    /// Puts jobs, each lane's longest first, into their lanes.
    pub(super) fn new(jobs: impl IntoIterator<Item = (Lane, Job)>) -> Self {
        let mut lanes = Self { waiting: VecDeque::new(), computing: VecDeque::new() };
        for (lane, job) in jobs {
            match lane {
                Lane::Waits => lanes.waiting.push_back(job),
                Lane::Computes => lanes.computing.push_back(job),
            }
        }
        lanes
    }

    /// The next job of a lane; of the other one when it is empty.
    fn next(&mut self, lane: Lane) -> Option<Job> {
        let (own, other) = match lane {
            Lane::Waits => (&mut self.waiting, &mut self.computing),
            Lane::Computes => (&mut self.computing, &mut self.waiting),
        };
        own.pop_front().or_else(|| other.pop_front())
    }

    /// Does all jobs, at most one per lane at a time. `ended` has one result after the other.
    pub(super) fn run<Done>(self, work: impl Fn(&Job) -> Done + Sync, ended: impl FnMut(Job, Done) + Send) {
        let (left, ended) = (Mutex::new(self), Mutex::new(ended));
        let next = |lane| left.lock().unwrap_or_else(PoisonError::into_inner).next(lane);
        thread::scope(|scope| {
            for lane in [Lane::Waits, Lane::Computes] {
                let (next, work, ended) = (&next, &work, &ended);
                scope.spawn(move || {
                    while let Some(job) = next(lane) {
                        let done = work(&job);
                        ended.lock().unwrap_or_else(PoisonError::into_inner)(job, done);
                    }
                });
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn a_lane_takes_its_own_jobs_in_order_and_then_those_of_the_other() {
        let jobs = [(Lane::Waits, "w1"), (Lane::Computes, "c1"), (Lane::Waits, "w2"), (Lane::Computes, "c2")];
        let mut lanes = Lanes::new(jobs);
        let taken: Vec<_> = std::iter::from_fn(|| lanes.next(Lane::Computes)).collect();
        assert_eq!(taken, ["c1", "c2", "w1", "w2"]);
        let mut lanes = Lanes::new(jobs);
        assert_eq!(lanes.next(Lane::Waits), Some("w1"));
    }

    #[test]
    fn two_jobs_run_side_by_side_and_never_three() {
        // Each job ends when another one is there, also where all are of one kind.
        let (meeting, at_work, most) = (Barrier::new(2), AtomicUsize::new(0), AtomicUsize::new(0));
        let mut done = Vec::new();
        Lanes::new((0..6).map(|n| (Lane::Waits, n))).run(
            |n| {
                most.fetch_max(at_work.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                meeting.wait();
                at_work.fetch_sub(1, Ordering::SeqCst);
                n * 10
            },
            |n, tenfold| done.push((n, tenfold)),
        );
        done.sort_unstable();
        assert_eq!(done, [(0, 0), (1, 10), (2, 20), (3, 30), (4, 40), (5, 50)]);
        assert_eq!(most.load(Ordering::SeqCst), 2);
    }
}
