//! The real binary as a child process: serving, killed, or running one command to its end.

use serde_json::Value;
use std::fs::{File, OpenOptions};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// How long a server may take to listen.
const READY_TIMEOUT: Duration = Duration::from_mins(1);

/// How long a server may take to end when asked to, and a command to do its work.
pub(crate) const END_TIMEOUT: Duration = Duration::from_mins(2);

/// The variable that arms a failpoint.
pub(crate) const FAILPOINT: &str = "GUANXI_FAILPOINT";

/// Whether a process ended as an armed failpoint ends it.
pub(crate) fn is_abort(status: ExitStatus) -> bool {
    use std::os::unix::process::ExitStatusExt as _;
    /// SIGABRT, on every platform that we run on.
    const ABORT: i32 = 6;
    status.signal() == Some(ABORT)
}

/// The binary under test.
pub(crate) fn guanxi() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_guanxi"));
    command.stdin(Stdio::null()).env_remove(FAILPOINT);
    command
}

/// A data directory with the log of every process that ran on it.
pub(crate) struct Place {
    temporary: tempfile::TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        Self { temporary: tempfile::tempdir().expect("the temporary directory is writable") }
    }

    /// The data directory, as an argument.
    pub(crate) fn data(&self) -> String {
        self.beside("data").to_string_lossy().into_owned()
    }

    /// A file beside the data directory.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.temporary.path().join(name)
    }

    fn log(&self) -> File {
        let log = OpenOptions::new().create(true).append(true).open(self.beside("log"));
        log.expect("the temporary directory is writable")
    }

    /// The last lines that the processes logged.
    pub(crate) fn log_tail(&self) -> String {
        let log = std::fs::read(self.beside("log")).unwrap_or_default();
        let log = String::from_utf8_lossy(&log).into_owned();
        let lines: Vec<&str> = log.lines().collect();
        lines[lines.len().saturating_sub(30)..].join("\n")
    }

    /// Starts a command on this place, its standard error in the log.
    pub(crate) fn spawn(&self, command: &mut Command) -> Child {
        command.stderr(self.log()).stdout(self.log()).spawn().expect("the binary is there")
    }

    /// Runs a command to its end and reads the JSON it prints.
    pub(crate) fn json(&self, args: &[&str]) -> (ExitStatus, Value) {
        let output = guanxi().args(args).stderr(self.log()).output().expect("the binary is there");
        let text = String::from_utf8_lossy(&output.stdout);
        let last = text.trim().lines().last().unwrap_or_default();
        let json = serde_json::from_str(&text).or_else(|_| serde_json::from_str(last)).unwrap_or(Value::Null);
        (output.status, json)
    }

    /// Proves that the directory agrees with itself.
    pub(crate) fn verify(&self) {
        let (status, report) = self.json(&["verify", "--data", &self.data(), "--json"]);
        let clean = status.success() && report["clean"] == true && report["differences_total"] == 0;
        assert!(clean, "verify: {status}\n{report:#}\n{}", self.log_tail());
    }

    /// Proves that homes of the directory are what they are defined to be.
    pub(crate) fn verify_feed(&self) {
        let sample = ["verify", "--feed", "--sample", "100", "--data", &self.data(), "--json"];
        let (status, report) = self.json(&sample);
        let clean = status.success() && report["clean"] == true && report["viewers"] == 100;
        assert!(clean, "verify --feed: {status}\n{report:#}\n{}", self.log_tail());
    }
}

/// A serving process.
pub(crate) struct Server {
    child: Child,
    /// The address of the API and the address of operators' calls, once it is ready.
    listening: Option<(SocketAddr, SocketAddr)>,
}

impl Server {
    /// Starts to serve, with `failpoint` armed if given, and does not wait. `more` are further arguments.
    pub(crate) fn start(place: &Place, failpoint: Option<&str>, more: &[&str]) -> Self {
        let mut command = guanxi();
        command.args(["serve", "--no-auth", "--free-space-reserve-mib", "1", "--data"]).arg(place.data());
        command.args(["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"]).args(more);
        if let Some(failpoint) = failpoint {
            command.env(FAILPOINT, failpoint);
        }
        Self { child: place.spawn(&mut command), listening: None }
    }

    /// Where the API is served.
    pub(crate) fn address(&self) -> SocketAddr {
        self.listening.expect("the server is ready").0
    }

    /// Where operators' calls are served.
    pub(crate) fn admin_address(&self) -> SocketAddr {
        self.listening.expect("the server is ready").1
    }

    /// The URL of its admin listener.
    pub(crate) fn admin_url(&self) -> String {
        format!("http://{}", self.admin_address())
    }

    /// Waits until it listens. False when it ended before.
    pub(crate) fn ready(&mut self, place: &Place) -> bool {
        let start = Instant::now();
        while start.elapsed() < READY_TIMEOUT {
            if self.ended().is_some() {
                return false;
            }
            self.listening = self.endpoints(place);
            if self.listening.is_some() {
                return true;
            }
            pause(Duration::from_millis(5));
        }
        self.kill();
        panic!("the server was not ready in {READY_TIMEOUT:?}:\n{}", place.log_tail());
    }

    /// Where it listens, as it says in its directory; a file of a server before it has another process id.
    fn endpoints(&self, place: &Place) -> Option<(SocketAddr, SocketAddr)> {
        let file = std::fs::read(place.beside("data").join("endpoints.json")).ok()?;
        let file: Value = serde_json::from_slice(&file).ok()?;
        let address = |name: &str| file[name].as_str()?.parse().ok();
        (file["pid"] == self.child.id()).then_some((address("listen")?, address("admin_listen")?))
    }

    /// How it ended, if it did.
    pub(crate) fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().expect("the child is ours")
    }

    /// Waits up to `limit` for it to end by itself.
    pub(crate) fn ends_within(&mut self, limit: Duration) -> Option<ExitStatus> {
        let start = Instant::now();
        while start.elapsed() < limit {
            if let Some(status) = self.ended() {
                return Some(status);
            }
            pause(Duration::from_millis(2));
        }
        None
    }

    /// SIGKILL.
    pub(crate) fn kill(&mut self) {
        // An error means that it is dead already, which is what we want.
        let _ = self.child.kill();
        self.child.wait().expect("the child is ours");
    }

    /// SIGTERM.
    pub(crate) fn terminate(&mut self) {
        let id = self.child.id().to_string();
        let sent = Command::new("sh").args(["-c", "kill -TERM \"$0\"", &id]).status();
        assert!(sent.expect("a shell is there").success());
    }

    /// SIGTERM, and waits for the end.
    pub(crate) fn stop(&mut self, place: &Place) -> ExitStatus {
        self.terminate();
        let ended = self.ends_within(END_TIMEOUT);
        ended.unwrap_or_else(|| panic!("the server did not end in {END_TIMEOUT:?}:\n{}", place.log_tail()))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Waits a moment. The tests kill at times that a seed decides, so there is no condition to wait for.
#[expect(clippy::disallowed_methods, reason = "the moment of a kill is a time, not a condition")]
pub(crate) fn pause(time: Duration) {
    std::thread::sleep(time);
}
