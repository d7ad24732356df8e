//! Tests of the binary as its users meet it.

mod cli;
mod conformance;
mod crash;
