//! A server counts what users do about each other's posts, by its settings and across restarts.

use super::run::{Scratch, Server, run, wait_for};
use serde_json::{Value, json};

fn done(server: &Server, method: &str, request: &Value) -> Value {
    let answer = server.call(method, request);
    assert!(answer.get("code").is_none(), "{method} {request}: {answer}");
    answer
}

/// With whom user 2 has most to do.
fn top(server: &Server) -> Vec<(String, f64)> {
    let answer = done(server, "RelationService/ListTopAffinity", &json!({ "uid": "2" }));
    let items = answer["items"].as_array().cloned().unwrap_or_default();
    items
        .iter()
        .map(|item| (item["uid"].as_str().unwrap().to_owned(), item["score"].as_f64().unwrap()))
        .collect()
}

#[test]
fn likes_and_replies_are_counted_once_across_restarts() {
    let scratch = Scratch::new();
    let dir = scratch.arg("data");
    let server = Server::start(&dir, &["--no-auth", "--affinity-like", "20"]);
    let post = |server: &Server, author: &str, reply_to: Option<&str>| {
        let mut draft = json!({ "author": author, "text": "words" });
        if let Some(id) = reply_to {
            draft["replyTo"] = json!(id);
        }
        done(server, "PostService/CreatePost", &draft)["postId"].as_str().unwrap().to_owned()
    };
    let (first, second) = (post(&server, "1", None), post(&server, "3", None));
    done(&server, "PostService/LikePost", &json!({ "uid": "2", "postId": first }));
    wait_for(|| !top(&server).is_empty());
    server.stop();
    let server = Server::start(&dir, &["--no-auth", "--affinity-like", "20"]);
    post(&server, "2", Some(&second));
    wait_for(|| top(&server).len() == 2);
    let found = top(&server);
    let close = |(uid, score): &(String, f64), wanted: (&str, f64)| {
        assert!(uid == wanted.0 && (score - wanted.1).abs() < 0.1, "{found:?}");
    };
    close(&found[0], ("1", 20.0));
    close(&found[1], ("3", 8.0));
    server.stop();
    let proof = run(&["verify", "--data", &dir]);
    assert_eq!(proof.code, 0, "{}", proof.stdout);
}

#[test]
fn what_counts_how_much_is_checked() {
    let scratch = Scratch::new();
    let dir = scratch.arg("data");
    for (flag, value, range) in [
        ("--affinity-half-life-days", "0", "between 1 and 3650"),
        ("--affinity-visit", "1001", "between 0 and 1000"),
    ] {
        run(&["serve", "--data", &dir, flag, value]).failed(2, range);
    }
}
