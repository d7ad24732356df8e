//! Two databases, each behind a way that has faults, and processes that serve them.

use crate::proxy::Proxy;
use crate::world::{SETTINGS, World, databases, laid_out};
use guanxi_cluster::{
    CarryMode, ClusterOptions, ClusterStore, RepairCheck, RepairTerms, ServingAs, ServingRoles,
};
use guanxi_model::{Clock, Event, List, Logs, Op, Page, PairCommand, Position, Uid, Write};
use guanxi_ports::{Facts as _, Log as _, Store as _};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant, SystemTime};
use tokio_postgres::Client;

/// The time of this machine.
pub(crate) struct WallClock;

impl Clock for WallClock {
    fn now_ms(&self) -> u64 {
        SystemTime::UNIX_EPOCH.elapsed().unwrap().as_millis().try_into().unwrap()
    }
}

pub(crate) fn u(n: u64) -> Uid {
    Uid::new(n).unwrap()
}

pub(crate) fn options(carrying: CarryMode, applies: bool) -> ClusterOptions {
    let apply_every = applies.then_some(Duration::from_millis(20));
    ClusterOptions { carrying, apply_every, ..ClusterOptions::default() }
}

/// The modes in which a history is played: both, or the one that `GUANXI_CARRY_MODE` names by its number.
pub(crate) fn carry_modes() -> Vec<CarryMode> {
    let all = [CarryMode::Log, CarryMode::Sync];
    match std::env::var("GUANXI_CARRY_MODE") {
        Ok(number) => vec![all[number.parse::<usize>().unwrap()]],
        Err(_) => all.to_vec(),
    }
}

/// What a process with some roles tells others of itself.
pub(crate) fn serving(roles: &str) -> ServingAs {
    let has = |role| roles.split(',').any(|named| named == role);
    let roles =
        ServingRoles { api: has("api"), worker: has("worker"), repair: has("repair"), index: has("index") };
    ServingAs { roles, program: "test", host: "here", pid: 7 }
}

pub(crate) async fn open(lines: &[String], options: ClusterOptions) -> Arc<ClusterStore> {
    Arc::new(ClusterStore::open(&databases(lines), options, Arc::new(WallClock)).await.unwrap())
}

pub(crate) fn write(op: Op, subject: u64, object: u64) -> Write {
    Write::of(PairCommand { op, subject: u(subject), object: u(object) })
}

pub(crate) async fn act(
    store: &ClusterStore,
    op: Op,
    subject: u64,
    object: u64,
) -> guanxi_model::Result<(bool, Position)> {
    let applied = store.apply(write(op, subject, object)).await?;
    let position = applied.position.clone();
    Ok((applied.pair()?.result.unwrap(), position))
}

pub(crate) async fn list(store: &ClusterStore, of: u64, list: List, at: Option<&Position>) -> BTreeSet<u64> {
    let view = store.view(at).await.unwrap();
    let page = view.list(u(of), list, Page::first()).await.unwrap();
    page.items.iter().map(|edge| edge.uid.get()).collect()
}

pub(crate) async fn log_of(store: &ClusterStore, uid: u64) -> Vec<Event> {
    let beginning = Position::beginning(store.head().await.unwrap().history(), Logs::PerGene);
    store.read(Logs::PerGene.of(u(uid)), &beginning, 1_000).await.unwrap().events
}

/// A full check finds nothing once everything is applied.
pub(crate) async fn assert_clean(store: &ClusterStore) {
    let report = store.repair(RepairCheck::Full, RepairTerms::default(), &mut |_| {}).await.unwrap();
    assert_eq!((report.differences_total, report.unsettled), (0, 0), "{report:?}");
}

/// How long a test waits for what must come: so long that only a hang reaches it, however loaded the machine is.
pub(crate) const PATIENCE: Duration = Duration::from_mins(1);

/// Tries until it is well. Returns how long that took.
pub(crate) async fn eventually(mut is_well: impl AsyncFnMut() -> bool) -> Duration {
    let began = Instant::now();
    while !is_well().await {
        assert!(began.elapsed() < PATIENCE, "it is not well after {:?}", began.elapsed());
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    began.elapsed()
}

/// The middle one of some times.
pub(crate) fn median(took: &[Duration]) -> Duration {
    let mut took = took.to_vec();
    took.sort_unstable();
    took[took.len() / 2]
}

/// Two databases, each behind a proxy; genes go around over them, so that even uids are of the first.
pub(crate) struct Pair {
    /// One server for both, or one for each.
    pub worlds: Vec<Arc<World>>,
    pub proxies: [Proxy; 2],
    pub lines: Vec<String>,
    names: [String; 2],
}

/// The server of all pairs that are used at once, and how many there were.
static SERVER: Mutex<(Weak<World>, u32)> = Mutex::new((Weak::new(), 0));

impl Pair {
    /// On one server, with others.
    pub(crate) async fn new() -> Self {
        let (world, number) = {
            let mut server = SERVER.lock().unwrap();
            let world = server.0.upgrade().unwrap_or_else(|| {
                Arc::new(World::with(&[SETTINGS, &[("max_connections", "800")]].concat()))
            });
            *server = (Arc::downgrade(&world), server.1 + 1);
            (world, server.1)
        };
        Self::of(vec![world], [format!("a{number}"), format!("b{number}")]).await
    }

    /// On two servers of its own, so that one of them may be killed.
    pub(crate) async fn apart() -> Self {
        let names = ["a", "b"].map(ToOwned::to_owned);
        Self::of(vec![Arc::new(World::new()), Arc::new(World::new())], names).await
    }

    async fn of(worlds: Vec<Arc<World>>, names: [String; 2]) -> Self {
        let world = |n: usize| &worlds[n % worlds.len()];
        let direct = [world(0).make(&[&names[0]]).await, world(1).make(&[&names[1]]).await].concat();
        laid_out(&direct).await;
        let (first, second) = (world(0).server.address, world(1).server.address);
        let proxies = [Proxy::start(first).await, Proxy::start(second).await];
        let lines = vec![proxies[0].line(&names[0], &names[0]), proxies[1].line(&names[1], &names[1])];
        Self { worlds, proxies, lines, names }
    }

    /// The same without proxies.
    pub(crate) fn direct(&self) -> Vec<String> {
        let line = |n: usize| self.world(n).line(&self.names[n], &self.names[n]);
        vec![line(0), line(1)]
    }

    /// The server of a database.
    fn world(&self, n: usize) -> &World {
        &self.worlds[n % self.worlds.len()]
    }

    /// The server of a database, which is its own.
    pub(crate) fn own_world(&mut self, n: usize) -> &mut World {
        Arc::get_mut(&mut self.worlds[n]).unwrap()
    }

    /// A connection to one of the databases, past everything.
    pub(crate) async fn client(&self, n: usize) -> Client {
        self.world(n).client(&self.names[n]).await
    }
}
