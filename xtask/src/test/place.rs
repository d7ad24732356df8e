//! Where tests put their files: at each change in memory, where the machine has enough of it.
//!
//! A test waits for the disk at each commit of each server that it starts: on a disk that takes 5 ms, the checks of the embedded
//! store took 163 s there and 45 s in memory. With `--all` tests are on the disk, as servers are.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{self, Command};

use crate::steps::output;

/// The file system in memory that Linux has.
const MEMORY: &str = "/dev/shm";
/// How much must be free there, and twice of it of the machine's memory. A run was seen to take a quarter of a GiB at one moment.
const BYTES_MIN: u64 = 6 << 30;
/// How folders of runs are called, with the process behind it.
const PREFIX: &str = "guanxi-tests-";

/// A folder in memory for the files of one run. It goes with the run.
#[derive(Debug)]
pub(super) struct Place(PathBuf);

impl Place {
    /// Makes the folder, unless the machine has too little memory, or the caller named a place in `TMPDIR`.
    pub(super) fn new() -> Option<Self> {
        if std::env::var_os("TMPDIR").is_some() {
            return None;
        }
        let (mounts, memory) =
            (fs::read_to_string("/proc/mounts").ok()?, fs::read_to_string("/proc/meminfo").ok()?);
        let free = output(Command::new("df").args(["--output=avail", "--block-size=1", MEMORY])).ok()?;
        if !is_in_memory(&mounts)
            || free_bytes(&free)? < BYTES_MIN
            || available_bytes(&memory)? < 2 * BYTES_MIN
        {
            return None;
        }
        sweep(Path::new(MEMORY));
        let folder = Path::new(MEMORY).join(format!("{PREFIX}{}", process::id()));
        fs::create_dir(&folder).ok()?;
        Some(Self(folder))
    }

    /// What tests find in their environment.
    pub(super) fn variable(&self) -> (String, String) {
        ("TMPDIR".to_owned(), self.0.display().to_string())
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // What is left is swept by the next run.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Removes what runs left that were killed.
fn sweep(memory: &Path) {
    let folders = fs::read_dir(memory).into_iter().flatten().flatten();
    for folder in folders {
        let name = folder.file_name().to_string_lossy().into_owned();
        let is_over = |process: &str| !Path::new("/proc").join(process).exists();
        if name.strip_prefix(PREFIX).is_some_and(is_over) {
            let _ = fs::remove_dir_all(folder.path());
        }
    }
}

/// Whether the file system is one in memory that programs may be started from, by lines of `/proc/mounts`.
fn is_in_memory(mounts: &str) -> bool {
    mounts.lines().any(|line| {
        let words: Vec<&str> = line.split(' ').collect();
        matches!(words[..], [_, MEMORY, "tmpfs", options, ..] if !options.split(',').any(|it| it == "noexec"))
    })
}

/// Reads the answer of `df`: a line of names, and one number.
fn free_bytes(answer: &str) -> Option<u64> {
    answer.lines().nth(1)?.trim().parse().ok()
}

/// Reads `/proc/meminfo`.
fn available_bytes(memory: &str) -> Option<u64> {
    let kib = memory.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    Some(kib.trim().strip_suffix(" kB")?.parse::<u64>().ok()? << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_system_in_memory_is_known() {
        assert!(is_in_memory("proc /proc proc rw 0 0\ntmpfs /dev/shm tmpfs rw,nosuid,nodev 0 0\n"));
        assert!(!is_in_memory("shm /dev/shm tmpfs rw,nosuid,nodev,noexec,relatime,size=65536k 0 0\n"));
        assert!(!is_in_memory("/dev/vda / ext4 rw 0 0\n"));
    }

    #[test]
    fn memory_is_counted_in_bytes() {
        assert_eq!(free_bytes("      Avail\n25769803776\n"), Some(24 << 30));
        assert_eq!(available_bytes("MemTotal: 9 kB\nMemAvailable:       2048 kB\n"), Some(2 << 20));
        assert_eq!(available_bytes("MemTotal: 9 kB\n"), None);
    }

    #[test]
    fn folders_of_runs_that_are_over_are_swept() {
        let memory = tempdir();
        let [over, running, foreign] =
            [format!("{PREFIX}0"), format!("{PREFIX}{}", process::id()), "other".to_owned()]
                .map(|name| memory.join(name));
        for folder in [&over, &running, &foreign] {
            fs::create_dir_all(folder).unwrap();
        }
        sweep(&memory);
        assert_eq!([&over, &running, &foreign].map(|it| it.exists()), [false, true, true]);
        fs::remove_dir_all(&memory).unwrap();
    }

    fn tempdir() -> PathBuf {
        std::env::temp_dir().join(format!("xtask-place-{}", process::id()))
    }
}
