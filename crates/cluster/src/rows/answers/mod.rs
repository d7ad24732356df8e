//! Fetching and writing what was answered under request ids.

mod fetch;
mod put;

pub(super) use fetch::AnswerFetch;
pub(super) use put::put_answers;
