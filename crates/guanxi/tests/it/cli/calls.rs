//! Calls by name and the watch: JSON in and out, errors with their reasons, and streams that survive a server.

use super::run::{Ran, Scratch, Server, guanxi, run, run_with_input, wait_for};
use guanxi_certs::Authority;
use serde_json::{Value, json};
use std::fs;
use std::process::{Child, Stdio};

/// The lines of JSON that a run printed.
fn lines(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect()
}

#[test]
fn any_method_is_called_with_json_in_and_out() {
    let scratch = Scratch::new();
    let dir = scratch.arg("data");
    let server = Server::start(&dir, &["--no-auth"]);
    let call = |args: &[&str]| run(&[&["call", "--server", &server.api], args].concat());
    let pair = r#"{"subject":"1","object":"2"}"#;
    assert_eq!(call(&["RelationService/Follow", pair]).json()["changed"], true);
    assert_eq!(call(&["guanxi.v1.RelationService/Follow", pair]).json()["relation"]["state"], "FOLLOWING");
    let from_input = run_with_input(&["call", "--server", &server.api, "GetRelation", "-"], pair.as_bytes());
    assert_eq!(from_input.json()["relation"]["state"], "FOLLOWING");

    call(&["Follow", r#"{"subject":"5","object":"5"}"#]).failed(1, "(SELF");
    call(&["Follow", r#"{"sbject":"5"}"#]).failed(1, "MALFORMED");
    call(&["Folow", pair]).failed(2, "did you mean Follow?");
    call(&["Follow", "{"]).failed(2, "the request is no JSON: ");
    call(&["Follow", "[]"]).failed(2, "must be a JSON object");
    call(&["AdminService/Stats"]).failed(1, &server.admin["http://".len()..]);
    run(&["call", "Follow", pair, "--server", "http://127.0.0.1:9"]).failed(1, "is the server running");
    run(&["call", "Follow", pair, "--data", &scratch.arg("none")]).failed(1, "no server has");

    // The server of a directory is found by itself, at the listener that the method wants.
    let stats = run(&["call", "AdminService/Stats", "--data", &dir]).json();
    assert_eq!(stats["version"], env!("CARGO_PKG_VERSION"), "{stats}");
    assert_eq!(run(&["call", "Follow", pair, "--data", &dir]).json()["changed"], false);

    // Streams are answers on lines, to their end or to the limit.
    let edges = run(&["call", "AdminService/ExportEdges", "--server", &server.admin]);
    assert_eq!(lines(&edges.stdout)[0]["edges"][0]["target"], "2", "{edges:?}");
    let watch = run(&["call", "RelationService/Watch", "--server", &server.api, "--limit", "1"]);
    assert!(lines(&watch.stdout)[0]["token"].is_string(), "{watch:?}");
    call(&["RelationService/Watch", r#"{"token":"nonsense"}"#]).failed(1, "invalid_argument: ");
}

#[test]
fn a_call_sends_the_token_of_the_settings_and_says_what_is_missing() {
    let scratch = Scratch::new();
    let server = Server::start(&scratch.arg("data"), &[]);
    let stats = ["call", "AdminService/Stats", "--server", &server.admin];
    run(&stats).failed(1, "unauthenticated: ");
    run(&stats).failed(1, "--token-file");
    let file = scratch.arg("data") + "/admin-token";
    assert_eq!(run(&[&stats[..], &["--token-file", &file]].concat()).code, 0);
    let secret = fs::read_to_string(file).unwrap();
    let ran = Ran::of(guanxi().args(stats).env("GUANXI_TOKEN", secret.trim()));
    assert_eq!(ran.code, 0, "{ran:?}");
}

/// A watch that writes into files, killed when dropped.
struct Watching(Child, String);

impl Watching {
    fn start(scratch: &Scratch, name: &str, args: &[&str]) -> Self {
        let file = |end: &str| fs::File::create(scratch.path(&format!("{name}.{end}"))).unwrap();
        let mut command = guanxi();
        command.arg("watch").args(args).stdout(file("out")).stderr(file("err")).stdin(Stdio::null());
        Self(command.spawn().unwrap(), scratch.arg(&format!("{name}.out")))
    }

    fn lines(&self) -> Vec<Value> {
        let text = fs::read_to_string(&self.1).unwrap();
        lines(text.rsplit_once('\n').map_or("", |(whole, _)| whole))
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        // An error means that it has ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_watch_goes_on_over_a_restart_and_from_any_line() {
    let scratch = Scratch::new();
    let dir = scratch.arg("data");
    let mut server = Server::start(&dir, &["--no-auth"]);
    let follow = |server: &Server, object: u64| {
        let pair = json!({ "subject": "1", "object": object.to_string() });
        assert_eq!(server.call("Follow", &pair)["changed"], true);
    };
    let watching = Watching::start(&scratch, "watch", &["--server", &server.api]);
    wait_for(|| watching.lines().len() == 1);
    assert_eq!(watching.lines()[0]["events"], json!([]), "the first line is where it begins");
    (2..5).for_each(|object| follow(&server, object));
    wait_for(|| watching.lines().len() == 4);
    let listen = server.api.strip_prefix("http://").unwrap().to_owned();
    server.signal("KILL");
    server.wait();
    let server = Server::start(&dir, &["--no-auth", "--listen", &listen]);
    (5..7).for_each(|object| follow(&server, object));
    wait_for(|| watching.lines().len() == 6);
    let all = watching.lines();
    let objects = |lines: &[Value]| -> Vec<u64> {
        lines.iter().map(|line| line["events"][0]["object"].as_str().unwrap().parse().unwrap()).collect()
    };
    assert_eq!(objects(&all[1..]), [2, 3, 4, 5, 6]);

    // Every line is a place to go on from, also one within an answer of several events.
    for at in 0..5 {
        let token = all[at]["token"].as_str().unwrap();
        let left = (5 - at).to_string();
        let ran = run(&["watch", "--server", &server.api, "--token", token, "--limit", &left]);
        assert_eq!(ran.code, 0, "{ran:?}");
        assert_eq!(lines(&ran.stdout), all[at + 1..], "after line {at}");
    }
    let begin = all[0]["token"].as_str().unwrap();
    let one = run(&["watch", "--server", &server.api, "--token", begin, "--uid", "4,6", "--limit", "2"]);
    assert_eq!(objects(&lines(&one.stdout)), [4, 6]);
    run(&["watch", "--server", &server.api, "--token", "nonsense"]).failed(2, "is no token of a position");
    run(&["watch", "--server", "http://127.0.0.1:9"]).failed(1, "unavailable");
}

#[test]
fn calls_and_the_watch_speak_https_and_say_what_keeps_them_from_it() {
    let scratch = Scratch::new();
    let (dir, files) = (scratch.arg("data"), scratch.path(""));
    let (authority, operators) = (Authority::new("ca"), Authority::new("operators"));
    let pair = authority.sign(&files, "server", &["127.0.0.1"]);
    let own = operators.sign(&files, "own", &["operator"]);
    let arg = |path: std::path::PathBuf| path.to_str().unwrap().to_owned();
    let (cert, key, ca) = (arg(pair.cert), arg(pair.key), arg(authority.file(&files, "ca.pem")));
    let clients = arg(operators.file(&files, "operators.pem"));
    let tls = ["--no-auth", "--tls-cert", &cert, "--tls-key", &key, "--admin-client-ca", &clients];
    let server = Server::start(&dir, &tls);
    assert!(server.api.starts_with("https://"));
    let follow = ["call", "Follow", r#"{"subject":"1","object":"2"}"#];
    let at = |url: &str, more: &[&str]| run(&[&follow[..], &["--server", url], more].concat());
    assert_eq!(at(&server.api, &["--ca", &ca]).json()["changed"], true);
    at(&server.api, &[]).failed(1, "name a file with its CA by --ca FILE");
    at(&server.api.replace("127.0.0.1", "localhost"), &["--ca", &ca]).failed(1, "for other names");
    at(&server.api.replace("https://", "http://"), &[]).failed(1, "speaks TLS: call it by https://");

    // The admin listener wants a certificate of its clients; that of a directory is called with the settings'.
    let stats = ["call", "AdminService/Stats", "--server", &server.admin, "--ca", &ca];
    run(&stats).failed(1, "--client-cert FILE --client-key FILE");
    let (own_cert, own_key) = (arg(own.cert), arg(own.key));
    let identity = ["--client-cert", &own_cert, "--client-key", &own_key];
    assert!(run(&[&stats[..], &identity].concat()).json()["version"].is_string());
    let of_dir = Ran::of(guanxi().args(follow).args(["--data", &dir]).env("GUANXI_CA", &ca));
    assert_eq!(of_dir.json()["changed"], false);

    // Streams, by both verbs.
    let limited = ["--server", &server.api, "--ca", &ca, "--limit", "1"];
    let first = run(&[&["call", "RelationService/Watch"], &limited[..]].concat());
    let token = lines(&first.stdout)[0]["token"].as_str().unwrap().to_owned();
    let unfollow = run(&["call", "Unfollow", follow[2], "--server", &server.api, "--ca", &ca]);
    assert_eq!(unfollow.json()["changed"], true);
    let watch = run(&[&["watch", "--token", &token], &limited[..]].concat());
    assert_eq!(lines(&watch.stdout)[0]["events"][0]["object"], "2", "{watch:?}");
    run(&["watch", "--server", &server.api]).failed(1, "name a file with its CA by --ca FILE");
    server.stop();
    let server = Server::start(&dir, &["--no-auth"]);
    at(&server.api.replace("http://", "https://"), &["--ca", &ca]).failed(1, "call it by http://");
}
