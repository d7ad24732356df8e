//! What those who run the server rely on: metrics, logs, packages.

mod calls;
mod deploy;
pub(crate) mod exposition;
pub(crate) mod metrics;
mod supervisor;
