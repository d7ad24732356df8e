//! GetHomeTimeline: protobuf over HTTP/1.1.

use super::{Home, Ids};
use crate::wire::{Protocol, Request, WireError, first};
use guanxi_load::{http1, rpc};
use guanxi_model::Uid;

/// The protocol of a guanxi server. All rules run at each read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GuanxiHome;

impl Protocol<Home, Ids> for GuanxiHome {
    fn request(&self, call: &Home) -> Request {
        Request::one(rpc::home_request(Uid::new(call.0).expect("a world's ids are in range")))
    }

    fn reply_len(&self, bytes: &[u8]) -> Result<Option<usize>, WireError> {
        http1::success_len(bytes)
    }

    fn decode(&self, _call: &Home, steps: &[Vec<u8>]) -> Result<Ids, WireError> {
        rpc::home_ids(first(steps)?)
    }
}
