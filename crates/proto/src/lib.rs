//! Generated code of the `guanxi.v1` API, and its typed client.
//!
//! `src/gen` is written by `cargo xtask codegen` from the protos at the root of the workspace and is committed, so
//! that a build needs neither protoc nor a build script.

#[allow(
    missing_docs,
    unreachable_pub,
    unused_qualifications,
    elided_lifetimes_in_paths,
    refining_impl_trait,
    clippy::all,
    clippy::pedantic,
    clippy::unwrap_used,
    reason = "generated"
)]
mod generated {
    // Included rather than declared, so that formatters leave it as it was written.
    include!("gen/mod.rs");
}

mod client;
mod json;
mod last_words;
mod pass_on;
mod tls;
mod transport;

pub use client::{
    AdminClient, Client, ClientOptions, FeedClient, PostClient, RelationClient, SearchClient, UserClient,
    Wire,
};
pub use connectrpc::{ConnectError, ErrorCode};
pub use generated::google::rpc;
pub use generated::guanxi::v1;
pub use json::{JsonAnswers, JsonError};
pub use pass_on::{PassOn, PassingOn};
pub use tls::{ClientTls, ClientTlsError, TlsProblem};
pub use transport::Transport;

/// The descriptors of all protos: a serialized `google.protobuf.FileDescriptorSet` without comments.
pub const DESCRIPTORS: &[u8] = include_bytes!("gen/descriptor.bin");

/// The API as an OpenAPI 3.1 document in JSON, with the comments of the protos.
pub const OPENAPI: &str = include_str!("gen/openapi.json");
