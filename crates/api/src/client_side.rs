//! The parts of clients in the words of the model: how requests are written, and answers read back.

pub use crate::convert::{
    ListKey, Time, duration, edge_back, place_of, relation_back, request_back, stamp, time,
};
pub use crate::item_errors::item_reason_back;
pub use crate::page_token::{ListScope, ListTokens};
pub use crate::post::lists::{likers_scope, reposters_scope};
pub use crate::post::shape::{attachment_kind, attachment_shown, group_shown, visibility, visibility_shown};
pub use crate::relation::{members_scope, op_of, requests_scope};
pub use crate::user::shape::{update_shown, user_back};
pub use guanxi_rim::errors::from_wire;

use guanxi_model::{Error, Reason, Result};
use guanxi_proto::ConnectError;

/// The answer of a call, or its error as the model has it.
///
/// # Errors
/// That of the call.
pub fn call<V>(
    result: Result<guanxi_proto::UnaryAnswer<buffa::OwnedView<V>>, ConnectError>,
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
pub fn broken(what: &str) -> Error {
    Error::with_detail(Reason::Internal, format_args!("the server's answer has {what}"))
}

/// Returns the error that a failed call is for a write. When the way to the server broke, and the server said nothing itself,
/// the write may have taken place.
pub fn of_write(error: Error) -> Error {
    match error.reason {
        Reason::ShuttingDown | Reason::DeadlineExceeded if error.detail.is_some() => {
            Error { reason: Reason::OutcomeUnknown, ..error }
        }
        _ => error,
    }
}
