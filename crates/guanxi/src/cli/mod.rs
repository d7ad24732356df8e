//! The command line: one file per verb.
//!
//! Data goes to standard output, everything else to standard error. Exit codes: 0 done, 1 failed, 2 wrong
//! command line or configuration, 3 differences found by `verify`, or left by `repair`, or lines refused by `import`: all, or more than may be;
//! or data that `upgrade --check` finds to be of an older version.

mod admin;
mod backup;
mod bench;
mod call;
mod cluster;
mod compact;
mod completions;
mod config;
mod console;
mod demo;
mod export;
mod fanout;
mod fork;
mod health;
mod import;
mod limit;
mod man;
mod migrate;
mod repair;
mod restore;
mod search;
mod serve;
mod shard;
mod target;
mod token;
mod top;
mod upgrade;
mod verify;
mod view;
mod watch;

use clap::{Parser, Subcommand};
use guanxi_server::Outcome;
use guanxi_server::config::{Effective, SettingFlags, load};
use serde::Serialize;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

/// A social graph server in one binary.
#[derive(Debug, Parser)]
#[command(name = "guanxi", version, about, max_term_width = 100, arg_required_else_help = true)]
#[command(
    after_help = "Exit codes: 0 done, 1 failed, 2 wrong command line or configuration, 3 differences found by verify,\n\
    or left by repair, or lines refused by import: all of them, or more than --max-refused;\n\
    or data of an older version, found by upgrade --check.\n\
    Settings come from the --config file, then GUANXI_ variables, then flags; `guanxi config` shows them."
)]
pub(crate) struct Cli {
    /// A configuration file in TOML
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Serve a data directory
    Serve(serve::Serve),
    /// Load a real follow graph into a temporary directory, serve it, and let its users write and read
    Demo(demo::Demo),
    /// Import follows, blocks, mutes, posts, likes, users or requests
    Import(import::Import),
    /// Export follows, blocks, mutes, posts, likes, users, requests or the list of erased users
    Export(export::ExportCommand),
    /// Compare the tables with each other, or home timelines with their definition
    Verify(verify::Verify),
    /// Mend differences between the shards of a cluster
    Repair(repair::Repair),
    /// Show the state of the fan-out of home timelines; show or set its policy
    Fanout(fanout::FanoutCommand),
    /// Write a consistent dump, also while serving
    Backup(backup::Backup),
    /// Read a dump into an empty data directory, or into a cluster without users
    Restore(restore::Restore),
    /// Move a data directory into a cluster without users
    Migrate(migrate::Migrate),
    /// Check what a start of this program would do with data of another version
    Upgrade(upgrade::Upgrade),
    /// Rewrite the files of a data directory without removed data
    Compact(compact::Compact),
    /// Make a copied data directory independent of its original
    Fork(fork::Fork),
    /// Lay out a cluster on PostgreSQL
    Cluster(cluster::ClusterCommand),
    /// Show where the shards of a cluster are
    Shard(shard::Shard),
    /// Make, list and revoke bearer tokens
    Token(token::TokenCommand),
    /// Show or set the follow limit of one user
    Limit(limit::Limit),
    /// Take posts and users down, reinstate them, query them, and list the actions of operators
    Admin(admin::Admin),
    /// Print the changes of the graph as they happen, one JSON object a line
    Watch(watch::WatchCommand),
    /// Call any method of a server, with JSON in and out
    Call(call::CallCommand),
    /// Show the load, the latency, the memory and the problems of a server, and go on
    Top(top::Top),
    /// Print an address that signs a browser in to the console
    Console(console::Console),
    /// Search posts and users as a user sees them
    Search(search::Search),
    /// Measure this machine
    Bench(bench::Bench),
    /// Show the settings in effect and the source of each; or check the databases of a cluster
    Config(config::Config),
    /// Ask a server whether it is ready
    Health(health::Health),
    /// Print the completions for a shell
    Completions(completions::Completions),
    /// Write the manual pages
    Man(man::Man),
}

/// Reads the command line and does what it says.
pub(crate) fn main() -> ExitCode {
    let cli = Cli::parse();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let outcome = match runtime {
        Ok(runtime) => {
            let outcome = runtime.block_on(cli.run());
            // A task on a blocking thread, such as a read of a terminal, must not hold up the end.
            runtime.shutdown_background();
            outcome
        }
        Err(error) => Err(error.into()),
    };
    outcome.unwrap_or_else(|failure| {
        complain(format_args!("error: {failure}"));
        failure.exit_code()
    })
}

impl Cli {
    async fn run(self) -> Outcome<ExitCode> {
        let settings = |flags: &SettingFlags, data: Option<PathBuf>| {
            effective(self.config.as_deref(), flags, data).map(|effective| effective.settings)
        };
        let plain = |data: Option<&PathBuf>| settings(&SettingFlags::default(), data.cloned());
        let done = match self.verb {
            Verb::Serve(verb) => verb.run(&settings(&verb.settings, verb.data.clone())?).await,
            Verb::Demo(verb) => verb.run(plain(None)?).await,
            Verb::Import(verb) => verb.run(&plain(verb.data())?).await,
            Verb::Export(verb) => verb.run(&plain(verb.data())?).await,
            Verb::Verify(verb) => return verb.run(&plain(verb.target.data.as_ref())?).await,
            Verb::Repair(verb) => return verb.run(&plain(verb.data())?).await,
            Verb::Fanout(verb) => verb.run(&plain(verb.data())?).await,
            Verb::Backup(verb) => verb.run(&plain(verb.target.data.as_ref())?).await,
            Verb::Restore(verb) => verb.run(&plain(verb.data.as_ref())?).await,
            Verb::Migrate(verb) => {
                let flags = SettingFlags::default();
                let effective = effective(Some(verb.to.as_path()), &flags, Some(verb.from.clone()))?;
                verb.run(&effective.settings).await
            }
            Verb::Upgrade(verb) => return verb.run(self.config.as_deref()).await,
            Verb::Compact(verb) => verb.run(&plain(verb.data.as_ref())?).await,
            Verb::Fork(verb) => verb.run(&plain(verb.data.as_ref())?).await,
            Verb::Token(verb) => verb.run(&plain(verb.data())?).await,
            Verb::Limit(verb) => verb.run(&plain(verb.data())?).await,
            Verb::Admin(verb) => verb.run(&plain(verb.data())?).await,
            Verb::Watch(verb) => verb.run(&plain(verb.target.data.as_ref())?).await,
            Verb::Call(verb) => verb.run(&plain(verb.target.data.as_ref())?).await,
            Verb::Top(verb) => verb.run(&plain(verb.target.data.as_ref())?).await,
            Verb::Console(verb) => verb.run(&plain(verb.target.data.as_ref())?).await,
            Verb::Search(verb) => verb.run(&plain(verb.target().data.as_ref())?).await,
            Verb::Bench(verb) => verb.run(plain(None)?).await,
            Verb::Health(verb) => verb.run(&plain(verb.data.as_ref())?).await,
            Verb::Completions(verb) => verb.run(),
            Verb::Man(verb) => verb.run(),
            Verb::Cluster(verb) => verb.run(&plain(None)?).await,
            Verb::Shard(verb) => verb.run(&plain(None)?).await,
            Verb::Config(verb) => {
                verb.run(&effective(self.config.as_deref(), &verb.settings, verb.data.clone())?).await
            }
        };
        done.map(|()| ExitCode::SUCCESS)
    }
}

/// The settings of file, environment and flags.
fn effective(
    file: Option<&std::path::Path>,
    flags: &SettingFlags,
    data: Option<PathBuf>,
) -> Outcome<Effective> {
    #[derive(Serialize)]
    struct Flags<'a> {
        #[serde(flatten)]
        settings: &'a SettingFlags,
        #[serde(skip_serializing_if = "Option::is_none")]
        data: Option<PathBuf>,
    }
    load(file, std::env::vars(), &Flags { settings: flags, data })
}

/// Writes a line of data to standard output. Its reader may have closed it, as `head` does.
fn print(text: impl std::fmt::Display) -> Outcome {
    match writeln!(io::stdout(), "{text}") {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

/// Writes data as one line of JSON to standard output.
fn print_json(data: &impl Serialize) -> Outcome {
    print(serde_json::to_string(data)?)
}

/// Writes a line for people to standard error. A failure of that is ignored, since it cannot be reported anywhere.
fn complain(text: impl std::fmt::Display) {
    let _ = writeln!(io::stderr(), "{text}");
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }
}
