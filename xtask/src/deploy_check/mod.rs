//! `cargo xtask deploy-check`: the files of `deploy/` that Kubernetes, systemd and proxies read.
//!
//! It needs the network, to install a validator and the proxies, and takes most of a minute for streams that are silent. So it is
//! not a part of `.ci/run`.

mod manifests;
mod proxies;
mod stream;
mod work;

use crate::setup;
use crate::steps::{Steps, output, root};
use proxies::Proxy;
use std::process::Command;
use std::thread;
use work::{Served, Work};

/// Checks everything, with `--binary PATH` for a guanxi that is built already.
///
/// # Errors
/// A bad option, or a check that failed.
pub(crate) fn run(options: &[&str]) -> Result<(), String> {
    let binary = match options {
        [] => None,
        ["--binary", path] => Some(*path),
        other => return Err(format!("no such option, or no value: {}", other.join(" "))),
    };
    let mut steps = Steps::default();
    steps.run("programs", || setup::ensure(proxies::TOOLS).and_then(|()| manifests::install()));
    steps.run("manifests", manifests::validate);
    steps.run("systemd unit", unit);
    match Work::new(binary) {
        Ok(work) => {
            steps.run("settings of manifests", || manifests::settings(&work));
            steps.run("proxies", || behind_proxies(&work));
        }
        Err(error) => steps.run("binary", || Err(error)),
    }
    steps.finish()
}

/// Lets systemd look at the unit, where it is installed. It complains of the program, which need not be installed.
fn unit() -> Result<(), String> {
    let unit = root().join("deploy/guanxi.service");
    let Ok(verified) = Command::new("systemd-analyze").arg("verify").arg(&unit).output() else {
        eprintln!("systemd-analyze is not installed: the unit is not verified");
        return Ok(());
    };
    let said = String::from_utf8_lossy(&verified.stderr);
    let problem =
        said.lines().find(|line| line.contains("guanxi.service") && !line.contains("is not executable"));
    problem.map_or(Ok(()), |problem| Err(problem.to_owned()))
}

/// Serves a graph behind each proxy, and listens through all of them at the same time.
fn behind_proxies(work: &Work) -> Result<(), String> {
    output(Command::new("curl").arg("--version"))?;
    work.certificate()?;
    let served = Served::start(work)?;
    let mut started = Vec::new();
    for proxy in Proxy::ALL {
        let (process, listen) =
            proxy.start(work, served.api).map_err(|error| format!("{}: {error}", proxy.name()))?;
        eprintln!("{}: its own check passed, and it listens", proxy.name());
        started.push((proxy, process, listen));
    }
    let failed: Vec<String> = thread::scope(|scope| {
        let driven = started.iter().zip(1..).map(|((proxy, _, listen), nth)| {
            let through =
                stream::Through { work, token: &served.token, listen: *listen, nth, name: proxy.name() };
            scope.spawn(move || through.check().map_err(|error| format!("{}: {error}", proxy.name())))
        });
        let driven: Vec<_> = driven.collect();
        let ended =
            driven.into_iter().map(|thread| thread.join().unwrap_or_else(|_| Err("it panicked".to_owned())));
        ended.filter_map(Result::err).collect()
    });
    if failed.is_empty() { Ok(()) } else { Err(failed.join("\n")) }
}
