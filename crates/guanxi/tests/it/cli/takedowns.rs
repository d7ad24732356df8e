//! Takedowns on the command line: of a server and of a directory, through a backup and an export of a user.

use super::run::{Scratch, Server, run};
use serde_json::{Value, json};

fn done(server: &Server, method: &str, request: &Value) -> Value {
    let answer = server.call(method, request);
    assert!(answer.get("code").is_none(), "{method} {request}: {answer}");
    answer
}

/// A post as a viewer gets it.
fn seen(server: &Server, viewer: &str, id: &str) -> Value {
    let request = json!({ "viewer": viewer, "postIds": [id] });
    done(server, "PostService/BatchGetPosts", &request)["posts"][0].clone()
}

#[test]
fn takedowns_are_made_on_the_command_line_and_kept_by_backups_and_exports() {
    let scratch = Scratch::new();
    let (dir, copy, dump) = (scratch.arg("data"), scratch.arg("copy"), scratch.arg("backup.dump"));
    let server = Server::start(&dir, &["--no-auth"]);
    let post = json!({ "author": "1", "text": "buy" });
    let id = done(&server, "PostService/CreatePost", &post)["postId"].as_str().unwrap().to_owned();
    let takedown = ["admin", "takedown", "post", &id, "--reason", "spam", "--json"];
    let admin = server.admin.clone();
    let of_server = |args: &[&str]| run(&[args, &["--server", &admin]].concat()).json()["changed"].clone();
    assert_eq!([of_server(&takedown), of_server(&takedown)], [json!(true), json!(false)]);
    assert_eq!(seen(&server, "2", &id)["status"], json!("DELETED"));
    assert_eq!(run(&["backup", &dump, "--server", &admin]).code, 0);
    server.stop();
    let of_data = |args: &[&str]| run(&[args, &["--data", &dir]].concat()).json()["changed"].clone();
    let user = ["admin", "takedown", "user", "3", "--reason", "abuse", "--json"];
    assert_eq!([of_data(&user), of_data(&user)], [json!(true), json!(false)]);
    assert_eq!(run(&["verify", "--data", &dir]).code, 0);
    for (uid, words) in [("1", r#""takedownReason":"spam""#), ("3", r#""takedownReason":"abuse""#)] {
        let export = run(&["export", "user", uid, "--data", &dir]);
        assert!(export.stdout.contains(words), "{}", export.stdout);
    }
    assert_eq!(of_data(&["admin", "reinstate", "user", "3", "--json"]), json!(true));
    assert_eq!(run(&["restore", &dump, "--data", &copy]).code, 0);
    let restored = Server::start(&copy, &["--no-auth"]);
    assert_eq!(seen(&restored, "2", &id)["status"], json!("DELETED"));
    assert_eq!(seen(&restored, "1", &id)["post"]["takedownReason"], json!("spam"));
    assert_eq!(run(&["admin", "reinstate", "post", &id, "--server", &restored.admin]).code, 0);
    assert_eq!(seen(&restored, "2", &id)["post"]["text"], json!("buy"));
    restored.stop();
    assert_eq!(run(&["verify", "--data", &copy]).code, 0);
    assert_eq!(run(&["admin", "takedown", "post", &id, "--data", &copy]).code, 2, "a reason is needed");
}
