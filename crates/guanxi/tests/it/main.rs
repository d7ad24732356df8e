//! Tests of the binary as its users meet it.

#![allow(clippy::unwrap_used, reason = "helpers of a test fail as the test does")]

mod browser;
mod cli;
mod crash;
mod docs;
mod ops;
