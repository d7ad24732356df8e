//! Answers under their request ids: relations and posts share one space of them.

use guanxi_model::limits::REQUEST_ID_TTL_MS;
use guanxi_model::post::PostAnswer;
use guanxi_model::{Error, Reason, RequestKey, Result};
use guanxi_ports::WriteAnswer;
use std::collections::BTreeMap;

/// What a write was answered.
#[derive(Clone)]
pub(super) enum Answer {
    Graph(WriteAnswer),
    Posts(PostAnswer),
}

impl From<WriteAnswer> for Answer {
    fn from(answer: WriteAnswer) -> Self {
        Self::Graph(answer)
    }
}

impl From<PostAnswer> for Answer {
    fn from(answer: PostAnswer) -> Self {
        Self::Posts(answer)
    }
}

impl TryFrom<Answer> for WriteAnswer {
    type Error = Error;

    fn try_from(answer: Answer) -> Result<Self> {
        match answer {
            Answer::Graph(answer) => Ok(answer),
            Answer::Posts(_) => Err(Error::new(Reason::IdempotencyMismatch)),
        }
    }
}

impl TryFrom<Answer> for PostAnswer {
    type Error = Error;

    fn try_from(answer: Answer) -> Result<Self> {
        match answer {
            Answer::Posts(answer) => Ok(answer),
            Answer::Graph(_) => Err(Error::new(Reason::IdempotencyMismatch)),
        }
    }
}

/// An answer under its request id.
struct Remembered {
    fingerprint: u64,
    ms: u64,
    answer: Answer,
}

/// All answers that are still remembered.
#[derive(Default)]
pub(super) struct Answers(BTreeMap<String, Remembered>);

impl Answers {
    /// The first answer under a request id. The same id for something else is a mistake of the caller.
    pub fn find(&mut self, request: &RequestKey, now_ms: u64) -> Result<Option<Answer>> {
        self.0.retain(|_, known| now_ms < known.ms.saturating_add(REQUEST_ID_TTL_MS));
        let Some(known) = self.0.get(&request.id) else { return Ok(None) };
        if known.fingerprint != request.fingerprint {
            return Err(Error::new(Reason::IdempotencyMismatch));
        }
        Ok(Some(known.answer.clone()))
    }

    pub fn remember(&mut self, request: &RequestKey, now_ms: u64, answer: Answer) {
        let known = Remembered { fingerprint: request.fingerprint, ms: now_ms, answer };
        self.0.insert(request.id.clone(), known);
    }
}
