//! The run: first in process on both cores, then over the wire with a core for the servers and one for the load.

use super::options::Options;
use super::reads::{Class, Entrant, measure};
use super::store;
use crate::Common;
use crate::machine;
use crate::peers::guanxi::{self, Installation};
use crate::peers::home::redis::{self, Inboxes};
use crate::peers::home::{Outboxes, postgres};
use crate::peers::redis::name;
use crate::peers::{Place, Server, Target};
use crate::report::{Delivered, Memory, Results, Setup};
use crate::turns::{Comparison, wait_quiet};
use crate::wire::redis::Layout;
use guanxi_load::in_process::policy;
use guanxi_load::in_process::run::{opening, run as run_in_process};
use guanxi_load::quantiles::median;
use guanxi_load::{Finding, World};
use guanxi_model::FanoutMode;
use guanxi_servers::output_of;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

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

/// Runs the comparison and writes its results.
///
/// # Errors
/// When a system cannot be started, answers wrongly, or fails a call.
pub(crate) fn main(options: &Options, common: &Common) -> Result<Results, String> {
    let options = options.settled();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(THREADS).enable_all().build();
    let runtime = runtime.map_err(|error| format!("no runtime: {error}"))?;
    let mut results = Results::new(Setup::new(&common.dir, !common.no_pin));
    results.setup.configuration = configuration(&options);
    if !options.no_in_process {
        let session = crate::Run::begin(common, false)?;
        let world = Arc::new(options.resident_world()?);
        results.in_process =
            runtime.block_on(in_process(&session.place.dir.join("data"), &world, &options))?;
        summarize(&mut results);
    }
    let session = crate::Run::begin(common, true)?;
    results.setup.machine.pinned = session.place.pinned;
    over_the_wire(&session.place, common, &options, &runtime, &mut results)?;
    options.comparison.keep(common, "feed", &results)?;
    Ok(results)
}

fn configuration(options: &Options) -> Vec<(String, String)> {
    let checked = "every answer for errors, one in 64 for its content, and 200 of each kind before";
    let mut pairs = options.comparison.configuration("cores over the wire").to_vec();
    pairs.push(("seed".to_owned(), options.comparison.seed.to_string()));
    pairs.push(("checked".to_owned(), checked.to_owned()));
    pairs
}

/// Everything in the process of the store.
async fn in_process(dir: &Path, world: &Arc<World>, options: &Options) -> Result<Vec<Finding>, String> {
    eprintln!("in process: {} users, {} fans, {} posts", world.users, world.fans, world.posts);
    let (edges, loading, filling) = store::create(dir, world).await?;
    eprintln!("{edges} follows in {:.1} s, posts in {:.1} s", loading.as_secs_f64(), filling.as_secs_f64());
    let opened = store::open(dir)?;
    let run = run_in_process(&opened.backend, world, &options.plan(), &|next| eprintln!("{next}")).await;
    let mut findings = run.map_err(|error| format!("{error:?}"))?;
    opened.close().await?;
    findings.push(first_page_after_opening(dir, world).await?);
    findings.iter().for_each(|finding| eprintln!("{}", finding.text()));
    Ok(findings)
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

fn over_the_wire(
    place: &Place,
    common: &Common,
    options: &Options,
    runtime: &tokio::runtime::Runtime,
    results: &mut Results,
) -> Result<(), String> {
    let world = options.wire_world()?;
    let outboxes = Outboxes::of(&world);
    let size = format!("{} users, {} posts, 5 % of the items hidden", world.users, world.posts);
    results.setup.configuration.push(("world over the wire".to_owned(), size));
    let (pull, push) = guanxi_servers(place, common, &world, runtime, results)?;
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
    let classes: Vec<Class> = (0..world.classes.len())
        .map(|class| Class {
            followees: world.classes[class].followees,
            ruled: outboxes.workload(class, CALLS, true),
            raw: outboxes.workload(class, CALLS, false),
        })
        .collect();
    let joined = Target { name: postgres::JOIN, protocol: &postgres::JOINED, ..postgres.target() };
    let ruled = [pull.target(), push.target(), postgres.target(), joined];
    let ruled = ruled.map(|target| Entrant { target, inboxes: false });
    let stored = inboxes.iter().map(|redis| Entrant { target: redis.server.target(), inboxes: true });
    let entrants: Vec<Entrant<'_>> = ruled.into_iter().chain(stored).collect();
    let how = &options.comparison;
    results.closed = measure(&entrants, &classes, &CONNECTIONS, how)?;
    // Deliveries come last: they change what inboxes hold.
    for redis in &inboxes {
        results.deliveries.push(deliveries(redis, how)?);
    }
    Ok(())
}

/// Two servers on copies of one directory, of which one pushes.
fn guanxi_servers(
    place: &Place,
    common: &Common,
    world: &World,
    runtime: &tokio::runtime::Runtime,
    results: &mut Results,
) -> Result<(Server, Server), String> {
    let start = Instant::now();
    let (data, copy) = (place.dir.join("guanxi-data"), place.dir.join("guanxi-push"));
    runtime.block_on(store::create(&data, world))?;
    output_of(Command::new("cp").arg("-r").arg(&data).arg(&copy), false)?;
    runtime.block_on(async {
        let opened = store::open(&copy)?;
        let feed = opened.backend.feed().await.map_err(|error| format!("{error:?}"))?;
        let push = policy(FanoutMode::Hybrid, PUSH_CAP);
        feed.put_policy(push).await.map_err(|error| format!("{error:?}"))?;
        drop(feed);
        opened.close().await
    })?;
    let load = start.elapsed();
    let mut installation = Installation::new(&common.guanxi, place)?;
    installation.data = data;
    let pull = Server { name: guanxi::PULL, ..installation.serve(place)?.server };
    results.setup.add(&pull, load);
    installation.data = copy;
    let beside = Place { dir: place.sub("push")?, ..place.clone() };
    let push = Server { name: guanxi::PUSH, ..installation.serve(&beside)?.server };
    results.setup.add(&push, load);
    Ok((pull, push))
}

/// Pipelined deliveries of one Redis.
fn deliveries(redis: &Inboxes, how: &Comparison) -> Result<Delivered, String> {
    let (pid, time) = (redis.server.process.pid(), Duration::from_secs_f64(how.seconds));
    let (mut rounds, mut cpu, mut total) = (Vec::new(), Duration::ZERO, 0);
    for round in 0..how.rounds as u64 {
        wait_quiet(&[pid]);
        let before = machine::cpu_of_tree(pid);
        // A round lasts seconds, so it stays below a billion ids.
        let (inserted, seconds) = redis.deliver(FIRST_DELIVERED + round * 1_000_000_000, time)?;
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
