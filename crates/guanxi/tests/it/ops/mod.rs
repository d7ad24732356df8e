//! What those who run the server rely on: metrics, logs, packages.

mod exposition;
mod metrics;
