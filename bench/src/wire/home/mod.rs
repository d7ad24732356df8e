//! Home pages on the wire of each system: the newest 20 ids of one reader.

mod guanxi;
mod postgres;
mod redis;

pub(crate) use guanxi::GuanxiHome;
pub(crate) use postgres::{PostgresHome, Query};
pub(crate) use redis::{INBOX_CAP, InboxLayout, RedisInboxes};

use super::{Protocol, WireError};
use crate::calls::Workload;

/// A call: the newest home page of a reader, given by its uid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Home(pub(crate) u64);

/// An answer: ids, newest first.
pub(crate) type Ids = Vec<u64>;

/// A system's protocol for home pages.
pub(crate) type HomeProtocol = dyn Protocol<Home, Ids>;

/// Readers and their right pages.
pub(crate) type HomeWorkload = Workload<Home, Ids>;

/// The only reply of a call.
fn only(steps: &[Vec<u8>]) -> Result<&[u8], WireError> {
    steps.first().map(Vec::as_slice).ok_or_else(|| "no reply".to_owned())
}
