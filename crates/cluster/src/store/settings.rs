//! What operators set for the whole cluster: rows of the first database.

use super::ClusterCore;
use super::transact::in_first;
use crate::postgres::{Fault, Statements, Term, term};
use crate::rows::damaged;
use guanxi_model::{Command, FanoutMode, FanoutPolicy, Result, Write};
use std::sync::Arc;
use tokio_postgres::Row;

/// Sets the policy.
pub(crate) const PUT_POLICY: &str = "insert into gx.fanout_policy \
    (mode, celebrity_followers, active_bucket_ms, cold_after_ms, inbox_cap) values ($1, $2, $3, $4, $5) \
    on conflict (one) do update set mode = excluded.mode, celebrity_followers = excluded.celebrity_followers, \
    active_bucket_ms = excluded.active_bucket_ms, cold_after_ms = excluded.cold_after_ms, \
    inbox_cap = excluded.inbox_cap, set_at = now()";

/// How home timelines are pushed, if it was ever set.
pub(crate) const POLICY: &str =
    "select mode, celebrity_followers, active_bucket_ms, cold_after_ms, inbox_cap from gx.fanout_policy";

/// The policy that a write sets, if it sets one: the last one.
pub(super) fn policy_of(write: &Write) -> Option<FanoutPolicy> {
    write.commands.iter().rev().find_map(|command| match command {
        Command::FanoutPolicy(policy) => Some(*policy),
        _ => None,
    })
}

/// Sets how home timelines are pushed.
pub(super) async fn put_policy(shared: &Arc<ClusterCore>, policy: FanoutPolicy) -> Result<()> {
    let decide = |_: &[Vec<Row>]| {
        let mut changes = Statements::default();
        changes.add(PUT_POLICY, policy_terms(&policy));
        Ok((changes, ()))
    };
    in_first(shared, |_| (), decide).await
}

/// What [`PUT_POLICY`] is given.
pub(crate) fn policy_terms(policy: &FanoutPolicy) -> Vec<Term> {
    let mode = match policy.mode {
        FanoutMode::Pull => "pull",
        FanoutMode::Push => "push",
        FanoutMode::Hybrid => "hybrid",
    };
    vec![
        term(mode),
        term(policy.celebrity_followers.cast_signed()),
        term(policy.active_bucket_ms.cast_signed()),
        term(policy.cold_after_ms.cast_signed()),
        term(i64::from(policy.inbox_cap)),
    ]
}

/// The policy of a row of [`POLICY`].
pub(crate) fn read_policy(row: &Row) -> Result<FanoutPolicy, Fault> {
    let mode = match row.get(0) {
        "pull" => FanoutMode::Pull,
        "push" => FanoutMode::Push,
        "hybrid" => FanoutMode::Hybrid,
        _ => return Err(damaged("the policy of home timelines")),
    };
    let number = |index: usize| row.get::<_, i64>(index).cast_unsigned();
    Ok(FanoutPolicy {
        mode,
        celebrity_followers: number(1),
        active_bucket_ms: number(2),
        cold_after_ms: number(3),
        inbox_cap: u32::try_from(number(4)).map_err(|_| damaged("the policy of home timelines"))?,
    })
}
