//! Generated code of the `guanxi.v1` API, and its typed client.
//!
//! `src/gen` is written by `cargo xtask codegen` from the protos at the root of the workspace and is committed, so
//! that a build needs neither protoc nor a build script.
//!
//! # What it is not
//!
//! - It is not where the API is defined. That is the folder `proto/` at the root of the workspace.
//! - It serves nothing. `guanxi-rim` has the server, `guanxi-api` the handlers.
//! - Its [`Client`] repeats no call and keeps no position. `guanxi-client` does, for programs of others.
//!
//! # Main types
//!
//! - [`v1`] has the messages and services of the API, [`rpc`] those of `google.rpc` that errors have.
//! - A [`Client`] calls one server, as [`ClientOptions`] say: by Connect or gRPC, with TLS or without, by types or by
//!   JSON.
//! - [`OPENAPI`] and [`DESCRIPTORS`] are the API as data.
//!
//! # Example
//!
//! A call by types, and the same request in JSON.
//!
//! ```
//! use guanxi_proto::{Client, ClientOptions, ConnectError, OPENAPI, v1};
//!
//! /// User 1 follows user 2. Returns whether that is new.
//! async fn follow(client: &Client) -> Result<Option<bool>, ConnectError> {
//!     let request = v1::FollowRequest { subject: 1, object: 2, ..Default::default() };
//!     Ok(client.relation().follow(request).await?.into_owned().changed)
//! }
//!
//! // A client connects when it calls.
//! let client = Client::new(&ClientOptions::new("http://127.0.0.1:7420"))?;
//! let _not_called = follow(&client);
//!
//! // In JSON a 64-bit number is a string, as in all protobuf JSON.
//! let request = v1::FollowRequest { subject: 1, object: 2, ..Default::default() };
//! assert_eq!(serde_json::to_string(&request)?, r#"{"subject":"1","object":"2"}"#);
//! assert!(OPENAPI.contains("/guanxi.v1.RelationService/Follow"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Where to begin
//!
//! - `proto/guanxi/v1/relation.proto`: what is a call, and what is said of it?
//! - `client.rs`: how is a call made by types? `unary.rs`: what do all such calls share?
//! - `json.rs`: how is a call made by name?
//! - `docs/adr/0007-connectrpc.md`: why this library, and what would replace it?

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
mod unary;

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
pub use transport::{InProcess, InProcessBody, Transport};
pub use unary::UnaryAnswer;

/// The descriptors of all protos: a serialized `google.protobuf.FileDescriptorSet` without comments.
pub const DESCRIPTORS: &[u8] = include_bytes!("gen/descriptor.bin");

/// The API as an OpenAPI 3.1 document in JSON, with the comments of the protos.
pub const OPENAPI: &str = include_str!("gen/openapi.json");
