//! What the writer does between groups: bound the journal and the log, forget old answers, note the head.

use super::Writer;
use crate::engine::{EngineError, EngineResult, RowBatch, Table};
use crate::failpoints;
use crate::layout::{
    ANSWER_TIME, FORGOTTEN_KEY, SIGNED_OUT, STATE_KEY, StateValue, answer_key, encode_number, event_at,
    log_key, parse_answer_time_key, parse_log_key, user_key,
};
use crate::options::Durability;
use guanxi_model::Uid;
use guanxi_model::limits::REQUEST_ID_TTL_MS;
use guanxi_model::stored::decode_event;
use std::ops::Bound;
use std::time::{Duration, Instant};

/// Rows that one round removes at most, so that callers never wait long for housekeeping.
const ROUND_MAX: usize = 5_000;

impl Writer {
    /// Returns how long to sleep at most.
    pub(super) fn next_wait(&self, last_housekeeping: Instant) -> Duration {
        let until_housekeeping = super::HOUSEKEEPING_EVERY.saturating_sub(last_housekeeping.elapsed());
        match (self.shared.options.durability, self.unsynced_since) {
            (Durability::Group(window), Some(since)) => {
                until_housekeeping.min(window.saturating_sub(since.elapsed()))
            }
            _ => until_housekeeping,
        }
    }

    /// In mode `group`, whether the oldest acknowledged write has waited for its window.
    pub(super) fn sync_is_due(&self) -> bool {
        match (self.shared.options.durability, self.unsynced_since) {
            (Durability::Group(window), Some(since)) => since.elapsed() >= window,
            _ => false,
        }
    }

    /// Does the housekeeping, and stops the store when it fails.
    pub(super) fn keep_house(&mut self) {
        match self.housekeeping() {
            Ok(()) => {}
            // It has only read, so what the disk holds is known; the next round goes on.
            Err(error @ EngineError::OpenFiles(_)) if self.shared.engine.check().is_ok() => {
                tracing::warn!(%error, "housekeeping waits for a file descriptor");
            }
            Err(error) => drop(self.shared.stop(&error)),
        }
    }

    fn housekeeping(&mut self) -> EngineResult<()> {
        if self.shared.check_running().is_err() {
            return Ok(());
        }
        if self.sync_is_due() {
            self.sync()?;
        }
        self.note_head()?;
        if self.shared.engine.bound_journal()? {
            failpoints::pass(failpoints::BEFORE_FLUSH);
        }
        if self.check_space().is_err() {
            return Ok(());
        }
        self.shared.gauges();
        self.forget()
    }

    /// Notes the last event in the head file; in mode `group` only once it is on the disk.
    pub(super) fn note_head(&mut self) -> EngineResult<()> {
        if self.unsynced_since.is_none() {
            self.head.note(self.state.last_seq)?;
        }
        Ok(())
    }

    /// Trims events beyond the bound on their number, in the batch that adds new ones: twice as many as it adds,
    /// so that a lowered bound is reached without a long pause. Returns the new first seq.
    pub(super) fn trim_count(&self, batch: &mut RowBatch, last_seq: u64, added: u64) -> u64 {
        let first = self.state.first_seq;
        let wanted = (last_seq + 1).saturating_sub(self.shared.options.log_events_max).max(first);
        let new_first = wanted.min(first + added * 2);
        (first..new_first).for_each(|seq| batch.remove(Table::Log, &log_key(seq)));
        new_first
    }

    /// Removes events and remembered answers that are too old.
    fn forget(&mut self) -> EngineResult<()> {
        let mut batch = self.shared.engine.batch();
        let first_seq = self.trim_age(&mut batch)?;
        self.forget_answers(&mut batch)?;
        let sign_outs = self.forget_sign_outs(&mut batch);
        if batch.is_empty() {
            return Ok(());
        }
        let trimmed = first_seq != self.state.first_seq;
        self.state = StateValue { first_seq, ..self.state };
        batch.put(Table::Records, STATE_KEY, &self.state.encode());
        self.write(batch)?;
        self.shared.signed_out.forget(&sign_outs);
        self.publish();
        if trimmed {
            failpoints::pass(failpoints::AFTER_TRIM);
        }
        Ok(())
    }

    /// Removes the oldest events up to the bound on their age, and returns the new first seq.
    fn trim_age(&self, batch: &mut RowBatch) -> EngineResult<u64> {
        let age = u64::try_from(self.shared.options.log_age_max.as_millis()).unwrap_or(u64::MAX);
        let cutoff = self.clock.now_ms().saturating_sub(age);
        let snapshot = self.shared.engine.snapshot();
        let mut first = self.state.first_seq;
        let from = log_key(first);
        for row in snapshot.range(Table::Log, Bound::Included(&from), Bound::Unbounded).take(ROUND_MAX) {
            let (key, value) = row?;
            let event = parse_log_key(&key).and_then(|seq| decode_event(event_at(seq), &value));
            let event = event.ok_or_else(|| EngineError::Damaged("an event cannot be decoded".into()))?;
            if event.version.ms() >= cutoff {
                break;
            }
            batch.remove(Table::Log, &key);
            first = event.at.seq() + 1;
        }
        Ok(first)
    }

    /// Removes sign-outs of before everything that lives was issued, and returns them. The last of them is kept for all:
    /// see [`SignedOut`](crate::signed_out::SignedOut).
    fn forget_sign_outs(&self, batch: &mut RowBatch) -> Vec<(u64, Uid)> {
        let kept = u64::try_from(self.shared.options.sign_outs_kept.as_millis()).unwrap_or(u64::MAX);
        let old = self.shared.signed_out.before(self.clock.now_ms().saturating_sub(kept), ROUND_MAX);
        if let Some((last_ms, _)) = old.last() {
            old.iter().for_each(|(_, uid)| batch.remove(Table::Records, &user_key(SIGNED_OUT, *uid)));
            batch.put(Table::Records, FORGOTTEN_KEY, &encode_number(*last_ms));
        }
        old
    }

    fn forget_answers(&self, batch: &mut RowBatch) -> EngineResult<()> {
        let cutoff = self.clock.now_ms().saturating_sub(REQUEST_ID_TTL_MS);
        let snapshot = self.shared.engine.snapshot();
        for row in snapshot.prefix(Table::Records, &[ANSWER_TIME]).take(ROUND_MAX) {
            let (key, _) = row?;
            let damaged = || EngineError::Damaged("the time of a remembered answer cannot be decoded".into());
            let (ms, hash) = parse_answer_time_key(&key).ok_or_else(damaged)?;
            if ms > cutoff {
                break;
            }
            // The id may have been used again since; then its answer has a time row of its own, and forgetting it
            // a little early would only be safe if it were old, so the newer answer is checked first.
            let answer = snapshot.get(Table::Records, &answer_key(hash))?;
            let same = answer
                .and_then(|bytes| crate::layout::AnswerValue::decode(&bytes))
                .is_some_and(|a| a.ms == ms);
            if same {
                batch.remove(Table::Records, &answer_key(hash));
            }
            batch.remove(Table::Records, &key);
        }
        Ok(())
    }
}
