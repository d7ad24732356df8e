//! What the machine is, what its processes use, and which core runs what.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// The core of the load generator.
pub(crate) const CLIENT_CORE: &str = "1";
/// Clock ticks per second in `/proc`: fixed at 100 in the kernel's interface to programs.
const TICKS_PER_S: f64 = 100.0;

/// Pins this process, all threads that exist and all to come, to the client's core.
///
/// # Errors
/// When `taskset` is missing or the machine has one core only.
pub(crate) fn pin_client() -> Result<(), String> {
    let pid = std::process::id().to_string();
    let output = Command::new("taskset").args(["-a", "-p", "-c", CLIENT_CORE, &pid]).output();
    match output {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => Err(format!("taskset: {}", String::from_utf8_lossy(&output.stderr).trim())),
        Err(error) => Err(format!("taskset: {error}")),
    }
}

/// A runtime on the thread that blocks on it.
pub(crate) fn runtime() -> Result<tokio::runtime::Runtime, String> {
    let built = tokio::runtime::Builder::new_current_thread().enable_all().build();
    built.map_err(|error| format!("no runtime: {error}"))
}

/// CPU time that a process, its children and its ended children used so far.
///
/// Exact to 10 ms per process with threads. Processes of one thread are read in nanoseconds, as 64 backends that
/// each lose the begun tick would make half a second.
pub(crate) fn cpu_of_tree(pid: u32) -> Duration {
    let mut total = Duration::ZERO;
    for process in tree(pid) {
        if let Some(stat) = stat(process) {
            let own = (stat.threads == 1).then(|| on_cpu(process)).flatten();
            total += own.unwrap_or_else(|| from_ticks(stat.user + stat.system));
            // Ended children are counted where they were waited for: PostgreSQL's backends come and go.
            total += from_ticks(stat.ended_children);
        }
    }
    total
}

/// The time that the first thread of a process ran, as the scheduler accounts for it.
fn on_cpu(pid: u32) -> Option<Duration> {
    let text = fs::read_to_string(format!("/proc/{pid}/schedstat")).ok()?;
    text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}

fn from_ticks(ticks: u64) -> Duration {
    Duration::from_secs_f64(ticks as f64 / TICKS_PER_S)
}

/// CPU time that this process alone used so far.
pub(crate) fn cpu_of_self() -> Duration {
    let stat = stat(std::process::id());
    from_ticks(stat.map_or(0, |stat| stat.user + stat.system))
}

/// Bytes of all files under a path, as allocated on the disk.
pub(crate) fn disk_bytes(path: &Path) -> u64 {
    use std::os::unix::fs::MetadataExt;
    let Ok(metadata) = fs::symlink_metadata(path) else { return 0 };
    if !metadata.is_dir() {
        return metadata.blocks() * 512;
    }
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    entries.map(|entry| disk_bytes(&entry.path())).sum()
}

/// What a reader of the results needs to know of the machine.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Machine {
    /// The processor's name.
    pub(crate) cpu: String,
    /// Cores.
    pub(crate) cores: usize,
    /// Memory, in GiB.
    pub(crate) memory_gib: u64,
    /// Kernel release.
    pub(crate) kernel: String,
    /// Median time of writing 4 KiB and `fdatasync`, in microseconds: what a durable write waits for.
    pub(crate) fdatasync_us: u64,
    /// Whether server and client were pinned to cores of their own.
    pub(crate) pinned: bool,
}

impl Machine {
    /// Describes this machine; `dir` is on the disk that the servers write to.
    pub(crate) fn describe(dir: &Path, pinned: bool) -> Self {
        let cpuinfo = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let model = cpuinfo.lines().find_map(|line| line.strip_prefix("model name")?.split(": ").nth(1));
        let meminfo = fs::read_to_string("/proc/meminfo").unwrap_or_default();
        let total = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"));
        let kib: u64 = total.and_then(|text| text.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0);
        Self {
            cpu: model.unwrap_or("unknown").to_owned(),
            cores: cpuinfo.lines().filter(|line| line.starts_with("processor")).count(),
            memory_gib: kib.div_ceil(1 << 20),
            kernel: fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default().trim().to_owned(),
            fdatasync_us: fdatasync_us(dir).unwrap_or(0),
            pinned,
        }
    }
}

fn fdatasync_us(dir: &Path) -> std::io::Result<u64> {
    use std::io::Write;
    let mut file = tempfile::tempfile_in(dir)?;
    let mut times = Vec::new();
    for _ in 0..200 {
        let start = std::time::Instant::now();
        file.write_all(&[7; 4096])?;
        file.sync_data()?;
        times.push(start.elapsed().as_micros() as u64);
    }
    times.sort_unstable();
    Ok(times[times.len() / 2])
}

struct Stat {
    parent: u32,
    user: u64,
    system: u64,
    ended_children: u64,
    threads: u64,
}

fn stat(pid: u32) -> Option<Stat> {
    parse_stat(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// The fields that matter of a line as `proc(5)` describes it.
fn parse_stat(line: &str) -> Option<Stat> {
    // The name is in parentheses and may hold spaces, so fields are counted after it.
    let fields: Vec<&str> = line.rsplit_once(')')?.1.split_whitespace().collect();
    let field = |number: usize| fields.get(number - 3)?.parse::<u64>().ok();
    Some(Stat {
        parent: field(4)? as u32,
        user: field(14)?,
        system: field(15)?,
        ended_children: field(16)? + field(17)?,
        threads: field(20)?,
    })
}

/// A process and all that descend from it.
fn tree(root: u32) -> Vec<u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let parents: Vec<(u32, u32)> = pids.filter_map(|pid| Some((pid, stat(pid)?.parent))).collect();
    let mut found = vec![root];
    let mut next = 0;
    while let Some(&parent) = found.get(next) {
        found.extend(parents.iter().filter(|(_, of)| *of == parent).map(|(pid, _)| *pid));
        next += 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use guanxi_load::in_process::resident_bytes;

    #[test]
    fn fields_are_counted_after_the_name() {
        let line = "42 (a (b) c) S 7 1 1 0 -1 4194560 1 2 0 0 11 22 3 4 20 0 1 0 5 6 7";
        let stat = parse_stat(line).unwrap();
        assert_eq!((stat.parent, stat.user, stat.system, stat.ended_children), (7, 11, 22, 7));
        assert_eq!(stat.threads, 1);
    }

    #[test]
    fn this_process_uses_memory_and_time_and_is_found_below_its_parent() {
        let own = std::process::id();
        assert!(resident_bytes(own) > 100_000);
        let parent = stat(own).unwrap().parent;
        assert!(tree(parent).contains(&own));
    }

    #[test]
    fn a_busy_child_is_seen_below_its_parent() {
        let mut child = Command::new("sh").args(["-c", "while :; do :; done"]).spawn().unwrap();
        let (deadline, before) =
            (std::time::Instant::now() + Duration::from_secs(20), cpu_of_tree(child.id()));
        while cpu_of_tree(child.id()).saturating_sub(before) < Duration::from_millis(30) {
            assert!(std::time::Instant::now() < deadline, "the child uses no time");
            std::thread::yield_now();
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }

    #[test]
    fn files_are_counted_through_directories() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("sub")).unwrap();
        fs::write(dir.path().join("sub/file"), vec![1; 100_000]).unwrap();
        assert!((100_000..200_000).contains(&disk_bytes(dir.path())));
    }
}
