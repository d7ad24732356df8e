//! The result of a call's admission: a place, or why there is none.

use connectrpc::ConnectError;
use guanxi_model::Error;

use crate::errors::to_wire;
use crate::load::{Evicted, OpenSlot, Slot};

/// The place and meters of a call that was let in, until it is answered.
pub(crate) struct LetIn {
    /// Its place, which it gives back when it is dropped.
    #[expect(dead_code, reason = "held for its drop")]
    pub(crate) slot: Option<CallSlot>,
    /// Completes when its place was given to another; only strangers' are.
    pub(crate) evicted: Option<Evicted>,
}

/// Why a call was not let in.
pub(crate) enum Refused {
    /// There is more to do than the machine can; the answer costs as little as can be.
    ForWantOfTime,
    /// The error that the caller is given.
    With(ConnectError),
}

impl From<ConnectError> for Refused {
    fn from(error: ConnectError) -> Self {
        Self::With(error)
    }
}

impl From<Error> for Refused {
    fn from(error: Error) -> Self {
        Self::With(to_wire(&error))
    }
}

/// A place among calls.
pub(crate) enum CallSlot {
    Known(#[expect(dead_code, reason = "held for its drop")] Slot),
    Open(#[expect(dead_code, reason = "held for its drop")] OpenSlot),
}
