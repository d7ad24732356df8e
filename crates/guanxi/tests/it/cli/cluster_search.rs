//! Searching a cluster, while processes that keep its indexes come and go.

use super::run::{Ran, Scratch, Server, guanxi, run, wait_for};
use super::search::{current_in, finds, write};
use guanxi_servers::Postgres;
use serde_json::{Value, json};
use std::process::Command;

/// A cluster of one database, with a configuration that names it.
struct Cluster {
    scratch: Scratch,
    config: String,
    _server: Postgres,
    _dir: tempfile::TempDir,
}

impl Cluster {
    fn new() -> Self {
        let (scratch, dir) = (Scratch::new(), tempfile::tempdir().unwrap());
        let settings: &[_] = &[("max_connections", "200")];
        let server = Postgres::start(dir.path(), settings, false).unwrap();
        let config = scratch.file("cluster.toml", format!("databases = ['d1={}']\n", server.url("postgres")));
        let init = Ran::of(guanxi().args(["--config", &config, "cluster", "init"]));
        assert_eq!(init.code, 0, "{init:?}");
        Self { scratch, config, _server: server, _dir: dir }
    }

    /// A process that answers everybody.
    fn serve(&self, name: &str, more: &[&str]) -> Server {
        self.serve_as(name, &[&["--no-auth"], more].concat())
    }

    fn serve_as(&self, name: &str, more: &[&str]) -> Server {
        Server::start(&self.scratch.arg(name), &[&["--config", &self.config], more].concat())
    }
}

/// Why a search is refused, if it is.
fn refusal(server: &Server) -> Value {
    let answer = server.call("SearchService/SearchPosts", &json!({ "query": "tea" }));
    answer["details"][0]["debug"]["reason"].clone()
}

/// What a metric of a process is.
fn metric(server: &Server, name: &str) -> Option<String> {
    let page = Command::new("curl").args(["-sS", &format!("{}/metrics", server.admin)]).output().unwrap();
    let page = String::from_utf8(page.stdout).unwrap();
    page.lines().find_map(|line| line.strip_prefix(name)).map(|value| value.trim().to_owned())
}

#[test]
fn a_process_of_a_cluster_keeps_indexes_over_its_death() {
    let cluster = Cluster::new();
    let server = cluster.serve("plain", &[]);
    assert_eq!(refusal(&server), "SEARCH_UNAVAILABLE");
    wait_for(|| server.log().contains("no `index_dir` says where"));
    let (first, _) = write(&server, 1, "green tea");
    let (second, _) = write(&server, 2, "tea");
    let like = json!({ "actor": "2", "postId": first });
    assert!(server.call("PostService/LikePost", &like).get("code").is_none());

    // What was there before is walked through, and what comes is followed, whichever process wrote it.
    let indexes = cluster.scratch.path("indexes");
    let more = ["--index-dir", indexes.to_str().unwrap()];
    let index = cluster.serve("index", &more);
    let (third, token) = write(&server, 3, "绿茶 and tea");
    finds(&index, "tea", &token, &[&third, &second, &first]);
    let edit = json!({ "author": "1", "postId": first, "text": "coffee" });
    let token = server.call("PostService/UpdatePost", &edit)["token"].clone();
    finds(&index, "tea", &token, &[&third, &second]);
    wait_for(|| metric(&index, "guanxi_search_lag_events{index=\"posts\"}").as_deref() == Some("0"));
    assert_eq!(metric(&index, "guanxi_search_builds_total{index=\"posts\"}").as_deref(), Some("1"));

    // Killed, and what is written meanwhile is found by the next one, which goes on where the index stands.
    index.signal("KILL");
    drop(index);
    let (fourth, token) = write(&server, 258, "tea at last");
    let index = cluster.serve("index", &more);
    finds(&index, "tea", &token, &[&fourth, &third, &second]);
    assert_eq!(metric(&index, "guanxi_search_builds_total{index=\"posts\"}").as_deref(), Some("0"));
    let name = json!({ "uid": "258", "nickname": "王小明", "updateMask": "nickname" });
    assert!(server.call("UserService/UpdateUser", &name).get("code").is_none());
    wait_for(|| run(&["search", "users", "wxm", "--server", &index.api]).stdout == "258\t王小明\n");

    // Another process does not write the same indexes.
    let other = cluster.serve("other", &more);
    assert_eq!(refusal(&other), "SEARCH_UNAVAILABLE");
    other.stop();

    let before = current_in(&indexes);
    assert_eq!(run(&["repair", "rebuild", "search", "--server", &index.admin]).code, 0);
    wait_for(|| current_in(&indexes) != before);
    finds(&index, "tea", &token, &[&fourth, &third, &second]);
    index.stop();
    server.stop();
}

#[test]
fn a_place_for_indexes_is_of_a_cluster() {
    let scratch = Scratch::new();
    let (data, indexes) = (scratch.arg("data"), scratch.arg("indexes"));
    run(&["serve", "--data", &data, "--index-dir", &indexes]).failed(2, "its indexes of search in `search/`");
    assert!(!scratch.path("data").exists());
}

/// The place of a result set, by a search for the best of two pages.
fn next_best(server: &Server, page_token: &str) -> Value {
    let best = json!({ "query": "tea", "order": "RELEVANCE", "pageSize": 1, "pageToken": page_token });
    server.call("SearchService/SearchPosts", &best)
}

#[test]
fn processes_without_an_index_ask_those_that_keep_one() {
    let cluster = Cluster::new();
    let places = ["first", "second"].map(|name| cluster.scratch.path(name));
    let index = |name: &str| {
        let place = cluster.scratch.arg(name);
        let more = ["--index-dir", &place, "--index-listen", "127.0.0.1:0"];
        cluster.serve_as(&format!("{name}-data"), &[&["--roles", "index"], &more[..]].concat())
    };
    let (first, second) = (index("first"), index("second"));
    let api = cluster.serve("api", &["--roles", "api"]);
    let other = cluster.serve("other", &["--roles", "api,worker"]);
    let (green, _) = write(&api, 1, "green tea");
    let (tea, token) = write(&other, 2, "tea");
    finds(&api, "tea", &token, &[&tea, &green]);
    finds(&other, "tea", &token, &[&tea, &green]);
    wait_for(|| metric(&api, "guanxi_search_replicas ").as_deref() == Some("2"));
    let name = json!({ "uid": "2", "nickname": "王小明", "updateMask": "nickname" });
    assert!(api.call("UserService/UpdateUser", &name).get("code").is_none());
    wait_for(|| run(&["search", "users", "wxm", "--server", &api.api]).stdout == "2\t王小明\n");

    // What was ranked is kept by the process that was asked.
    let page = next_best(&api, "");
    let next = page["nextPageToken"].as_str().unwrap();
    assert_eq!(next_best(&api, next)["posts"].as_array().map(Vec::len), Some(1));
    assert_eq!(next_best(&other, next)["details"][0]["debug"]["reason"], "STALE_CURSOR");

    // All of them are built anew, while they answer.
    let before = places.each_ref().map(|place| current_in(place));
    assert_eq!(run(&["repair", "rebuild", "search", "--server", &api.admin]).code, 0);
    wait_for(|| places.iter().zip(&before).all(|(place, before)| current_in(place) != *before));
    finds(&api, "tea", &token, &[&tea, &green]);

    // A dead replica costs no caller an answer.
    first.signal("KILL");
    drop(first);
    for _ in 0..20 {
        for server in [&api, &other] {
            assert_eq!(refusal(server), Value::Null);
        }
    }
    second.signal("KILL");
    drop(second);
    wait_for(|| refusal(&api) == "SEARCH_UNAVAILABLE");
    let first = index("first");
    finds(&api, "tea", &token, &[&tea, &green]);
    // One that ends says so.
    first.stop();
    wait_for(|| metric(&api, "guanxi_search_replicas ").as_deref() == Some("0"));
    api.stop();
    other.stop();
}

#[test]
fn the_place_where_indexes_are_asked_is_one_that_others_reach() {
    let scratch = Scratch::new();
    for (text, said) in [
        ("index_listen = '127.0.0.1:0'", "`index_listen` is where indexes are asked: set index_dir"),
        ("index_address = 'a:1'", "`index_address` says how others reach index_listen"),
        ("index_dir = 'x'\nindex_listen = '0.0.0.0:7422'", "say by index_address how others reach it"),
        ("index_dir = 'x'\nindex_listen = '0.0.0.0:7422'\nindex_address = 'a'", "must be HOST:PORT"),
    ] {
        let file = scratch.file("guanxi.toml", text);
        Ran::of(guanxi().args(["--config", &file, "config"])).failed(2, said);
    }
    let file = scratch
        .file("guanxi.toml", "index_dir = 'x'\nindex_listen = '0.0.0.0:7422'\nindex_address = 'a:7422'");
    assert_eq!(Ran::of(guanxi().args(["--config", &file, "config"])).code, 0);
}
