//! Randomness, as a parameter.

use std::sync::Arc;

/// 256 random bits from the operating system; a parameter, so that simulations can own them.
pub type Random = Arc<dyn Fn() -> [u8; 32] + Send + Sync>;

/// A number of some random bits.
pub(crate) fn number_of(random: [u8; 32]) -> u64 {
    random.first_chunk().map_or(0, |bytes| u64::from_be_bytes(*bytes))
}
