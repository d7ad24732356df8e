//! How home timelines are pushed, and how far that is.

use buffa::{EnumValue, MessageField};
use guanxi_centers::feed::PostFanout;
use guanxi_model::{Error, FanoutMode, FanoutPolicy, Reason, Result};
use guanxi_proto::v1::{self, fanout_policy::Mode};

use super::AdminApi;
use crate::convert::{duration, milliseconds};
use crate::post::shape::optional_post;

pub(super) async fn get_fanout_status(
    api: &AdminApi,
    request: &v1::GetFanoutStatusRequestView<'_>,
) -> Result<v1::GetFanoutStatusResponse> {
    let (found, post) = api.operator.fanout_status(optional_post(request.post_id)?).await?;
    Ok(v1::GetFanoutStatusResponse {
        policy: MessageField::some(policy_shown(&found.policy)),
        covered_token: found.covered.to_token(),
        head_token: found.head.to_token(),
        behind: Some(found.head.event_count().saturating_sub(found.covered.event_count())),
        queued: Some(found.queued),
        running: found.running.iter().map(of_post).collect(),
        post: post.map_or_else(MessageField::none, |post| MessageField::some(of_post(&post))),
        inboxes: Some(found.inboxes.resident),
        active: Some(found.inboxes.active),
        entries: Some(found.inboxes.entries),
        bytes: Some(found.inboxes.bytes),
        delivered: Some(found.inboxes.delivered),
        skipped_authors: Some(found.inboxes.skips),
    })
}

fn of_post(post: &PostFanout) -> v1::PostFanout {
    v1::PostFanout {
        post_id: post.id.get(),
        author: post.author.get(),
        celebrity: post.celebrity,
        planned: Some(post.planned),
        offered: Some(post.offered),
        delivered: Some(post.delivered),
        skipped: post.skipped,
        done: post.done,
    }
}

pub(super) async fn put_fanout_policy(
    api: &AdminApi,
    request: &v1::PutFanoutPolicyRequestView<'_>,
) -> Result<v1::PutFanoutPolicyResponse> {
    let given = request.policy.as_option().ok_or(Error::new(Reason::MissingField { field: "policy" }))?;
    let wanted = parse(given)?;
    let position = api.operator.put_fanout_policy(wanted).await?;
    Ok(v1::PutFanoutPolicyResponse {
        policy: MessageField::some(policy_shown(&wanted)),
        token: position.to_token(),
    })
}

pub(super) async fn get_fanout_policy(
    api: &AdminApi,
    _request: &v1::GetFanoutPolicyRequestView<'_>,
) -> Result<v1::GetFanoutPolicyResponse> {
    let policy = api.operator.fanout_policy().await?;
    Ok(v1::GetFanoutPolicyResponse { policy: MessageField::some(policy_shown(&policy)) })
}

/// A policy as the wire has it.
pub(crate) fn policy_shown(policy: &FanoutPolicy) -> v1::FanoutPolicy {
    let mode = match policy.mode {
        FanoutMode::Pull => Mode::PULL,
        FanoutMode::Push => Mode::PUSH,
        FanoutMode::Hybrid => Mode::HYBRID,
    };
    v1::FanoutPolicy {
        mode: EnumValue::from(mode),
        celebrity_followers: Some(policy.celebrity_followers),
        active_bucket: MessageField::some(duration(policy.active_bucket_ms)),
        cold_after: MessageField::some(duration(policy.cold_after_ms)),
        inbox_cap: Some(policy.inbox_cap),
    }
}

/// A policy from the wire; what is not given has its default.
macro_rules! policy_of {
    ($given:expr) => {{
        let given = $given;
        let usual = FanoutPolicy::default();
        let bucket = given.active_bucket.as_option().map(|given| (given.seconds, given.nanos));
        let cold = given.cold_after.as_option().map(|given| (given.seconds, given.nanos));
        Ok(FanoutPolicy {
            mode: mode(given.mode)?,
            celebrity_followers: given.celebrity_followers.unwrap_or(usual.celebrity_followers),
            active_bucket_ms: milliseconds(bucket, usual.active_bucket_ms, "active_bucket")?,
            cold_after_ms: milliseconds(cold, usual.cold_after_ms, "cold_after")?,
            inbox_cap: given.inbox_cap.unwrap_or(usual.inbox_cap),
        })
    }};
}

fn parse(given: &v1::FanoutPolicyView<'_>) -> Result<FanoutPolicy> {
    policy_of!(given)
}

/// A policy as the model has it.
pub(crate) fn policy_back(given: &v1::FanoutPolicy) -> Result<FanoutPolicy> {
    policy_of!(given)
}

fn mode(given: EnumValue<Mode>) -> Result<FanoutMode> {
    match given.as_known() {
        Some(Mode::MODE_UNSPECIFIED | Mode::PULL) => Ok(FanoutMode::Pull),
        Some(Mode::PUSH) => Ok(FanoutMode::Push),
        Some(Mode::HYBRID) => Ok(FanoutMode::Hybrid),
        None => Err(Error::new(Reason::InvalidField { field: "mode" })),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_survives_the_wire() {
        let policy = FanoutPolicy {
            mode: FanoutMode::Hybrid,
            celebrity_followers: 0,
            active_bucket_ms: 1_500,
            cold_after_ms: 90_000,
            inbox_cap: 3,
        };
        assert_eq!(policy_back(&policy_shown(&policy)), Ok(policy));
        assert_eq!(policy_back(&v1::FanoutPolicy::default()), Ok(FanoutPolicy::default()));
    }
}
