//! What is kept for a time only: deleted posts and removed follows.

use super::run::{Scratch, Server, run, wait_for};
use serde_json::{Value, json};

fn done(server: &Server, method: &str, request: &Value) -> Value {
    let answer = server.call(method, request);
    assert!(answer.get("code").is_none(), "{method} {request}: {answer}");
    answer
}

fn post(server: &Server, text: &str) -> String {
    let written = done(server, "PostService/CreatePost", &json!({ "author": "1", "text": text }));
    written["postId"].as_str().unwrap().to_owned()
}

/// Whether what is kept of user 1 has some words.
fn says(server: &Server, words: &str) -> bool {
    run(&["export", "user", "1", "--server", &server.admin]).stdout.contains(words)
}

#[test]
fn deleted_posts_can_be_restored_for_as_long_as_is_set() {
    let scratch = Scratch::new();
    let dir = scratch.arg("data");
    let server = Server::start(&dir, &["--no-auth", "--deleted-posts-days", "1"]);
    let [first, second, standing] =
        ["first words", "second words", "standing words"].map(|text| post(&server, text));
    for id in [&first, &standing] {
        done(&server, "PostService/LikePost", &json!({ "uid": "2", "postId": id }));
    }
    for id in [&first, &second] {
        done(&server, "PostService/DeletePost", &json!({ "author": "1", "postId": id }));
    }
    assert!(says(&server, "first words") && says(&server, "\"deleteTime\""));
    server.stop();
    // Nothing said: for ever.
    let server = Server::start(&dir, &["--no-auth"]);
    done(&server, "PostService/RestorePost", &json!({ "author": "1", "postId": second }));
    assert!(says(&server, "first words"));
    server.stop();
    let server = Server::start(&dir, &["--no-auth", "--deleted-posts-days", "0"]);
    wait_for(|| !says(&server, "first words"));
    let gone = server.call("PostService/RestorePost", &json!({ "author": "1", "postId": first }));
    assert_eq!(gone["details"][0]["debug"]["reason"], "POST_DELETED", "{gone}");
    assert!(says(&server, "second words") && says(&server, "standing words"));
    server.stop();
    let proof = run(&["verify", "--data", &dir]);
    assert_eq!(proof.code, 0, "{}", proof.stdout);
}

#[test]
fn how_long_things_are_kept_is_checked_and_shown() {
    let scratch = Scratch::new();
    let dir = scratch.arg("data");
    for (flag, days, range) in [
        ("--deleted-posts-days", "3651", "between 0 and 3650"),
        ("--removed-follows-days", "0", "between 1 and 3650"),
        ("--removed-follows-days", "3651", "between 1 and 3650"),
    ] {
        run(&["serve", "--data", &dir, flag, days]).failed(2, range);
    }
    let shown = run(&["config", "--deleted-posts-days", "7", "--json"]).json();
    assert_eq!(shown["deleted_posts_days"]["value"], 7, "{shown}");
}
