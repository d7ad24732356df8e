//! The process of a server, on a core of its own if that is wanted.

use rustix::process::{Pid, Signal, kill_process};
use std::fs::{self, File};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Where pinned servers run.
pub const SERVER_CORE: &str = "0";

/// How long a server may take to listen.
const START_MAX: Duration = Duration::from_mins(2);
/// How long a server may take to end before it is killed.
const END_MAX: Duration = Duration::from_mins(1);
/// How often a state is looked at again.
const POLL: Duration = Duration::from_millis(2);

/// A server's process; dropping it ends it.
#[derive(Debug)]
pub struct Process {
    child: Child,
    log: PathBuf,
    stop: Signal,
}

impl Process {
    /// Starts a command with its output in `log`, which `stop` ends; `pinned` puts it on [`SERVER_CORE`].
    ///
    /// # Errors
    /// When the log cannot be made or the program not be started.
    pub fn start(command: &Command, pinned: bool, log: &Path, stop: Signal) -> Result<Self, String> {
        let mut command = on_core(command, pinned);
        let file = File::create(log).map_err(|error| format!("{}: {error}", log.display()))?;
        let errors = file.try_clone().map_err(|error| format!("{}: {error}", log.display()))?;
        command.stdin(Stdio::null()).stdout(file).stderr(errors);
        let child = command.spawn().map_err(|error| format!("{command:?}: {error}"))?;
        Ok(Self { child, log: log.to_owned(), stop })
    }

    /// The process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Waits until `ready` says so.
    ///
    /// # Errors
    /// When the server ends or takes too long, with its last words.
    pub fn wait_until(&mut self, mut ready: impl FnMut() -> bool) -> Result<(), String> {
        let deadline = Instant::now() + START_MAX;
        while !ready() {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Err(format!("the server ended with {status}:\n{}", self.last_output()));
            }
            if Instant::now() > deadline {
                return Err(format!(
                    "the server did not answer within {START_MAX:?}:\n{}",
                    self.last_output()
                ));
            }
            pause(POLL);
        }
        Ok(())
    }

    /// Waits until the address accepts connections.
    ///
    /// # Errors
    /// As [`wait_until`](Self::wait_until).
    pub fn wait_listening(&mut self, address: SocketAddr) -> Result<(), String> {
        self.wait_until(|| TcpStream::connect(address).is_ok())
    }

    /// Ends the server cleanly and answers how long that took.
    ///
    /// # Errors
    /// When it did not end in time and was killed.
    pub fn end(&mut self) -> Result<Duration, String> {
        let start = Instant::now();
        self.signal(self.stop);
        while start.elapsed() < END_MAX {
            if let Ok(Some(_)) = self.child.try_wait() {
                return Ok(start.elapsed());
            }
            pause(POLL);
        }
        self.kill();
        Err(format!("the server did not end within {END_MAX:?}"))
    }

    /// Ends the server at once, as a crash would.
    pub fn kill(&mut self) {
        self.signal(Signal::KILL);
        let _status = self.child.wait();
    }

    /// Leaves the server to itself: it goes on when this program has ended, until somebody ends it by its process id.
    pub fn leave(self) -> u32 {
        let pid = self.pid();
        std::mem::forget(self);
        pid
    }

    fn signal(&self, signal: Signal) {
        // It fails only for a process that has ended.
        let _ended = kill_process(Pid::from_child(&self.child), signal);
    }

    fn last_output(&self) -> String {
        let text = fs::read_to_string(&self.log).unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        lines[lines.len().saturating_sub(20)..].join("\n")
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if let Ok(None) = self.child.try_wait() {
            let _late = self.end();
        }
    }
}

/// Returns whether a process that was [left](Process::leave) still runs: one of this id whose command line has a text of its own,
/// such as its directory. Another one may have got the id since.
pub fn is_left(pid: u32, text: &str) -> bool {
    let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&line).contains(text)
}

/// Ends a process that was [left](Process::leave), if it still runs; kills it when it takes too long.
///
/// # Errors
/// When it had to be killed.
pub fn end_left(pid: u32, text: &str) -> Result<(), String> {
    let id = i32::try_from(pid).ok().and_then(Pid::from_raw).filter(|_| is_left(pid, text));
    let Some(id) = id else { return Ok(()) };
    // Each fails only for a process that has ended.
    let _ended = kill_process(id, Signal::INT);
    let start = Instant::now();
    while is_left(pid, text) {
        if start.elapsed() > END_MAX {
            let _ended = kill_process(id, Signal::KILL);
            return Err(format!("process {pid} did not end within {END_MAX:?} and was killed"));
        }
        pause(POLL);
    }
    Ok(())
}

/// Runs a command to its end and answers what it wrote to stdout.
///
/// # Errors
/// When it cannot be started, or ends badly, with what it wrote to stderr.
pub fn output_of(command: &Command, pinned: bool) -> Result<String, String> {
    let mut command = on_core(command, pinned);
    let output = command.stdin(Stdio::null()).output().map_err(|error| format!("{command:?}: {error}"))?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        let errors = String::from_utf8_lossy(&output.stderr);
        Err(format!("{command:?} ended with {}:\n{errors}", output.status))
    }
}

/// The same command on the server's core. It stays in its parent's process group, so that Ctrl-C ends all of them.
fn on_core(command: &Command, pinned: bool) -> Command {
    let mut out = if pinned {
        let mut out = Command::new("taskset");
        out.args(["-c", SERVER_CORE]).arg(command.get_program());
        out
    } else {
        Command::new(command.get_program())
    };
    out.args(command.get_args());
    if let Some(dir) = command.get_current_dir() {
        out.current_dir(dir);
    }
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => out.env(name, value),
            None => out.env_remove(name),
        };
    }
    out
}

/// A loopback address that was free a moment ago.
///
/// # Errors
/// When there is none.
pub fn free_address() -> Result<SocketAddr, String> {
    let listener = TcpListener::bind("127.0.0.1:0").map_err(|error| format!("no free port: {error}"))?;
    listener.local_addr().map_err(|error| format!("no free port: {error}"))
}

/// Waits a moment.
#[expect(clippy::disallowed_methods, reason = "servers are other processes, which signal nothing")]
pub fn pause(time: Duration) {
    std::thread::sleep(time);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_ends_when_it_is_dropped() {
        let dir = tempfile::tempdir().unwrap();
        let mut command = Command::new("sleep");
        command.arg("60");
        let process = Process::start(&command, false, &dir.path().join("log"), Signal::TERM).unwrap();
        let pid = process.pid();
        assert!(Path::new(&format!("/proc/{pid}")).exists());
        drop(process);
        assert!(!Path::new(&format!("/proc/{pid}")).exists());
    }

    #[test]
    fn a_process_that_is_left_goes_on_until_it_is_ended() {
        let dir = tempfile::tempdir().unwrap();
        // Tests that run in the background of a shell are told to ignore interrupts, and so is what they start.
        let mut command = Command::new("env");
        command.args(["--default-signal=INT", "sleep", "61.5"]);
        let mut process = Process::start(&command, false, &dir.path().join("log"), Signal::TERM).unwrap();
        let pid = process.pid();
        // Only `sleep` is interrupted: `env`, which becomes it, has its arguments, and ignores what it was told to ignore.
        let is_asleep =
            || fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|name| name == "sleep\n");
        process.wait_until(is_asleep).unwrap();
        assert_eq!(process.leave(), pid);
        end_left(pid, "another").unwrap();
        assert!(is_left(pid, "61.5"), "it is another one");
        end_left(pid, "61.5").unwrap();
        assert!(!is_left(pid, "61.5"));
    }

    #[test]
    fn a_server_that_ends_early_shows_its_last_words() {
        let dir = tempfile::tempdir().unwrap();
        let mut command = Command::new("sh");
        command.args(["-c", "echo out of luck >&2; exit 3"]);
        let mut process = Process::start(&command, false, &dir.path().join("log"), Signal::TERM).unwrap();
        let error = process.wait_until(|| false).unwrap_err();
        assert!(error.contains("out of luck"), "{error}");
    }

    #[test]
    fn output_or_errors_come_back() {
        let mut command = Command::new("sh");
        command.args(["-c", "echo out; echo err >&2; exit $CODE"]).env("CODE", "0");
        assert_eq!(output_of(&command, false).unwrap(), "out\n");
        command.env("CODE", "1");
        assert!(output_of(&command, false).unwrap_err().contains("err"));
    }
}
