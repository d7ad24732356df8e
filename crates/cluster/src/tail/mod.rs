//! Where the logs of each database stand: one look at a time, for all that want to know.
//!
//! Followers of the logs, callers that ask for heads and tasks of this process each want to know how far the logs are. None of them
//! asks the database by itself. It waits for the next look that begins after it asked, together with all that wait by then. So
//! what it is told has everything that was committed before it asked, and a look costs the same however many wait for it.

mod look;

pub(crate) use look::{Tail, look};
