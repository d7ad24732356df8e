//! What operators did, on the command line: of a server and of a directory, through a backup, and for its time.

use super::run::{Scratch, Server, run, wait_for};
use serde_json::{Value, json};
use std::process::Command;

/// The entries that a command prints, newest first: what was called, and how it ended.
fn entries(args: &[&str]) -> Vec<Value> {
    let ran = run(&[&["admin", "audit", "--json"], args].concat());
    assert_eq!(ran.code, 0, "{ran:?}");
    ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn actions(args: &[&str]) -> Vec<String> {
    entries(args).iter().map(|entry| entry["action"].as_str().unwrap().to_owned()).collect()
}

/// Sets the follow limits of users 1, 2, and so on.
fn set_limits(server: &Server, users: u64) {
    let mut curl = Command::new("curl");
    curl.arg("-sS");
    for uid in 1..=users {
        let url = format!("{}/guanxi.v1.AdminService/SetFollowLimit", server.admin);
        let body = json!({ "uid": uid.to_string(), "limit": 9 }).to_string();
        let next = (uid > 1).then_some("--next");
        curl.args(next).args(["-sS", "-f", "-H", "content-type: application/json", "-d", &body, &url]);
    }
    let output = curl.output().expect("curl is installed");
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn what_operators_did_is_exported_and_kept_by_backups() {
    let scratch = Scratch::new();
    let (dir, copy, dump) = (scratch.arg("data"), scratch.arg("copy"), scratch.arg("backup.dump"));
    let server = Server::start(&dir, &["--no-auth"]);
    let at = ["--server", &server.admin];
    assert_eq!(entries(&at), Vec::<Value>::new());
    // More than a page of them, each by the same call.
    set_limits(&server, 201);
    let user = ["admin", "takedown", "user", "3", "--reason", "ab\tuse\n"];
    assert_eq!(run(&[&user[..], &at].concat()).code, 0);
    let nobodys = ["admin", "takedown", "post", "99", "--reason", "spam"];
    assert_eq!(run(&[&nobodys[..], &at].concat()).code, 1);
    assert_eq!(run(&[&["backup", &dump][..], &at].concat()).code, 0);
    let all = entries(&at);
    assert_eq!(all.len(), 204);
    let said = |entry: &Value| {
        ["action", "outcome", "refusal", "reason"].map(|field| entry[field].as_str().unwrap().to_owned())
    };
    assert_eq!(said(&all[0]), ["Backup", "done", "", ""]);
    assert_eq!(said(&all[1]), ["TakeDownPost", "refused", "POST_NOT_FOUND", "spam"]);
    assert_eq!(said(&all[2]), ["TakeDownUser", "done", "", "ab\tuse\n"]);
    assert_eq!(all[2]["targets"], json!(["uid:3"]));
    let of = |args: &[&str]| actions(&[args, &at].concat());
    assert_eq!(of(&["--target", "uid:3"]), ["TakeDownUser", "SetFollowLimit"]);
    assert_eq!(of(&["--action", "Backup", "--principal", "nobody"]), Vec::<String>::new());
    assert_eq!(of(&["--until", "2001-01-01"]), Vec::<String>::new());
    assert_eq!(of(&["--since", "2001-01-01", "--action", "TakeDownPost"]), ["TakeDownPost"]);
    assert_eq!(run(&[&["admin", "audit", "--target", "3"][..], &at].concat()).code, 2);
    let shown = run(&[&["admin", "audit", "--action", "TakeDownUser"][..], &at].concat()).stdout;
    assert!(shown.contains("\tTakeDownUser\tuid:3\tdone\tab\\tuse\\n"), "{shown}");
    assert_eq!(shown.lines().count(), 1);
    server.stop();
    assert_eq!(entries(&["--data", &dir]), all, "a directory says the same");
    assert_eq!(run(&["admin", "reinstate", "user", "3", "--data", &dir]).code, 0);
    assert_eq!(entries(&["--data", &dir]), all, "a verb on a directory leaves no entry");
    assert_eq!(run(&["verify", "--data", &dir]).code, 0);
    assert_eq!(run(&["restore", &dump, "--data", &copy]).code, 0);
    let restored = entries(&["--data", &copy]);
    // The dump was written while its own entry stood there without an end.
    assert_eq!((&restored[1..], restored[0]["outcome"].as_str()), (&all[1..], Some("begun")));
}

#[test]
fn what_operators_did_is_kept_for_as_long_as_is_set() {
    let scratch = Scratch::new();
    let dir = scratch.arg("data");
    let shown = run(&["config", "--audit-days", "7", "--json"]).json();
    assert_eq!(shown["audit_days"]["value"], 7, "{shown}");
    run(&["serve", "--data", &dir, "--audit-days", "3651"]).failed(2, "between 0 and 3650");
    let server = Server::start(&dir, &["--no-auth", "--audit-days", "0"]);
    set_limits(&server, 1);
    wait_for(|| actions(&["--server", &server.admin]) == ["SetFollowLimit"]);
    server.stop();
}
