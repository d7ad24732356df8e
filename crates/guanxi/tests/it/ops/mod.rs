//! What those who run the server rely on: metrics, logs, packages.

mod calls;
mod deploy;
mod exposition;
pub(crate) mod metrics;
mod supervisor;
