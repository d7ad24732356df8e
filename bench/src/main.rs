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
mod console;
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
mod run;
mod search;
mod side_by_side;
mod sweep;
mod turns;
mod users;
mod wire;

/// As the server has it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

use clap::{Parser, Subcommand};
use peers::bare;
use run::{Common, run};
use std::net::SocketAddr;
use std::path::Path;
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
    /// The three schemes of seed 000 by hand in one database, and a cluster on the same server
    Schemes(cluster::schemes::Options),
    /// The console: how soon each page comes, how large it is, and what it takes of an idle server
    Console(console::Options),
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

fn main() -> ExitCode {
    let Cli { common, command } = Cli::parse();
    let ran = match &command {
        Command::SideBySide(options) => run(options, &common),
        Command::FeedSideBySide(options) => run(options, &common),
        Command::Load(options) => run(options, &common),
        Command::Micro(options) => run(options, &common),
        Command::Restart(options) => run(options, &common),
        Command::Import(options) => run(options, &common),
        Command::Users(options) => run(options, &common),
        Command::People(options) => run(options, &common),
        Command::Search(options) => run(options, &common),
        Command::SearchWrites(options) => run(options, &common),
        Command::Cluster(options) => run(options, &common),
        Command::Schemes(options) => run(options, &common),
        Command::Console(options) => run(options, &common),
        Command::Instructions(options) => run(options, &common),
        Command::Ab(options) => run(options, &common),
        Command::Report => report::draw(&common.results, Path::new(".")),
        Command::InstructionsOf(options) => instructions::child_main(options),
        Command::BareServer { listen, shape } => bare::serve(*listen, *shape),
    };
    match ran {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }
}
