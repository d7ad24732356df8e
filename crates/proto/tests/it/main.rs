//! Tests of the generated code and of the client. They stand apart from the library, which would be compiled a second
//! time for tests inside of it.
#![allow(clippy::unwrap_used, reason = "a test that fails says where")]

mod client;
mod fuzz;
mod generated;
mod json;
