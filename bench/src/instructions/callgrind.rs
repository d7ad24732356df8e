//! Running this program under callgrind, and reading what each of its threads executed.

use std::path::Path;
use std::process::{Command, Stdio};

/// What only the thread that changes a store runs. Callgrind tells no names of threads, but those of functions.
const OF_WRITER: &str = "guanxi_embedded::writer::";

/// The function that ends a process's opening. Callgrind ends a part of the first thread's profile there.
const OPENED: &str = "*instructions::child::opened*";

/// Instructions of a process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Executed {
    /// Of its first thread, once it has opened: what opening takes differs from run to run.
    pub(super) first: u64,
    /// Of the store's writer, in all.
    pub(super) writer: u64,
}

/// Runs this program again, under callgrind, with these arguments; profiles go into `dir`, which must be empty of them.
pub(super) fn run(dir: &Path, args: &[String]) -> Result<Executed, String> {
    let program = std::env::current_exe().map_err(|error| format!("this program's file: {error}"))?;
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--separate-threads=yes", "--fair-sched=try", "--quiet"]);
    command.arg(format!("--dump-before={OPENED}"));
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

/// Sums up profiles: each is of a thread, and of a part of its time.
fn executed(profiles: &[String]) -> Result<Executed, String> {
    let mut executed = Executed::default();
    for text in profiles {
        match Profile::of(text) {
            Some(Profile { thread: 1, part, total }) => executed.first += if part > 1 { total } else { 0 },
            Some(Profile { total, .. }) if text.contains(OF_WRITER) => executed.writer += total,
            _ => {}
        }
    }
    if executed.first > 0 && executed.writer > 0 {
        Ok(executed)
    } else {
        Err("callgrind wrote no profile of the first thread, or none of the writer".to_owned())
    }
}

/// What a profile says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Profile {
    thread: u64,
    part: u64,
    total: u64,
}

impl Profile {
    /// Reads it; `None` when the text is no profile of a thread.
    fn of(text: &str) -> Option<Self> {
        let field =
            |name: &str| text.lines().find_map(|line| line.strip_prefix(name)?.trim().parse::<u64>().ok());
        let total = field("totals:").or_else(|| field("summary:"))?;
        Some(Self { thread: field("thread:")?, part: field("part:")?, total })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile(part: u32, thread: u32, function: &str) -> String {
        format!(
            "# callgrind format\nversion: 1\npid: 7\ncmd:  a b\npart: {part}\nthread: {thread}\n\npositions: line\n\
             events: Ir\n\nfn=(1) {function}\n0 12\n\ntotals: 4321\n"
        )
    }

    #[test]
    fn a_profile_says_its_thread_its_part_and_its_total() {
        let (text, expected) = (profile(3, 2, "f"), Profile { thread: 2, part: 3, total: 4_321 });
        assert_eq!(Profile::of(&text), Some(expected));
        assert_eq!(Profile::of(&text.replace("totals:", "summary:")), Some(expected));
        assert_eq!(Profile::of(&text.replace("thread: 2\n", "")), None);
        assert_eq!(Profile::of(""), None);
    }

    #[test]
    fn the_first_thread_after_its_opening_and_the_writer_count_and_nothing_else() {
        let (opening, first) = (profile(1, 1, "main"), profile(2, 1, "main"));
        let writer = profile(2, 5, "guanxi_embedded::writer::Writer::run");
        let all = [opening.clone(), profile(2, 2, "fjall::worker_pool::run"), first.clone(), writer.clone()];
        assert_eq!(executed(&all), Ok(Executed { first: 4_321, writer: 4_321 }));
        assert!(executed(&[first]).is_err(), "without the writer");
        assert!(executed(&[opening, writer]).is_err(), "without the mark");
    }
}
