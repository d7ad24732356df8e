//! Searching a cluster, whatever became of the processes that keep its indexes.

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
        let settings: &[_] = &[("max_locks_per_transaction", "1024"), ("max_connections", "200")];
        let server = Postgres::start(dir.path(), settings, false).unwrap();
        let config = scratch.file("cluster.toml", format!("databases = ['d1={}']\n", server.url("postgres")));
        let init = Ran::of(guanxi().args(["--config", &config, "cluster", "init", "--schemas", "4"]));
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
    assert!(server.log().contains("no `index_dir` says where"), "{}", server.log());
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
