//! The API as its users meet it: over loopback, on the in-memory backend.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod admin;
mod auth;
mod conformance;
mod http;
mod input;
mod json;
mod limits;
mod pages;
mod protocols;
mod server;
mod shutdown;
mod watch;
