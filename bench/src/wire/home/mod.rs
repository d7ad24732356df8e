//! Home pages on the wire of each system: the newest 20 ids of one reader.

mod guanxi;
mod postgres;
mod redis;

pub(crate) use guanxi::GuanxiHome;
pub(crate) use postgres::{PostgresHome, Query};
pub(crate) use redis::{INBOX_CAP, InboxLayout, RedisInboxes};

use crate::calls::Workload;

/// A call: the newest home page of a reader, given by its uid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Home(pub(crate) u64);

/// An answer: ids, newest first.
pub(crate) type Ids = Vec<u64>;

/// Readers and their right pages.
pub(crate) type HomeWorkload = Workload<Home, Ids>;
