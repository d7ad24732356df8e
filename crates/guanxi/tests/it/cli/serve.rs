//! The server: tokens, the files it leaves, and how it ends.

use super::run::{Scratch, Server, run};
use serde_json::json;
use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;

#[test]
fn the_first_start_writes_an_admin_token_and_tokens_open_doors() {
    let scratch = Scratch::new();
    let dir = scratch.arg("data");
    let server = Server::start(&dir, &["--log-level", "trace"]);
    let path = scratch.path("data").join("admin-token");
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let secret = fs::read_to_string(&path).unwrap().trim().to_owned();
    let file = path.to_str().unwrap();
    let admin = ["--server", &server.admin, "--token-file", file];

    let pair = json!({ "subject": "1", "object": "2" });
    assert_eq!(server.call("Follow", &pair)["code"], "unauthenticated");
    run(&["token", "list", "--server", &server.admin]).failed(1, "wants a token");
    let create = [
        &["token", "create", "backend", "--service", "relation.*", "--service", "post.write", "--json"],
        &admin[..],
    ];
    let made = run(&create.concat()).json();
    let backend = made["secret"].as_str().unwrap().to_owned();
    assert_eq!(server.call_as(Some(&backend), "Follow", &pair)["changed"], true);
    let create = [&["token", "create", "reader", "--service", "relation.read"], &admin[..]].concat();
    let reader = run(&create).stdout.trim().to_owned();
    assert_eq!(server.call_as(Some(&reader), "GetRelation", &pair)["relation"]["state"], "FOLLOWING");
    assert_eq!(server.call_as(Some(&reader), "Unfollow", &pair)["code"], "permission_denied");
    let user =
        run(&[&["token", "create", "u1", "--end-user", "1"], &admin[..]].concat()).stdout.trim().to_owned();
    assert_eq!(server.call_as(Some(&user), "Unfollow", &pair)["changed"], true);
    let other = json!({ "subject": "3", "object": "2" });
    assert_eq!(server.call_as(Some(&user), "Follow", &other)["code"], "permission_denied");
    run(&create).failed(1, "this name is taken");

    let wrong = [&["token", "create", "x", "--service", "relation.read,all"], &admin[..]].concat();
    run(&wrong).failed(2, "no such scope; there are relation.read, relation.write,");
    let two = [&["token", "create", "web\nadmin", "--admin"], &admin[..]].concat();
    let two = run(&two);
    assert!(two.code == 2 && two.stderr.contains("no line breaks or other control characters"), "{two:?}");
    let listed = run(&[&["token", "list", "--json"], &admin[..]].concat()).json();
    assert_eq!(listed[1]["scopes"], json!(["relation.read", "relation.write", "post.write"]));
    let names: Vec<_> = listed.as_array().unwrap().iter().map(|token| &token["name"]).collect();
    assert_eq!(names, ["admin", "backend", "reader", "u1"]);
    run(&[&["token", "revoke", "reader"], &admin[..]].concat());
    assert_eq!(server.call_as(Some(&reader), "GetRelation", &pair)["code"], "unauthenticated");
    run(&[&["token", "revoke", "reader"], &admin[..]].concat()).failed(1, "no token is called reader");

    let log = server.log();
    for secret in [&secret, &backend, &reader, &user] {
        assert!(secret.len() > 40 && !log.contains(secret.as_str()), "a secret is in the log");
    }
    server.stop();
    // A second start keeps the token, and a stopped directory is managed in place.
    let listed = run(&["token", "list", "--data", &dir, "--json"]).json();
    assert_eq!(listed.as_array().unwrap().len(), 3);
    let server = Server::start(&dir, &[]);
    assert_eq!(fs::read_to_string(&path).unwrap().trim(), secret);
    assert_eq!(server.call_as(Some(&backend), "Follow", &pair)["changed"], true);
}

#[test]
fn a_clean_end_leaves_everything_acknowledged_and_no_endpoints() {
    let scratch = Scratch::new();
    let dir = scratch.arg("data");
    let endpoints = scratch.path("data").join("endpoints.json");
    for (signal, object) in [("TERM", "2"), ("INT", "3")] {
        let mut server = Server::start(&dir, &["--no-auth"]);
        let follow = json!({ "subject": "1", "object": object });
        assert_eq!(server.call("Follow", &follow)["changed"], true);
        server.signal(signal);
        assert!(server.wait().success(), "{}", server.log());
        assert!(!endpoints.exists());
    }
    let server = Server::start(&dir, &["--no-auth"]);
    let counts = server.call("GetCounts", &json!({ "uid": "1" }));
    assert_eq!(counts["counts"]["following"], 2, "{counts}");
}

#[test]
fn metrics_and_health_are_on_the_admin_listener() {
    let scratch = Scratch::new();
    let server = Server::start(&scratch.arg("data"), &["--no-auth"]);
    server.call("Follow", &json!({ "subject": "1", "object": "2" }));
    let page = |path: &str| {
        let output =
            std::process::Command::new("curl").arg("-sS").arg(format!("{}{path}", server.admin)).output();
        String::from_utf8(output.expect("curl is installed").stdout).unwrap()
    };
    assert_eq!(page("/healthz"), "ok\n");
    assert_eq!(page("/readyz"), "ready\n");
    let metrics = page("/metrics");
    for name in ["guanxi_rpc_requests_total", "guanxi_graph_seconds_bucket", "guanxi_log_seq"] {
        assert!(metrics.contains(name), "{name} is not in {metrics}");
    }
}

#[test]
fn a_taken_port_is_named() {
    let scratch = Scratch::new();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let addr = taken.local_addr().unwrap().to_string();
    run(&["serve", "--data", &scratch.arg("data"), "--listen", &addr])
        .failed(1, "is taken by another program");
    run(&["demo", "--listen", &addr]).failed(1, "choose another with --listen");
}
