//! Random bytes of the operating system.

use crate::failure::{Context, Failure, Outcome};

/// Fills with random bytes.
pub(super) fn random(bytes: &mut [u8]) -> Outcome {
    let filled = getrandom::fill(bytes).map_err(Failure::new);
    filled.context("the operating system gives no random bytes")
}
