//! Fetching and writing accounts, login names, passwords, contacts and sign-outs.

mod columns;
mod fetch;
mod put;

pub(crate) use columns::{
    REPEATED_STANDINGS, STANDINGS, UserStanding, account_columns, kind_column, put_standings, read_account,
    read_claim, read_standing, set_standing, standing_columns,
};
pub(super) use fetch::UserFetch;
pub(super) use put::put_accounts;
