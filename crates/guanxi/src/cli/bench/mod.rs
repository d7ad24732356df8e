//! `guanxi bench`: what this machine can do, without any other program.

#![allow(clippy::cast_sign_loss, reason = "what is multiplied by the scale is positive")]

mod logins;
mod overload;
mod server;

use super::{complain, print, print_json};
use crate::progress::{Unit, bar, follow};
use clap::{Args, Subcommand};
use guanxi_load::fill::fill;
use guanxi_load::in_process::{Plan, run};
use guanxi_load::rpc::Rpc;
use guanxi_load::twitter::{Callers, Stage};
use guanxi_load::{Finding, World};
use guanxi_server::config::Settings;
use guanxi_server::{Context as _, Directory, Failure, Outcome};
use server::{Server, load_follows};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Users at scale 1: as many inboxes are resident.
const USERS: f64 = 1_000_000.0;
/// Followers of the celebrity at scale 1.
const FOLLOWERS: f64 = 10_000_000.0;
/// Posts whose deliveries are measured, at scale 1.
const BACKLOG: f64 = 100_000.0;
/// Items of an inbox: what a new one begins with, so that inboxes are full.
const INBOX_CAP: u32 = 256;
/// One page in so many is compared with the right one.
const CHECK_EVERY: usize = 64;
/// Memory for inboxes, and as much for following sets, at scale 1, in MiB; heads and items get a quarter each.
const CACHE_MIB: f64 = 4_096.0;
/// Connections of the page reads over the wire.
const CONNECTIONS: [usize; 2] = [16, 64];
/// Callers that post over the wire.
const POSTERS: usize = 64;
/// Open streams over the wire.
const STREAMS: u32 = 32;
/// The core of a server that has one core, with its hashing threads.
const SERVER_CORE: u32 = 0;
/// The core of the calls that are made to it.
const CALLS_CORE: u32 = 1;
/// Users of its world: their pages and relations fit in memory, so that the core is what there is too little of.
const SMALL_WORLD_USERS: u32 = 2_000;

/// Measures this machine. Everything runs in a temporary directory that is removed at the end.
#[derive(Debug, Args)]
pub(super) struct Bench {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Home timelines: pages, deliveries, a celebrity's post, and the shape of Twitter in 2012, in this process and over
    /// RPC. Nothing else should run meanwhile.
    Feed(Feed),
    /// Overload: more calls than a server on one core can answer. Measures the answered calls, the time of refusals, and their
    /// cost. Needs two cores, one for the calls, and `taskset`; nothing else should run meanwhile.
    Overload(overload::Overload),
    /// Logins: whether the time of a failed login tells that a name exists, and the effect of many logins on home pages. Needs
    /// two cores, one for the calls, and `taskset`; nothing else should run meanwhile.
    Logins(logins::Logins),
}

/// How feeds are measured.
#[derive(Debug, Args)]
struct Feed {
    /// Size of the world: 1 is a million users with inboxes and a celebrity of ten million followers, and takes some 10
    /// GB of memory and of disk
    #[arg(long, default_value_t = 0.1, value_name = "FACTOR")]
    scale: f64,
    /// Seconds per figure
    #[arg(long, default_value_t = 5.0, value_name = "SECONDS")]
    duration: f64,
    /// Seed of the world
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,
    #[command(flatten)]
    common: Common,
}

/// What all measurements can be told.
#[derive(Debug, Args)]
struct Common {
    /// Where the temporary directory is made; on the disk that matters [default: the system's]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Write the results to standard output as JSON
    #[arg(long)]
    json: bool,
}

impl Common {
    /// Makes a temporary directory with a world below it, in `data`.
    async fn make(&self, settings: &Settings, world: &World) -> Outcome<TempDir> {
        let parent = self.dir.clone().unwrap_or_else(std::env::temp_dir);
        let dir = tempfile::Builder::new().prefix("guanxi-bench-").tempdir_in(parent);
        let dir = dir.context("cannot make a directory")?;
        make(&dir.path().join("data"), settings, world).await?;
        Ok(dir)
    }

    fn show(&self, findings: &[Finding]) -> Outcome {
        if self.json {
            return print_json(&findings);
        }
        findings.iter().try_for_each(|finding| print(finding.text()))
    }
}

/// Refuses a duration that is no measurement.
fn checked(seconds: f64) -> Outcome<Duration> {
    if (0.5..=3_600.0).contains(&seconds) {
        return Ok(Duration::from_secs_f64(seconds));
    }
    Err(Failure::usage("--duration is 0.5 to 3600 seconds"))
}

impl Bench {
    /// Measures.
    pub(super) async fn run(&self, settings: Settings) -> Outcome {
        match &self.what {
            What::Feed(feed) => feed.run(settings).await,
            What::Overload(overload) => overload.run(settings).await,
            What::Logins(logins) => logins.run(settings).await,
        }
    }
}

impl Feed {
    async fn run(&self, settings: Settings) -> Outcome {
        let world = Arc::new(self.world()?);
        let settings = self.settings(settings);
        let dir = self.common.make(&settings, &world).await?;
        let data = dir.path().join("data");
        let mut findings = self.in_process(&data, &settings, &world).await?;
        findings.push(first_page_after_opening(&data, &settings, &world).await?);
        findings.extend(self.over_rpc(&data, &settings, &world).await?);
        self.common.show(&findings)
    }

    fn world(&self) -> Outcome<World> {
        let users = (USERS * self.scale) as u32;
        if !(self.scale <= 10.0 && users >= 8_000) {
            return Err(Failure::usage("--scale is from 0.008 to 10"));
        }
        if !(self.duration > 0.0 && self.duration <= 3_600.0) {
            return Err(Failure::usage("--duration is up to 3600 seconds"));
        }
        Ok(World::with_celebrity(users, (FOLLOWERS * self.scale) as u32, self.seed))
    }

    /// The settings with room for a world of active users; durable as they are.
    fn settings(&self, settings: Settings) -> Settings {
        let cache_mib = (CACHE_MIB * self.scale) as u64 + 256;
        Settings {
            inbox_mib: settings.inbox_mib.max(cache_mib),
            user_cache_mib: settings.user_cache_mib.max(cache_mib),
            author_cache_mib: settings.author_cache_mib.max(cache_mib / 4),
            item_cache_mib: settings.item_cache_mib.max(cache_mib / 4),
            ..settings
        }
    }

    fn time(&self) -> Duration {
        Duration::from_secs_f64(self.duration)
    }

    async fn in_process(
        &self,
        data: &Path,
        settings: &Settings,
        world: &Arc<World>,
    ) -> Outcome<Vec<Finding>> {
        let local = Directory::open(data, settings)?;
        let plan = Plan {
            time: self.time(),
            check_every: CHECK_EVERY,
            inbox_cap: INBOX_CAP,
            backlog: (BACKLOG * self.scale) as u32,
        };
        let found = run::run(local.ports().of_centers(), world, &plan, &|next| complain(next)).await;
        local.close().await?;
        Ok(found?)
    }

    async fn over_rpc(&self, data: &Path, settings: &Settings, world: &Arc<World>) -> Outcome<Vec<Finding>> {
        let flags = [
            format!("--inbox-mib={}", settings.inbox_mib),
            format!("--user-cache-mib={}", settings.user_cache_mib),
            format!("--author-cache-mib={}", settings.author_cache_mib),
            format!("--item-cache-mib={}", settings.item_cache_mib),
            // A closed loop waits for as long as it has connections; it is not to be refused.
            "--queue-wait-max-ms=2000".to_owned(),
        ];
        let server = Server::start(data, &flags).await?;
        let stage = Stage { service: Rpc::new(server.endpoints.listen), world: world.clone(), probe: None };
        complain("home pages, over RPC");
        let mut findings = vec![run::closed_pages(&stage, &CONNECTIONS, self.time(), "over RPC").await?];
        let callers =
            Callers { readers: CONNECTIONS[1], posters: POSTERS, streams: STREAMS, time: self.time() };
        findings.extend(run::shapes(&stage, callers, "over RPC", &|next| complain(next)).await?);
        Ok(findings)
    }
}

/// Makes a directory that holds the world.
async fn make(data: &Path, settings: &Settings, world: &World) -> Outcome {
    let start = Instant::now();
    let shown = bar("follows", None, Unit::Rows);
    let follows = load_follows(data, settings, world, &mut |progress| follow(&shown, progress))?;
    shown.finish_and_clear();
    complain(format_args!("{follows} follows in {:.1} s", start.elapsed().as_secs_f64()));
    let start = Instant::now();
    let local = Directory::open(data, settings)?;
    let filled = fill(local.ports().of_centers(), world).await;
    local.close().await?;
    filled?;
    complain(format_args!("{} posts in {:.1} s", world.posts, start.elapsed().as_secs_f64()));
    Ok(())
}

/// Opens the directory again and reads one home.
async fn first_page_after_opening(data: &Path, settings: &Settings, world: &World) -> Outcome<Finding> {
    let start = Instant::now();
    let local = Directory::open(data, settings)?;
    let found = run::opening(local.ports().of_centers(), world, start).await;
    local.close().await?;
    Ok(found?)
}
