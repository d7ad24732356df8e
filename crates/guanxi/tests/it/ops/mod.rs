//! The things on which operators rely: metrics, logs, packages.

mod calls;
mod deploy;
pub(crate) mod exposition;
pub(crate) mod metrics;
mod supervisor;
