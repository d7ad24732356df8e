//! How calls look on the wire of each system.
//!
//! All systems are driven by the same loop over requests that were encoded beforehand, so that the client's share
//! of the work is small and alike for all: it writes bytes, finds the end of the reply, and looks whether it is an
//! error. Only sampled replies are decoded.

pub(crate) mod connection;
pub(crate) mod guanxi;
pub(crate) mod postgres;
pub(crate) mod redis;
pub(crate) mod resp;

use crate::calls::{Answer, Call};

pub(crate) use guanxi_load::http1::WireError;

/// Kind and content of a part of a reply, and where the next begins.
type Part<'a> = (u8, &'a [u8], usize);

/// Bytes to send, and how many replies answer them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Request {
    /// What is sent in one write.
    pub(crate) bytes: Vec<u8>,
    /// Replies to wait for: more than one where the protocol pipelines.
    pub(crate) replies: u32,
}

impl Request {
    /// A request that is answered by one reply.
    pub(crate) const fn one(bytes: Vec<u8>) -> Self {
        Self { bytes, replies: 1 }
    }
}

/// A system's protocol: how calls go out and answers come back.
pub(crate) trait Protocol: Sync {
    /// What is exchanged before the first call of a connection.
    fn handshake(&self) -> Vec<Request> {
        Vec::new()
    }

    /// The first request of a call.
    fn request(&self, call: &Call) -> Request;

    /// The second request of a call that needs two round trips, made of the replies to the first.
    ///
    /// # Errors
    /// When the replies are not what they should be.
    fn follow_up(&self, _call: &Call, _replies: &[u8]) -> Result<Option<Request>, WireError> {
        Ok(None)
    }

    /// The length of the reply at the start of `bytes`; `None` when it is not complete yet.
    ///
    /// # Errors
    /// What the system says when the call failed, looked for as cheaply as possible, or when the bytes are not of this
    /// protocol.
    fn reply_len(&self, bytes: &[u8]) -> Result<Option<usize>, WireError>;

    /// The answer that the replies of each round trip say.
    ///
    /// # Errors
    /// When the replies are not what they should be.
    fn decode(&self, call: &Call, steps: &[Vec<u8>]) -> Result<Answer, WireError>;
}

/// The replies of the first round trip of a call.
fn first(steps: &[Vec<u8>]) -> Result<&[u8], WireError> {
    steps.first().map(Vec::as_slice).ok_or_else(|| "no reply".to_owned())
}
