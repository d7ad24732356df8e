//! Generates the API's code and its reference from `proto/`.
//!
//! What it writes is committed, so that a build needs neither protoc nor a build script: messages, services and
//! clients with their descriptors and an OpenAPI document under `crates/proto/src/gen`, `docs/api.md` from the
//! comments, and the lists of handlers of `crates/api`. The compilers it needs are heavy, so they are behind a feature:
//! without it, `main.rs` has this program run itself again with it.

mod acting;
mod api;
mod bounds;
mod exact;
mod generate;
mod handlers;
mod methods;
mod openapi;
mod packages;
mod reasons;
mod reference;
mod schemas;
mod unused;

pub(crate) use generate::run;
