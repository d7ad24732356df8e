//! The conformance suites against the in-memory backend, bare and behind wrappers.

mod inbox;
mod lag;
mod memory;
mod metered;
mod meters;
mod named_sessions;
mod session_cache;
