//! The system that is measured: a directory that is filled, and a server in another process.

use guanxi_load::World;
use guanxi_model::ImportEdge;
use guanxi_ports::Progress;
use guanxi_server::config::Settings;
use guanxi_server::{Context as _, Endpoints, Failure, Outcome, bulk_load};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// How often a starting server is looked at.
const POLL: Duration = Duration::from_millis(20);
/// How long a server may take to listen.
const START_MAX: Duration = Duration::from_mins(2);

/// Loads a world's follows into an empty directory, and answers how many there are. Blocks.
pub(super) fn load_follows(
    dir: &Path,
    settings: &Settings,
    world: &World,
    progress: &mut dyn FnMut(Progress),
) -> Outcome<u64> {
    let edges = world
        .edges()
        .enumerate()
        .map(|(line, (subject, object, at))| Ok((line as u64, ImportEdge::new(subject, object, Some(at)))));
    bulk_load(dir, settings, edges, progress).map(|loaded| loaded.accepted)
}

/// A server of this program on free ports of this machine; it ends when this is dropped.
#[derive(Debug)]
pub(super) struct Server {
    child: Child,
    /// Where it listens.
    pub endpoints: Endpoints,
}

impl Server {
    /// Serves a directory that no process has open, with additional flags.
    pub(super) async fn start(dir: &Path, flags: &[String]) -> Outcome<Self> {
        let program = std::env::current_exe().context("cannot find this program")?;
        Self::start_by(Command::new(program), dir, flags).await
    }

    /// The same on one core.
    pub(super) async fn start_on(core: u32, dir: &Path, flags: &[String]) -> Outcome<Self> {
        let program = std::env::current_exe().context("cannot find this program")?;
        let mut command = Command::new("taskset");
        command.args(["-c", &core.to_string()]).arg(program);
        Self::start_by(command, dir, flags).await
    }

    async fn start_by(mut command: Command, dir: &Path, flags: &[String]) -> Outcome<Self> {
        command.arg("serve").arg("--data").arg(dir).arg("--no-auth").args(flags);
        command.args(["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--log-level", "warn"]);
        let mut child =
            command.stdin(Stdio::null()).stdout(Stdio::null()).spawn().context("cannot start a server")?;
        let waited = tokio::time::timeout(START_MAX, async {
            loop {
                if let Some(endpoints) = Endpoints::read(dir).filter(|found| found.pid == child.id()) {
                    return Ok(endpoints);
                }
                if let Some(status) = child.try_wait()? {
                    return Err(Failure::new(format_args!("the server ended with {status}")));
                }
                tokio::time::sleep(POLL).await;
            }
        });
        match waited.await {
            Ok(endpoints) => Ok(Self { endpoints: endpoints?, child }),
            Err(_late) => {
                // It fails only for a process that has ended.
                let _ended = child.kill();
                Err(Failure::new(format_args!("the server did not listen within {START_MAX:?}")))
            }
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Its directory goes, too, so nothing need be flushed.
        let _ended = self.child.kill();
        let _status = self.child.wait();
    }
}
