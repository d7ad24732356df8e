//! Running this program under callgrind, and reading what each of its threads executed.

use std::path::Path;
use std::process::{Command, Stdio};

/// What only the thread that changes a store runs. Callgrind tells no names of threads, but those of functions.
const OF_WRITER: &str = "guanxi_embedded::writer::";

/// Instructions from the begin to the end of a process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Executed {
    /// Of its first thread.
    pub(super) first: u64,
    /// Of the store's writer.
    pub(super) writer: u64,
}

/// Runs this program again, under callgrind, with these arguments; profiles go into `dir`, which must be empty of them.
pub(super) fn run(dir: &Path, args: &[String]) -> Result<Executed, String> {
    let program = std::env::current_exe().map_err(|error| format!("this program's file: {error}"))?;
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--separate-threads=yes", "--fair-sched=try", "--quiet"]);
    command.arg(format!("--callgrind-out-file={}", dir.join("profile").display()));
    // The allocator gives memory back by the clock, which differs from run to run.
    command.arg(program).args(args).env("MIMALLOC_PURGE_DELAY", "-1").stdin(Stdio::null());
    let output = command.output().map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => "valgrind is missing: cargo xtask setup".to_owned(),
        _ => format!("valgrind: {error}"),
    })?;
    if !output.status.success() {
        return Err(format!("under valgrind: {}", String::from_utf8_lossy(&output.stderr).trim()));
    }
    executed(&profiles(dir)?)
}

/// The profiles of the threads: their texts.
fn profiles(dir: &Path) -> Result<Vec<String>, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", dir.display());
    let mut texts = Vec::new();
    for entry in std::fs::read_dir(dir).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if entry.file_name().to_string_lossy().starts_with("profile") {
            texts.push(std::fs::read_to_string(entry.path()).map_err(failed)?);
            std::fs::remove_file(entry.path()).map_err(failed)?;
        }
    }
    Ok(texts)
}

/// Sums up profiles, one for each thread.
fn executed(profiles: &[String]) -> Result<Executed, String> {
    let mut executed = Executed::default();
    for text in profiles {
        match total(text) {
            Some((1, instructions)) => executed.first += instructions,
            Some((_, instructions)) if text.contains(OF_WRITER) => executed.writer += instructions,
            _ => {}
        }
    }
    if executed.first > 0 && executed.writer > 0 {
        Ok(executed)
    } else {
        Err("callgrind wrote no profile of the first thread, or none of the writer".to_owned())
    }
}

/// The number of a profile's thread, and what it executed; `None` when it is no profile of a thread.
fn total(profile: &str) -> Option<(u64, u64)> {
    let field =
        |name: &str| profile.lines().find_map(|line| line.strip_prefix(name)?.trim().parse::<u64>().ok());
    let instructions = field("totals:").or_else(|| field("summary:"))?;
    Some((field("thread:")?, instructions))
}

#[cfg(test)]
mod tests {
    use super::*;

    const OF_SECOND: &str = "# callgrind format\nversion: 1\ncreator: callgrind-3.19.0\npid: 7\ncmd:  a b\npart: 1\n\
                             thread: 2\n\n\npositions: line\nevents: Ir\n\nfn=(1) f\n0 12\n\ntotals: 4321\n";

    #[test]
    fn a_profile_says_its_thread_and_its_total() {
        assert_eq!(total(OF_SECOND), Some((2, 4_321)));
        assert_eq!(total(&OF_SECOND.replace("totals:", "summary:")), Some((2, 4_321)));
        assert_eq!(total(&OF_SECOND.replace("thread: 2\n", "")), None);
        assert_eq!(total(""), None);
    }

    #[test]
    fn the_first_thread_and_the_writer_count_and_no_other() {
        let profile = |thread: u32, function: &str| {
            OF_SECOND
                .replace("thread: 2", &format!("thread: {thread}"))
                .replace("(1) f", &format!("(1) {function}"))
        };
        let (first, writer) = (profile(1, "main"), profile(5, "guanxi_embedded::writer::Writer::run"));
        let all = [profile(2, "fjall::worker_pool::run"), first.clone(), writer.clone(), profile(3, "watch")];
        assert_eq!(executed(&all), Ok(Executed { first: 4_321, writer: 4_321 }));
        assert!(executed(&[first]).is_err(), "without the writer");
        assert!(executed(&[writer]).is_err(), "without the first thread");
    }
}
