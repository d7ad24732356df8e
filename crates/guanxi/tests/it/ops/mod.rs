//! What those who run the server rely on: metrics, logs, packages.

mod calls;
mod deploy;
mod exposition;
mod metrics;
mod supervisor;
