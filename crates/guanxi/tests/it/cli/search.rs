//! Searching a served directory, with any state of its index.

use super::run::{Scratch, Server, run, wait_for};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

const NO_AUTH: &str = "--no-auth";

/// Writes a post, and answers its id and the token behind it.
pub(super) fn write(server: &Server, author: u64, text: &str) -> (String, Value) {
    let post = json!({ "author": author.to_string(), "text": text });
    let answer = server.call("PostService/CreatePost", &post);
    (answer["postId"].as_str().expect("the post is written").to_owned(), answer["token"].clone())
}

/// The ids of what a search finds that includes a position.
pub(super) fn found(server: &Server, query: &str, token: &Value) -> Vec<String> {
    let answer = search(server, query, token);
    let posts = answer["posts"].as_array().into_iter().flatten();
    posts.map(|found| found["post"]["postId"].as_str().unwrap().to_owned()).collect()
}

fn search(server: &Server, query: &str, token: &Value) -> Value {
    let mut answer = Value::Null;
    wait_for(|| {
        let request = json!({ "query": query, "token": token });
        answer = server.call("SearchService/SearchPosts", &request);
        // An index that is built anew is not there at once, and a busy machine takes its time.
        let reason = &answer["details"][0]["debug"]["reason"];
        reason != "SEARCH_UNAVAILABLE" && reason != "SEARCH_BEHIND"
    });
    assert!(answer.get("code").is_none(), "{answer}");
    answer
}

pub(super) fn finds(server: &Server, query: &str, token: &Value, ids: &[&String]) {
    assert!(found(server, query, token).iter().eq(ids.iter().copied()), "{query}");
}

/// The directory of the index that a data directory has.
fn current(dir: &str) -> PathBuf {
    current_in(&Path::new(dir).join("search"))
}

/// The directory of the index of posts that is searched, in one of indexes.
pub(super) fn current_in(indexes: &Path) -> PathBuf {
    let posts = indexes.join("posts");
    let number = fs::read_to_string(posts.join("CURRENT")).expect("there is an index");
    posts.join(format!("index-{}", number.trim_end()))
}

#[test]
fn what_is_written_is_found_whatever_became_of_the_index() {
    let scratch = Scratch::new();
    let dir = scratch.arg("data");
    let server = Server::start(&dir, &[NO_AUTH]);
    let (first, _) = write(&server, 1, "green tea");
    let (second, token) = write(&server, 2, "绿茶 and tea");
    finds(&server, "tea", &token, &[&second, &first]);
    let edit = json!({ "author": "1", "postId": first, "text": "coffee" });
    let token = server.call("PostService/UpdatePost", &edit)["token"].clone();
    finds(&server, "tea", &token, &[&second]);
    finds(&server, "coffee", &token, &[&first]);
    let (third, token) = write(&server, 3, "tea at last");
    // Killed: the index goes on from its last commit.
    server.signal("KILL");
    drop(server);
    let server = Server::start(&dir, &[NO_AUTH]);
    finds(&server, "tea", &token, &[&third, &second]);
    let delete = json!({ "author": "3", "postId": third });
    let token = server.call("PostService/DeletePost", &delete)["token"].clone();
    finds(&server, "tea", &token, &[&second]);
    server.stop();

    // Damaged: another one is built from the posts.
    let before = current(&dir);
    for entry in fs::read_dir(&before).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "idx" || extension == "term") {
            fs::write(path, b"damaged").unwrap();
        }
    }
    let server = Server::start(&dir, &[NO_AUTH]);
    finds(&server, "tea", &token, &[&second]);
    finds(&server, "coffee", &token, &[&first]);
    assert_ne!(current(&dir), before, "{}", server.log());
    server.stop();

    // Wanted by an operator, while the one that is there answers.
    let server = Server::start(&dir, &[NO_AUTH]);
    let before = current(&dir);
    assert_eq!(run(&["repair", "rebuild", "search", "--server", &server.admin]).code, 0);
    wait_for(|| current(&dir) != before);
    finds(&server, "tea", &token, &[&second]);
    server.stop();

    // Gone, as a compaction leaves it.
    fs::remove_dir_all(Path::new(&dir).join("search")).unwrap();
    let server = Server::start(&dir, &[NO_AUTH]);
    finds(&server, "tea", &token, &[&second]);
    server.stop();
}

#[test]
fn a_server_without_an_index_refuses_searches_alone_and_one_with_it_catches_up() {
    let scratch = Scratch::new();
    let dir = scratch.arg("data");
    let server = Server::start(&dir, &[NO_AUTH, "--search=false"]);
    let (id, token) = write(&server, 1, "tea");
    let refused = server.call("SearchService/SearchPosts", &json!({ "query": "tea" }));
    assert_eq!(refused["details"][0]["debug"]["reason"], "SEARCH_UNAVAILABLE", "{refused}");
    assert!(refused["message"].as_str().unwrap().contains("`off`"), "the cause is told: {refused}");
    assert!(!Path::new(&dir).join("search").exists());
    server.stop();
    let server = Server::start(&dir, &[NO_AUTH]);
    finds(&server, "tea", &token, &[&id]);
    server.stop();
}

#[test]
fn the_command_line_searches() {
    let scratch = Scratch::new();
    let server = Server::start(&scratch.arg("data"), &[NO_AUTH]);
    let (first, _) = write(&server, 1, "green\ntea");
    let (second, token) = write(&server, 2, "tea for two");
    assert_eq!(found(&server, "tea", &token).len(), 2);
    let search = |more: &[&str]| {
        let args = [&["search", "posts", "tea", "--server", &server.api][..], more].concat();
        let ran = run(&args);
        assert_eq!(ran.code, 0, "{ran:?}");
        ran.stdout
    };
    let lines = search(&[]);
    let lines: Vec<Vec<&str>> = lines.lines().map(|line| line.split('\t').collect()).collect();
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert_eq!((lines[0][0], lines[0][1], lines[0][3]), (second.as_str(), "2", "tea for two"));
    assert_eq!((lines[1][0], lines[1][3]), (first.as_str(), "green tea"));
    assert_eq!(search(&["--limit", "1"]).lines().count(), 1);
    assert_eq!(search(&["--author", "1"]).lines().count(), 1);
    assert_eq!(search(&["--from", "2020-01-01"]).lines().count(), 2);
    assert_eq!(search(&["--until", "2020-01-01"]), "");
    let found: Value = serde_json::from_str(search(&["--json", "--limit", "1"]).trim_end()).unwrap();
    assert_eq!(found["highlights"], json!([{ "end": 3 }]), "{found}");
    assert_eq!(search(&["--best"]).lines().count(), 2);
    let name = json!({ "uid": "1", "nickname": "王小明", "updateMask": "nickname" });
    assert!(server.call("UserService/UpdateUser", &name).get("code").is_none());
    let users = || run(&["search", "users", "wxm", "--server", &server.api]).stdout;
    wait_for(|| users() == "1\t王小明\n");
    run(&["search", "posts", "tea -", "--server", &server.api]).failed(1, "BAD_QUERY");
    run(&["search", "posts", "tea", "--from", "soon", "--server", &server.api]).failed(2, "a time, such as");
    server.stop();
}

/// Whether any segment below a directory has a document that was removed: its words are in the files still.
fn has_tombstones(dir: &Path) -> bool {
    fs::read_dir(dir).unwrap().any(|entry| {
        let path = entry.unwrap().path();
        if path.is_dir() { has_tombstones(&path) } else { path.extension().is_some_and(|kind| kind == "del") }
    })
}

#[test]
fn words_of_an_erased_user_leave_the_index_of_a_running_server() {
    let scratch = Scratch::new();
    let dir = scratch.arg("data");
    let server = Server::start(&dir, &[NO_AUTH]);
    let (kept, _) = write(&server, 1, "tea");
    let (gone, _) = write(&server, 2, "tea");
    for uid in ["1", "2"] {
        let name = json!({ "uid": uid, "nickname": "Ann", "updateMask": "nickname" });
        assert!(server.call("UserService/UpdateUser", &name).get("code").is_none());
    }
    let delete = json!({ "author": "2", "postId": gone });
    let token = server.call("PostService/DeletePost", &delete)["token"].clone();
    finds(&server, "tea", &token, &[&kept]);
    let search = Path::new(&dir).join("search");
    let erasing = |kind: &str| search.join(kind).join("ERASING").exists();
    server.call("UserService/EraseUser", &json!({ "uid": "2" }));
    let is_erased =
        || server.call("UserService/GetUser", &json!({ "uid": "2" }))["user"]["status"] == "ERASED";
    wait_for(is_erased);
    wait_for(|| !has_tombstones(&search) && !erasing("posts") && !erasing("users"));
    finds(&server, "tea", &token, &[&kept]);
    let users = server.call("SearchService/SearchUsers", &json!({ "query": "ann" }));
    assert_eq!(users["users"].as_array().unwrap().len(), 1, "{users}");
    server.stop();
}
