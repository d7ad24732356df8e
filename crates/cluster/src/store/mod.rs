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
mod presence;
mod replicas;
mod routes;
mod sessions;
mod shards;
mod shared;
mod transact;
mod uids;

pub(crate) use ended::{EndedChanges, EndedTable};
pub(crate) use facts::{head, job};
pub(crate) use log::heads;
pub use options::{CarryMode, ClusterOptions, TellReplica};
pub(crate) use posts::settle;
pub(crate) use shared::{ClusterCore, ServedDatabase};
pub(crate) use transact::{MOMENT, in_one_moment, in_shards, lock_rows, or_undo};

use crate::databases::Databases;
use crate::derive::{Appliers, carry_logs, hear_others, look_at_logs, tell_others};
use crate::fit::unfit;
use crate::housekeeping::{self, HouseReport, keep_house};
use crate::lanes::Lanes;
use crate::map::GeneMap;
use crate::postgres::{PgSession, Statements};
use crate::rows::{RowTerms, number, stamp};
use crate::{ClusterError, shard_map};
use credentials::follow_credentials;
use guanxi_model::user::UidPolicy;
use guanxi_model::{Clock, Result, Uid};
use guanxi_ports::EndedUsers;
use guanxi_rows::layout::ErasedIdKey;
use std::sync::Arc;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;

/// A dump that is being restored.
const HALF_FILLED: &str = "select from gx.load where done_at is null";

/// What to do about one.
pub(crate) const NOT_WHOLE: &str = "a dump is being restored into it, or that was cut off: run the same command again, which goes on where it was";

/// A cluster as one process serves it. Any number of processes may serve the same one.
pub struct ClusterStore {
    pub(crate) shared: Arc<ClusterCore>,
    followers: Vec<JoinHandle<()>>,
    watch: JoinHandle<()>,
    /// Where long tasks run, for callers that block.
    pub(crate) runtime: Handle,
    credentials: JoinHandle<()>,
    presence: Option<JoinHandle<()>>,
    uids: UidPolicy,
    data_key: [u8; 32],
}

/// The secret of the data, which lies in the first database.
async fn read_data_key(session: &PgSession) -> Result<[u8; 32], ClusterError> {
    let rows = session.rows("select key from gx.data_key", &[]).await?;
    let key = rows.first().and_then(|row| row.get::<_, &[u8]>(0).try_into().ok());
    key.ok_or_else(|| session.problem("its table gx.data_key has no key of 32 bytes".to_owned()))
}

/// The key of hashes of erased ids, which lies in the first database.
async fn read_erased_id_key(session: &PgSession) -> Result<ErasedIdKey, ClusterError> {
    let rows = session.rows("select key from gx.erased_id_key", &[]).await?;
    let key = rows.first().and_then(|row| ErasedIdKey::decode(row.get(0)));
    key.ok_or_else(|| session.problem("its table gx.erased_id_key has no key of 32 bytes".to_owned()))
}

impl ClusterStore {
    /// Connects to a cluster that is laid out.
    ///
    /// # Errors
    /// When its map cannot be read, or names databases that are not in the list. When one of the databases cannot be asked, is
    /// not the one that its name says, or has tables that this program does not know. When others serve it with other uids.
    pub async fn open(
        databases: &Databases,
        options: ClusterOptions,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, ClusterError> {
        let map = shard_map(databases).await?;
        let genes = GeneMap::new(&map, databases)?;
        let mut terms = RowTerms::new(map.history, options.limits);
        let (mut process, mut data_key) = (0, [0; 32]);
        for (database, place) in databases.all().iter().zip(0..) {
            let session = PgSession::open(database).await?;
            if let Some(problem) = unfit(&session, &map, database.name()).await? {
                return Err(session.problem(problem));
            }
            if place == 0 {
                let number = session.rows("select nextval('gx.process')", &[]).await?;
                process = number.first().map_or(0, |row| row.get(0));
                data_key = read_data_key(&session).await?;
                terms.erased_id_key = read_erased_id_key(&session).await?;
            }
        }
        let of_store = |error: guanxi_model::Error| ClusterError::Terms(error.to_string());
        let shared =
            ClusterCore::new(terms, options, clock, databases.clone(), (genes, process)).map_err(of_store)?;
        let shared = Arc::new(shared);
        for (database, named) in shared.served.iter().zip(databases.all()) {
            let mut latest = Statements::default();
            latest
                .add("select coalesce(max(stamp), 0), coalesce(max(post_high), 0) from gx.shard", Vec::new());
            latest.add(HALF_FILLED, Vec::new());
            let problem = |problem| ClusterError::Database { database: named.name().to_owned(), problem };
            let asked = database.asks.ask(&latest).await;
            let mut rows = asked.map_err(|fault| problem(format!("{fault:?}")))?;
            if rows.pop().is_some_and(|rows| !rows.is_empty()) {
                return Err(problem(NOT_WHOLE.to_owned()));
            }
            for row in rows.iter().flatten() {
                shared.stamps.observe(stamp(row, 0));
                shared.stamps.observe_posts(number(row, 1));
            }
        }
        crate::checks::describe();
        presence::describe();
        shared::describe();
        let uids = match options.serving {
            Some(serving) => {
                presence::announce(&shared, serving).await.map_err(|fault| of_store(fault.told()))?;
                uids::agree_on_uids(&shared, options.uids).await?
            }
            None => uids::read_uids(&shared).await.map_err(|fault| of_store(fault.told()))?,
        };
        shared.run(Lanes::start(&shared), Appliers::start(&shared));
        let followers = follow(&shared);
        let marks = ended::load(&shared).await.map_err(|fault| of_store(fault.told()))?;
        let watch = tokio::spawn(ended::watch(Arc::downgrade(&shared), marks));
        let credentials = tokio::spawn(follow_credentials(Arc::downgrade(&shared)));
        let announced = |serving| tokio::spawn(presence::keep_announcing(Arc::downgrade(&shared), serving));
        let presence = options.serving.map(announced);
        Ok(Self {
            shared,
            followers,
            watch,
            credentials,
            presence,
            uids,
            data_key,
            runtime: Handle::current(),
        })
    }

    /// Returns the policy of uids.
    pub const fn uids(&self) -> UidPolicy {
        self.uids
    }

    /// A secret of the data, the same in every process, which no dump carries.
    pub const fn data_key(&self) -> [u8; 32] {
        self.data_key
    }

    /// Returns whether the clock of this process agrees with the first database's, as far as it is known.
    pub fn is_in_time(&self) -> bool {
        self.shared.is_in_time()
    }

    /// Says that this process serves no more. Without it others believe for half a minute that it does.
    pub async fn leave(&self) {
        let Some(presence) = &self.presence else { return };
        presence.abort();
        if let Err(fault) = presence::leave(&self.shared).await {
            tracing::debug!(?fault, "the first database was not told that this process ends");
        }
    }
}

/// Starts what follows the logs, and what tells others that they have moved.
fn follow(shared: &Arc<ClusterCore>) -> Vec<JoinHandle<()>> {
    let (mut tasks, options) = (Vec::new(), shared.options);
    let weak = || Arc::downgrade(shared);
    for source in 0..shared.served.len() {
        if options.notifies {
            tasks.push(tokio::spawn(tell_others(weak(), source)));
        }
        let Some(every) = options.apply_every else { continue };
        if options.notifies {
            tasks.push(tokio::spawn(hear_others(weak(), source)));
        }
        tasks.push(tokio::spawn(look_at_logs(weak(), source, every)));
        let carry = |target| tokio::spawn(carry_logs(weak(), (source, target)));
        tasks.extend((0..shared.served.len()).map(carry));
        tasks.push(tokio::spawn(keep_house(weak(), source)));
    }
    tasks
}

impl ClusterStore {
    /// Removes what is over in every database that no other process keeps house in, now: a process that follows the logs does it
    /// by itself, every ten seconds.
    ///
    /// # Errors
    /// When a database cannot be asked.
    pub async fn keep_house(&self) -> Result<HouseReport> {
        housekeeping::rounds(&self.shared).await
    }
}

impl Drop for ClusterStore {
    fn drop(&mut self) {
        self.credentials.abort();
        self.followers.iter().for_each(JoinHandle::abort);
        self.watch.abort();
        self.presence.iter().for_each(JoinHandle::abort);
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
