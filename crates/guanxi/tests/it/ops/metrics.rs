//! The metrics that a server shows are those that the documents promise.

use super::exposition::{Shown, complaints, parse};
use crate::cli::run::{Scratch, Server, run};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

const OPERATIONS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/operations.md");

/// A bit of everything: calls of each service, a refusal, posts that are pushed, pages of home, and a poll.
fn live(server: &Server) {
    run(&["fanout", "policy", "--mode", "hybrid", "--celebrity-followers", "2", "--server", &server.admin]);
    let ok = |method: &str, request: &Value| {
        let answer = server.call(method, request);
        assert!(answer["code"].is_null(), "{method}: {answer}");
        answer
    };
    for (subject, object) in [("1", "2"), ("1", "3"), ("3", "2"), ("4", "2")] {
        ok("Follow", &json!({ "subject": subject, "object": object }));
    }
    assert_eq!(server.call("Follow", &json!({ "subject": "1", "object": "1" }))["code"], "invalid_argument");
    ok("ListFollowers", &json!({ "uid": "2" }));
    ok("FeedService/GetHomeTimeline", &json!({ "viewer": "1" }));
    for author in ["2", "3"] {
        ok("PostService/CreatePost", &json!({ "author": author, "text": "hello" }));
    }
    let home = ok("FeedService/GetHomeTimeline", &json!({ "viewer": "1" }));
    ok("FeedService/PollHomeTimeline", &json!({ "viewer": "1", "token": home["token"] }));
    ok("CreateGroup", &json!({ "subject": "1", "name": "family" }));
    ok("ListGroups", &json!({ "subject": "1" }));
    let account = json!({ "loginName": "alice", "password": "a quiet Tuesday" });
    ok("UserService/Register", &account);
    let session = ok("UserService/Login", &account);
    ok("UserService/RefreshSession", &json!({ "refreshToken": session["refreshToken"] }));
    assert_eq!(run(&["verify", "--server", &server.admin]).code, 0);
}

/// The page of metrics.
pub(crate) fn page(server: &Server) -> String {
    page_of(&server.admin)
}

/// The page of metrics of an operator's listener.
pub(crate) fn page_of(admin: &str) -> String {
    let output = Command::new("curl").arg("-sS").arg(format!("{admin}/metrics")).output();
    String::from_utf8(output.expect("curl is installed").stdout).expect("the page is text")
}

/// The metrics of a server that has done a bit of everything.
pub(crate) fn metrics_of_a_lived_server() -> BTreeMap<String, Shown> {
    parse(&page_of_a_lived_server())
}

fn page_of_a_lived_server() -> String {
    let scratch = Scratch::new();
    // With all that can be watched; no collector listens to the spans.
    let watched = ["--slow-call-ms", "1", "--trace-endpoint", "http://127.0.0.1:9"];
    let server = Server::start(&scratch.arg("data"), &[&["--no-auth"], &watched[..]].concat());
    live(&server);
    let shown = page(&server);
    server.stop();
    shown
}

/// The words between backticks.
fn quoted(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

/// The metrics of the table, each with its kind and labels.
fn documented(text: &str) -> BTreeMap<&str, (&str, BTreeSet<&str>)> {
    let mut documented = BTreeMap::new();
    let (_, section) = text.split_once("\n## Metrics\n").expect("the section is there");
    let section = section.split("\n## ").next().unwrap_or_default();
    for row in
        section.lines().filter(|line| line.starts_with("| `guanxi_") || line.starts_with("| `process_"))
    {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let [names, kind, labels, _] = cells[..] else { panic!("{row}") };
        for name in quoted(names) {
            assert!(documented.insert(name, (kind, quoted(labels).collect())).is_none(), "{name} twice");
        }
    }
    documented
}

#[test]
fn the_documents_name_exactly_the_metrics_that_a_server_shows() {
    let text = std::fs::read_to_string(OPERATIONS).unwrap();
    let (documented, shown) = (documented(&text), metrics_of_a_lived_server());
    for (name, metric) in &shown {
        assert!(!metric.help.is_empty(), "{name} has no HELP: describe it");
        let labels = metric.labels.iter().map(String::as_str).collect();
        assert_eq!(documented.get(name.as_str()), Some(&(metric.kind.as_str(), labels)), "{name}");
    }
    for name in documented.keys() {
        assert!(shown.contains_key(*name), "{name} is in docs/operations.md, and no server shows it");
    }
}

/// Bytes of the page of a small server: with the usual interval of 15 seconds, half a GiB a day.
const PAGE_BYTES_MAX: usize = 100_000;

#[test]
fn a_page_keeps_to_the_rules_of_prometheus_and_is_small() {
    let page = page_of_a_lived_server();
    assert_eq!(complaints(&page), [""; 0]);
    assert!(page.len() <= PAGE_BYTES_MAX, "{} bytes", page.len());
    assert!(page.contains("guanxi_rpc_seconds_count{method=\"RelationService/Follow\"}"), "{page}");
    let unobserved = |line: &&str| line.contains("_seconds_count{") && line.ends_with(" 0");
    assert_eq!(page.lines().find(unobserved), None, "what was never observed is left out");
}

#[test]
fn a_server_says_which_program_it_is_and_what_it_takes() {
    let scratch = Scratch::new();
    let server = Server::start(&scratch.arg("data"), &["--no-auth"]);
    let page = page(&server);
    let value = |series: &str| -> f64 {
        let line =
            page.lines().find(|line| line.starts_with(series)).unwrap_or_else(|| panic!("{series}: {page}"));
        line.rsplit_once(' ').unwrap().1.parse().unwrap()
    };
    let build = page.lines().find(|line| line.starts_with("guanxi_build_info{")).unwrap();
    assert!(build.contains(concat!("version=\"", env!("CARGO_PKG_VERSION"), "\"")), "{build}");
    assert!(build.ends_with(" 1"), "{build}");
    assert!(value("process_resident_memory_bytes") > 1e6);
    assert!(value("process_open_fds") > 10.0 && value("process_open_fds") < value("process_max_fds"));
    assert!(value("process_cpu_seconds_total") > 0.0, "parts of a second count");
    assert!(value("process_threads") > 3.0);
    let (free, reserve) = (value("guanxi_disk_free_bytes"), value("guanxi_disk_reserve_bytes"));
    assert!(free > 1e6 && reserve.rem_euclid(1_048_576.0) < 1.0 && reserve > 0.0, "{free} {reserve}");
    let status = std::fs::read_to_string(format!("/proc/{}/limits", server.pid())).unwrap();
    assert!(status.contains(&format!("{}", value("process_max_fds"))), "{status}");
    server.stop();
}
