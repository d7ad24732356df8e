//! What the system tells of processes: processor time and memory.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

/// Clock ticks per second in `/proc`: fixed at 100 in the kernel's interface to programs.
const TICKS_PER_S: f64 = 100.0;

/// Times of a process, in steps of 10 ms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProcessTimes {
    parent: u32,
    threads: u64,
    /// Of its own code.
    pub user: Duration,
    /// Of the kernel for it.
    pub system: Duration,
    /// Of children that have ended and were waited for.
    ended_children: Duration,
}

impl ProcessTimes {
    /// Those of a process; `None` when it is gone.
    pub fn of(pid: u32) -> Option<Self> {
        Self::parse(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
    }

    /// The fields that matter of a line as `proc(5)` describes it.
    fn parse(line: &str) -> Option<Self> {
        // The name is in parentheses and may hold spaces, so fields are counted after it.
        let fields: Vec<&str> = line.rsplit_once(')')?.1.split_whitespace().collect();
        let field = |number: usize| fields.get(number - 3)?.parse::<u64>().ok();
        let time = |number| field(number).map(|ticks| Duration::from_secs_f64(ticks as f64 / TICKS_PER_S));
        Some(Self {
            parent: field(4)? as u32,
            threads: field(20)?,
            user: time(14)?,
            system: time(15)?,
            ended_children: time(16)? + time(17)?,
        })
    }
}

/// CPU time that a process and its threads used so far, in steps of 10 ms; zero where the system does not tell.
pub fn cpu_time(pid: u32) -> Duration {
    let times = ProcessTimes::of(pid).unwrap_or_default();
    times.user + times.system
}

/// CPU time that a process, its children and its ended children used so far.
///
/// Exact to 10 ms per process with threads. Processes of one thread are read in nanoseconds, as 64 backends that
/// each lose the begun tick would make half a second.
pub fn cpu_of_tree(pid: u32) -> Duration {
    let of = |(pid, times): (u32, ProcessTimes)| {
        let exact = (times.threads == 1).then(|| ran(pid));
        // Ended children are counted where they were waited for: PostgreSQL's backends come and go.
        exact.unwrap_or(times.user + times.system) + times.ended_children
    };
    tree(pid).into_iter().map(of).sum()
}

/// The time that the threads of a process ran that there are, as the scheduler accounts for it; zero where the system does
/// not tell.
pub fn ran(pid: u32) -> Duration {
    let of = |task: PathBuf| {
        let text = fs::read_to_string(task.join("schedstat")).unwrap_or_default();
        Duration::from_nanos(text.split_whitespace().next().and_then(|ns| ns.parse().ok()).unwrap_or(0))
    };
    tasks(pid).map(of).sum()
}

/// The folders of the threads of a process.
pub fn tasks(pid: u32) -> impl Iterator<Item = PathBuf> {
    fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten().map(|entry| entry.path())
}

/// Bytes of memory that a process holds resident; 0 where the system does not tell.
pub fn resident_bytes(pid: u32) -> u64 {
    number(&fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default(), "VmRSS:") * 1024
}

/// The number behind a name at the start of a line; 0 without one.
pub fn number(text: &str, name: &str) -> u64 {
    let found =
        text.lines().find_map(|line| line.strip_prefix(name)?.split_whitespace().next()?.parse().ok());
    found.unwrap_or(0)
}

/// Keeps this process, all threads that exist and all to come, on one core from now on.
///
/// # Errors
/// When `taskset` is missing, or there is no such core.
pub fn stay_on(core: u32) -> Result<(), String> {
    let pid = std::process::id().to_string();
    match Command::new("taskset").args(["-a", "-p", "-c", &core.to_string(), &pid]).output() {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => Err(format!("taskset: {}", String::from_utf8_lossy(&output.stderr).trim())),
        Err(error) => Err(format!("taskset: {error}")),
    }
}

/// A process and all that descend from it.
fn tree(root: u32) -> Vec<(u32, ProcessTimes)> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let all: Vec<(u32, ProcessTimes)> = pids.filter_map(|pid| Some((pid, ProcessTimes::of(pid)?))).collect();
    let mut found: Vec<_> = all.iter().filter(|(pid, _)| *pid == root).copied().collect();
    let mut next = 0;
    while let Some(&(parent, _)) = found.get(next) {
        found.extend(all.iter().filter(|(_, times)| times.parent == parent));
        next += 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    #[test]
    fn fields_are_counted_after_the_name() {
        let line = "42 (a (b) c) S 7 1 1 0 -1 4194560 1 2 0 0 11 22 3 4 20 0 1 0 5 6 7";
        let ms = Duration::from_millis;
        let times = ProcessTimes::parse(line).unwrap();
        assert_eq!((times.parent, times.user, times.system), (7, ms(110), ms(220)));
        assert_eq!((times.ended_children, times.threads), (ms(70), 1));
        assert_eq!(ProcessTimes::parse("42 (a) S 7"), None);
    }

    #[test]
    fn numbers_are_found_by_the_whole_name() {
        let status =
            "Name:\ta\nvoluntary_ctxt_switches:\t150\nnonvoluntary_ctxt_switches:\t545\nVmRSS:\t 12 kB\n";
        assert_eq!(number(status, "voluntary_ctxt_switches:"), 150);
        assert_eq!(number(status, "nonvoluntary_ctxt_switches:"), 545);
        assert_eq!(number(status, "VmRSS:"), 12);
        assert_eq!(number(status, "syscr:"), 0);
    }

    #[test]
    fn this_process_uses_memory_and_time_and_is_found_below_its_parent() {
        let own = std::process::id();
        assert!(resident_bytes(own) > 100_000 && ran(own) > Duration::ZERO);
        let parent = ProcessTimes::of(own).unwrap().parent;
        assert!(tree(parent).iter().any(|(pid, _)| *pid == own));
    }

    #[test]
    fn a_busy_child_is_seen_below_its_parent() {
        let mut child = Command::new("sh").args(["-c", "while :; do :; done"]).spawn().unwrap();
        let (deadline, before) = (Instant::now() + Duration::from_secs(20), cpu_of_tree(child.id()));
        while cpu_of_tree(child.id()).saturating_sub(before) < Duration::from_millis(30) {
            assert!(Instant::now() < deadline, "the child uses no time");
            std::thread::yield_now();
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
