//! The table of series and the rules of problems, against pages of metrics that are written here.

use super::problems::{ProblemWhen, RULES, Rule};
use super::reading::PageReader;
use super::table::{CALLER_CODES, REFUSED_CODES, SERVER_CODES};
use super::*;
use guanxi_api::Readiness;
use guanxi_api::overview::Severity;
use guanxi_model::ManualClock;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};

const START_MS: u64 = 1_700_000_000_000;

/// A process whose page of metrics the test writes.
struct Process {
    page: Arc<Mutex<String>>,
    clock: Arc<ManualClock>,
    ready: Arc<AtomicBool>,
    overviews: Overviews,
}

impl Process {
    fn new() -> Self {
        let (page, clock) = (Arc::<Mutex<String>>::default(), Arc::new(ManualClock::new(START_MS)));
        let ready = Arc::new(AtomicBool::new(true));
        let (shown, is_ready) = (page.clone(), ready.clone());
        let terms = OverviewTerms {
            is_of_cluster: false,
            roles: vec!["api"],
            ready: Arc::new(move || Readiness::of(is_ready.load(Ordering::Relaxed))),
            clock: clock.clone(),
        };
        let write = move |out: &mut dyn io::Write| out.write_all(shown.lock().unwrap().as_bytes());
        let settings = Settings { user_cache_mib: 3, ..Settings::default() };
        let overviews = Overviews::new(Arc::new(write), terms, &settings);
        Self { page, clock, ready, overviews }
    }

    /// A sample of a page, ten seconds after the one before.
    fn sample(&self, page: &str) {
        page.clone_into(&mut self.page.lock().unwrap());
        self.overviews.sample();
        self.clock.set(self.clock.now_ms() + 10_000);
    }

    fn series(&self, name: &str) -> Option<OverviewSeries> {
        self.overviews.overview(0).series.into_iter().find(|series| series.name == name)
    }

    fn values(&self, name: &str) -> Vec<Option<f64>> {
        self.series(name).map(|series| series.values).unwrap_or_default()
    }

    fn problems(&self) -> Vec<&'static str> {
        self.overviews.overview(1).problems.iter().map(|problem| problem.name).collect()
    }
}

#[test]
fn counters_become_rates_and_a_counter_that_began_anew_counts_from_zero() {
    let process = Process::new();
    let page = |follow: u64, failed: u64| {
        format!(
            "# TYPE guanxi_rpc_requests_total counter\n\
             guanxi_rpc_requests_total{{method=\"a\",code=\"ok\"}} {follow}\n\
             guanxi_rpc_requests_total{{method=\"b\",code=\"internal\"}} {failed}\n\
             guanxi_log_seq {follow}\nprocess_cpu_seconds_total 0.5\n"
        )
    };
    process.sample(&page(100, 0));
    process.sample(&page(150, 10));
    // The process was started again.
    process.sample(&page(20, 0));
    assert_eq!(process.values("calls.rate"), [None, Some(6.0), Some(2.0)]);
    assert_eq!(process.values("calls.errors_server"), [None, Some(1.0), Some(0.0)]);
    // The metric is there, and no call ended so.
    assert_eq!(process.values("calls.errors_refused"), [None, Some(0.0), Some(0.0)]);
    assert_eq!(process.values("calls.server_error_share"), [None, Some(10.0 / 60.0), Some(0.0)]);
    assert_eq!(process.values("log.events"), [None, Some(5.0), Some(2.0)]);
    assert_eq!(process.values("log.seq"), [Some(100.0), Some(150.0), Some(20.0)]);
    assert_eq!(process.series("process.cpu").unwrap().unit, "cores");
    assert!(process.series("fanout.behind").is_none() && process.series("disk.free").is_none());
}

/// A histogram with these counts at or below 0.1, 0.2 and all.
fn histogram(name: &str, labels: &str, counts: [u64; 3]) -> String {
    let mut text = format!("# TYPE {name} histogram\n");
    for (bound, count) in ["0.1", "0.2", "+Inf"].iter().zip(counts) {
        let _ = writeln!(text, "{name}_bucket{{{labels}le=\"{bound}\"}} {count}");
    }
    let _ = writeln!(text, "{name}_sum{{{labels}}} 1\n{name}_count{{{labels}}} {}", counts[2]);
    text
}

#[test]
fn quantiles_are_those_of_an_interval_over_all_labels() {
    let process = Process::new();
    let calls = |first, second| {
        let name = "guanxi_rpc_seconds";
        histogram(name, "method=\"a\",", first) + &histogram(name, "method=\"b\",", second)
    };
    process.sample(&calls([1_000, 1_000, 1_000], [0, 0, 0]));
    process.sample(&calls([1_050, 1_050, 1_050], [0, 50, 50]));
    // Nothing came.
    process.sample(&calls([1_050, 1_050, 1_050], [0, 50, 50]));
    // Above the last bound; and once more after a restart.
    process.sample(&calls([1_050, 1_050, 1_060], [0, 50, 50]));
    process.sample(&calls([10, 10, 10], [0, 0, 0]));
    let shown = |name: &str| -> Vec<Option<String>> {
        process.values(name).iter().map(|value| value.map(|value| format!("{value:.3}"))).collect()
    };
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(shown("calls.p50"), [None, some("0.100"), None, some("0.200"), some("0.050")]);
    assert_eq!(shown("calls.p99"), [None, some("0.198"), None, some("0.200"), some("0.099")]);
}

#[test]
fn ratios_differences_times_and_maxima_are_computed() {
    let process = Process::new();
    let page = |hits: u64, misses: u64| {
        format!(
            "guanxi_user_cache_total{{outcome=\"hit\"}} {hits}\n\
             guanxi_user_cache_total{{outcome=\"miss\"}} {misses}\n\
             guanxi_session_cache_hits_total {hits}\nguanxi_session_cache_misses_total {misses}\n\
             guanxi_commit_group_size_sum {hits}\nguanxi_commit_group_size_count {misses}\n\
             guanxi_log_seq 120\nguanxi_fanout_covered_seq 100\n\
             guanxi_user_cache_bytes 5\nguanxi_connections 3\nguanxi_connections_max 40\n\
             guanxi_slots_taken{{kind=\"call\"}} 2\nguanxi_slots_taken{{kind=\"stream\"}} 1\n\
             guanxi_slots_max{{kind=\"call\"}} 64\nguanxi_slots_max{{kind=\"stream\"}} 32\n\
             guanxi_tls_certificate_expiry_time_seconds{{listener=\"main\"}} {}\n\
             guanxi_tls_certificate_expiry_time_seconds{{listener=\"admin\"}} 0\n",
            START_MS / 1_000 + 100
        )
    };
    process.sample(&page(10, 10));
    process.sample(&page(40, 20));
    process.sample(&page(40, 20));
    let share = [None, Some(0.75), None];
    assert_eq!(process.values("hits.users"), share);
    assert_eq!(process.values("hits.sessions"), share);
    assert_eq!(process.values("writes.per_commit"), [None, Some(3.0), None]);
    assert_eq!(process.values("fanout.behind"), [Some(20.0); 3]);
    assert_eq!(process.values("tls.main_ends_in"), [Some(100.0), Some(90.0), Some(80.0)]);
    assert!(process.series("tls.admin_ends_in").is_none(), "0 is no time");
    let bound = |name: &str| process.series(name).unwrap().maximum;
    assert_eq!((bound("memory.users"), bound("load.connections")), (Some(3_145_728.0), Some(40.0)));
    assert_eq!((bound("load.calls"), bound("load.streams")), (Some(64.0), Some(32.0)));
    assert_eq!(bound("fanout.behind"), None);
    assert_eq!(process.values("load.streams"), [Some(1.0); 3]);
}

#[test]
fn as_many_samples_are_kept_and_answered_as_the_limits_say() {
    let process = Process::new();
    for seq in 0..SAMPLES_MAX + 5 {
        process.sample(&format!("guanxi_log_seq {seq}\n"));
    }
    let all = process.overviews.overview(0);
    assert_eq!((all.times_ms.len(), all.series[0].values.len()), (SAMPLES_MAX, SAMPLES_MAX));
    assert_eq!(all.times_ms[0], START_MS + 5 * 10_000);
    let two = process.overviews.overview(2);
    assert_eq!(two.times_ms, all.times_ms[SAMPLES_MAX - 2..]);
    assert_eq!(two.series[0].values, [Some(93.0), Some(94.0)]);
    assert_eq!(process.overviews.overview(usize::MAX).times_ms.len(), SAMPLES_MAX);
}

#[test]
fn a_page_that_comes_in_any_pieces_is_read_alike_and_numbers_are_finite() {
    let index = MetricIndex::new(TABLE);
    let page = "guanxi_log_seq 7\nguanxi_connections NaN\nguanxi_fanout_queued +Inf\n\nnonsense\nguanxi_deliveries_total 3";
    let read = |size: usize| {
        let mut reader = PageReader::new(&index, TABLE.len(), START_MS);
        page.as_bytes().chunks(size).for_each(|piece| reader.write_all(piece).unwrap());
        reader.end().rows
    };
    let whole = read(page.len());
    assert!((1..page.len()).all(|size| read(size) == whole));
    let held = |name: &str| whole[TABLE.iter().position(|row| row.name == name).unwrap()][0].number();
    assert_eq!((held("log.seq"), held("fanout.deliveries")), (Some(7.0), Some(3.0)));
    assert_eq!((held("load.connections"), held("fanout.queued")), (None, None));
    let mut reader = PageReader::new(&index, TABLE.len(), START_MS);
    assert!(reader.write_all(&[b'x'; 10_000]).is_err(), "a line without an end is not kept");
}

#[test]
fn the_table_has_each_name_once_and_every_rule_a_series() {
    let names: BTreeSet<&str> = TABLE.iter().map(|row| row.name).collect();
    assert_eq!(names.len(), TABLE.len());
    for rule in RULES {
        assert!(rule.series.iter().all(|series| names.contains(series)), "{}", rule.name);
        assert!(
            !rule.text.is_empty() && !rule.remedy.is_empty() && rule.samples <= SAMPLES_MAX,
            "{}",
            rule.name
        );
        assert!(
            rule.unless.is_empty() || RULES.iter().any(|other| other.name == rule.unless),
            "{}",
            rule.name
        );
    }
    let codes = [SERVER_CODES, REFUSED_CODES, CALLER_CODES].concat();
    assert_eq!(codes.iter().collect::<BTreeSet<_>>().len(), 16, "each code but ok is of one class");
}

/// Values of the series of a rule at which the rule just fires, and just does not.
fn edge(rule: &Rule, fires: bool) -> Vec<f64> {
    let beyond = |threshold: f64, above: bool| {
        let step = threshold.abs().max(1.0) * 0.01;
        threshold + if above == fires { step } else { -step }
    };
    match rule.when {
        ProblemWhen::Above(threshold) => vec![beyond(threshold, true); rule.samples],
        ProblemWhen::Below(threshold) => vec![beyond(threshold, false); rule.samples],
        ProblemWhen::AboveOfMaximum(share) => vec![beyond(share * 100.0, true); rule.samples],
        ProblemWhen::BelowTimes(times, _) => vec![beyond(times * 100.0, false); rule.samples],
        ProblemWhen::Growing(floor) => {
            let step = if fires { 1.0 } else { 0.0 };
            (0..rule.samples).map(|at| floor * 2.0 + step * at as f64).collect()
        }
    }
}

/// A ring in which one series has values, everything has the maximum 100, and the reserve of the disk is 100.
fn ring(series: &str, values: &[f64]) -> Ring {
    let at = |name: &str| TABLE.iter().position(|row| row.name == name).unwrap();
    let mut ring = Ring { settings: vec![Some(100.0); TABLE.len()], ..Ring::default() };
    for value in values {
        let mut all = vec![f64::NAN; TABLE.len()];
        (all[at("disk.reserve")], all[at(series)]) = (100.0, *value);
        ring.samples.push_back(Sample { at_ms: START_MS, values: all.into() });
    }
    ring
}

#[test]
fn each_rule_fires_beyond_its_threshold_and_is_silent_before_it() {
    for rule in RULES {
        for series in rule.series {
            let found = |values: &[f64]| -> Vec<&str> {
                problems::problems(&ring(series, values), true).iter().map(|problem| problem.name).collect()
            };
            let (wrong, right) = (edge(rule, true), edge(rule, false));
            assert!(found(&wrong).contains(&rule.name), "{} of {series}: {wrong:?}", rule.name);
            assert!(!found(&right).contains(&rule.name), "{} of {series}: {right:?}", rule.name);
            if rule.samples > 1 {
                assert!(!found(&wrong[1..]).contains(&rule.name), "{} needs all its samples", rule.name);
                let swings = [&wrong[1..], &[f64::NAN]].concat();
                assert!(!found(&swings).contains(&rule.name), "{} needs known values", rule.name);
            }
        }
    }
}

#[test]
fn problems_come_with_their_value_and_the_worst_is_first() {
    let process = Process::new();
    process.sample("guanxi_disk_free_bytes 300\nguanxi_disk_reserve_bytes 100\n");
    assert_eq!(process.problems(), ["disk_low"]);
    process.ready.store(false, Ordering::Relaxed);
    assert_eq!(process.problems(), ["not_ready", "disk_low"]);
    process
        .sample("guanxi_disk_free_bytes 90\nguanxi_disk_reserve_bytes 100\nguanxi_deleted_users_stuck 2\n");
    assert_eq!(process.problems(), ["not_ready", "disk_full", "erasure_stuck"]);
    let found = process.overviews.overview(1).problems;
    assert!(found[1].text.starts_with("90 B of the disk are free"), "{}", found[1].text);
    assert_eq!((found[1].severity, found[2].severity), (Severity::Critical, Severity::Warning));
    process.ready.store(true, Ordering::Relaxed);
    process
        .sample("guanxi_disk_free_bytes 900\nguanxi_disk_reserve_bytes 100\nguanxi_deleted_users_stuck 0\n");
    assert_eq!(process.problems(), [""; 0]);
}

/// Alarms, and the rules that have their thresholds.
const ALARMS: &[(&str, &str)] = &[
    ("GuanxiErrors", "calls_fail"),
    ("GuanxiRefuses", "calls_refused"),
    ("GuanxiSlow", "calls_slow"),
    ("GuanxiSlowDisk", "disk_slow"),
    ("GuanxiDiskLow", "disk_low"),
    ("GuanxiFanoutBehind", "fanout_behind"),
    ("GuanxiConnectionsFull", "connections_full"),
    ("GuanxiFilesFull", "files_full"),
    ("GuanxiCertificateEnds", "certificate_ends"),
    ("GuanxiCertificateRefused", "certificate_refused"),
    ("GuanxiJwtKeysRefused", "jwt_keys_refused"),
    ("GuanxiErasureStuck", "erasure_stuck"),
];

/// Alarms without a rule, and why.
const NO_RULE: &[(&str, &str)] = &[
    ("GuanxiDown", "a process that is down shows nothing"),
    ("GuanxiDiskFills", "six hours are more than what is kept"),
];

#[test]
fn rules_have_the_thresholds_of_the_alarms() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../deploy/alerts.yml");
    let text = std::fs::read_to_string(path).unwrap();
    for alarm in text.split("- alert: ").skip(1) {
        let (name, rest) = alarm.split_once('\n').unwrap();
        let expression = rest.lines().find_map(|line| line.trim().strip_prefix("expr: ")).unwrap();
        let of = ALARMS.iter().find(|(alarm, _)| *alarm == name);
        let Some(rule) = of.and_then(|(_, rule)| RULES.iter().find(|known| known.name == *rule)) else {
            assert!(NO_RULE.iter().any(|(other, _)| *other == name), "{name} has no rule");
            continue;
        };
        let threshold = match rule.when {
            ProblemWhen::Above(threshold) => format!("> {threshold}"),
            ProblemWhen::Below(threshold) => format!("< {threshold}"),
            ProblemWhen::AboveOfMaximum(share) => format!("> {share} * "),
            ProblemWhen::BelowTimes(times, _) => format!("< {times} * "),
            ProblemWhen::Growing(_) => unreachable!("no alarm grows"),
        };
        let found = expression.contains(&format!("{threshold} ")) || expression.ends_with(&threshold);
        assert!(
            found || (threshold.ends_with("* ") && expression.contains(&threshold)),
            "{name}: {expression}, {threshold}"
        );
        let codes = expression.split("code=").nth(1).map(|codes| codes.trim_start_matches('~'));
        if let Some(codes) = codes.and_then(|codes| codes.split('"').nth(1)) {
            let ours = if name == "GuanxiErrors" { SERVER_CODES } else { REFUSED_CODES };
            assert_eq!(codes.split('|').collect::<Vec<_>>(), ours, "{name}");
        }
    }
    let known = |alarm: &str| text.contains(&format!("- alert: {alarm}\n"));
    assert!(ALARMS.iter().all(|(alarm, _)| known(alarm)));
}
