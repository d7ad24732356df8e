//! A cluster is brought up, used through both of its processes, and brought down.

#![allow(clippy::unwrap_used, reason = "tests may panic; the helpers around them are tests, too")]

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How long something may take to come about.
const PATIENCE: Duration = Duration::from_mins(2);

/// A directory for a cluster, which is brought down with the test.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Self {
        Self(std::env::temp_dir().join(format!("guanxi-xtask-{name}-{}", std::process::id())))
    }

    fn dir(&self) -> String {
        self.0.to_string_lossy().into_owned()
    }

    /// `cargo xtask cluster` with a word, here.
    fn command(&self, word: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
        command.args(["cluster", word, "--dir", &self.dir()]);
        // The program that was built beside this one, if it was.
        let beside = Path::new(env!("CARGO_BIN_EXE_xtask")).with_file_name("guanxi");
        if beside.exists() {
            command.arg("--binary").arg(beside);
        }
        command
    }

    /// The processes of the cluster: what each is called, its id, and where it is reached.
    fn processes(&self) -> Vec<Value> {
        let text = fs::read(self.0.join("cluster.json")).unwrap();
        serde_json::from_slice::<Value>(&text).unwrap()["processes"].as_array().unwrap().clone()
    }

    /// Where a process is reached: the so-manyth of its addresses.
    fn address(&self, name: &str, nth: usize) -> String {
        let all = self.processes();
        let process = all.iter().find(|process| process["name"] == name).unwrap();
        let words = process["address"].as_str().unwrap().split(' ').filter(|word| word.starts_with("http"));
        words.map(|word| word.trim_end_matches(',').to_owned()).nth(nth).unwrap()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // It is down already, unless the test failed.
        let _down = self.command("down").output();
        let _gone = fs::remove_dir_all(&self.0);
    }
}

/// What a command that ends well says.
fn said(command: &mut Command) -> String {
    let output = command.stdin(Stdio::null()).output().unwrap();
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
    said(curl.args(["-d", request, &format!("{api}/guanxi.v1.{method}")]))
}

#[test]
fn a_cluster_is_up_until_it_is_down() {
    let place = Place::new("up");
    let up = said(&mut place.command("up"));
    assert!(up.starts_with("the cluster is up:") && !up.contains("(gone)"), "{up}");
    let processes = place.processes();
    assert_eq!(processes.len(), 5, "{processes:?}");
    assert!(said(&mut place.command("up")).contains(&place.address("api1", 0)), "it is up already");

    let token_file = place.0.join("api1/admin-token");
    let mut create = Command::new(Path::new(env!("CARGO_BIN_EXE_xtask")).with_file_name("guanxi"));
    create.args(["token", "create", "dev", "--service", "read,write", "--server", &place.address("api1", 1)]);
    let token = said(create.arg("--token-file").arg(token_file));
    let (first, second) = (place.address("api1", 0), place.address("api2", 0));
    let followed = call(&token, &first, "RelationService/Follow", r#"{"subject":"1","object":"2"}"#);
    let position = serde_json::from_str::<Value>(&followed).unwrap()["token"].clone();
    let list = format!(r#"{{"uid":"2","token":{position}}}"#);
    // The other process hears of a new token a moment later.
    let begun = Instant::now();
    let list = loop {
        let list = call(&token, &second, "RelationService/ListFollowers", &list);
        if !list.contains("UNAUTHENTICATED") || begun.elapsed() > PATIENCE {
            break list;
        }
    };
    assert!(list.contains(r#""uid":"1""#), "{list}");
    let post = r#"{"author":"1","text":"green tea"}"#;
    let posted = call(&token, &first, "PostService/CreatePost", post);
    let posted = serde_json::from_str::<Value>(&posted).unwrap();
    let search = format!(r#"{{"query":"tea","token":{}}}"#, posted["token"]);
    // The indexes, which other processes keep, may be under way still.
    let begun = Instant::now();
    let found = loop {
        let found = call(&token, &second, "SearchService/SearchPosts", &search);
        if !found.contains("SEARCH_") || begun.elapsed() > PATIENCE {
            break found;
        }
    };
    assert!(found.contains(posted["postId"].as_str().unwrap()), "{found}");
    let worker = place.address("worker2", 0);
    assert_eq!(said(Command::new("curl").args(["-sS", &format!("{worker}/readyz")])), "ready");
    let refused = call(&token, &worker, "RelationService/Follow", "{}");
    assert!(refused.contains("has the role `api`"), "{refused}");

    assert_eq!(said(&mut place.command("down")), "the cluster is down");
    assert!(!place.0.exists());
    for process in processes {
        let line = fs::read(format!("/proc/{}/cmdline", process["pid"])).unwrap_or_default();
        assert!(!String::from_utf8_lossy(&line).contains(&place.dir()), "{process} runs");
    }
    assert_eq!(said(&mut place.command("down")), "no cluster is up");
}

/// The process that asked for it is killed while it starts: all that has started ends, and nothing is left.
#[test]
fn nothing_is_left_of_one_that_nobody_waits_for() {
    let place = Place::new("alone");
    let mut up = place.command("up").stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let until = |holds: &dyn Fn() -> bool| {
        let begun = Instant::now();
        while !holds() {
            assert!(begun.elapsed() < PATIENCE, "what was waited for did not come");
            std::thread::yield_now();
        }
    };
    until(&|| place.0.join("d1").exists());
    up.kill().unwrap();
    up.wait().unwrap();
    until(&|| !place.0.exists());
}
