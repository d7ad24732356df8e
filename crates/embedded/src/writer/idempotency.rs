//! What makes a repeated write happen once: request ids, and the positions of import jobs.

use super::changes::PlanRows;
use crate::engine::{EngineError, EngineResult, Table};
use crate::layout::{AnswerValue, JOB, answer_hash, answer_key, answer_time_key, encode_number, named_key};
use guanxi_model::limits::REQUEST_ID_TTL_MS;
use guanxi_model::plan::{Remembered, RequestRows};
use guanxi_model::{Outcome, RequestKey};

impl PlanRows<'_> {
    /// The answer under a hash, if it is still remembered.
    fn answer(&self, hash: u128) -> EngineResult<Option<AnswerValue>> {
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
}

impl RequestRows for PlanRows<'_> {
    /// The answer that was given under a request id, if it is still remembered.
    fn remembered(&mut self, request: &RequestKey) -> EngineResult<Option<Remembered>> {
        let known = self.answer(answer_hash(request.actor, &request.id.stored()))?;
        Ok(known.map(|AnswerValue { fingerprint, ms, seq, outcomes }| Remembered {
            fingerprint,
            ms,
            position: self.shared.position(seq),
            outcomes,
        }))
    }

    /// Stores the answer to what was just planned, in the same commit.
    fn remember(&mut self, request: &RequestKey, now_ms: u64, outcomes: &[Outcome]) {
        let hash = answer_hash(request.actor, &request.id.stored());
        // The group may go on after this write; a later position of the same commit includes it.
        let seq = self.last_seq();
        let answer =
            AnswerValue { fingerprint: request.fingerprint, ms: now_ms, seq, outcomes: outcomes.to_vec() };
        self.batch.put(Table::Records, &answer_key(hash), &answer.encode());
        self.batch.put(Table::Records, &answer_time_key(now_ms, hash), &[]);
        self.answers.insert(hash, answer);
    }

    /// Returns where an import job stands.
    fn job(&mut self, job: &str) -> EngineResult<u64> {
        Ok(match self.jobs.get(job) {
            Some(position) => *position,
            None => crate::rows::settings::import_position(&self.snapshot, job)?.unwrap_or_default(),
        })
    }

    /// Moves an import job on.
    fn put_job(&mut self, job: &str, position: u64) {
        self.batch.put(Table::Records, &named_key(JOB, job), &encode_number(position));
        self.jobs.insert(job.to_owned(), position);
    }
}
