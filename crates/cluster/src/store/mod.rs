//! A cluster as one process serves it.

mod admission;
mod budget;
mod clock_watch;
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
mod sessions;
mod shards;
mod shared;
mod transact;
mod uids;

pub use budget::ConnectionBudget;
pub(crate) use budget::lacking_room;
pub(crate) use ended::EndedTable;
pub(crate) use facts::{head, job};
pub(crate) use log::heads;
use options::LOOK_EVERY;
pub use options::{CarryMode, ClusterOptions, TellReplica};
pub(crate) use posts::settle;
pub(crate) use shared::{ClusterCore, ServedDatabase};
pub(crate) use transact::{MOMENT, in_one_moment, in_shards, lock_free_rows, lock_rows, or_undo};

use crate::derive::{Appliers, carry_logs, hear_others, look_at_logs, tell_others};
use crate::fit::unfit;
use crate::housekeeping::{self, HouseReport, keep_house};
use crate::lanes::Lanes;
use crate::map::GeneMap;
use crate::rows::RowTerms;
use crate::shard_map;
use credentials::follow_credentials;
use guanxi_model::plan::FactLimits;
use guanxi_model::user::UidPolicy;
use guanxi_model::{Clock, HistoryId, Result, Uid};
use guanxi_ports::{EndHearer, EndedUsers};
use guanxi_postgres::DatabaseError;
use guanxi_postgres::Databases;
use guanxi_postgres::{PgSession, of_fault};
use guanxi_rows::layout::ErasedIdKey;
use guanxi_shard::cells::ErasedIds;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};

/// A dump that is being restored.
const HALF_FILLED: &str = "select from gx.load where done_at is null";

/// What to do about one.
pub(crate) const NOT_WHOLE: &str = "a dump is being restored into it, or that was cut off: run the same command again, which goes on where it was";

/// A cluster as one process serves it. Any number of processes may serve the same one.
pub struct ClusterStore {
    pub(crate) shared: Arc<ClusterCore>,
    followers: Vec<JoinHandle<()>>,
    /// Where long tasks run, for callers that block.
    pub(crate) runtime: Handle,
    credentials: JoinHandle<()>,
    presence: Option<JoinHandle<()>>,
    uids: UidPolicy,
    data_key: [u8; 32],
}

/// What a process asks the first database for before it can serve anything.
struct FirstTerms {
    map: GeneMap,
    terms: RowTerms,
    /// The number of the process.
    process: i64,
    data_key: [u8; 32],
}

impl FirstTerms {
    async fn read(databases: &Databases, limits: FactLimits) -> Result<Self, DatabaseError> {
        let map = shard_map(databases).await?;
        let genes = GeneMap::new(&map, databases)?;
        let mut terms = RowTerms::new(map.history, limits);
        let first = PgSession::open(databases.first()).await?;
        if let Some(problem) = unfit(&first, map.history, databases.first().name()).await? {
            return Err(first.problem(problem));
        }
        let number = first.rows("select nextval('gx.process')", &[]).await?;
        let process = number.first().map_or(0, |row| row.get(0));
        let ErasedIdKey(key) = read_erased_id_key(&first).await?;
        terms.erased_ids = ErasedIds::new(key, |key, id| ErasedIdKey(*key).hash(id));
        Ok(Self { map: genes, terms, process, data_key: read_data_key(&first).await? })
    }
}

/// The secret of the data, which lies in the first database.
async fn read_data_key(session: &PgSession) -> Result<[u8; 32], DatabaseError> {
    let rows = session.rows("select key from gx.data_key", &[]).await?;
    let key = rows.first().and_then(|row| row.get::<_, &[u8]>(0).try_into().ok());
    key.ok_or_else(|| session.problem("its table gx.data_key has no key of 32 bytes".to_owned()))
}

/// The key of hashes of erased ids, which lies in the first database.
async fn read_erased_id_key(session: &PgSession) -> Result<ErasedIdKey, DatabaseError> {
    let rows = session.rows("select key from gx.erased_id_key", &[]).await?;
    let key = rows.first().and_then(|row| ErasedIdKey::decode(row.get(0)));
    key.ok_or_else(|| session.problem("its table gx.erased_id_key has no key of 32 bytes".to_owned()))
}

/// How long a process that is to serve waits at its start for the first database: longer than a server takes to start again, and
/// short enough that what starts processes learns that this one cannot.
const FIRST_WAIT_MAX: Duration = Duration::from_mins(1);

/// How often it looks meanwhile.
const FIRST_LOOK_EVERY: Duration = Duration::from_millis(500);

impl ClusterStore {
    /// Connects to a cluster that is laid out.
    ///
    /// A process that is to serve starts without databases that cannot be reached, but for the first one: that has the map and the
    /// credentials, and is waited for a minute. A database is taken in when it comes. A process that only does some work needs all
    /// of them at once.
    ///
    /// # Errors
    /// When the map cannot be read, or names databases that are not in the list. When one of the databases is not the one
    /// that its name says, or has tables that this program does not know. When others serve it with other uids.
    pub async fn open(
        databases: &Databases,
        options: ClusterOptions,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, DatabaseError> {
        let (began, mut is_told) = (Instant::now(), false);
        loop {
            match Self::open_once(databases, options, clock.clone()).await {
                Err(DatabaseError::Away { database, problem })
                    if options.serving.is_some() && began.elapsed() < FIRST_WAIT_MAX =>
                {
                    if !is_told {
                        let seconds = FIRST_WAIT_MAX.as_secs();
                        tracing::warn!(
                            database,
                            problem,
                            "the start waits up to {seconds} s for the first database, which has the map and the credentials"
                        );
                    }
                    is_told = true;
                    sleep(FIRST_LOOK_EVERY).await;
                }
                opened => return opened,
            }
        }
    }

    /// Connects to it once.
    async fn open_once(
        databases: &Databases,
        options: ClusterOptions,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, DatabaseError> {
        let FirstTerms { map, terms, process, data_key } =
            FirstTerms::read(databases, options.limits).await?;
        let first = of_fault(databases.first().name());
        let of_store = |error: guanxi_model::Error| DatabaseError::Terms(error.to_string());
        let shared = ClusterCore::new(terms, options, clock, databases.clone(), (map, process));
        let shared = Arc::new(shared.map_err(of_store)?);
        admission::admit_all(&shared, options.serving.is_some()).await?;
        crate::checks::describe();
        presence::describe();
        shared::describe();
        crate::tail::describe();
        let uids = match options.serving {
            Some(serving) => {
                presence::announce(&shared, serving).await.map_err(&first)?;
                uids::agree_on_uids(&shared, options.uids).await?
            }
            None => uids::read_uids(&shared).await.map_err(&first)?,
        };
        if options.serving.is_some() {
            presence::tell_of_connections(&shared).await;
        }
        let marks = ended::load(&shared).await.map_err(&first)?;
        shared.run(Lanes::start(&shared), Appliers::start(&shared));
        let mut followers = follow(&shared);
        let watch = |database| tokio::spawn(admission::keep_watch(Arc::downgrade(&shared), database));
        followers.extend((0..shared.served.len()).map(watch));
        let losses = admission::watch_losses(Arc::downgrade(&shared), options.losses_every);
        followers.push(tokio::spawn(losses));
        let hear = |database| tokio::spawn(ended::watch(Arc::downgrade(&shared), database, marks.clone()));
        followers.extend((0..shared.served.len()).map(hear));
        let credentials = tokio::spawn(follow_credentials(Arc::downgrade(&shared)));
        let announced = |serving| tokio::spawn(presence::keep_announcing(Arc::downgrade(&shared), serving));
        let presence = options.serving.map(announced);
        Ok(Self { shared, followers, credentials, presence, uids, data_key, runtime: Handle::current() })
    }

    /// Returns which cluster it is.
    pub fn history(&self) -> HistoryId {
        self.shared.terms.history
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
        self.shared.clock_watch.is_right()
    }

    /// Returns what is wrong with databases and with the clock, as far as this process knows, each with what to do. While a database
    /// is named, its users are refused.
    pub fn problems(&self) -> Vec<String> {
        let named = self.shared.served.iter().zip(self.shared.databases().all());
        let shut = named.filter_map(|(served, database)| Some((database.name(), served.breaker.why()?)));
        let shut = shut.map(|(name, why)| format!("database `{name}`: {}", why.problem()));
        shut.chain(self.shared.clock_watch.problem()).collect()
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
            tasks.push(tokio::spawn(hear_others(weak(), source)));
        }
        // Whether this process carries events or not: its tasks that wait for some are woken by these looks.
        let every = options.apply_every.unwrap_or(LOOK_EVERY);
        tasks.push(tokio::spawn(look_at_logs(weak(), source, every)));
        if options.apply_every.is_none() {
            continue;
        }
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

    fn is_known(&self, uid: Uid) -> bool {
        self.shared.ended.is_read(self.shared.map().database(uid.gene()))
    }

    fn ends(&self) -> u64 {
        self.shared.ended.ends()
    }

    fn last_end(&self, uid: Uid) -> u64 {
        self.shared.ended.last_end(uid)
    }

    fn hear_ends(&self, hearer: EndHearer) {
        self.shared.ended.hear(hearer);
    }
}
