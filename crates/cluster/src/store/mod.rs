//! A cluster as one process serves it.

mod credential_copy;
mod credentials;
mod ended;
mod facts;
mod foreign;
mod log;
mod meeting;
mod options;
mod posts;
mod routes;
mod sessions;
mod settings;
mod shared;
mod transact;

pub(crate) use ended::{EndedChanges, EndedTable};
pub(crate) use facts::{head, job};
pub use options::{CarryMode, ClusterOptions};
pub(crate) use posts::settle;
pub(crate) use settings::{POLICY, read_policy};
pub(crate) use shared::ClusterCore;

use crate::databases::Databases;
use crate::derive::{Appliers, follow_logs};
use crate::lanes::Lanes;
use crate::map::GeneMap;
use crate::postgres::{Layout, PgSession, Statements};
use crate::rows::{RowTerms, stamp};
use crate::view::ClusterView;
use crate::{ClusterError, shard_map};
use credentials::follow_credentials;
use guanxi_model::{Clock, Position, Result, Uid};
use guanxi_ports::{BoxFuture, EndedUsers, Graph, StoreView};
use std::sync::Arc;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;

/// A cluster as one process serves it. Any number of processes may serve the same one.
pub struct ClusterStore {
    pub(crate) shared: Arc<ClusterCore>,
    followers: Vec<JoinHandle<()>>,
    watch: JoinHandle<()>,
    /// Where long tasks run, for callers that block.
    pub(crate) runtime: Handle,
    credentials: JoinHandle<()>,
}

impl ClusterStore {
    /// Connects to a cluster that is laid out.
    ///
    /// # Errors
    /// When its map cannot be read, or names databases that are not in the list, or one of the databases cannot be asked.
    pub async fn open(
        databases: &Databases,
        options: ClusterOptions,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, ClusterError> {
        let map = shard_map(databases).await?;
        let genes = GeneMap::new(&map, databases)?;
        let terms =
            RowTerms { history: map.history, layout: Layout::new(map.schemas)?, limits: options.limits };
        let process = PgSession::open(databases.first()).await?;
        let process = process.rows("select nextval('gx.process')", &[]).await?;
        let process = process.first().map_or(0, |row| row.get(0));
        let of_store = |error: guanxi_model::Error| ClusterError::Terms(error.to_string());
        let shared =
            ClusterCore::new(terms, options, clock, databases.clone(), (genes, process)).map_err(of_store)?;
        let shared = Arc::new(shared);
        for (database, named) in shared.served.iter().zip(databases.all()) {
            let mut latest = Statements::default();
            latest
                .add("select coalesce(max(stamp), 0), coalesce(max(post_high), 0) from gx.shard", Vec::new());
            let asked = async { latest.send(&*database.asks.take().await?, "", "").await };
            let rows = asked.await.map_err(|fault| ClusterError::Database {
                database: named.name().to_owned(),
                problem: format!("{fault:?}"),
            })?;
            for row in rows.iter().flatten() {
                shared.stamps.observe(stamp(row, 0));
                shared.stamps.observe_posts(row.get::<_, i64>(1).cast_unsigned());
            }
        }
        crate::checks::describe();
        shared.run(Lanes::start(&shared), Appliers::start(&shared));
        let follow = |every| {
            let follow = |database| tokio::spawn(follow_logs(Arc::downgrade(&shared), database, every));
            (0..shared.served.len()).map(follow).collect()
        };
        let followers: Vec<JoinHandle<()>> = options.apply_every.map(follow).unwrap_or_default();
        let marks = ended::load(&shared).await.map_err(|fault| of_store(fault.told()))?;
        let watch = tokio::spawn(ended::watch(Arc::downgrade(&shared), marks));
        let credentials = tokio::spawn(follow_credentials(Arc::downgrade(&shared)));
        Ok(Self { shared, followers, watch, credentials, runtime: Handle::current() })
    }
}

impl Drop for ClusterStore {
    fn drop(&mut self) {
        self.credentials.abort();
        self.followers.iter().for_each(JoinHandle::abort);
        self.watch.abort();
    }
}

impl Graph for ClusterStore {
    fn view<'a>(&'a self, at_least: Option<&'a Position>) -> BoxFuture<'a, Result<Box<dyn StoreView>>> {
        Box::pin(async move {
            let view = ClusterView::open(&self.shared, at_least).await?;
            Ok(Box::new(view) as Box<dyn StoreView>)
        })
    }
}

impl EndedUsers for ClusterStore {
    fn is_gone(&self, uid: Uid) -> bool {
        self.shared.ended.is_gone(uid)
    }

    fn not_before_ms(&self, uid: Uid) -> u64 {
        self.shared.ended.not_before_ms(uid)
    }
}
