//! What a backend must do: the in-memory backend that is the specification of the ports, and the conformance suite
//! that every backend passes. Beside them are stores through whose views tests see something else (`viewed`).
//!
//! Only tests build this crate, so that an edited case rebuilds no product code.

pub mod conformance;
pub mod memory;
#[cfg(test)]
mod tests;
pub mod viewed;
