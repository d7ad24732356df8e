//! What the events of a log change in memory: pure functions, for a reader of the log.
//!
//! An event tells of the user in whose log it stands: as a fact of that user, or as the echo of what another user did to it. The
//! log of another user tells nothing about it. Numbers are taken as they are after a commit, and never added to: one commit may
//! have several events about one number.

pub mod posts;
pub mod relations;
