//! Writes of the relation center.

use super::RelationCenter;
use crate::Viewer;
use guanxi_model::limits::BATCH_MAX;
use guanxi_model::{
    Command, Error, Op, PairCommand, PairOutcome, Position, Reason, Relation, RequestKey, Result, Uid, Write,
    check_request_id,
};

/// The answer to a write of one pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The user on whom the operation is.
    pub object: Uid,
    /// Whether state changed.
    pub changed: bool,
    /// The relation of subject to object afterwards.
    pub relation: Relation,
    /// A read at this position sees the write.
    pub position: Position,
}

/// The answer to a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchWritten {
    /// Each object with its outcome, in order.
    pub outcomes: Vec<(Uid, PairOutcome)>,
    /// A read at this position sees the batch.
    pub position: Position,
}

impl RelationCenter {
    /// Does one operation of `subject` on `object`, and tells of it what the viewer may know.
    ///
    /// # Errors
    /// The pair's refusal (`SELF`, `BLOCKED` or `NOT_ALLOWED`, `LIMIT_REACHED`) or a whole-request error of the store.
    pub async fn act(
        &self,
        viewer: Viewer,
        op: Op,
        subject: Uid,
        object: Uid,
        request: Option<RequestKey>,
    ) -> Result<Written> {
        self.one(viewer, (subject, object), PairCommand { op, subject, object }.into(), request).await
    }

    /// Does one command about a pair, and tells of it what the viewer may know.
    pub(super) async fn one(
        &self,
        viewer: Viewer,
        (subject, object): (Uid, Uid),
        command: Command,
        request: Option<RequestKey>,
    ) -> Result<Written> {
        check_request(request.as_ref())?;
        let answer = self.store.apply(Write::of(command).under(request)).await?;
        let position = answer.position.clone();
        let PairOutcome { result, relation } = viewer.outcome(subject, answer.pair()?);
        Ok(Written { object, changed: result.map_err(Error::new)?, relation, position })
    }

    /// Does one operation of `subject` on many users, in order; each has its own outcome, as far as the viewer may know it.
    ///
    /// # Errors
    /// `BATCH_TOO_LARGE`, or a whole-request error of the store.
    pub async fn act_on_many(
        &self,
        viewer: Viewer,
        op: Op,
        subject: Uid,
        objects: &[Uid],
        request: Option<RequestKey>,
    ) -> Result<BatchWritten> {
        check_request(request.as_ref())?;
        check_batch(objects.len())?;
        let commands = objects.iter().map(|&object| PairCommand { op, subject, object });
        let answer = self.store.apply(Write::all(commands).under(request)).await?;
        let position = answer.position.clone();
        let outcomes = answer.pairs().into_iter().map(|outcome| viewer.outcome(subject, outcome));
        Ok(BatchWritten { outcomes: objects.iter().copied().zip(outcomes).collect(), position })
    }
}

/// Refuses a batch beyond [`BATCH_MAX`].
pub(crate) fn check_batch(len: usize) -> Result<()> {
    if len > BATCH_MAX as usize {
        return Err(Error::new(Reason::BatchTooLarge { limit: BATCH_MAX }));
    }
    Ok(())
}

pub(crate) fn check_request(request: Option<&RequestKey>) -> Result<()> {
    request.map_or(Ok(()), |request| check_request_id(&request.id.text))
}
