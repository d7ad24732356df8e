//! Questions of many callers on a few connections: a question is sent without waiting for the answers to those before it.
//!
//! Each is one statement outside of a transaction, so that a caller who goes away in the midst leaves nothing half done. A few
//! server processes answer all of them, and stay awake meanwhile.

use super::fault::Fault;
use super::pool::{Connections, Pooled};
use super::statements::Statements;
use super::term::Term;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use tokio_postgres::Row;

/// Connections that questions share, of one pool.
const SHARED_MAX: usize = 4;

/// Questions on one connection before another is taken for them.
const TOGETHER: usize = 8;

/// The connections of a pool that questions share now. Each goes back with the last of them.
#[derive(Default)]
pub(super) struct SharedConnections {
    open: Mutex<Vec<Weak<Pooled>>>,
    /// One caller at a time takes a connection. Others may share that.
    taking: tokio::sync::Mutex<()>,
}

impl SharedConnections {
    fn open(&self) -> MutexGuard<'_, Vec<Weak<Pooled>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A connection with room for one question more: the fullest, so that few are in use. When there are as many as may be, the one
    /// with the fewest.
    fn with_room(&self) -> Option<Arc<Pooled>> {
        let mut open = self.open();
        open.retain(|connection| connection.strong_count() > 0);
        let all: Vec<Arc<Pooled>> =
            open.iter().filter_map(Weak::upgrade).filter(|one| one.is_open()).collect();
        drop(open);
        if all.len() >= SHARED_MAX {
            return all.into_iter().min_by_key(Arc::strong_count);
        }
        // One of the count is our own.
        all.into_iter().filter(|one| Arc::strong_count(one) <= TOGETHER).max_by_key(Arc::strong_count)
    }
}

impl Connections {
    /// Asks a question of one statement outside of a transaction, beside the questions of others.
    pub(crate) async fn question(&self, sql: &'static str, terms: Vec<Term>) -> Result<Vec<Row>, Fault> {
        if self.is_pooled() {
            // The pooler gives the connection to others between two statements.
            return self.rows(&Statements::one(sql, terms)).await;
        }
        self.shared().await?.question(&(sql, terms)).await
    }

    async fn shared(&self) -> Result<Arc<Pooled>, Fault> {
        let sharing = self.sharing();
        if let Some(connection) = sharing.with_room() {
            return Ok(connection);
        }
        let _taking = sharing.taking.lock().await;
        if let Some(connection) = sharing.with_room() {
            return Ok(connection);
        }
        let taken = Arc::new(self.take().await?);
        sharing.open().push(Arc::downgrade(&taken));
        Ok(taken)
    }
}
