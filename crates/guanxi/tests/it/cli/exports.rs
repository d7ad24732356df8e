//! Jobs of the back office, on the command line: exports of a server that are fetched, listed and cancelled.

use super::erasure::done;
use super::run::{Scratch, Server, guanxi, run, wait_for};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// A server with so many posts of user 1, each of so many words.
fn world(dir: &str, (posts, words): (usize, usize), scratch: &Scratch, more: &[&str]) -> Server {
    let server = Server::start(dir, &[&["--no-auth"], more].concat());
    let user = json!({ "uid": "1", "nickname": "@Ann", "updateMask": "nickname" });
    done(&server, "UserService/UpdateUser", &user);
    let line = |key| json!({ "key": format!("k{key}"), "author": "1", "time": 1_600_000_000_000_u64, "text": "tea ".repeat(words) });
    let lines: String = (0..posts).map(|key| format!("{}\n", line(key))).collect();
    let file = scratch.file("posts.jsonl", lines);
    assert_eq!(run(&["import", "posts", &file, "--server", &server.admin]).code, 0);
    wait_for(|| done(&server, "AdminService/QueryPosts", &json!({}))["total"] == json!(posts.to_string()));
    server
}

fn jobs(server: &Server) -> Vec<Value> {
    let listed = run(&["admin", "jobs", "--json", "--server", &server.admin]).json();
    listed["jobs"].as_array().cloned().unwrap_or_default()
}

#[test]
fn an_export_is_a_private_file_and_leaves_nothing_on_the_server() {
    let scratch = Scratch::new();
    let (dir, file) = (scratch.arg("data"), scratch.arg("posts.out"));
    let server = world(&dir, (450, 800), &scratch, &[]);
    let at = ["--server", &server.admin];
    let export =
        ["admin", "posts", "--text", "tea", "--top", "author:3", "--export", &file, "--format", "jsonl"];
    let ran = run(&[&export[..], &at].concat());
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stderr.contains("450 in all") && ran.stdout.is_empty(), "{ran:?}");
    let text = fs::read_to_string(&file).unwrap();
    assert_eq!(text.lines().count(), 450);
    let row: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    assert_eq!(
        (&row["author"], row["text"].as_str().map(|text| text.starts_with("tea tea"))),
        (&json!("1"), Some(true))
    );
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let spool = Path::new(&dir).join("spool");
    assert_eq!(fs::metadata(&spool).unwrap().permissions().mode() & 0o777, 0o700);
    assert_eq!(fs::read_dir(&spool).unwrap().count(), 0);
    run(&[&export[..], &at].concat()).failed(1, "cannot write");
    let csv = run(&[&["admin", "users", "--export", "-"][..], &at].concat());
    assert_eq!((csv.code, csv.stdout.lines().count()), (0, 2), "{csv:?}");
    assert!(csv.stdout.ends_with(",'@Ann\r\n"), "{csv:?}");
    let states: Vec<Value> = jobs(&server).iter().map(|job| job["state"].clone()).collect();
    assert_eq!(states, ["EXPORT_EXPIRED", "EXPORT_EXPIRED"]);
    let listed = run(&[&["admin", "jobs"][..], &at].concat()).stdout;
    assert!(listed.lines().next().unwrap().contains("\texpired\tusers\tcsv\t1/1\t0\t"), "{listed}");
    server.stop();
    assert!(!spool.exists());
}

#[test]
fn a_job_is_cancelled_by_its_name_and_by_an_interrupt_and_ends_with_the_server() {
    let scratch = Scratch::new();
    let (dir, file) = (scratch.arg("data"), scratch.arg("posts.out"));
    // At 2,000 rows a second it takes seconds.
    let server = world(&dir, (12_000, 1), &scratch, &[]);
    let at = ["--server", &server.admin];
    let mut command = guanxi();
    command.args([&["admin", "posts", "--export", &file][..], &at].concat()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let is_running =
        || jobs(&server).iter().any(|job| job["state"] == "EXPORT_RUNNING" && job["done"].is_string());
    wait_for(is_running);
    let name = jobs(&server)[0]["job"].as_str().unwrap().to_owned();
    assert_eq!(run(&[&["admin", "jobs", "cancel", &name][..], &at].concat()).code, 0);
    assert!(!child.wait().unwrap().success(), "it says that the job is cancelled");
    let mut child = command.spawn().unwrap();
    wait_for(is_running);
    let interrupted = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(interrupted.success() && !child.wait().unwrap().success());
    let states: Vec<Value> = jobs(&server).iter().map(|job| job["state"].clone()).collect();
    assert_eq!(states, ["EXPORT_CANCELLED", "EXPORT_CANCELLED"]);
    assert!(!Path::new(&file).exists());
    let spool = Path::new(&dir).join("spool");
    assert_eq!(fs::read_dir(&spool).unwrap().count(), 0);
    run(&[&["admin", "jobs", "cancel", "none"][..], &at].concat()).failed(1, "NOT_FOUND");

    done(&server, "AdminService/StartExport", &json!({ "posts": {}, "format": "EXPORT_CSV" }));
    wait_for(is_running);
    server.stop();
    assert!(!spool.exists());
    let server = Server::start(&dir, &["--no-auth", "--export-spool-mib", "0"]);
    assert!(jobs(&server).is_empty());
    let full = run(&["admin", "users", "--export", &file, "--server", &server.admin]);
    full.failed(1, "SPOOL_FULL");
    server.stop();
}
