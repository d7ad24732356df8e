//! Fetching and writing dismissed users and scores.

mod fetch;
mod put;

pub(super) use fetch::SuggestionFetch;
pub(super) use put::put_suggestions;
