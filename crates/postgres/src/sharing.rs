//! Questions of many callers on a few connections: a question is sent without waiting for the answers to those before it.
//!
//! Each is one statement outside of a transaction. A few server processes answer all of them, and stay awake meanwhile. A connection
//! whose caller goes away in the midst takes no more, and ends with the questions that are on it.

use crate::connection::Connection;
use crate::fault::Fault;
use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// Connections that questions share, of one pool.
const SHARED_MAX: usize = 4;

/// Questions on one connection before another is taken for them.
const TOGETHER: usize = 8;

/// The connections of a pool that questions share now. Each goes back with the last of them.
pub(crate) struct SharedConnections<C> {
    open: Mutex<Vec<Weak<C>>>,
    /// One caller at a time takes a connection. Others may share that.
    taking: tokio::sync::Mutex<()>,
}

impl<C: Deref<Target = Connection>> SharedConnections<C> {
    /// None yet.
    pub(crate) const fn new() -> Self {
        Self { open: Mutex::new(Vec::new()), taking: tokio::sync::Mutex::const_new(()) }
    }

    /// One of them, or one that is taken.
    pub(crate) async fn one(&self, take: impl Future<Output = Result<C, Fault>>) -> Result<Arc<C>, Fault> {
        if let Some(connection) = self.with_room() {
            return Ok(connection);
        }
        let _taking = self.taking.lock().await;
        if let Some(connection) = self.with_room() {
            return Ok(connection);
        }
        let taken = Arc::new(take.await?);
        self.open().push(Arc::downgrade(&taken));
        Ok(taken)
    }

    fn open(&self) -> MutexGuard<'_, Vec<Weak<C>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A connection with room for one question more: the fullest, so that few are in use. When there are as many as may be, the one
    /// with the fewest.
    fn with_room(&self) -> Option<Arc<C>> {
        let mut open = self.open();
        open.retain(|connection| connection.strong_count() > 0);
        let all: Vec<Arc<C>> = open.iter().filter_map(Weak::upgrade).filter(|one| one.is_open()).collect();
        drop(open);
        if all.len() >= SHARED_MAX {
            return all.into_iter().min_by_key(Arc::strong_count);
        }
        // One of the count is our own.
        all.into_iter().filter(|one| Arc::strong_count(one) <= TOGETHER).max_by_key(Arc::strong_count)
    }
}
