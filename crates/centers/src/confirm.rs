//! The last question before an answer leaves: whether what it says of the viewer's relations still holds.
//!
//! The parts of a view may be of different moments. Without this question a reader could get the viewer's relations as
//! of before a block and the blocker's posts as of after it. On one machine a view is of one moment, and the answer is
//! always yes.

use guanxi_model::{Error, Reason};

/// Answers made before the caller is told to come back: a viewer's relations change seldom, and never this often.
pub(crate) const CONFIRM_TRIES: usize = 3;

/// When to come back, in milliseconds.
const RETRY_AFTER_MS: u32 = 100;

/// Every answer was overtaken by a change of the viewer's relations.
pub(crate) fn unconfirmed() -> Error {
    let reason = Reason::Overloaded { retry_after_ms: RETRY_AFTER_MS };
    Error::with_detail(reason, "the viewer's relations changed under every answer")
}
