//! Jobs behind relations: the ends of requests and mutes, and the approvals after an account was unlocked.
//!
//! They keep no state of their own. They work by ordinary commands with ordinary events, which the planner does only if they
//! are due as of that moment. So a request or lock that was accepted, renewed or locked again meanwhile is left alone, and
//! two processes side by side come to the same result.

mod expiry;
mod meters;
#[cfg(test)]
mod tests;
mod unlock;

pub use expiry::Expiry;
pub use unlock::Unlock;

/// Rows of one piece: as many as share a commit without holding up others.
const ROWS_AT_ONCE: u8 = 64;
