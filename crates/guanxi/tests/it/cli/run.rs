//! Runs the real binary and looks at everything it gives back.

use serde_json::Value;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// How long a process may take to get ready or to end.
const PATIENCE: Duration = Duration::from_mins(2);
/// How often a condition is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// The follow graph of nostr that is shipped with the product.
pub(crate) const NOSTR: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests-data/nostr-follows/edges.tsv.zst");
/// Its edges.
pub(crate) const NOSTR_EDGES: u64 = 215_216;

/// The binary, in an environment without settings of its own.
pub(crate) fn guanxi() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_guanxi"));
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("GUANXI_")) {
        command.env_remove(name);
    }
    command.stdin(Stdio::null());
    command
}

/// What a run gave back.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    /// Waits for a command's end.
    pub(crate) fn of(command: &mut Command) -> Self {
        let output = command.output().expect("the binary is there");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Self {
            code: output.status.code().unwrap_or(-1),
            stdout: text(&output.stdout),
            stderr: text(&output.stderr),
        }
    }

    /// The JSON on standard output, of a run that succeeded.
    pub(crate) fn json(&self) -> Value {
        assert_eq!(self.code, 0, "{self:?}");
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Asserts that the run failed with this exit code, one line that holds `text`, and nothing on standard output.
    pub(crate) fn failed(&self, code: i32, text: &str) {
        assert_eq!(self.code, code, "{self:?}");
        let lines: Vec<&str> = self.stderr.lines().filter(|line| line.starts_with("error: ")).collect();
        assert_eq!(lines.len(), 1, "{self:?}");
        assert!(lines[0].contains(text), "{text:?} is not in {self:?}");
        assert_eq!(self.stdout, "", "data of a failure");
    }
}

/// Runs with these arguments.
pub(crate) fn run(args: &[&str]) -> Ran {
    Ran::of(guanxi().args(args))
}

/// The rows of an exported list, behind the line that says what it is.
pub(crate) fn rows(list: &str) -> &str {
    let (first, rows) = list.split_once('\n').expect("a list has a first line");
    assert!(first.starts_with("# guanxi ") && first.contains(" 1: "), "{first}");
    rows
}

/// Runs with standard input.
pub(crate) fn run_with_input(args: &[&str], input: &[u8]) -> Ran {
    let mut command = guanxi();
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the binary is there");
    let mut stdin = child.stdin.take().expect("it is piped");
    stdin.write_all(input).expect("the binary reads its input");
    drop(stdin);
    let output = child.wait_with_output().expect("the child is ours");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ran {
        code: output.status.code().unwrap_or(-1),
        stdout: text(&output.stdout),
        stderr: text(&output.stderr),
    }
}

/// A temporary directory with names in it.
pub(crate) struct Scratch(tempfile::TempDir);

impl Scratch {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().expect("the temporary directory is writable"))
    }

    /// A path in it.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// A path in it, as an argument.
    pub(crate) fn arg(&self, name: &str) -> String {
        self.path(name).to_string_lossy().into_owned()
    }

    /// A file in it.
    pub(crate) fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> String {
        fs::write(self.path(name), bytes).expect("the temporary directory is writable");
        self.arg(name)
    }
}

/// A serving process. Killed when dropped.
pub(crate) struct Server {
    child: Child,
    log: PathBuf,
    pub(crate) api: String,
    pub(crate) admin: String,
}

impl Server {
    /// Serves a directory on free ports, and waits until it listens. Its standard error goes to `DIR.log`.
    pub(crate) fn start(dir: &str, more: &[&str]) -> Self {
        Self::start_by(guanxi(), dir, more)
    }

    /// The same with at most so many open files.
    pub(crate) fn start_limited(files: u32, dir: &str, more: &[&str]) -> Self {
        let mut shell = Command::new("sh");
        let script = format!("ulimit -n {files} && exec \"$0\" \"$@\"");
        shell.arg("-c").arg(script).arg(env!("CARGO_BIN_EXE_guanxi")).stdin(Stdio::null());
        Self::start_by(shell, dir, more)
    }

    /// The same by this command.
    pub(crate) fn start_by(mut command: Command, dir: &str, more: &[&str]) -> Self {
        let log = PathBuf::from(format!("{dir}.log"));
        let stderr = fs::File::create(&log).expect("the directory's parent is writable");
        command.args(["serve", "--data", dir]);
        for listener in ["--listen", "--admin-listen"] {
            if !more.contains(&listener) {
                command.args([listener, "127.0.0.1:0"]);
            }
        }
        let child = command.args(more).stdout(Stdio::null()).stderr(stderr).spawn();
        let child = child.expect("the binary is there");
        let mut server = Self { child, log, api: String::new(), admin: String::new() };
        let endpoints = Path::new(dir).join("endpoints.json");
        wait_for(|| server.find(&endpoints));
        server
    }

    /// Reads where it listens, once it says so.
    fn find(&mut self, endpoints: &Path) -> bool {
        if let Some(status) = self.child.try_wait().expect("the child is ours") {
            panic!("the server ended with {status}: {}", self.log());
        }
        let Ok(bytes) = fs::read(endpoints) else { return false };
        let Ok(found) = serde_json::from_slice::<Value>(&bytes) else { return false };
        if found["pid"] != self.child.id() {
            return false;
        }
        let url = |name: &str, tls: &str| {
            let scheme = if found[tls] == true { "https" } else { "http" };
            format!("{scheme}://{}", found[name].as_str().expect("an address"))
        };
        self.api = url("listen", "tls");
        self.admin = url("admin_listen", "admin_tls");
        true
    }

    /// Its process.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// What it logged.
    pub(crate) fn log(&self) -> String {
        fs::read_to_string(&self.log).unwrap_or_default()
    }

    /// As [`Self::call_as`], without a token.
    pub(crate) fn call(&self, method: &str, request: &Value) -> Value {
        self.call_as(None, method, request)
    }

    /// Calls the relation service, or with a slash the service before it, at its listener; an error is an answer, too.
    pub(crate) fn call_as(&self, token: Option<&str>, method: &str, request: &Value) -> Value {
        let mut curl = Command::new("curl");
        curl.args(["-sS", "-H", "content-type: application/json"]);
        if let Some(token) = token {
            curl.args(["-H", &format!("authorization: Bearer {token}")]);
        }
        curl.arg("-d").arg(request.to_string());
        let service = if method.contains('/') { "" } else { "RelationService/" };
        let door = if method.starts_with("AdminService/") { &self.admin } else { &self.api };
        curl.arg(format!("{door}/guanxi.v1.{service}{method}"));
        let output = curl.output().expect("curl is installed");
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
            panic!("{error}: {output:?}, {}", self.log());
        })
    }

    /// Sends a signal.
    pub(crate) fn signal(&self, name: &str) {
        signal(&self.child, name);
    }

    /// How it ended, if it has.
    pub(crate) fn try_wait(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().expect("the child is ours")
    }

    /// Waits for its end.
    pub(crate) fn wait(&mut self) -> ExitStatus {
        wait_for_end(&mut self.child)
    }

    /// Ends it with SIGTERM.
    pub(crate) fn stop(mut self) {
        self.signal("TERM");
        let status = self.wait();
        assert!(status.success(), "{status}: {}", self.log());
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // An error means that it has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends a signal to a child.
pub(crate) fn signal(child: &Child, name: &str) {
    let sent = Command::new("sh").args(["-c", "kill -\"$0\" \"$1\"", name, &child.id().to_string()]).status();
    assert!(sent.expect("a shell is there").success());
}

/// Waits for a child's end.
pub(crate) fn wait_for_end(child: &mut Child) -> ExitStatus {
    let mut status = None;
    wait_for(|| {
        status = child.try_wait().expect("the child is ours");
        status.is_some()
    });
    status.expect("it has ended")
}

/// Waits until a condition holds.
pub(crate) fn wait_for(mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < PATIENCE, "what was waited for did not come in {PATIENCE:?}");
        pause(LOOK_EVERY);
    }
}

#[expect(clippy::disallowed_methods, reason = "the condition is in another process, which cannot wake us")]
pub(crate) fn pause(time: Duration) {
    std::thread::sleep(time);
}
