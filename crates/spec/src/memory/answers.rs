//! Answers under their request ids.

use guanxi_model::limits::REQUEST_ID_TTL_MS;
use guanxi_model::{Error, Reason, RequestId, RequestKey, Result, Uid};
use guanxi_ports::Applied;
use std::collections::BTreeMap;

/// An answer under its request id.
struct Remembered {
    fingerprint: u64,
    ms: u64,
    answer: Applied,
}

/// All answers that are still remembered, by acting user and id.
#[derive(Default)]
pub(super) struct KnownAnswers(BTreeMap<(Uid, RequestId), Remembered>);

impl KnownAnswers {
    /// The first answer under a request id. The same id for something else is a mistake of the caller. Whether it is
    /// still remembered is asked of the time of the call alone: a clock that jumps ahead and back forgets nothing.
    pub(super) fn find(&self, request: &RequestKey, now_ms: u64) -> Result<Option<Applied>> {
        let known = self.0.get(&(request.actor, request.id.clone()));
        let is_remembered = |known: &&Remembered| now_ms < known.ms.saturating_add(REQUEST_ID_TTL_MS);
        let Some(known) = known.filter(is_remembered) else { return Ok(None) };
        if known.fingerprint != request.fingerprint {
            return Err(Error::new(Reason::IdempotencyMismatch));
        }
        Ok(Some(known.answer.clone()))
    }

    pub(super) fn remember(&mut self, request: &RequestKey, now_ms: u64, answer: Applied) {
        let known = Remembered { fingerprint: request.fingerprint, ms: now_ms, answer };
        self.0.insert((request.actor, request.id.clone()), known);
    }
}
