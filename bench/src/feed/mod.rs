//! Feeds: guanxi against seed 003's design on Redis and against PostgreSQL, on the same world, in one run: first in process
//! on both cores, then over the wire with a core for the servers and one for the load.

pub(crate) mod store;

use crate::load::Prepared;
use crate::machine;
use crate::peers::guanxi::{self, Installation};
use crate::peers::home::redis::{self, Inboxes};
use crate::peers::home::{Outboxes, postgres};
use crate::peers::redis::name;
use crate::peers::{Server, Target};
use crate::report::{Asked, Cell, Delivered, Memory, Results, Setup};
use crate::run::{Bench, Place, at_most};
use crate::turns::{self, Rounds, Turn, wait_quiet};
use crate::wire::redis::Layout;
use guanxi_load::in_process::run::{opening, run as run_in_process};
use guanxi_load::in_process::{Plan, policy};
use guanxi_load::quantiles::median;
use guanxi_load::{Class, Finding, World};
use guanxi_model::FanoutMode;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;

/// Connections of the comparison.
const CONNECTIONS: [usize; 2] = [16, 64];
/// Different readers per class and system.
const CALLS: usize = 10_000;
/// Items of an inbox of the pushed server: as those of Redis.
const PUSH_CAP: u32 = 800;
/// The ids of delivered posts begin here: above all of the world's.
const FIRST_DELIVERED: u64 = 1 << 62;
/// Threads of what runs in process: pushing and reading.
const THREADS: usize = 2;
/// Readers of exactly 500 and 2,000 followees.
const HEAVY_READERS: u32 = 200;

/// How the comparison of feeds runs.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// Users of the world whose homes are read over the wire; at least 2,400 more than readers
    #[arg(long, default_value_t = 100_000)]
    users: u32,
    /// Readers of 75 followees: so many inboxes of 800 are in Redis
    #[arg(long, default_value_t = 10_000)]
    readers: u32,
    /// Posts of that world
    #[arg(long, default_value_t = 5_000_000)]
    posts: u32,
    /// Users of the world in process, each with a resident inbox
    #[arg(long, default_value_t = 1_000_000)]
    residents: u32,
    /// Followers of the celebrity in process
    #[arg(long, default_value_t = 10_000_000)]
    followers: u32,
    /// Posts per user of the world in process
    #[arg(long, default_value_t = 4)]
    posts_each: u32,
    /// Items of an inbox in process; new inboxes begin with 256, so that these are full
    #[arg(long, default_value_t = 256)]
    inbox: u32,
    /// Posts whose deliveries are measured in process
    #[arg(long, default_value_t = 100_000)]
    backlog: u32,
    /// Only the part over the wire
    #[arg(long)]
    no_in_process: bool,
    #[command(flatten)]
    rounds: Rounds,
}

impl Bench for Options {
    type Found = Results;
    const NAME: Option<&'static str> = Some("feed");
    /// Not yet: what runs in process has both cores.
    const IS_PINNED: bool = false;
    const IS_DRAWN: bool = true;

    fn shrink(&mut self) {
        self.rounds.shorten();
        at_most([
            (&mut self.users, 6_000),
            (&mut self.readers, 300),
            (&mut self.posts, 60_000),
            (&mut self.residents, 6_000),
            (&mut self.followers, 20_000),
            (&mut self.backlog, 1_000),
        ]);
    }

    fn run(&self, place: &Place) -> Result<Results, String> {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(THREADS).enable_all().build();
        let runtime = runtime.map_err(|error| format!("no runtime: {error}"))?;
        let mut in_process = Vec::new();
        if !self.no_in_process {
            let world = Arc::new(self.resident_world()?);
            let measure = |place: &Place| runtime.block_on(self.in_process(&place.dir.join("data"), &world));
            in_process = place.part("in-process", measure)?;
        }
        let place = place.clone().pinned();
        let mut results = Results { in_process, ..Results::new(Setup::new(&place)) };
        results.setup.configuration = self.configuration();
        summarize(&mut results);
        self.over_the_wire(&place, &runtime, &mut results)?;
        Ok(results)
    }
}

impl Options {
    /// The world whose homes are read over the wire: authors of 50 posts each, so that a reader of 75 has more items
    /// than an inbox of 800 holds.
    fn wire_world(&self) -> Result<World, String> {
        let classes = vec![
            Class { readers: self.readers, followees: 75 },
            Class { readers: HEAVY_READERS, followees: 500 },
            Class { readers: HEAVY_READERS, followees: 2_000 },
        ];
        let readers: u32 = classes.iter().map(|class| class.readers).sum();
        if self.users < (readers + 2_000).max(4_000) {
            return Err(format!("{} users are too few for {readers} readers of exact classes", self.users));
        }
        Ok(World { classes, posts: self.posts, ..World::of_users(self.users, self.rounds.seed) })
    }

    /// The world in process: a million residents, and a celebrity whom they and nine million others follow.
    fn resident_world(&self) -> Result<World, String> {
        if self.residents < 4_000 || self.followers < self.residents {
            return Err("at least 4,000 residents, and as many followers".to_owned());
        }
        let posts = self.residents * self.posts_each;
        let world = World::with_celebrity(self.residents, self.followers, self.rounds.seed + 1);
        Ok(World { posts, ..world })
    }

    fn configuration(&self) -> Vec<(String, String)> {
        let checked = "every answer for errors, one in 64 for its content, and 200 of each kind before";
        let mut pairs = self.rounds.configuration("cores over the wire").to_vec();
        pairs.push(("seed".to_owned(), self.rounds.seed.to_string()));
        pairs.push(("checked".to_owned(), checked.to_owned()));
        pairs
    }

    /// Everything in the process of the store.
    async fn in_process(&self, dir: &Path, world: &Arc<World>) -> Result<Vec<Finding>, String> {
        eprintln!("in process: {} users, {} fans, {} posts", world.users, world.fans, world.posts);
        let (edges, loading, filling) = store::create(dir, world).await?;
        let [loading, filling] = [loading, filling].map(|time| time.as_secs_f64());
        eprintln!("{edges} follows in {loading:.1} s, posts in {filling:.1} s");
        let time = self.rounds.time() * 2;
        let plan = Plan { time, check_every: 64, inbox_cap: self.inbox, backlog: self.backlog };
        let opened = store::open(dir)?;
        let run = run_in_process(&opened.backend, world, &plan, &|next| eprintln!("{next}")).await;
        let mut findings = run.map_err(|error| format!("{error:?}"))?;
        opened.close().await?;
        findings.push(first_page_after_opening(dir, world).await?);
        findings.iter().for_each(|finding| eprintln!("{}", finding.text()));
        Ok(findings)
    }

    fn over_the_wire(&self, place: &Place, runtime: &Runtime, results: &mut Results) -> Result<(), String> {
        let world = self.wire_world()?;
        let outboxes = Outboxes::of(&world);
        let size = format!("{} users, {} posts, 5 % of the items hidden", world.users, world.posts);
        results.setup.configuration.push(("world over the wire".to_owned(), size));
        let (pull, push) = guanxi_servers(place, &world, runtime, results)?;
        let start = Instant::now();
        let (postgres, mut session) = postgres::start(place, &world, postgres::LATERALLY)?;
        results.setup.add(&postgres, start.elapsed());
        let bytes = postgres::disk_bytes(&mut session)?;
        eprintln!("PostgreSQL: {:.0} MB of tables and indexes", bytes as f64 / 1e6);
        let mut inboxes = Vec::new();
        for layout in [Layout::SortedSets, Layout::Lists] {
            let start = Instant::now();
            let redis = redis::start(place, &outboxes, &world, 0, layout)?;
            results.setup.add(&redis.server, start.elapsed());
            results.memory.push(Memory {
                system: name(layout).to_owned(),
                how: "used_memory".to_owned(),
                per_entry: redis.bytes as f64 / redis.entries.max(1) as f64,
                entries: redis.entries as f64 / world.readers(0).len() as f64,
            });
            inboxes.push(redis);
        }
        let joined = Target { name: postgres::JOIN, protocol: &postgres::JOINED, ..postgres.target() };
        let ruled = [pull.target(), push.target(), postgres.target(), joined];
        let stored: Vec<Target<'_>> = inboxes.iter().map(|redis| redis.server.target()).collect();
        for class in 0..world.classes.len() {
            results.closed.extend(self.pages(&outboxes, class, &ruled, &stored)?);
        }
        // Deliveries come last: they change what inboxes hold.
        for redis in &inboxes {
            results.deliveries.push(self.deliveries(redis)?);
        }
        Ok(())
    }

    /// Checks all systems, then measures the pages of a class of readers over each number of connections in turns. Some
    /// systems hold no more than inboxes: those of the first class's readers, whose pages pass no rule.
    fn pages(
        &self,
        outboxes: &Outboxes<'_>,
        class: usize,
        ruled: &[Target<'_>],
        stored: &[Target<'_>],
    ) -> Result<Vec<Cell>, String> {
        let [with_rules, without] = [true, false].map(|rules| outboxes.workload(class, CALLS, rules));
        let pids: Vec<u32> = ruled.iter().chain(stored).map(|target| target.pid).collect();
        let stored = stored.iter().filter(|_| class == 0).map(|target| (*target, &without));
        let able: Vec<_> = ruled.iter().map(|target| (*target, &with_rules)).chain(stored).collect();
        able.iter().try_for_each(|(target, workload)| target.compare(workload))?;
        let asked = Asked::Followees(outboxes.world.classes[class].followees);
        eprintln!("{}: all systems answer as they should", asked.title());
        let mut cells = Vec::new();
        for connections in CONNECTIONS {
            let plan = self.rounds.plan(connections, None);
            let turns = able.iter().map(|&(target, workload)| {
                Turn::over_the_wire(asked, target, Prepared::new(target.protocol, workload, 1), plan)
            });
            let what = |asked: &Asked| format!("{}, {connections} connections", asked.title());
            cells.extend(turns::measure(what, &turns.collect::<Vec<_>>(), self.rounds.rounds, &pids)?);
        }
        Ok(cells)
    }

    /// Pipelined deliveries of one Redis.
    fn deliveries(&self, redis: &Inboxes) -> Result<Delivered, String> {
        let pid = redis.server.process.pid();
        let (mut rounds, mut cpu, mut total) = (Vec::new(), Duration::ZERO, 0);
        for round in 0..self.rounds.rounds as u64 {
            wait_quiet(&[pid]);
            let before = machine::cpu_of_tree(pid);
            // A round lasts seconds, so it stays below a billion ids.
            let first_id = FIRST_DELIVERED + round * 1_000_000_000;
            let (inserted, seconds) = redis.deliver(first_id, self.rounds.time())?;
            cpu += machine::cpu_of_tree(pid).saturating_sub(before);
            total += inserted;
            let per_s = inserted as f64 / seconds;
            eprintln!("deliveries, {}: {per_s:.0}/s", redis.server.name);
            rounds.push(per_s);
        }
        Ok(Delivered {
            system: redis.server.name.to_owned(),
            how: format!(
                "{} connections, pipelines of {} inserts with their trims, inboxes of 800, nothing on disk",
                redis::DELIVERERS,
                redis::PIPELINE
            ),
            per_s: median(rounds.iter().copied()).ok_or("no round")?,
            cpu_us: cpu.as_secs_f64() * 1e6 / total.max(1) as f64,
            rounds,
        })
    }
}

/// Opens the directory and reads the home of one reader.
async fn first_page_after_opening(dir: &Path, world: &World) -> Result<Finding, String> {
    let start = Instant::now();
    let opened = store::open(dir)?;
    let found = opening(&opened.backend, world, start).await.map_err(|error| format!("{error:?}"));
    opened.close().await?;
    found
}

/// Takes the figures that are compared with other systems out of the tables.
fn summarize(results: &mut Results) {
    if let Some(per_s) = results.figure("deliveries by the fan-out's worker") {
        let how = "the fan-out's worker on one thread, while pages are read and checked".to_owned();
        let system = guanxi::IN_PROCESS.to_owned();
        results.deliveries.push(Delivered { system, how, per_s, cpu_us: 0.0, rounds: vec![per_s] });
    }
    let entries = results.figure("items of an inbox, on average").unwrap_or(0.0);
    let counts = [
        ("memory per entry, headers included: growth of the process", "growth of the process"),
        ("the same by the inboxes' own count", "the inboxes' own count"),
    ];
    for (what, how) in counts {
        if let Some(per_entry) = results.figure(what) {
            let (system, how) = (guanxi::IN_PROCESS.to_owned(), how.to_owned());
            results.memory.push(Memory { system, how, per_entry, entries });
        }
    }
}

/// Two servers on copies of one directory, of which one pushes.
fn guanxi_servers(
    place: &Place,
    world: &World,
    runtime: &Runtime,
    results: &mut Results,
) -> Result<(Server, Server), String> {
    let start = Instant::now();
    let installation = Installation::new(place)?;
    runtime.block_on(store::create(&installation.data, world))?;
    let copy = installation.copied()?;
    runtime.block_on(async {
        let opened = store::open(&copy.data)?;
        let feed = opened.backend.feed().await.map_err(|error| format!("{error:?}"))?;
        let push = policy(FanoutMode::Hybrid, PUSH_CAP);
        feed.put_policy(push).await.map_err(|error| format!("{error:?}"))?;
        drop(feed);
        opened.close().await
    })?;
    let load = start.elapsed();
    let pull = Server { name: guanxi::PULL, ..installation.serve(&[])?.server };
    results.setup.add(&pull, load);
    let push = Server { name: guanxi::PUSH, ..copy.serve(&[])?.server };
    results.setup.add(&push, load);
    Ok((pull, push))
}
