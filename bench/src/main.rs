//! Benchmarks of guanxi: load over RPC, micro benchmarks, and the side-by-side run against PostgreSQL and Redis.
//!
//! Everything is started privately, in a temporary directory and on free loopback ports, and is gone afterwards.
//! Progress goes to standard error, results to `bench/results`, and with `--json` to standard output, too.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a terminal is this program's interface")]
#![allow(
    clippy::cast_sign_loss,
    clippy::cast_possible_wrap,
    reason = "counts and rates are positive and small"
)]

mod ab;
mod calls;
mod cluster;
mod feed;
mod import;
mod instructions;
mod load;
mod machine;
mod micro;
mod peers;
mod people;
mod report;
mod restart;
mod search;
mod side_by_side;
mod sweep;
mod turns;
mod users;
mod wire;

/// As the server has it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

use clap::{Args, Parser, Subcommand};
use peers::{Place, bare};
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Benchmarks of guanxi.
#[derive(Debug, Parser)]
#[command(name = "guanxi-bench")]
struct Cli {
    #[command(flatten)]
    common: Common,
    #[command(subcommand)]
    command: Command,
}

/// What all runs have in common.
#[derive(Clone, Debug, Args)]
pub(crate) struct Common {
    /// The guanxi binary
    #[arg(long, global = true, default_value = "target/dist/guanxi")]
    guanxi: PathBuf,
    /// Where servers keep their data; should be on the disk that matters, not in memory
    #[arg(long, global = true, default_value = "/var/tmp")]
    dir: PathBuf,
    /// Where results go
    #[arg(long, global = true, default_value = "bench/results")]
    results: PathBuf,
    /// Do not pin servers and load to cores of their own
    #[arg(long, global = true)]
    no_pin: bool,
    /// Write the results to standard output, too
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// guanxi, PostgreSQL and Redis on the same graph, in turns
    SideBySide(side_by_side::Options),
    /// Feeds: guanxi, seed 003's design on Redis, and PostgreSQL on the same world
    FeedSideBySide(feed::Options),
    /// Load on guanxi over 1 to 256 connections
    Load(sweep::Options),
    /// Reads in process, through the backend itself
    Micro(micro::Options),
    /// How long a start takes after a clean stop and after kill -9
    Restart(restart::Options),
    /// How fast `guanxi import edges` fills an empty directory
    Import(import::Options),
    /// guanxi and PostgreSQL: register, look up by login name and by phone, log in
    Users(users::Options),
    /// Friends of friends, suggestions, groups and affinity: guanxi, and PostgreSQL doing the same
    People(people::Options),
    /// Searches of posts and users: guanxi, and PostgreSQL doing the same
    Search(search::Options),
    /// Follows and posts with and without the index of search, and how soon it has them
    SearchWrites(search::writes::Options),
    /// A cluster on PostgreSQL, and the same two-shard design by hand
    Cluster(cluster::Options),
    /// Instructions of each call in process, counted by valgrind
    Instructions(instructions::Options),
    /// Two versions of the server in turns: what each call takes of the processor and the kernel
    Ab(ab::Options),
    /// Draw tables and plot again from the results that are there
    Report,
    /// Make calls to be counted (started by instructions)
    #[command(hide = true)]
    InstructionsOf(instructions::ChildOptions),
    /// Serve bare calls (started by side-by-side)
    #[command(hide = true)]
    BareServer {
        /// Where to listen
        #[arg(long)]
        listen: SocketAddr,
        #[command(flatten)]
        shape: bare::Shape,
    },
}

/// A run's directory; it is gone when the run ends.
pub(crate) struct Run {
    /// Where servers run.
    pub(crate) place: Place,
    _dir: tempfile::TempDir,
}

impl Run {
    /// Makes the directory; `pin` puts the load and the servers on a core each. What is started by a pinned process
    /// would inherit its core, so a run that gives a server the whole machine must not pin.
    pub(crate) fn begin(common: &Common, pin: bool) -> Result<Self, String> {
        let failed = |error: std::io::Error| format!("{}: {error}", common.dir.display());
        remove_leftovers(&common.dir);
        let prefix = format!("{DIR_PREFIX}{}-", std::process::id());
        let dir = tempfile::Builder::new().prefix(&prefix).tempdir_in(&common.dir).map_err(failed)?;
        // PostgreSQL may run as another user.
        std::fs::set_permissions(dir.path(), std::fs::Permissions::from_mode(0o755)).map_err(failed)?;
        let pinned = pin
            && !common.no_pin
            && guanxi_load::usage::stay_on(machine::CLIENT_CORE)
                .inspect_err(|error| eprintln!("not pinned: {error}"))
                .is_ok();
        Ok(Self { place: Place { dir: dir.path().to_owned(), pinned }, _dir: dir })
    }
}

/// How a run's directory is named, before the id of its process.
const DIR_PREFIX: &str = "guanxi-bench-";

/// Removes the directories of interrupted runs, whose processes are gone.
fn remove_leftovers(dir: &Path) {
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let pid = name.to_str().and_then(|name| name.strip_prefix(DIR_PREFIX)?.split('-').next());
        let pid = pid.and_then(|pid| pid.parse::<u32>().ok());
        if pid.is_some_and(|pid| !Path::new(&format!("/proc/{pid}")).exists()) {
            // Somebody else's directory stays.
            let _not_ours = std::fs::remove_dir_all(entry.path());
        }
    }
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    match run(&cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(cli: &Cli) -> Result<(), String> {
    let common = &cli.common;
    match &cli.command {
        Command::SideBySide(options) => print(common, &side_by_side::main(options, common)?),
        Command::FeedSideBySide(options) => print(common, &feed::main(options, common)?),
        Command::Load(options) => keep(common, "load", &sweep::main(options, common)?),
        Command::Micro(options) => keep(common, "micro", &micro::main(options, common)?.into()),
        Command::Restart(options) => keep(common, "restart", &restart::main(options, common)?.into()),
        Command::Import(options) => keep(common, "import", &import::main(options, common)?.into()),
        Command::Users(options) => keep(common, "users", &users::main(options, common)?.into()),
        Command::People(options) => print(common, &people::main(options, common)?),
        Command::Search(options) => {
            let (name, finding) = search::main(options, common)?;
            keep(common, name, &finding.into())
        }
        Command::SearchWrites(options) => {
            keep(common, "search-writes", &search::writes::main(options, common)?.into())
        }
        Command::Cluster(options) => keep(common, "cluster", &cluster::main(options, common)?.into()),
        Command::Instructions(options) => print(common, &instructions::main(options, common)?),
        Command::InstructionsOf(options) => instructions::child_main(options),
        Command::Ab(options) => print(common, &ab::main(options, common)?),
        Command::Report => report::draw(&common.results, &PathBuf::from(".")),
        Command::BareServer { listen, shape } => bare::serve(*listen, *shape),
    }
}

/// Saves a finding, and shows it.
fn keep(common: &Common, name: &str, table: &report::Table) -> Result<(), String> {
    for row in &table.finding.rows {
        eprintln!("{:60} {:>12} {}", row.what, guanxi_load::finding::short_number(row.value), row.unit);
    }
    report::save(&common.results, name, table)?;
    print(common, table)
}

fn print(common: &Common, value: &impl serde::Serialize) -> Result<(), String> {
    if common.json {
        println!("{}", serde_json::to_string(value).map_err(|error| error.to_string())?);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn directories_of_dead_runs_are_removed() {
        let dir = tempfile::tempdir().unwrap();
        // Above the highest process id of Linux.
        let dead = dir.path().join(format!("{DIR_PREFIX}5000000-abc"));
        let alive = dir.path().join(format!("{DIR_PREFIX}{}-abc", std::process::id()));
        let foreign = dir.path().join("other-5000000-abc");
        for path in [&dead, &alive, &foreign] {
            std::fs::create_dir(path).unwrap();
        }
        remove_leftovers(dir.path());
        assert!(!dead.exists() && alive.exists() && foreign.exists());
    }

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }
}
