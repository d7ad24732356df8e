//! What makes a repeated write happen once: request ids, and the positions of import jobs.

use super::plan::{Planner, Planning};
use crate::engine::{EngineError, Table};
use crate::layout::{AnswerValue, JOB, Outcomes, answer_key, answer_time_key, encode_number, named_key};
use guanxi_model::limits::{JOB_NAME_LEN_MAX, REQUEST_ID_TTL_MS};
use guanxi_model::{Error, ImportCursor, Reason, RequestKey, Result};
use xxhash_rust::xxh3::xxh3_128;

impl Planner<'_> {
    /// The answer that was given under a request id, if it is known. Another fingerprint is the caller's mistake.
    pub(super) fn remembered(&self, request: &RequestKey) -> Planning<Result<Option<AnswerValue>>> {
        let hash = xxh3_128(request.id.as_bytes());
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
        let known = known.filter(|answer| self.now_ms < answer.ms.saturating_add(REQUEST_ID_TTL_MS));
        if known.as_ref().is_some_and(|answer| answer.fingerprint != request.fingerprint) {
            return Ok(Err(Error::new(Reason::IdempotencyMismatch)));
        }
        Ok(Ok(known))
    }

    /// Stores the answer to what was just planned, in the same commit.
    pub(super) fn remember(&mut self, request: &RequestKey, outcomes: Outcomes) {
        let hash = xxh3_128(request.id.as_bytes());
        // The group may go on after this write; a later position of the same commit includes it.
        let seq = self.last_seq();
        let answer = AnswerValue { fingerprint: request.fingerprint, ms: self.now_ms, seq, outcomes };
        self.batch.put(Table::Records, &answer_key(hash), &answer.encode());
        self.batch.put(Table::Records, &answer_time_key(self.now_ms, hash), &[]);
        self.answers.insert(hash, answer);
    }

    /// Moves an import job on, if it stands where the batch continues from.
    pub(super) fn advance_job(&mut self, mark: Option<ImportCursor>) -> Planning<Result<()>> {
        let Some(ImportCursor { job, from, to }) = mark else { return Ok(Ok(())) };
        if job.len() > JOB_NAME_LEN_MAX as usize {
            return Ok(Err(Error::new(Reason::TooLong { field: "job", limit: JOB_NAME_LEN_MAX })));
        }
        let position = match self.jobs.get(&job) {
            Some(position) => *position,
            None => crate::rows::settings::import_position(&self.snapshot, &job)?.unwrap_or_default(),
        };
        if position != from {
            return Ok(Err(Error::new(Reason::ImportPositionMismatch { position })));
        }
        self.batch.put(Table::Records, &named_key(JOB, &job), &encode_number(to));
        self.jobs.insert(job, to);
        Ok(Ok(()))
    }
}
