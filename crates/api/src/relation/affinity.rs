//! Affinity: what services record, and what they alone may read.

use buffa::EnumValue;
use guanxi_centers::affinity::{AffinityCenter, Interaction};
use guanxi_model::affinity::InteractionKind;
use guanxi_model::limits::{INTERACTION_COUNT_MAX, INTERACTIONS_MAX, PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX};
use guanxi_model::{Error, Reason, RequestKey, Result};
use guanxi_proto::v1::{self, interaction::Kind};
use guanxi_rim::Caller;

use crate::convert::{at_least, required, stamp};
use crate::request::request_key;

pub(super) async fn record_interactions(
    center: &AffinityCenter,
    caller: &Caller,
    request: &v1::RecordInteractionsRequestView<'_>,
) -> Result<v1::RecordInteractionsResponse> {
    if request.interactions.is_empty() {
        return Err(Error::new(Reason::MissingField { field: "interactions" }));
    }
    if request.interactions.len() > INTERACTIONS_MAX as usize {
        return Err(Error::new(Reason::BatchTooLarge { limit: INTERACTIONS_MAX }));
    }
    let interactions = request.interactions.iter().map(interaction).collect::<Result<Vec<_>>>()?;
    caller.pay_for_batch(interactions.len())?;
    let key = key(caller, &interactions, request.request_id)?;
    let (subjects, position) = center.record(&interactions, key).await?;
    Ok(v1::RecordInteractionsResponse { subjects, token: position.to_token() })
}

pub(super) async fn list_top_affinity(
    center: &AffinityCenter,
    _caller: &Caller,
    request: &v1::ListTopAffinityRequestView<'_>,
) -> Result<v1::ListTopAffinityResponse> {
    let uid = required(request.uid, "uid")?;
    let size = match u32::try_from(request.page_size) {
        Ok(0) => PAGE_SIZE_DEFAULT,
        Ok(size) if size <= PAGE_SIZE_MAX => size,
        _ => return Err(Error::new(Reason::PageTooLarge { limit: PAGE_SIZE_MAX })),
    };
    let top = center.top(uid, size as usize, at_least(request.token)?).await?;
    let item = |(uid, score): &(guanxi_model::Uid, f64)| v1::AffinityItem { uid: uid.get(), score: *score };
    Ok(v1::ListTopAffinityResponse {
        items: top.items.iter().map(item).collect(),
        token: top.position.to_token(),
    })
}

fn interaction(asked: &v1::InteractionView<'_>) -> Result<Interaction> {
    let invalid = |field| Error::new(Reason::InvalidField { field });
    let at_ms = match asked.time.as_option() {
        None => None,
        Some(time) => {
            let whole = buffa_types::google::protobuf::Timestamp {
                seconds: time.seconds,
                nanos: time.nanos - time.nanos % 1_000_000,
                ..Default::default()
            };
            Some(stamp(&whole).ok_or_else(|| invalid("time"))?.ms())
        }
    };
    if asked.count > INTERACTION_COUNT_MAX {
        return Err(invalid("count"));
    }
    Ok(Interaction {
        subject: required(asked.subject, "subject")?,
        object: required(asked.object, "object")?,
        kind: kind(asked.kind)?,
        count: asked.count.max(1),
        at_ms,
    })
}

fn kind(asked: EnumValue<Kind>) -> Result<InteractionKind> {
    match asked.as_known() {
        Some(Kind::VISIT) => Ok(InteractionKind::Visit),
        Some(Kind::MESSAGE) => Ok(InteractionKind::Message),
        Some(Kind::LIKE) => Ok(InteractionKind::Like),
        Some(Kind::REPLY) => Ok(InteractionKind::Reply),
        Some(Kind::REPOST) => Ok(InteractionKind::Repost),
        Some(Kind::KIND_UNSPECIFIED) => Err(Error::new(Reason::MissingField { field: "kind" })),
        None => Err(Error::new(Reason::InvalidField { field: "kind" })),
    }
}

/// The idempotency key: of the first subject, in whose shard the answer is remembered.
fn key(caller: &Caller, interactions: &[Interaction], id: &str) -> Result<Option<RequestKey>> {
    let Some(first) = interactions.first() else { return Ok(None) };
    request_key(caller, first.subject, id, |hash| {
        hash.name("interactions");
        for Interaction { subject, object, kind, count, at_ms } in interactions {
            let at_ms = at_ms.map_or(0, |at_ms| at_ms + 1);
            hash.number(subject.get()).number(object.get()).number(*kind as u64);
            hash.number((*count).into()).number(at_ms);
        }
    })
}
