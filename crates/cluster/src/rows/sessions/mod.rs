//! Fetching and writing sessions.

mod columns;
mod fetch;
mod put;

pub(crate) use columns::{
    ALL as ALL_SESSIONS, BY_ID, PAGE, PUT as PUT_SESSION, put_terms as session_terms, read_session,
};
pub(super) use fetch::SessionFetch;
pub(super) use put::put_sessions;
