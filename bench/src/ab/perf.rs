//! Events that `perf stat` counts of a process, where it is there and may.

use guanxi_servers::{Process, Signal, pause};
use std::process::Command;
use std::time::Duration;

/// What is asked for, and what the table calls it.
const EVENTS: [(&str, &str); 3] = [
    ("raw_syscalls:sys_enter", "system calls"),
    ("sched:sched_waking", "wake-ups"),
    ("cache-misses", "cache misses"),
];

/// How long it may take to attach itself to all threads.
const ATTACH: Duration = Duration::from_millis(300);

/// The events that this machine counts.
#[derive(Clone, Debug)]
pub(super) struct Perf(Vec<usize>);

/// What was counted, in the order of [`EVENTS`]; `None` for what this machine does not count.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Events(pub(super) [Option<f64>; 3]);

impl Perf {
    /// Counts nothing.
    pub(super) const fn none() -> Self {
        Self(Vec::new())
    }

    /// Finds out what can be counted; each event by itself, since one that is unknown fails the others.
    pub(super) fn able() -> Self {
        let counts = |event: &str| {
            let output = Command::new("perf").args(["stat", "-x", ",", "-e", event, "true"]).output();
            output.is_ok_and(|output| {
                output.status.success() && value(&String::from_utf8_lossy(&output.stderr), event).is_some()
            })
        };
        Self((0..EVENTS.len()).filter(|&at| counts(EVENTS[at].0)).collect())
    }

    /// What is counted, in words.
    pub(super) fn events(&self) -> Vec<&'static str> {
        self.0.iter().map(|&at| EVENTS[at].1).collect()
    }

    /// Counts the events of a process during some work, which is not done when there is nothing to count.
    ///
    /// # Errors
    /// Those of the work.
    pub(super) fn count<T>(
        &self,
        pid: u32,
        work: impl FnOnce() -> Result<T, String>,
    ) -> Result<(Option<T>, Events), String> {
        if self.0.is_empty() {
            return Ok((None, Events::default()));
        }
        let names: Vec<&str> = self.0.iter().map(|&at| EVENTS[at].0).collect();
        let mut command = Command::new("perf");
        command.args(["stat", "-x", ",", "-e", &names.join(","), "-p", &pid.to_string()]);
        let log = tempfile::NamedTempFile::new().map_err(|error| format!("a file for perf: {error}"))?;
        let mut process = Process::start(&command, false, log.path(), Signal::INT)?;
        pause(ATTACH);
        let done = work()?;
        process.end()?;
        let text =
            std::fs::read_to_string(log.path()).map_err(|error| format!("what perf wrote: {error}"))?;
        Ok((Some(done), Events(EVENTS.map(|(event, _)| value(&text, event)))))
    }
}

impl Events {
    /// The same for each of so many calls.
    pub(super) fn per(self, calls: u64) -> Self {
        Self(self.0.map(|count| count.filter(|_| calls > 0).map(|count| count / calls as f64)))
    }
}

/// The count of an event in lines of `perf stat -x ,`; `None` when it was not counted.
fn value(text: &str, event: &str) -> Option<f64> {
    let fields = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let mut found = fields.filter(|fields| fields.get(2).is_some_and(|name| of_event(name, event)));
    found.next()?.first()?.parse().ok()
}

/// Whether a name is an event's; perf adds `:u` where it may look at programs alone.
fn of_event(name: &str, event: &str) -> bool {
    name.strip_prefix(event).is_some_and(|rest| rest.is_empty() || rest == ":u")
}

#[cfg(test)]
mod tests {
    use super::*;

    const WRITTEN: &str = "12345,,raw_syscalls:sys_enter,1002003,100.00,,\n\
                           <not supported>,,cache-misses,0,100.00,,\n77,,sched:sched_waking:u,5,100.00,,\n";

    #[test]
    fn counts_are_read_and_what_was_not_counted_is_none() {
        assert_eq!(value(WRITTEN, "raw_syscalls:sys_enter"), Some(12_345.0));
        assert_eq!(value(WRITTEN, "sched:sched_waking"), Some(77.0));
        assert_eq!(value(WRITTEN, "cache-misses"), None);
        assert_eq!(value("perf: not permitted\n", "cache-misses"), None);
    }

    #[test]
    fn events_are_divided_by_calls() {
        let events = Events([Some(30.0), None, Some(5.0)]);
        assert_eq!(events.per(10), Events([Some(3.0), None, Some(0.5)]));
        assert_eq!(events.per(0), Events::default());
    }

    #[test]
    fn nothing_is_done_when_nothing_can_be_counted() {
        let done = Perf::none().count(1, || -> Result<(), String> { Err("was done".to_owned()) });
        assert_eq!(done, Ok((None, Events::default())));
    }
}
