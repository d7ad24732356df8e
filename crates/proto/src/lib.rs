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
#[cfg(test)]
mod fuzz;
mod json;
mod last_words;
mod pass_on;
mod tls;
mod transport;

pub use client::{
    AdminClient, Client, ClientOptions, FeedClient, PostClient, RelationClient, UserClient, Wire,
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

#[cfg(test)]
mod tests {
    #[test]
    fn lists_of_answers_are_there_when_they_are_empty() {
        for code in [
            include_str!("gen/guanxi.v1.relation.rs"),
            include_str!("gen/guanxi.v1.post.rs"),
            include_str!("gen/guanxi.v1.feed.rs"),
            include_str!("gen/guanxi.v1.admin.rs"),
            include_str!("gen/guanxi.v1.user.rs"),
        ] {
            assert!(
                !code.contains("is_empty_vec"),
                "the generator leaves out empty lists in a way of its own"
            );
        }
    }

    /// The hash that `cargo xtask codegen` writes: FNV-1a.
    fn hash(bytes: &[u8]) -> u64 {
        bytes
            .iter()
            .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3))
    }

    #[test]
    fn the_generated_code_is_of_these_protos() {
        let protos = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../proto");
        let sources = include_str!("gen/sources.txt");
        assert!(sources.lines().count() >= 3);
        for line in sources.lines() {
            let (expected, name) = line.split_once(' ').unwrap();
            let actual = format!("{:016x}", hash(&std::fs::read(protos.join(name)).unwrap()));
            assert_eq!(
                actual, expected,
                "{name} changed: run `cargo xtask codegen` and commit what it writes"
            );
        }
    }
}
