//! Tests of the binary as its users meet it.

mod crash;
