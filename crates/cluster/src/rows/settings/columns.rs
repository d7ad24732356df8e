//! The columns of settings.

use crate::rows::{column, damaged, uid};
use guanxi_model::{Credential, FanoutMode, FanoutPolicy, Principal, Result, Scopes};
use guanxi_postgres::{Fault, Term, term};
use std::num::NonZeroU32;
use tokio_postgres::Row;

macro_rules! credential_columns {
    () => {
        "name, hash, kind, uid, scopes, rate_per_minute, created_ms, active, change"
    };
}
pub(crate) use credential_columns;

/// All credentials that were not revoked.
pub(crate) const ALL_CREDENTIALS: &str =
    concat!("select ", credential_columns!(), " from gx.credential where active order by name");

/// Puts a credential in the place of any other of its name.
pub(crate) const PUT_CREDENTIAL: &str = concat!(
    "insert into gx.credential (",
    credential_columns!(),
    ") values ($1, $2, $3, $4, $5, $6, $7, true, $8) on conflict (name) do update set hash = excluded.hash, \
     kind = excluded.kind, uid = excluded.uid, scopes = excluded.scopes, rate_per_minute = excluded.rate_per_minute, \
     created_ms = excluded.created_ms, active = true, change = excluded.change, changed_at = now()"
);

/// Sets the policy.
pub(crate) const PUT_POLICY: &str = "insert into gx.fanout_policy \
    (mode, celebrity_followers, active_bucket_ms, cold_after_ms, inbox_cap) values ($1, $2, $3, $4, $5) \
    on conflict (one) do update set mode = excluded.mode, celebrity_followers = excluded.celebrity_followers, \
    active_bucket_ms = excluded.active_bucket_ms, cold_after_ms = excluded.cold_after_ms, \
    inbox_cap = excluded.inbox_cap, set_at = now()";

/// How home timelines are pushed, if it was ever set.
pub(crate) const POLICY: &str =
    "select mode, celebrity_followers, active_bucket_ms, cold_after_ms, inbox_cap from gx.fanout_policy";

/// Returns what [`PUT_CREDENTIAL`] is given.
pub(crate) fn credential_terms(credential: &Credential, change: i64) -> Vec<Term> {
    let Credential { hash, name, principal, created_ms, rate_per_minute } = credential;
    let (kind, of, scopes) = match principal {
        Principal::EndUser(uid) => ("end_user", Some(column(*uid)), None),
        Principal::Service(scopes) => {
            ("service", None, Some(scopes.names().map(ToOwned::to_owned).collect::<Vec<String>>()))
        }
        Principal::Admin => ("admin", None, None),
    };
    vec![
        term(name.clone()),
        term(hash.to_vec()),
        term(kind),
        term(of),
        term(scopes),
        term(rate_per_minute.map(|rate| i64::from(rate.get()))),
        term(created_ms.cast_signed()),
        term(change),
    ]
}

/// The credential of a row.
pub(crate) fn read_credential(row: &Row) -> Result<Credential, Fault> {
    let hash = row.get::<_, &[u8]>(1).try_into().map_err(|_| damaged("a hash"))?;
    let principal = match row.get(2) {
        "end_user" => Principal::EndUser(uid(row, 3)?),
        "service" => {
            let names = row.get::<_, Option<Vec<&str>>>(4).unwrap_or_default();
            Principal::Service(Scopes::of_names(names).ok_or_else(|| damaged("a scope"))?)
        }
        "admin" => Principal::Admin,
        _ => return Err(damaged("a credential")),
    };
    let rate = row.get::<_, Option<i64>>(5);
    let rate = rate.map(|rate| u32::try_from(rate).ok().and_then(NonZeroU32::new));
    let rate_per_minute = rate.map(|rate| rate.ok_or_else(|| damaged("a rate"))).transpose()?;
    let created_ms = row.get::<_, i64>(6).cast_unsigned();
    Ok(Credential { hash, name: row.get(0), principal, created_ms, rate_per_minute })
}

/// Returns what [`PUT_POLICY`] is given.
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
