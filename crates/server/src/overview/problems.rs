//! What is wrong: a table of rules over the newest samples, and whether the process is ready.
//!
//! A rule that has an alarm in `deploy/alerts.yml` has its threshold, which a test compares. An alarm waits for minutes, so that
//! it wakes no person in vain. A rule waits for as many samples as it says, since a person looks already.

use super::Ring;
use super::table::TABLE;
use guanxi_api::overview::{OverviewProblem, Severity, shown};

/// ProblemWhen a value is wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum ProblemWhen {
    /// Above a threshold.
    Above(f64),
    /// Below a threshold.
    Below(f64),
    /// Above such a share of its maximum.
    AboveOfMaximum(f64),
    /// Below so many times another series.
    BelowTimes(f64, &'static str),
    /// Never falling, higher than at first, and above a floor.
    Growing(f64),
}

/// A rule.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rule {
    /// The name of the problem.
    pub name: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// The series that are looked at; each is a problem of its own.
    pub series: &'static [&'static str],
    /// ProblemWhen a value is wrong.
    pub when: ProblemWhen,
    /// In how many of the newest samples it must be.
    pub samples: usize,
    /// A problem that says the same and more: while there is that one, this one is left out.
    pub unless: &'static str,
    /// The sentence; `{}` is the value.
    pub text: &'static str,
    /// What mends it.
    pub remedy: &'static str,
}

/// A rule before its particulars: a warning at once.
const PLAIN: Rule = Rule {
    name: "",
    severity: Severity::Warning,
    series: &[],
    when: ProblemWhen::Above(0.0),
    samples: 1,
    unless: "",
    text: "",
    remedy: "",
};

/// Samples in a row after which load is not chance: half a minute.
const STEADY: usize = 3;
/// Samples in a row after which a lag grows and does not swing: a minute.
const TREND: usize = 6;
/// A lag in events below which growth is no problem: a burst of writes makes as much.
const LAG_FLOOR: f64 = 1_000.0;

/// The rules, in the order in which problems of one severity are shown.
pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "disk_full",
        severity: Severity::Critical,
        series: &["disk.free"],
        when: ProblemWhen::BelowTimes(1.0, "disk.reserve"),
        text: "{} of the disk are free, less than the reserve: writes are refused with DISK_FULL.",
        remedy: "make room, or give the data a larger disk; writes go on by themselves",
        ..PLAIN
    },
    Rule {
        name: "calls_fail",
        severity: Severity::Critical,
        series: &["calls.server_error_share"],
        when: ProblemWhen::Above(0.01),
        samples: STEADY,
        text: "{} of calls fail by the server's fault.",
        remedy: "the log names each with its request id: mend what it says",
        ..PLAIN
    },
    Rule {
        name: "overloaded",
        severity: Severity::Critical,
        series: &["refused.share"],
        samples: STEADY,
        text: "{} of calls are refused with OVERLOADED: more come than can be answered in time.",
        remedy: "add cores, or processes of a cluster; `queue_wait_max_ms` bounds the wait",
        ..PLAIN
    },
    Rule {
        name: "certificate_ended",
        severity: Severity::Critical,
        series: &["tls.main_ends_in", "tls.admin_ends_in"],
        when: ProblemWhen::Below(0.0),
        text: "The certificate in force has ended ({}): clients refuse the server.",
        remedy: "renew the files of `tls_cert` and `tls_key`, or of `admin_tls_cert`; they are read by themselves",
        ..PLAIN
    },
    Rule {
        name: "calls_refused",
        series: &["calls.errors_refused"],
        when: ProblemWhen::Above(1.0),
        samples: STEADY,
        unless: "overloaded",
        text: "{} calls are refused: overload, a rate limit, or too little free space.",
        remedy: "the reason of the answers says which; `refused.rates` and `refused.slots` count them",
        ..PLAIN
    },
    Rule {
        name: "calls_slow",
        series: &["calls.p99"],
        when: ProblemWhen::Above(0.25),
        samples: STEADY,
        text: "The p99 of calls is {}.",
        remedy: "compare `writes.fsync_p99` and `process.cpu`; `slow_call_ms` logs slow calls",
        ..PLAIN
    },
    Rule {
        name: "disk_slow",
        series: &["writes.fsync_p99"],
        when: ProblemWhen::Above(0.1),
        samples: STEADY,
        text: "The disk takes {} to keep a commit (p99).",
        remedy: "another disk, or `durability = \"group\"`",
        ..PLAIN
    },
    Rule {
        name: "disk_low",
        series: &["disk.free"],
        when: ProblemWhen::BelowTimes(4.0, "disk.reserve"),
        unless: "disk_full",
        text: "{} of the disk are free; below the reserve writes are refused.",
        remedy: "a larger disk, `deleted_posts_days` and `guanxi compact`, or move what else is there",
        ..PLAIN
    },
    Rule {
        name: "fanout_behind",
        series: &["fanout.behind"],
        when: ProblemWhen::Above(100_000.0),
        samples: STEADY,
        text: "The fan-out is {} events behind: homes are exact and dearer.",
        remedy: "guanxi fanout policy --mode hybrid --celebrity-followers N, or --mode pull",
        ..PLAIN
    },
    Rule {
        name: "fanout_falls_behind",
        series: &["fanout.behind"],
        when: ProblemWhen::Growing(LAG_FLOOR),
        samples: TREND,
        unless: "fanout_behind",
        text: "The fan-out is {} events behind, and the lag grows.",
        remedy: "guanxi fanout policy --mode hybrid --celebrity-followers N, or --mode pull",
        ..PLAIN
    },
    Rule {
        name: "search_falls_behind",
        series: &["search.posts_behind", "search.users_behind"],
        when: ProblemWhen::Growing(LAG_FLOOR),
        samples: TREND,
        text: "A search index is {} events behind, and the lag grows.",
        remedy: "raise `search_documents_per_second`; while calls wait the index takes a quarter of it",
        ..PLAIN
    },
    Rule {
        name: "connections_full",
        series: &["load.connections"],
        when: ProblemWhen::AboveOfMaximum(0.9),
        samples: STEADY,
        text: "{} connections are open, more than nine of ten: new ones will wait.",
        remedy: "raise the limit of open files (LimitNOFILE=65536) and `connections_max`",
        ..PLAIN
    },
    Rule {
        name: "files_full",
        series: &["process.open_files"],
        when: ProblemWhen::AboveOfMaximum(0.9),
        samples: STEADY,
        text: "{} files are open, more than nine of ten that the system allows.",
        remedy: "raise the limit of open files: LimitNOFILE=65536, or `ulimit -n 65536`",
        ..PLAIN
    },
    Rule {
        name: "certificate_ends",
        series: &["tls.main_ends_in", "tls.admin_ends_in"],
        when: ProblemWhen::Below(259_200.0),
        unless: "certificate_ended",
        text: "The certificate in force ends in {}.",
        remedy: "renew it; its files are read anew by themselves",
        ..PLAIN
    },
    Rule {
        name: "certificate_refused",
        series: &["tls.reloads_failing"],
        text: "Changed TLS files of {} listeners cannot be used; the certificate before stays until it ends.",
        remedy: "the log says what is wrong with the files",
        ..PLAIN
    },
    Rule {
        name: "jwt_keys_refused",
        series: &["jwt.reads_failing"],
        text: "Keys for JWTs of {} sources cannot be read; the keys before stay.",
        remedy: "the log says what is wrong; see `jwt_key_files` and `jwt_jwks_url`",
        ..PLAIN
    },
    Rule {
        name: "erasure_stuck",
        series: &["erasure.stuck_users"],
        text: "The rows of {} deleted users cannot be removed.",
        remedy: "the log says whose and why; guanxi verify --server URL",
        ..PLAIN
    },
];

/// The problem of a process that does not answer calls.
fn not_ready() -> OverviewProblem {
    OverviewProblem {
        severity: Severity::Critical,
        name: "not_ready",
        text: "The process is not ready: its store has stopped, or a database of the cluster does not answer in time.".into(),
        remedy: "the log says why; `guanxi health` asks again",
    }
}

/// What is wrong, the most severe first.
pub(super) fn problems(ring: &Ring, is_ready: bool) -> Vec<OverviewProblem> {
    let mut found: Vec<OverviewProblem> = Vec::new();
    if !is_ready {
        found.push(not_ready());
    }
    for rule in RULES {
        if found.iter().any(|problem| problem.name == rule.unless) {
            continue;
        }
        found.extend(rule.series.iter().filter_map(|series| judge(rule, series, ring)));
    }
    found.sort_by_key(|problem| std::cmp::Reverse(problem.severity));
    found
}

/// The problem of a series by a rule, if it is one.
fn judge(rule: &Rule, series: &str, ring: &Ring) -> Option<OverviewProblem> {
    let row = TABLE.iter().position(|row| row.name == series)?;
    let values = ring.newest(row, rule.samples)?;
    let all = |wrong: &dyn Fn(f64) -> bool| values.iter().all(|value| wrong(*value));
    let is_wrong = match rule.when {
        ProblemWhen::Above(threshold) => all(&|value| value > threshold),
        ProblemWhen::Below(threshold) => all(&|value| value < threshold),
        ProblemWhen::AboveOfMaximum(share) => {
            let maximum = ring.maximum(row)?;
            all(&|value| value > share * maximum)
        }
        ProblemWhen::BelowTimes(times, other) => {
            let other = TABLE.iter().position(|row| row.name == other)?;
            let other = *ring.newest(other, 1)?.last()?;
            all(&|value| value < times * other)
        }
        ProblemWhen::Growing(floor) => {
            let never_falls = values.is_sorted();
            let (first, last) = (values.first()?, values.last()?);
            never_falls && last > first && *last > floor
        }
    };
    let value = shown(TABLE[row].unit.word(), *values.last()?);
    let text = rule.text.replace("{}", &value);
    is_wrong.then_some(OverviewProblem {
        severity: rule.severity,
        name: rule.name,
        text,
        remedy: rule.remedy,
    })
}
