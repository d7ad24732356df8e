//! Processes that keep indexes of search, as they tell each other by their rows.

use super::{ClusterStore, TellReplica, presence};
use guanxi_model::{Position, Result};
use guanxi_ports::{BoxFuture, IndexReplica, IndexReplicas};
use guanxi_postgres::{Fault, Statements};

/// A process that was silent three times is not asked any more.
const REPLICAS: &str = "select index_address, index_posts, index_users from gx.serving \
    where index_address is not null and seen_at > now() - interval '15 seconds' order by process";

impl ClusterStore {
    /// Tells other processes from now on where this process answers questions to its indexes. A process that does not
    /// serve tells no other.
    ///
    /// # Errors
    /// When the first database cannot be told now; it is told later.
    pub async fn tell_of_index(&self, tell: TellReplica) -> Result<()> {
        // A process that told before does so again: there is one listener.
        let _first = self.shared.index.set(tell);
        let Some(serving) = self.shared.options.serving else { return Ok(()) };
        presence::announce(&self.shared, serving).await.map_err(Fault::told)
    }
}

impl IndexReplicas for ClusterStore {
    fn replicas(&self) -> BoxFuture<'_, Result<Vec<IndexReplica>>> {
        Box::pin(async move {
            let asked = Statements::one(REPLICAS, Vec::new());
            let rows = self.shared.served[0].others.rows(&asked).await?;
            Ok(rows.iter().map(replica).collect())
        })
    }
}

/// Of a position that cannot be read nothing is known.
fn replica(row: &tokio_postgres::Row) -> IndexReplica {
    let position = |at: usize| Position::from_token(row.get::<_, Option<&str>>(at)?).ok();
    IndexReplica { address: row.get(0), posts: position(1), users: position(2) }
}
