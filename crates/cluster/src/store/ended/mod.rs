//! The users whose credentials have ended, in memory: of this process's writes before they are answered, and of others'
//! writes soon after.
//!
//! The logs tell of every change: their new events are asked for when a log has moved, by an index that has these alone. So a process
//! also hears of sessions that others end. It numbers these ends, for the cache of sessions, and tells those that wait for them, such as
//! streams.

mod load;
mod table;
mod watch;

pub(crate) use load::load;
pub(crate) use table::EndedTable;
pub(crate) use watch::watch;
