//! What clients in the words of the model share: how answers are read back.

use guanxi_model::{Error, Reason, Result};
use guanxi_proto::ConnectError;

use crate::error::from_wire;

/// The answer of a call, or its error as the model has it.
pub(crate) fn call<V>(
    result: Result<connectrpc::UnaryResponse<buffa::OwnedView<V>>, ConnectError>,
) -> Result<V::Owned>
where
    V: buffa::view::MessageView<'static> + buffa::view::ViewReborrow + Send + Sync,
{
    match result {
        Ok(response) => Ok(response.into_owned()),
        Err(error) => Err(from_wire(&error)),
    }
}

/// An answer that is not as the API promises.
pub(crate) fn broken(what: &str) -> Error {
    Error::with_detail(Reason::Internal, format_args!("the server's answer has {what}"))
}

/// What a failed call means for a write: when the way to the server broke, and the server said nothing itself, the write
/// may have taken place.
pub(crate) fn of_write(error: Error) -> Error {
    match error.reason {
        Reason::ShuttingDown | Reason::DeadlineExceeded if error.detail.is_some() => {
            Error { reason: Reason::OutcomeUnknown, ..error }
        }
        _ => error,
    }
}
