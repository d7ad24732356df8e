//! What was answered under request ids, and where imports stand.

use super::{NotFetched, Rows};
use guanxi_model::plan::{Remembered, RequestRows};
use guanxi_model::{Gene, LogId, LogMark, Logs, Outcome, Position, RequestId, RequestKey, Uid};

/// The shard in which something was answered, to whom, and under which request id.
pub type AnswerKey = (Gene, Uid, RequestId);

/// A row of answers, and whether the batch has changed it.
#[derive(Clone, Debug, Default)]
pub(super) struct AnswerRow {
    /// What was answered, if anything was.
    pub answer: Option<Remembered>,
    /// Whether the batch put it there.
    pub is_changed: bool,
}

impl Rows {
    /// Returns where the shard in which a write was planned stands after it.
    pub fn written(&self, home: Gene) -> Position {
        self.answered_at(home, self.shards.seq(home), [])
    }

    /// Returns where an answer stands: at an event of its shard, and of the others that it names. Settings have no log, so
    /// that it names no place.
    pub fn answered_at(
        &self,
        home: Gene,
        seq: u64,
        others: impl IntoIterator<Item = (LogId, LogMark)>,
    ) -> Position {
        let own = (Logs::PerGene.of_gene(home), LogMark { seen: seq, acted: seq });
        let own = Some(own).filter(|_| !self.settings.are_here());
        Position::sparse(self.terms.history, others.into_iter().chain(own))
    }

    /// Says that an answer was fetched, which is absent until [`found_answer`](Self::found_answer) says otherwise.
    pub fn fetched_answer(&mut self, key: AnswerKey) {
        self.answers.entry(key).or_default();
    }

    /// Says what was answered under a request id.
    pub fn found_answer(&mut self, key: AnswerKey, answer: Remembered) {
        self.answers.insert(key, AnswerRow { answer: Some(answer), is_changed: false });
    }

    /// Forgets what was answered under a request id in this batch: what it comes to is not known yet.
    pub fn forget(&mut self, request: &RequestKey) {
        let key = (self.home, request.actor, request.id.clone());
        self.answers.insert(key, AnswerRow::default());
    }

    /// The answers that the batch gives.
    pub fn new_answers(&self) -> impl Iterator<Item = (&AnswerKey, &Remembered)> {
        let new = self.answers.iter().filter(|(_, row)| row.is_changed);
        new.filter_map(|(key, row)| Some((key, row.answer.as_ref()?)))
    }
}

impl Rows {
    /// Says that what was answered under a request id stands at a position, in the shards of both users.
    pub fn seal(&mut self, request: &RequestKey, position: &Position) {
        let key = (self.home, request.actor, request.id.clone());
        if let Some(row) = self.answers.get_mut(&key)
            && let Some(answer) = &mut row.answer
        {
            answer.position = position.clone();
            row.is_changed = true;
        }
    }
}

impl RequestRows for Rows {
    fn remembered(&mut self, request: &RequestKey) -> Result<Option<Remembered>, NotFetched> {
        let key = (self.home, request.actor, request.id.clone());
        let row = self.answers.get(&key).ok_or_else(|| NotFetched(format!("{key:?}")))?;
        Ok(row.answer.clone())
    }

    fn remember(&mut self, request: &RequestKey, now_ms: u64, outcomes: &[Outcome]) {
        let key = (self.home, request.actor, request.id.clone());
        let (fingerprint, position) = (request.fingerprint, self.written(self.home));
        let answer = Remembered { fingerprint, ms: now_ms, position, outcomes: outcomes.to_vec() };
        self.answers.insert(key, AnswerRow { answer: Some(answer), is_changed: true });
    }

    /// The state of imports lies in the first database, which the writer has asked.
    fn job(&mut self, _job: &str) -> Result<u64, NotFetched> {
        Ok(0)
    }

    fn put_job(&mut self, _job: &str, _position: u64) {}
}
