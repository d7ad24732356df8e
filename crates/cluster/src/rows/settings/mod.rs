//! Fetching and writing settings: credentials, what operators did, and the policy of pushed homes.

mod audit;
mod columns;
mod fetch;
mod put;

pub(crate) use audit::{ALL_AUDIT, AUDIT, audit_column, audit_end, put_audit, read_audit};
pub(crate) use columns::{
    ALL_CREDENTIALS, POLICY, PUT_CREDENTIAL, PUT_POLICY, credential_columns, credential_terms, policy_terms,
    read_credential, read_policy,
};
pub(super) use fetch::SettingFetch;
pub(crate) use fetch::{lock_settings, take_locked_settings};
pub(super) use put::put_settings;
