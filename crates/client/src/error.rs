//! Why a call failed, as programs look at it.

use std::collections::BTreeMap;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};
use buffa::Message;
use guanxi_proto::rpc::{ErrorInfo, RetryInfo};
use guanxi_proto::{ConnectError, ErrorCode};
use thiserror::Error;

/// Why a call failed.
#[derive(Clone, Debug, Error)]
#[error("{}{message}", if reason.is_empty() { String::new() } else { format!("{reason}: ") })]
pub struct CallError {
    /// The code of the transport.
    pub code: ErrorCode,
    /// The reason, which never changes, such as `BLOCKED`; empty when no server answered.
    pub reason: String,
    /// What belongs to the reason, such as a limit.
    pub metadata: BTreeMap<String, String>,
    /// What happened, for people.
    pub message: String,
    /// When the server would answer again.
    pub retry_after: Option<Duration>,
}

impl CallError {
    /// An error of the client itself.
    pub(crate) fn own(code: ErrorCode, message: &str) -> Self {
        let (reason, metadata, message) = (String::new(), BTreeMap::new(), message.to_owned());
        Self { code, reason, metadata, message, retry_after: None }
    }

    /// Returns whether the server refused the call before it began, for want of room.
    pub fn is_refusal(&self) -> bool {
        matches!(&*self.reason, "OVERLOADED" | "RATE_LIMITED" | "TOO_MANY_CALLS" | "TOO_MANY_STREAMS")
    }

    /// Returns whether another try may do better, though the outcome of this one is not known. Every error of the
    /// server has a reason: without one, it is the connection that broke within an answer.
    pub fn is_unavailable(&self) -> bool {
        self.code == ErrorCode::Unavailable || (self.code == ErrorCode::Internal && self.reason.is_empty())
    }

    /// Returns whether the credential is no longer worth anything.
    pub(crate) fn is_unauthenticated(&self) -> bool {
        self.code == ErrorCode::Unauthenticated
    }
}

impl From<ConnectError> for CallError {
    fn from(error: ConnectError) -> Self {
        let info: Option<ErrorInfo> = detail(&error, "google.rpc.ErrorInfo");
        let info = info.unwrap_or_default();
        let retry: Option<RetryInfo> = detail(&error, "google.rpc.RetryInfo");
        let retry_after = retry.and_then(|retry| {
            let delay = retry.retry_delay.as_option()?;
            Some(Duration::new(u64::try_from(delay.seconds).ok()?, u32::try_from(delay.nanos).ok()?))
        });
        Self {
            code: error.code,
            reason: info.reason,
            metadata: info.metadata.into_iter().collect(),
            message: error.message.clone().unwrap_or_else(|| error.to_string()),
            retry_after,
        }
    }
}

/// A detail of an error, if it has one of this type.
fn detail<M: Message>(error: &ConnectError, name: &str) -> Option<M> {
    let detail = error.details.iter().find(|detail| detail.type_url.ends_with(name))?;
    let text = detail.value.as_deref()?;
    let bytes = STANDARD_NO_PAD.decode(text).or_else(|_| STANDARD.decode(text)).ok()?;
    M::decode_from_slice(&bytes).ok()
}
