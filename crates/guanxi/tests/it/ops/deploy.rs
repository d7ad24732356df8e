//! The files that are shipped for operation: the dashboard, the alarms, the unit, and the script that starts it as `nobody`.

use super::exposition::{Shown, metric_of};
use super::metrics::{metrics_of_a_lived_server, page_of};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

fn deploy(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy").join(name)
}

fn text(name: &str) -> String {
    std::fs::read_to_string(deploy(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The queries of the dashboard and of the alarms.
fn queries() -> Vec<String> {
    let dashboard: Value = serde_json::from_str(&text("grafana/guanxi.json")).unwrap();
    let panels = dashboard["panels"].as_array().unwrap();
    let targets = panels.iter().flat_map(|panel| panel["targets"].as_array().unwrap());
    let mut queries: Vec<String> =
        targets.map(|target| target["expr"].as_str().unwrap().to_owned()).collect();
    let alarms = text("alerts.yml");
    queries.extend(alarms.lines().filter_map(|line| Some(line.trim().strip_prefix("expr: ")?.to_owned())));
    queries
}

/// The queries of the dashboard alone.
fn queries_of_the_dashboard() -> Vec<String> {
    let all = queries();
    let alarms = text("alerts.yml").matches("expr: ").count();
    all[..all.len() - alarms].to_vec()
}

/// The words of a query: names of metrics, functions and labels.
fn words(query: &str) -> impl Iterator<Item = &str> {
    let split = query.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    split.filter(|word| word.starts_with(|c: char| c.is_ascii_lowercase()))
}

/// The labels that a query names, in braces and behind `by`.
fn labels(query: &str) -> Vec<&str> {
    let braces = query.split('{').skip(1).filter_map(|rest| rest.split('}').next());
    let matched = braces.flat_map(|inner| inner.split(',')).filter_map(|pair| pair.split(['=', '!']).next());
    let grouped = query.split("by (").skip(1).filter_map(|rest| rest.split(')').next());
    matched.chain(grouped.flat_map(|inner| inner.split(','))).map(str::trim).collect()
}

fn check(query: &str, shown: &BTreeMap<String, Shown>) {
    let is_ours = |word: &&str| word.starts_with("guanxi_") || word.starts_with("process_");
    let metrics: Vec<&Shown> = words(query)
        .filter(is_ours)
        .map(|word| {
            let name = metric_of(word, |name| shown.contains_key(name));
            let metric = shown.get(name).unwrap_or_else(|| panic!("no server shows {word}: {query}"));
            assert_eq!(metric.kind == "histogram", name != word, "{word} in {query}");
            metric
        })
        .collect();
    assert!(!metrics.is_empty() || query.starts_with("up{"), "{query} asks for nothing of ours");
    for label in labels(query) {
        let known =
            ["le", "job"].contains(&label) || metrics.iter().any(|metric| metric.labels.contains(label));
        assert!(known, "{label} is no label of the metrics in {query}");
    }
    assert_eq!(query.matches('(').count(), query.matches(')').count(), "{query}");
}

#[test]
fn every_query_of_the_dashboard_and_of_the_alarms_finds_its_metrics() {
    let (queries, shown) = (queries(), metrics_of_a_lived_server());
    assert!(queries.len() > 30, "{queries:?}");
    queries.iter().for_each(|query| check(query, &shown));
    // What the check looks at.
    let refused = |query: &str| std::panic::catch_unwind(|| check(query, &shown)).is_err();
    assert!(refused("rate(guanxi_no_such_total[1m])") && refused("rate(guanxi_rpc_seconds[1m])"));
    assert!(refused("guanxi_disk_bytes{table=\"log\"}") && refused("sum by (op) (guanxi_log_seq)"));
}

/// An operator who opens the dashboard of a demo sees data in each of its panels.
#[test]
fn every_query_of_the_dashboard_has_something_on_a_demo() {
    let demo = crate::cli::demo::Running::start(&["--no-ui", "--rate", "200"]);
    let admin = demo.told_url("metrics and health: ");
    let queries = queries_of_the_dashboard();
    let missing = || -> Vec<&str> {
        let page = page_of(&admin);
        let is_there = |word: &&str| {
            page.lines().any(|line| line.strip_prefix(*word).is_some_and(|rest| rest.starts_with([' ', '{'])))
        };
        let ours = queries.iter().flat_map(|query| words(query)).filter(|word| word.starts_with("guanxi_"));
        ours.filter(|word| !is_there(word)).collect()
    };
    assert!(queries.len() > 25, "{queries:?}");
    crate::cli::run::wait_for(|| missing().is_empty());
}

#[test]
fn the_unit_is_one_that_systemd_takes() {
    let unit = text("guanxi.service");
    for wanted in
        ["Type=notify", "WatchdogSec=30", "LimitNOFILE=65536", "DynamicUser=yes", "ProtectSystem=strict"]
    {
        assert!(unit.lines().any(|line| line == wanted), "{wanted}");
    }
    // Where systemd is, it says itself what it makes of the unit.
    let scratch = crate::cli::run::Scratch::new();
    let unit = unit.replace("/usr/local/bin/guanxi", env!("CARGO_BIN_EXE_guanxi"));
    let file = scratch.file("guanxi.service", unit);
    let Ok(verified) = Command::new("systemd-analyze").args(["verify", &file]).output() else { return };
    let said = String::from_utf8_lossy(&verified.stderr);
    assert!(verified.status.success() && !said.contains("guanxi.service"), "{said}");
}

#[test]
fn it_serves_as_nobody_with_nothing_writable_but_its_data() {
    let script = deploy("check-unprivileged.sh");
    let ran = Command::new(&script).arg(env!("CARGO_BIN_EXE_guanxi")).output().unwrap();
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{said}");
    assert!(String::from_utf8_lossy(&ran.stdout).ends_with("writes to its data alone\n"), "{ran:?}");
}
