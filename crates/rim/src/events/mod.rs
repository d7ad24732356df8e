//! Streams as server-sent events, for browsers and `curl -N`: a rim around the calls. A GET becomes the call that it
//! stands for, which goes the way of all calls, and the messages of its answer become events.

mod ask;
mod tell;

pub use ask::IDS_HEADER;
pub(crate) use ask::{Asked, asks_for_events, not_served, read};
pub(crate) use tell::answer;
