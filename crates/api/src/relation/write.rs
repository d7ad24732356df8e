//! Writes: checks, and the idempotency key. The center decides which callers are told the reason of a refusal.
//!
//! A write is one commit of the graph. It is whole or absent even if the future that asked for it is dropped. So nothing is
//! lost when a client goes away, or its deadline passes, in the middle of a handler.

use buffa::MessageField;
use guanxi_centers::relation::{BatchWritten, Written};
use guanxi_model::limits::BATCH_MAX;
use guanxi_model::{Op, PairOutcome, RequestKey, Result, Uid};
use guanxi_proto::v1;
use guanxi_rim::Caller;

use super::RelationApi;
use crate::convert::{relation, required, required_list};
use crate::item_errors::item_error;
use crate::request::{Fingerprint, request_key};

impl RelationApi {
    /// Does one operation on one pair.
    pub(super) async fn act(
        &self,
        caller: &Caller,
        op: Op,
        subject: u64,
        object: u64,
        request_id: &str,
    ) -> Result<Written> {
        let subject = caller.uid(subject, "subject")?;
        let object = required(object, "object")?;
        let request = pair_key(caller, request_id, op, subject, &[object], |_| {})?;
        if op == Op::Follow {
            caller.pay_for_asking(&[object])?;
        }
        self.center.act(caller.viewer(), op, subject, object, request).await
    }

    /// Does one operation on many pairs.
    pub(super) async fn act_on_many(
        &self,
        caller: &Caller,
        op: Op,
        subject: u64,
        objects: &[u64],
        request_id: &str,
    ) -> Result<BatchWritten> {
        let subject = caller.uid(subject, "subject")?;
        let objects = required_list(objects, "objects", BATCH_MAX)?;
        caller.pay_for_batch(objects.len())?;
        if op == Op::Follow {
            caller.pay_for_asking(&objects)?;
        }
        let key = pair_key(caller, request_id, op, subject, &objects, |_| {})?;
        self.center.act_on_many(caller.viewer(), op, subject, &objects, key).await
    }
}

/// The response to an operation on one pair. All of them have these three fields.
macro_rules! pair_response {
    ($response:ident, $written:expr) => {{
        let written: guanxi_centers::relation::Written = $written;
        v1::$response {
            changed: Some(written.changed),
            relation: buffa::MessageField::some(crate::convert::relation(written.object, &written.relation)),
            token: written.position.to_token(),
        }
    }};
}

pub(super) use pair_response;

/// The outcome of an operation on one of many.
pub(super) fn item((object, outcome): &(Uid, PairOutcome)) -> v1::FollowOutcome {
    let refused = outcome.result.as_ref().err();
    v1::FollowOutcome {
        uid: object.get(),
        changed: Some(outcome.result == Ok(true)),
        relation: MessageField::some(relation(*object, &outcome.relation)),
        error: refused.map_or_else(MessageField::none, |reason| MessageField::some(item_error(reason))),
    }
}

/// The key of operations on pairs, with what they are asked with besides.
pub(super) fn pair_key(
    caller: &Caller,
    id: &str,
    op: Op,
    subject: Uid,
    objects: &[Uid],
    more: impl FnOnce(&mut Fingerprint),
) -> Result<Option<RequestKey>> {
    request_key(caller, subject, id, |hash| {
        hash.name(op.name()).number(subject.get());
        for object in objects {
            hash.number(object.get());
        }
        more(hash);
    })
}
