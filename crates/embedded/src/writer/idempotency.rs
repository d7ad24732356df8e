//! What makes a repeated write happen once: request ids, and the positions of import jobs.

use super::plan::{Planner, Planning};
use crate::engine::{EngineError, Table};
use crate::layout::{AnswerValue, JOB, answer_key, answer_time_key, encode_number, named_key};
use guanxi_model::limits::REQUEST_ID_TTL_MS;
use guanxi_model::{Error, ImportCursor, Outcome, Reason, RequestKey, Result};
use xxhash_rust::xxh3::{xxh3_128, xxh3_128_with_seed};

/// Where the answer to a request stands: under its id, for its acting user. A uid is never 0, which is the seed of none.
fn answer_hash(request: &RequestKey) -> u128 {
    xxh3_128_with_seed(request.id.as_bytes(), request.actor.get())
}

impl Planner<'_> {
    /// The answer that was given under a request id, if it is known. Another fingerprint is the caller's mistake.
    pub(super) fn remembered(&self, request: &RequestKey) -> Planning<Result<Option<AnswerValue>>> {
        let known = match self.answer(answer_hash(request))? {
            Some(known) => Some(known),
            // Answers of older programs stand under the id alone, whoever acted; their fingerprints tell.
            None => self
                .answer(xxh3_128(request.id.as_bytes()))?
                .filter(|known| known.fingerprint == request.fingerprint),
        };
        if known.as_ref().is_some_and(|answer| answer.fingerprint != request.fingerprint) {
            return Ok(Err(Error::new(Reason::IdempotencyMismatch)));
        }
        Ok(Ok(known))
    }

    /// The answer under a hash, if it is still remembered.
    fn answer(&self, hash: u128) -> Planning<Option<AnswerValue>> {
        let known = match self.answers.get(&hash) {
            Some(answer) => Some(answer.clone()),
            None => match self.snapshot.get(Table::Records, &answer_key(hash))? {
                Some(bytes) => {
                    let damaged = || EngineError::Damaged("a remembered answer cannot be decoded".into());
                    Some(AnswerValue::decode(&bytes).ok_or_else(damaged)?)
                }
                None => None,
            },
        };
        Ok(known.filter(|answer| self.now_ms < answer.ms.saturating_add(REQUEST_ID_TTL_MS)))
    }

    /// Stores the answer to what was just planned, in the same commit.
    pub(super) fn remember(&mut self, request: &RequestKey, outcomes: Vec<Outcome>) {
        let hash = answer_hash(request);
        // The group may go on after this write; a later position of the same commit includes it.
        let seq = self.last_seq();
        let answer = AnswerValue { fingerprint: request.fingerprint, ms: self.now_ms, seq, outcomes };
        self.batch.put(Table::Records, &answer_key(hash), &answer.encode());
        self.batch.put(Table::Records, &answer_time_key(self.now_ms, hash), &[]);
        self.answers.insert(hash, answer);
    }

    /// Moves an import job on, if it stands where the batch continues from.
    pub(super) fn advance_job(&mut self, cursor: &ImportCursor) -> Planning<Result<()>> {
        let ImportCursor { job, from, to } = cursor;
        let position = match self.jobs.get(job) {
            Some(position) => *position,
            None => crate::rows::settings::import_position(&self.snapshot, job)?.unwrap_or_default(),
        };
        if position != *from {
            return Ok(Err(Error::new(Reason::ImportPositionMismatch { position })));
        }
        self.batch.put(Table::Records, &named_key(JOB, job), &encode_number(*to));
        self.jobs.insert(job.clone(), *to);
        Ok(Ok(()))
    }
}
