//! Randomness, as a parameter.

use std::sync::Arc;

/// 256 random bits from the operating system; a parameter, so that simulations can own them.
pub type Random = Arc<dyn Fn() -> [u8; 32] + Send + Sync>;
