//! Streams as server-sent events, for browsers and `curl -N`: a rim around the calls. A GET becomes the call that it
//! stands for, which goes the way of all calls, and the messages of its answer become events.

mod ask;
mod tell;

pub(crate) use ask::IDS_HEADER;
pub(crate) use ask::{Asked, asks_for_events, read};
pub(crate) use tell::answer;

use crate::ticket::TicketStream;

/// A stream that is served as events.
#[derive(Clone, Copy, Debug)]
pub struct EventStream {
    /// `package.Service/Method`.
    pub path: &'static str,
    /// The fields of its request that hold one value.
    pub single: &'static [&'static str],
    /// Those that hold several.
    pub repeated: &'static [&'static str],
    /// What a ticket that opens it is for; `None` if no ticket does.
    pub ticket: Option<TicketStream>,
}
