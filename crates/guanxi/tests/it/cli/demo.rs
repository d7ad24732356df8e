//! The demo: what it prints is true, and can be pasted.

use super::run::{Ran, guanxi, signal, wait_for, wait_for_end};
use serde_json::Value;
use std::fs;
use std::process::{Child, Command, Stdio};

/// A demo on free ports, killed when dropped.
pub(crate) struct Running {
    child: Child,
    scratch: super::run::Scratch,
}

impl Running {
    pub(crate) fn start(args: &[&str]) -> Self {
        let scratch = super::run::Scratch::new();
        let mut command = guanxi();
        command.args(["demo", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"]).args(args);
        command.env("TMPDIR", scratch.arg("")).stdout(Stdio::null());
        let log = fs::File::create(scratch.path("log")).unwrap();
        Self { child: command.stderr(log).spawn().expect("the binary is there"), scratch }
    }

    /// What it has told people.
    fn text(&self) -> String {
        fs::read_to_string(self.scratch.path("log")).unwrap()
    }

    /// The address that it tells behind some words.
    pub(crate) fn told_url(&self, words: &str) -> String {
        wait_for(|| self.text().contains(words));
        let text = self.text();
        let (_, rest) = text.split_once(words).unwrap();
        rest.split([')', ' ', '\n', ',']).next().unwrap().to_owned()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // An error means that it has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn the_demo_serves_a_real_graph_with_commands_to_paste() {
    let mut demo = Running::start(&["--rate", "0"]);
    let text = || demo.text();
    wait_for(|| text().matches("\ncurl ").count() == 7);
    assert!(text().contains("29,827 users, 215,216 edges"), "{}", text());
    assert!(text().contains("MIT License"), "{}", text());

    let answers: Vec<Value> = text().lines().filter(|line| line.starts_with("curl ")).map(paste).collect();
    assert_eq!(answers[0]["followers"].as_array().unwrap().len(), 5, "{}", answers[0]);
    assert_eq!(answers[1]["changed"], true, "{}", answers[1]);
    assert_eq!(answers[1]["relation"]["state"], "FOLLOWING");
    assert_eq!(answers[2]["count"], 289, "{}", answers[2]);
    assert_eq!(answers[3]["suggestions"].as_array().unwrap().len(), 3, "{}", answers[3]);
    assert_eq!(answers[4]["relation"]["requested"], "FRIEND", "{}", answers[4]);
    assert_eq!(answers[5]["changed"], true, "{}", answers[5]);
    assert_eq!(answers[6]["posts"][0]["postId"], answers[5]["postId"], "{}", answers[6]);

    signal(&demo.child, "INT");
    let status = wait_for_end(&mut demo.child);
    assert!(status.success(), "{status}: {}", demo.text());
    let left: Vec<_> =
        fs::read_dir(demo.scratch.path("")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["log"], "the directory was not removed");
}

#[test]
fn the_demo_has_a_page_for_a_browser_with_nothing_to_type() {
    let demo = Running::start(&["--rate", "20"]);
    let url = demo.told_url("Open in a browser: ");
    assert!(url.starts_with("http://127.0.0.1:") && url.ends_with("/demo"), "{url}");
    // As a browser does: it keeps the cookie, and goes where it is led.
    let output = Command::new("curl").args(["-sL", "-b", "", &url]).output().expect("curl is there");
    let page = String::from_utf8_lossy(&output.stdout);
    for shown in [
        "name=\"mode\" value=\"hybrid\"",
        "/demo/do/post/a",
        "data-live=\"/demo/live/b\"",
        "path class=\"follows\"",
    ] {
        assert!(page.contains(shown), "{shown} is not in {page}");
    }
    assert!(!page.contains("type=\"password\""), "{page}");
}

#[test]
fn a_world_that_is_kept_is_served() {
    let scratch = super::run::Scratch::new();
    let world = scratch.arg("world");
    let demo = || {
        let mut command = guanxi();
        command.args(["demo", "--no-ui", "--duration", "1", "--rate", "0", "--keep", &world]);
        command.args(["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"]);
        Ran::of(&mut command)
    };
    let ran = demo();
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stderr.contains(&format!("guanxi serve --data {world} --no-auth")), "{ran:?}");
    let counted = Ran::of(guanxi().args(["verify", "--data", &world]));
    assert_eq!(counted.code, 0, "{counted:?}");
    let again = demo();
    assert!(again.code != 0 && again.stderr.contains("is not empty"), "{again:?}");
}

#[test]
fn the_demos_users_live_until_the_time_is_over() {
    let scratch = super::run::Scratch::new();
    let mut command = guanxi();
    command.args(["demo", "--no-ui", "--duration", "3", "--rate", "100", "--seed", "5"]);
    command.args(["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"]);
    let ran = Ran::of(command.env("TMPDIR", scratch.arg("")));
    assert_eq!(ran.code, 0, "{ran:?}");
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert!(lines[0].starts_with("posts/s ") && lines[0].contains("  deliveries/s "), "{ran:?}");
    let summary = lines.iter().find(|line| line.contains(" home pages ")).expect("there is a summary");
    for nothing in [
        " 0 posts",
        " 0 deliveries",
        " 0 likes",
        " 0 follows",
        " 0 friend requests",
        " 0 suggestions",
        " 0 home pages",
        "; 0 inboxes",
    ] {
        assert!(!summary.contains(nothing), "{summary}");
    }
    assert!(ran.stdout.contains("verified 10 homes with "), "{ran:?}");
    assert!(ran.stdout.contains("against their definition: 0 differ"), "{ran:?}");
    assert_eq!(fs::read_dir(scratch.path("")).unwrap().count(), 0, "the directory was not removed");
}

/// What a shell answers to a pasted line.
fn paste(line: &str) -> Value {
    let output = Command::new("sh").arg("-c").arg(line).output().expect("a shell is there");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {line}: {output:?}"))
}
