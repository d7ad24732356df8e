//! A copied directory becomes data of its own: it honours nothing that the original gave out but bearer tokens.

use super::run::{Scratch, Server, run};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let into = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &into);
        } else {
            fs::copy(&path, &into).unwrap();
        }
    }
}

fn page(server: &Server, page_token: &Value, position: &Value) -> String {
    let ask = json!({ "uid": "9", "pageSize": 2, "pageToken": page_token, "token": position });
    server.call("ListFollowers", &ask).to_string()
}

fn follow(server: &Server, follower: &str) -> Value {
    let answer = server.call("Follow", &json!({ "subject": follower, "object": "9" }));
    assert_eq!(answer["changed"], true);
    answer["token"].clone()
}

#[test]
fn a_forked_copy_refuses_what_the_original_gave_out() {
    let scratch = Scratch::new();
    let (dir, other) = (scratch.arg("data"), scratch.arg("copy"));
    let server = Server::start(&dir, &["--no-auth"]);
    let tokens = ["1", "2", "3"].map(|follower| follow(&server, follower));
    let first = server.call("ListFollowers", &json!({ "uid": "9", "pageSize": 2 }));
    let next = first["nextPageToken"].clone();
    run(&["fork", "--data", &dir]).failed(1, "is in use by another process");
    server.stop();
    copy(&scratch.path("data"), &scratch.path("copy"));
    // As a copy of a directory that is being served has it.
    fs::write(scratch.path("copy").join("endpoints.json"), "{}").unwrap();

    let forked = run(&["fork", "--data", &other, "--json"]);
    assert_eq!(forked.json()["seq"], 3);
    assert!(forked.stderr.contains("a history and a key of page tokens of its own"), "{forked:?}");
    assert!(!scratch.path("copy").join("endpoints.json").exists());
    assert_eq!(run(&["verify", "--data", &other]).code, 0);
    let own = forked.json()["token"].clone();
    let [original, copied] = [&dir, &other].map(|dir| Server::start(dir, &["--no-auth"]));
    for server in [&original, &copied] {
        follow(server, "4");
    }
    assert!(page(&original, &next, &tokens[2]).contains(r#""uid":"1""#));
    assert!(page(&original, &json!(""), &own).contains("TOKEN_FROM_OTHER_HISTORY"));
    assert!(page(&copied, &json!(""), &tokens[2]).contains("TOKEN_FROM_OTHER_HISTORY"));
    assert!(page(&copied, &next, &own).contains("STALE_CURSOR"));
    assert!(page(&copied, &json!(""), &own).contains(r#""uid":"4""#));
    original.stop();
    copied.stop();
    assert_eq!(run(&["verify", "--data", &other]).code, 0);
}

#[test]
fn what_is_no_data_directory_is_not_forked() {
    let scratch = Scratch::new();
    let missing = scratch.arg("missing");
    run(&["fork", "--data", &missing]).failed(1, "holds no guanxi data");
    assert!(!Path::new(&missing).exists());
    fs::create_dir(scratch.path("empty")).unwrap();
    run(&["fork", "--data", &scratch.arg("empty")]).failed(1, "holds no guanxi data");
    assert_eq!(fs::read_dir(scratch.path("empty")).unwrap().count(), 0);
    run(&["fork"]).failed(2, "--data");
}
