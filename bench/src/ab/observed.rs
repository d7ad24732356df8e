//! What the system tells of a process: processor time, context switches, reads and writes.

use guanxi_load::usage::{ProcessTimes, number, ran, tasks};
use std::fs;

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
        let times = ProcessTimes::of(pid).ok_or_else(|| format!("process {pid} is gone"))?;
        let [ran_us, user_us, system_us] =
            [ran(pid), times.user, times.system].map(|time| time.as_secs_f64() * 1e6);
        // A thread may have ended since; what it did is lost.
        let of_tasks = |name: &str| {
            let of = |task: std::path::PathBuf| fs::read_to_string(task.join("status")).unwrap_or_default();
            tasks(pid).map(|task| number(&of(task), name)).sum::<u64>() as f64
        };
        // Another user's process does not tell.
        let io = fs::read_to_string(format!("/proc/{pid}/io")).unwrap_or_default();
        Ok(Self {
            ran_us,
            user_us,
            system_us,
            voluntary: of_tasks("voluntary_ctxt_switches:"),
            involuntary: of_tasks("nonvoluntary_ctxt_switches:"),
            reads_and_writes: (number(&io, "syscr:") + number(&io, "syscw:")) as f64,
        })
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

#[cfg(test)]
mod tests {
    use super::*;

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
