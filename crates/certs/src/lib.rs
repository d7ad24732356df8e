//! Certificates and JWTs for tests: an authority that signs certificates, and issuers that sign tokens.
//!
//! It depends on no other crate of ours, so that the tests of `rim` use it as well as those of servers and of the binary.

#![allow(clippy::unwrap_used, reason = "a helper of tests fails as the test does")]

mod certificates;
mod signer;

pub use certificates::{Authority, CertFiles};
pub use signer::{AUDIENCE, ISSUER, Signer, claims, jwks};
