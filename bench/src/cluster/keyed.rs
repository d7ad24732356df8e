//! The calls on guanxi, each write under a request id of its own.

use crate::calls::{Answer, Call};
use crate::wire::guanxi::Guanxi;
use crate::wire::{Protocol, Request, WireError};
use buffa::Message;
use guanxi_load::http1;
use guanxi_proto::v1::{FollowRequest, UnfollowRequest};
use std::sync::atomic::{AtomicU64, Ordering};

/// The protocol of a guanxi server whose callers may repeat their writes.
#[derive(Debug)]
pub(super) struct Keyed {
    /// What the ids of this process begin with: two processes share what they remember.
    name: &'static str,
    /// Calls that were made ready so far.
    made: AtomicU64,
}

impl Keyed {
    /// Ids that begin with a name.
    pub(super) fn new(name: &'static str) -> Self {
        Self { name, made: AtomicU64::new(0) }
    }

    fn request_id(&self) -> String {
        format!("{}-{}", self.name.replace(' ', "-"), self.made.fetch_add(1, Ordering::Relaxed))
    }
}

impl Protocol for Keyed {
    fn request(&self, call: &Call) -> Request {
        let (method, body) = match *call {
            Call::Follow { a, b } => {
                let request_id = self.request_id();
                let request = FollowRequest { subject: a, object: b, request_id };
                ("Follow", request.encode_to_vec())
            }
            Call::Unfollow { a, b } => {
                let request_id = self.request_id();
                let request = UnfollowRequest { subject: a, object: b, request_id };
                ("Unfollow", request.encode_to_vec())
            }
            _ => return Guanxi.request(call),
        };
        Request::one(http1::post(&format!("/guanxi.v1.RelationService/{method}"), &body))
    }

    fn reply_len(&self, bytes: &[u8]) -> Result<Option<usize>, WireError> {
        Guanxi.reply_len(bytes)
    }

    fn decode(&self, call: &Call, steps: &[Vec<u8>]) -> Result<Answer, WireError> {
        Guanxi.decode(call, steps)
    }
}
