//! What the system tells of a process: processor time, context switches, reads and writes.

use std::fs;

/// Clock ticks per second in `/proc`: fixed at 100 in the kernel's interface to programs.
const TICKS_PER_S: f64 = 100.0;

/// What a process has used so far.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Observed {
    /// Microseconds that its threads ran, as the scheduler accounts for it: exact.
    pub(super) ran_us: f64,
    /// Microseconds of its own code, in steps of 10 ms.
    pub(super) user_us: f64,
    /// Microseconds of the kernel for it, in the same steps.
    pub(super) system_us: f64,
    /// How often its threads waited for something.
    pub(super) voluntary: f64,
    /// How often they had to make room for others.
    pub(super) involuntary: f64,
    /// Calls of the kernel that read and write files, as it counts them; those of sockets are not all among them.
    pub(super) reads_and_writes: f64,
}

impl Observed {
    /// What a process has used.
    ///
    /// # Errors
    /// When it is gone.
    pub(super) fn of(pid: u32) -> Result<Self, String> {
        let dir = format!("/proc/{pid}");
        let read = |name: &str| {
            let path = format!("{dir}/{name}");
            fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))
        };
        let (user_us, system_us) =
            cpu_us(&read("stat")?).ok_or_else(|| format!("{dir}/stat: what is it?"))?;
        let mut observed = Self { user_us, system_us, ..Self::default() };
        let tasks = fs::read_dir(format!("{dir}/task")).map_err(|error| format!("{dir}/task: {error}"))?;
        for task in tasks.flatten() {
            // A thread may have ended since; what it did is lost.
            let of_task = |name: &str| fs::read_to_string(task.path().join(name)).unwrap_or_default();
            let status = of_task("status");
            observed.voluntary += number(&status, "voluntary_ctxt_switches:") as f64;
            observed.involuntary += number(&status, "nonvoluntary_ctxt_switches:") as f64;
            observed.ran_us += ran_ns(&of_task("schedstat")) as f64 / 1e3;
        }
        // Another user's process does not tell.
        let io = read("io").unwrap_or_default();
        observed.reads_and_writes = (number(&io, "syscr:") + number(&io, "syscw:")) as f64;
        Ok(observed)
    }

    /// What was used since an earlier moment; a thread that has ended since takes its switches along.
    pub(super) fn since(&self, before: &Self) -> Self {
        let since = |of: fn(&Self) -> f64| (of(self) - of(before)).max(0.0);
        Self {
            ran_us: since(|it| it.ran_us),
            user_us: since(|it| it.user_us),
            system_us: since(|it| it.system_us),
            voluntary: since(|it| it.voluntary),
            involuntary: since(|it| it.involuntary),
            reads_and_writes: since(|it| it.reads_and_writes),
        }
    }
}

/// User and system time of a line as `proc(5)` describes it.
fn cpu_us(stat: &str) -> Option<(f64, f64)> {
    // The name is in parentheses and may hold spaces, so fields are counted after it.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let mut us = || Some(fields.next()?.parse::<u64>().ok()? as f64 * 1e6 / TICKS_PER_S);
    Some((us()?, us()?))
}

/// The nanoseconds that a thread's `schedstat` begins with; 0 where the system does not tell.
fn ran_ns(schedstat: &str) -> u64 {
    schedstat.split_whitespace().next().and_then(|ns| ns.parse().ok()).unwrap_or(0)
}

/// The number behind a name at the start of a line; 0 without one.
fn number(text: &str, name: &str) -> u64 {
    text.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_the_fields_behind_the_name() {
        let line = "42 (a (b) c) S 7 1 1 0 -1 4194560 1 2 0 0 11 22 3 4 20 0 1 0 5 6 7";
        assert_eq!(cpu_us(line), Some((110_000.0, 220_000.0)));
        assert_eq!(cpu_us("42 (a) S 7"), None);
        assert_eq!(ran_ns("1500000 1707986 1\n"), 1_500_000);
        assert_eq!(ran_ns(""), 0);
    }

    #[test]
    fn numbers_are_found_by_the_whole_name() {
        let status = "Name:\ta\nvoluntary_ctxt_switches:\t150\nnonvoluntary_ctxt_switches:\t545\n";
        assert_eq!(number(status, "voluntary_ctxt_switches:"), 150);
        assert_eq!(number(status, "nonvoluntary_ctxt_switches:"), 545);
        assert_eq!(number(status, "syscr:"), 0);
    }

    #[test]
    fn a_busy_child_is_seen_to_switch_and_read() {
        let mut child = std::process::Command::new("sh")
            .args(["-c", "while :; do read -r line < /proc/self/stat; done"])
            .spawn()
            .unwrap();
        let before = Observed::of(child.id()).unwrap();
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(20);
        loop {
            let used = Observed::of(child.id()).unwrap().since(&before);
            if used.ran_us > 0.0 && used.user_us + used.system_us > 0.0 && used.reads_and_writes > 0.0 {
                break;
            }
            assert!(std::time::Instant::now() < deadline, "{used:?}");
            std::thread::yield_now();
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
