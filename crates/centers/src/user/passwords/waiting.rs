//! The passwords that wait to be hashed: those of familiar users and of strangers, each in a queue of their own.

use super::hasher::Hasher;
use std::collections::VecDeque;

/// After so many milliseconds without a hash, a prompt thread takes a job of a queue in which many wait. By then calls leave
/// the patient thread nothing of the cores, and logins would stop. While the patient thread gets on, a prompt thread takes
/// none. A thread that has slept is owed time, and a system may let it run for a few milliseconds before a call that wakes.
pub(super) const STARVED_MS: u64 = 250;

/// Of how many hashes the mean time between two is.
const PACE_OF: u64 = 8;

/// The users whose passwords wait together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PasswordQueue {
    /// Users with a session, and users that log in from a network from which they came within a day.
    Familiar,
    /// All others: any client on earth can fill this one.
    #[default]
    Strangers,
}

/// Work with a hasher, or the answer that there is no time for it.
pub(super) type Run = Box<dyn FnOnce(&mut Hasher, Timely) + Send>;

/// One hash that is asked for.
pub(super) struct HashJob {
    /// When it was, in Unix milliseconds.
    pub queued_ms: u64,
    /// When no caller waits for it any more.
    pub until_ms: Option<u64>,
    /// The work of the job.
    pub run: Run,
}

/// Whether there is time for a hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Timely {
    /// It can be done before its deadline.
    Yes,
    /// Its answer would come too late.
    No,
}

/// The jobs of one queue.
#[derive(Default)]
pub(super) struct HashQueue {
    jobs: VecDeque<HashJob>,
    /// When one was last taken.
    taken_ms: u64,
    /// When the wait for the next one began: at the last one, or when the first one came.
    since_ms: u64,
    /// The mean time from one to the next while any wait, times [`PACE_OF`].
    pace: u64,
}

impl HashQueue {
    pub(super) fn len(&self) -> usize {
        self.jobs.len()
    }

    /// Returns whether a job that comes now is reached before a time, by how fast the last ones went.
    pub(super) fn reaches(&self, now_ms: u64, until_ms: Option<u64>) -> bool {
        let waits_ms = (self.jobs.len() as u64).saturating_mul(self.pace) / PACE_OF;
        until_ms.is_none_or(|until_ms| now_ms.saturating_add(waits_ms) <= until_ms)
    }

    fn push(&mut self, job: HashJob) {
        if self.jobs.is_empty() {
            self.since_ms = job.queued_ms;
        }
        self.jobs.push_back(job);
    }

    fn take(&mut self, now_ms: u64) -> Option<HashJob> {
        let job = self.jobs.pop_front()?;
        // A password for which no caller waits any more is not hashed, and says nothing of how fast hashing is.
        if job.until_ms.is_some_and(|until_ms| until_ms < now_ms) {
            return Some(job);
        }
        let took_ms = now_ms.saturating_sub(self.since_ms);
        self.pace = (self.pace - self.pace / PACE_OF).saturating_add(took_ms);
        (self.taken_ms, self.since_ms) = (now_ms, now_ms);
        Some(job)
    }

    /// Returns whether a prompt thread takes one: while few wait, or when they are starved.
    fn is_for_prompt(&self, now_ms: u64, few: usize) -> bool {
        self.len() > 0 && (self.len() <= few || self.patience_ms(now_ms) == 0)
    }

    /// In how many milliseconds it counts as starved.
    fn patience_ms(&self, now_ms: u64) -> u64 {
        // The clock may have been set back.
        (self.taken_ms + STARVED_MS).saturating_sub(now_ms).min(STARVED_MS)
    }
}

/// The next act of a thread.
pub(super) enum Next {
    /// This.
    Do(HashJob),
    /// Look again in so many milliseconds, or when something comes.
    Look(u64),
    /// Rest until something comes.
    Rest,
}

/// The waiting jobs, and whether any handle is left that can ask for more.
#[derive(Default)]
pub(super) struct Waiting {
    familiar: HashQueue,
    strangers: HashQueue,
    /// The queue that was served last: where both wait, each has every second turn.
    last: PasswordQueue,
    /// Whether no handle is left.
    pub closed: bool,
}

impl Waiting {
    pub(super) const fn line(&self, of: PasswordQueue) -> &HashQueue {
        match of {
            PasswordQueue::Familiar => &self.familiar,
            PasswordQueue::Strangers => &self.strangers,
        }
    }

    /// Puts a job at the end of a queue. Returns how many wait there.
    pub(super) fn push(&mut self, of: PasswordQueue, job: HashJob) -> usize {
        let line = self.line_mut(of);
        line.push(job);
        line.len()
    }

    /// Returns the next act of a prompt thread: it takes a job from a queue that is short or starved. A flood is not its
    /// work, not even one of familiar users: a thread that hashes without a pause makes calls wait for the cores.
    pub(super) fn prompt(&mut self, now_ms: u64, few: usize) -> Next {
        let [familiar, strangers] =
            [&self.familiar, &self.strangers].map(|line| line.is_for_prompt(now_ms, few));
        if let Some(of) = self.turn(familiar, strangers) {
            return self.take(of, now_ms);
        }
        let lines = [&self.familiar, &self.strangers].into_iter().filter(|line| line.len() > 0);
        lines.map(|line| line.patience_ms(now_ms)).min().map_or(Next::Rest, Next::Look)
    }

    /// Returns whether a queue has few jobs, which a prompt thread takes.
    pub(super) fn has_few(&self, few: usize) -> bool {
        [&self.familiar, &self.strangers].iter().any(|line| (1..=few).contains(&line.len()))
    }

    /// Returns the next act of the patient thread: it takes a job of a queue in which too many wait.
    pub(super) fn patient(&mut self, now_ms: u64, few: usize) -> Next {
        match self.turn(self.familiar.len() > few, self.strangers.len() > few) {
            Some(of) => self.take(of, now_ms),
            None => Next::Rest,
        }
    }

    fn turn(&self, familiar: bool, strangers: bool) -> Option<PasswordQueue> {
        match (familiar, strangers, self.last) {
            (true, false, _) | (true, true, PasswordQueue::Strangers) => Some(PasswordQueue::Familiar),
            (false, true, _) | (true, true, PasswordQueue::Familiar) => Some(PasswordQueue::Strangers),
            (false, false, _) => None,
        }
    }

    fn take(&mut self, of: PasswordQueue, now_ms: u64) -> Next {
        self.last = of;
        self.line_mut(of).take(now_ms).map_or(Next::Rest, Next::Do)
    }

    const fn line_mut(&mut self, of: PasswordQueue) -> &mut HashQueue {
        match of {
            PasswordQueue::Familiar => &mut self.familiar,
            PasswordQueue::Strangers => &mut self.strangers,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use PasswordQueue::{Familiar, Strangers};

    fn job(queued_ms: u64) -> HashJob {
        HashJob { queued_ms, until_ms: None, run: Box::new(|_, _| ()) }
    }

    /// Which queue a prompt thread takes from, as long as it takes something.
    fn turns(waiting: &mut Waiting, now_ms: u64) -> Vec<PasswordQueue> {
        std::iter::from_fn(|| matches!(waiting.prompt(now_ms, 4), Next::Do(_)).then_some(waiting.last))
            .collect()
    }

    #[test]
    fn the_familiar_have_half_of_the_turns_beside_few_strangers_and_all_beside_many() {
        let mut waiting = Waiting::default();
        for _ in 0..3 {
            waiting.push(Strangers, job(1_000));
            waiting.push(Familiar, job(1_000));
        }
        let by_turns = [Familiar, Strangers, Familiar, Strangers, Familiar, Strangers];
        assert_eq!(turns(&mut waiting, 1_000), by_turns);
        for _ in 0..20 {
            waiting.push(Strangers, job(1_010));
        }
        for _ in 0..3 {
            waiting.push(Familiar, job(1_010));
        }
        assert_eq!(turns(&mut waiting, 1_010), [Familiar; 3]);
        assert!(matches!(waiting.prompt(1_010, 4), Next::Look(240)));
        assert_eq!(turns(&mut waiting, 1_250), [Strangers], "one that is starved");
    }

    #[test]
    fn a_flood_of_familiar_users_is_no_work_for_a_prompt_thread() {
        let mut waiting = Waiting::default();
        for _ in 0..20 {
            waiting.push(Familiar, job(1_000));
        }
        assert!(matches!(waiting.patient(1_000, 4), Next::Do(_)));
        assert!(matches!(waiting.prompt(1_010, 4), Next::Look(240)));
        waiting.push(Strangers, job(1_010));
        assert_eq!(turns(&mut waiting, 1_010), [Strangers], "one of few");
        assert_eq!(turns(&mut waiting, 1_250), [Familiar], "one that is starved");
    }

    #[test]
    fn the_patient_thread_takes_what_is_too_many_of_both_by_turns() {
        let mut waiting = Waiting::default();
        for _ in 0..6 {
            waiting.push(Strangers, job(1));
            waiting.push(Familiar, job(1));
        }
        let mut taken = Vec::new();
        while let Next::Do(_) = waiting.patient(1, 4) {
            taken.push(waiting.last);
        }
        assert_eq!(taken, [Familiar, Strangers, Familiar, Strangers]);
    }

    #[test]
    fn what_is_skipped_says_nothing_of_the_pace() {
        let mut waiting = Waiting::default();
        for n in 0..64 {
            let now_ms = n * 500;
            waiting.push(Familiar, job(now_ms));
            for _ in 0..10 {
                waiting.push(Familiar, HashJob { until_ms: Some(now_ms), ..job(now_ms) });
            }
            while let Next::Do(_) = waiting.prompt(now_ms + 500, 4) {}
        }
        for _ in 0..10 {
            waiting.push(Familiar, job(32_000));
        }
        assert!(!waiting.line(Familiar).reaches(32_000, Some(34_000)), "ten of half a second are before it");
    }

    #[test]
    fn what_is_not_reached_in_time_is_foreseen_by_the_pace_of_the_last_ones() {
        let mut waiting = Waiting::default();
        for n in 0..64 {
            waiting.push(Familiar, job(n * 100));
            assert!(matches!(waiting.prompt(n * 100 + 50, 4), Next::Do(_)));
        }
        for _ in 0..10 {
            waiting.push(Familiar, job(10_000));
        }
        let line = waiting.line(Familiar);
        assert!(line.reaches(10_000, Some(10_501)) && line.reaches(10_000, None));
        assert!(!line.reaches(10_000, Some(10_400)), "ten of 50 ms are before it");
        assert!(waiting.line(Strangers).reaches(10_000, Some(10_000)), "nobody is before it");
    }
}
