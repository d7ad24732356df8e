//! Reading requests and cooldowns, and writing them.

mod fetch;
mod put;

pub(super) use fetch::{AskedColumns, WaitingFetch};
pub(crate) use fetch::{past_request, request_kind_of};
pub(super) use put::put_waiting;
pub(crate) use put::{place_column, request_kind};
