//! What the machine is, what its processes use, and which core runs what.

pub(crate) use guanxi_load::usage::cpu_of_tree;
use guanxi_load::usage::{cpu_time, number};
use std::fs;
use std::path::Path;
use std::time::Duration;

/// The core of the load generator.
pub(crate) const CLIENT_CORE: u32 = 1;

/// A runtime on the thread that blocks on it.
pub(crate) fn runtime() -> Result<tokio::runtime::Runtime, String> {
    let built = tokio::runtime::Builder::new_current_thread().enable_all().build();
    built.map_err(|error| format!("no runtime: {error}"))
}

/// CPU time that this process alone used so far.
pub(crate) fn cpu_of_self() -> Duration {
    cpu_time(std::process::id())
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
        Self {
            cpu: model.unwrap_or("unknown").to_owned(),
            cores: cpuinfo.lines().filter(|line| line.starts_with("processor")).count(),
            memory_gib: number(&meminfo, "MemTotal:").div_ceil(1 << 20),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_counted_through_directories() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("sub")).unwrap();
        fs::write(dir.path().join("sub/file"), vec![1; 100_000]).unwrap();
        assert!((100_000..200_000).contains(&disk_bytes(dir.path())));
    }
}
