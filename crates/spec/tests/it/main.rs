//! The conformance suites against the in-memory backend, bare and behind wrappers.

#![allow(clippy::unwrap_used, reason = "a test that fails says where")]

mod inbox;
mod lag;
mod listed;
mod memory;
mod metered;
mod meters;
mod named_sessions;
mod session_cache;
mod upkeep;
