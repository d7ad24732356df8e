//! The conformance suite against the in-memory backend, bare and behind the metering wrapper.

mod memory;
mod metered;
