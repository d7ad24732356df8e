//! A cluster is brought up, used through both of its processes, and brought down.

use super::options::parse;
use super::place::{ClusterPlace, PlacedProcess};
use super::{down, start};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;

/// A directory that is removed with the test.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        Self(std::env::temp_dir().join(format!("guanxi-xtask-{name}-{}", std::process::id())))
    }

    fn options(&self) -> super::ClusterOptions {
        let binary = binary();
        parse(&["--dir", self.0.to_str().unwrap(), "--binary", binary.to_str().unwrap()]).unwrap()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Ended and removed already, unless the test failed.
        if let Ok(Some(place)) = ClusterPlace::read(&self.0) {
            let _late = place.end();
        }
        let _gone = std::fs::remove_dir_all(&self.0);
    }
}

/// The program that was built beside this test, or is built now.
fn binary() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let beside = test.ancestors().nth(2).unwrap().join("guanxi");
    if beside.exists() { beside } else { super::build(false).unwrap() }
}

/// The word behind another one of what a process tells of itself.
fn address<'a>(processes: &'a [PlacedProcess], name: &str, nth: usize) -> &'a str {
    let process = processes.iter().find(|process| process.name == name).unwrap();
    process.address.split(' ').filter(|word| word.starts_with("http")).nth(nth).unwrap().trim_end_matches(',')
}

fn output(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

fn call(token: &str, api: &str, method: &str, request: &str) -> String {
    let mut curl = Command::new("curl");
    curl.args([
        "-sS",
        "-H",
        "content-type: application/json",
        "-H",
        &format!("authorization: Bearer {token}"),
    ]);
    output(curl.args(["-d", request, &format!("{api}/guanxi.v1.{method}")]))
}

#[test]
fn a_cluster_is_up_until_it_is_down() {
    let scratch = Scratch::new("up");
    let options = scratch.options();
    start::start(&options, &AtomicBool::new(false)).unwrap();
    let place = ClusterPlace::read(&scratch.0).unwrap().unwrap();
    assert!(place.is_running() && !place.told().contains("(gone)"), "{}", place.told());
    let processes = &place.processes;
    assert_eq!(processes.len(), 5, "{processes:?}");
    super::up(&options).expect("it is up already");

    let mut create = Command::new(options.binary.as_ref().unwrap());
    create.args([
        "token",
        "create",
        "dev",
        "--service",
        "read,write",
        "--server",
        address(processes, "api1", 1),
    ]);
    let token = output(create.arg("--token-file").arg(scratch.0.join("api1/admin-token")));
    let (first, second) = (address(processes, "api1", 0), address(processes, "api2", 0));
    let followed = call(&token, first, "RelationService/Follow", r#"{"subject":"1","object":"2"}"#);
    let (_, position) = followed.split_once(r#""token":""#).expect(&followed);
    let position = position.split('"').next().unwrap();
    let asked = format!(r#"{{"uid":"2","token":"{position}"}}"#);
    let list = call(&token, second, "RelationService/ListFollowers", &asked);
    assert!(list.contains(r#""uid":"1""#), "{list}");
    let worker = address(processes, "worker2", 0);
    assert_eq!(output(Command::new("curl").args(["-sS", &format!("{worker}/readyz")])), "ready");
    let refused = call(&token, worker, "RelationService/Follow", "{}");
    assert!(refused.contains("has the role `api`"), "{refused}");

    down(&options).unwrap();
    assert!(!place.is_running() && !Path::new(&scratch.0).exists());
    down(&options).expect("there is nothing to do");
}

/// Whoever asked for it has gone: what has started ends.
#[test]
fn nothing_is_left_of_one_that_nobody_waits_for() {
    let scratch = Scratch::new("alone");
    let error = start::start(&scratch.options(), &AtomicBool::new(true)).unwrap_err();
    assert_eq!(error, "interrupted");
    assert!(!scratch.0.exists());
}
