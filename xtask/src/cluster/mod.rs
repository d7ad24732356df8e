//! `cargo xtask cluster`: a cluster on this machine, on servers of its own.
//!
//! `up` starts one to four servers of PostgreSQL, lays out a cluster on them, and starts two processes that answer calls and two
//! that work; all go on when the command has ended. `down` ends them and removes their directory.

mod options;
mod place;
mod start;

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::steps::cargo;
use options::{ClusterOptions, parse};
use place::ClusterPlace;

/// Does what the words say.
///
/// # Errors
/// What is wrong with them; what did not start, with its last words.
pub(crate) fn run(words: &[&str]) -> Result<(), String> {
    match words {
        ["up", options @ ..] => up(&parse(options)?),
        ["down", options @ ..] => down(&parse(options)?),
        _ => Err("say `cargo xtask cluster up [--databases N]`, or `cargo xtask cluster down`".to_owned()),
    }
}

/// Brings a cluster up, unless it is up.
fn up(options: &ClusterOptions) -> Result<(), String> {
    if options.is_held {
        return hold(options);
    }
    if let Some(place) = ClusterPlace::read(&options.dir)? {
        return if place.is_running() {
            println!("the cluster is up:\n{}", place.told());
            Ok(())
        } else {
            let dir = options.dir.display();
            Err(format!(
                "{dir} is left of a cluster that does not run any more: `cargo xtask cluster down` removes it"
            ))
        };
    }
    if options.dir.exists() {
        return Err(format!("{} is there and is no cluster's: choose another --dir", options.dir.display()));
    }
    let binary = match &options.binary {
        Some(binary) => binary.clone(),
        None => build(options.is_release)?,
    };
    let program = std::env::current_exe().map_err(|error| format!("this program: {error}"))?;
    let mut command = Command::new(program);
    command.args(["cluster", "up", "--held", "--databases", &options.databases.to_string()]);
    command.arg("--dir").arg(&options.dir).arg("--binary").arg(binary);
    // In a group of its own: an interrupt ends this program alone, and the other notices, ends what it has started, and removes it.
    let mut child = command.stdin(Stdio::piped()).process_group(0).spawn();
    let child = child.as_mut().map_err(|error| format!("this program: {error}"))?;
    // Waiting would close it.
    let _held = child.stdin.take();
    let status = child.wait().map_err(|error| format!("this program: {error}"))?;
    if !status.success() {
        return Err("the cluster is not up, and nothing of it is left".to_owned());
    }
    let place = ClusterPlace::read(&options.dir)?.ok_or("the cluster has gone meanwhile")?;
    println!("the cluster is up:\n{}", place.told());
    Ok(())
}

/// Starts everything, and keeps it for as long as the caller's process lives. The caller's end of our standard input closes when
/// it ends, in every way.
fn hold(options: &ClusterOptions) -> Result<(), String> {
    let is_alone = Arc::new(AtomicBool::new(false));
    let noticed = is_alone.clone();
    std::thread::spawn(move || {
        let mut nothing = [0; 1];
        // Nothing is ever written to it.
        let _closed = std::io::stdin().read(&mut nothing);
        noticed.store(true, Ordering::Relaxed);
    });
    start::start(options, &is_alone)
}

/// Ends a cluster and removes its directory.
fn down(options: &ClusterOptions) -> Result<(), String> {
    let Some(place) = ClusterPlace::read(&options.dir)? else {
        return if options.dir.exists() {
            let dir = options.dir.display();
            Err(format!("{dir} is no cluster's, or one is just being started there"))
        } else {
            println!("no cluster is up");
            Ok(())
        };
    };
    let ended = place.end();
    fs::remove_dir_all(&options.dir).map_err(|error| format!("{}: {error}", options.dir.display()))?;
    ended?;
    println!("the cluster is down");
    Ok(())
}

/// Builds the program; where it is.
fn build(is_release: bool) -> Result<PathBuf, String> {
    let mut command = cargo(&["build", "--quiet", "--package", "guanxi", "--bin", "guanxi"]);
    command.args(is_release.then_some(["--profile", "dist"]).into_iter().flatten());
    command.arg("--message-format=json-render-diagnostics").stdout(Stdio::piped());
    let mut child = command.spawn().map_err(|error| format!("cargo: {error}"))?;
    let lines =
        child.stdout.take().map(BufReader::new).into_iter().flat_map(BufReader::lines).map_while(Result::ok);
    let messages = lines.filter_map(|line| serde_json::from_str::<serde_json::Value>(&line).ok());
    let binaries = messages.filter_map(|message| message["executable"].as_str().map(PathBuf::from));
    let binary = binaries.last();
    let is_built = child.wait().is_ok_and(|status| status.success());
    binary.filter(|_| is_built).ok_or_else(|| "the program does not build".to_owned())
}
