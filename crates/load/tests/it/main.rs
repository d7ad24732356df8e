//! The load shapes against the in-memory backend.

#![allow(clippy::unwrap_used, reason = "a failed step of a test is a failed test")]

mod in_process;
