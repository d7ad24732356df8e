//! The conformance suites against the in-memory backend, bare and behind the metering wrapper.

mod inbox;
mod memory;
mod metered;
mod meters;
