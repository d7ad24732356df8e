//! What those who run the server rely on: metrics, logs, packages.

mod calls;
mod exposition;
mod metrics;
