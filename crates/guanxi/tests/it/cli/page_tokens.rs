//! Page tokens are of the data: they outlive the process that gave them out, and no backup carries what opens them.

use super::run::{Scratch, Server, run};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;

fn page(server: &Server, token: &Value) -> Value {
    let ask = json!({ "uid": "9", "pageSize": 2, "pageToken": token });
    server.call("ListFollowers", &ask)
}

#[test]
fn a_page_token_outlives_its_process_and_opens_no_other_data() {
    let scratch = Scratch::new();
    let (dir, dump, copy) = (scratch.arg("data"), scratch.arg("dump"), scratch.arg("copy"));
    let server = Server::start(&dir, &["--no-auth"]);
    for follower in ["1", "2", "3"] {
        let followed = server.call("Follow", &json!({ "subject": follower, "object": "9" }));
        assert_eq!(followed["changed"], true);
    }
    let next = page(&server, &json!(""))["nextPageToken"].clone();
    assert_eq!(page(&server, &next)["followers"].as_array().map(Vec::len), Some(1));
    run(&["backup", &dump, "--server", &server.admin]);
    server.stop();
    let key = scratch.path("data").join("data-key");
    assert_eq!(fs::metadata(&key).unwrap().permissions().mode() & 0o777, 0o600);
    let again = Server::start(&dir, &["--no-auth"]);
    assert_eq!(page(&again, &next)["followers"].as_array().map(Vec::len), Some(1));
    again.stop();

    run(&["restore", &dump, "--data", &copy]);
    let restored = Server::start(&copy, &["--no-auth"]);
    assert_eq!(page(&restored, &json!(""))["followers"].as_array().map(Vec::len), Some(2));
    let refused = page(&restored, &next);
    assert!(refused.to_string().contains("STALE_CURSOR"), "{refused}");
    assert_ne!(fs::read(&key).unwrap(), fs::read(scratch.path("copy").join("data-key")).unwrap());
}
