//! Posts: importing them, pushing them, proving home timelines.

use super::run::{Scratch, Server, run, run_with_input};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Posts with a reply and a repost, and lines that must be refused.
const POSTS: &str = r#"# posts
{"author":2,"key":"a","time":"2024-05-01T12:30:00Z","text":"早"}
{"author":"3","key":7,"time":1714566600000,"text":"answer","reply_to":{"author":2,"key":"a"}}

{"author":3,"key":"r","time":"2024-05-01T12:31:00+00:00","repost_of":{"author":2,"key":"a"}}
{"author":2,"key":"f","time":"2024-05-01T12:32:00Z","text":"friends","visibility":"FRIENDS","attachments":[{"kind":"LINK","reference":"x"}]}
not json
{"author":2,"key":"b","time":"2024-05-01T12:30:00Z","text":""}
{"author":2,"key":"c","time":"1999-05-01T12:30:00Z","text":"old"}
{"author":0,"key":"d","time":"2024-05-01T12:30:00Z","text":"nobody"}
{"author":2,"key":"e","time":"2024-05-01T12:30:00Z","text":"lost","reply_to":{"author":2,"key":"z"}}
{"author":2,"key":"g","time":"2024-05-01T12:30:00Z","txt":"typo"}
"#;

/// What a report of [`POSTS`] says when `new` of its posts are.
fn check(report: &Value, new: u64) {
    assert_eq!((&report["lines"], &report["posts"]), (&12.into(), &10.into()), "{report}");
    assert_eq!((&report["accepted"], &report["already_there"]), (&new.into(), &(4 - new).into()), "{report}");
    let refused = json!({
        "MALFORMED": 2, "MISSING_FIELD": 1, "TIME_OUT_OF_RANGE": 1, "UID_OUT_OF_RANGE": 1, "POST_NOT_FOUND": 1
    });
    assert_eq!(report["refused"], refused, "{report}");
    let lines: Vec<&Value> = report["examples"].as_array().unwrap().iter().map(|row| &row["line"]).collect();
    assert_eq!(lines, [7, 8, 9, 10, 11, 12], "{report}");
}

/// The ids of a home.
fn home(server: &Server, viewer: &str) -> Vec<Value> {
    let page = server.call("FeedService/GetHomeTimeline", &json!({ "viewer": viewer }));
    page["posts"].as_array().cloned().unwrap_or_default()
}

#[test]
fn posts_are_imported_once_and_every_refused_line_is_named() {
    let scratch = Scratch::new();
    let (file, dir) = (scratch.file("posts.ndjson", POSTS), scratch.arg("data"));
    let import = ["import", "posts", &file, "--data", &dir, "--json"];
    check(&run(&import).json(), 4);
    check(&run(&import).json(), 0);
    let shown = run(&["import", "posts", &file, "--data", &dir]).stdout;
    assert!(shown.contains("line 12: MALFORMED: unknown field `txt`"), "{shown}");
    assert!(shown.contains("line 11: POST_NOT_FOUND: 2 e: there is no such post"), "{shown}");
    let proof = run(&["verify", "--data", &dir, "--json"]).json();
    assert_eq!((&proof["clean"], &proof["posts"]), (&true.into(), &4.into()), "{proof}");

    // A directory that has posts takes edges, too, and home shows what was imported.
    let edges = run_with_input(&["import", "edges", "-", "--data", &dir, "--json"], b"1 2\n1 3\n").json();
    assert_eq!(edges["accepted"], 2);
    let server = Server::start(&dir, &["--no-auth"]);
    let texts: Vec<Value> = home(&server, "1").iter().map(|item| item["post"]["text"].clone()).collect();
    assert_eq!(texts, [Value::Null, "answer".into(), "早".into()]);
    server.stop();
}

#[test]
fn an_import_into_a_server_goes_on_where_it_stood() {
    let scratch = Scratch::new();
    let mut lines = String::new();
    for n in 0..2_500_u64 {
        let (author, time) = (1 + n % 7, 1_700_000_000_000 + n * 1_000);
        writeln!(lines, r#"{{"author":{author},"key":"k{n}","time":{time},"text":"post {n}"}}"#).unwrap();
    }
    let server = Server::start(&scratch.arg("data"), &["--no-auth"]);
    let import = |text: &str| {
        let args = ["import", "posts", "-", "--job", "once", "--server", &server.admin, "--json"];
        run_with_input(&args, text.as_bytes()).json()
    };
    let half = lines.match_indices('\n').nth(1_299).unwrap().0 + 1;
    let first = import(&lines[..half]);
    assert_eq!((&first["accepted"], &first["method"]), (&1_300.into(), &"server".into()), "{first}");
    let rest = import(&lines);
    assert_eq!((&rest["resumed_at_line"], &rest["accepted"]), (&1_300.into(), &1_200.into()), "{rest}");
    assert_eq!(import(&lines)["accepted"], 0);
    let file = scratch.file("posts.ndjson", &lines);
    let again = run(&["import", "posts", &file, "--server", &server.admin, "--json"]).json();
    assert_eq!((&again["accepted"], &again["already_there"]), (&0.into(), &2_500.into()), "{again}");
    run(&["import", "posts", &file, "--job", "once", "--data", &scratch.arg("data")]).failed(1, "in use");
    server.stop();
    run(&["verify", "--data", &scratch.arg("data"), "--json"]).json();
}

#[test]
fn the_fanout_is_set_and_watched_and_homes_are_proven() {
    let scratch = Scratch::new();
    let dir = scratch.arg("data");
    let server = Server::start(&dir, &["--no-auth"]);
    for (subject, object) in [("1", "2"), ("1", "3"), ("4", "2")] {
        server.call("Follow", &json!({ "subject": subject, "object": object }));
    }
    let target = ["--server", &server.admin, "--json"];
    let policy = |more: &[&str]| run(&[&["fanout", "policy"], more, &target[..]].concat()).json();
    assert_eq!(policy(&[])["mode"], "pull");
    let set = policy(&[
        "--mode",
        "push",
        "--celebrity-followers",
        "9",
        "--active-bucket",
        "15m",
        "--inbox-cap",
        "50",
    ]);
    assert_eq!((&set["mode"], &set["active_bucket_ms"]), (&"push".into(), &900_000.into()), "{set}");
    assert_eq!(policy(&["--cold-after", "7d"])["celebrity_followers"], 9, "what is not given stays");
    run(&["fanout", "policy", "--inbox-cap", "0", "--server", &server.admin]).failed(1, "`inbox_cap`");

    // The first visit makes an inbox, which the next post is pushed into.
    assert!(home(&server, "1").is_empty());
    let post = server.call("PostService/CreatePost", &json!({ "author": "2", "text": "hello" }));
    let post = post["postId"].as_str().unwrap();
    let status = |more: &[&str]| run(&[&["fanout", "status"], more, &target[..]].concat()).json();
    super::run::wait_for(|| status(&["--post", post])["post"]["done"] == true);
    let status = status(&["--post", post]);
    assert_eq!((&status["delivered"], &status["inboxes"]), (&1.into(), &1.into()), "{status}");
    assert_eq!(
        (&status["post"]["planned"], &status["post"]["delivered"]),
        (&3.into(), &1.into()),
        "{status}"
    );
    assert_eq!((home(&server, "1").len(), home(&server, "4").len(), home(&server, "3").len()), (1, 1, 0));

    let proof = run(&["verify", "--feed", "--viewer", "1,4", "--server", &server.admin, "--json"]).json();
    assert_eq!((&proof["clean"], &proof["viewers"], &proof["items"]), (&true.into(), &2.into(), &2.into()));
    assert_eq!(proof["pages_from_inbox"], 2, "{proof}");
    let shown = run(&["verify", "--feed", "--sample", "10", "--server", &server.admin]);
    assert!(shown.code == 0 && shown.stdout.contains("homes that differ             0"), "{shown:?}");
    run(&["verify", "--sample", "10", "--server", &server.admin])
        .failed(2, "required arguments were not provided");
    run(&["fanout", "status", "--data", &dir]).failed(1, "in use");
    server.stop();

    // The policy outlives the server, and a directory is proven and set without one.
    let offline = ["--data", &dir, "--json"];
    let held = run(&[&["fanout", "policy"], &offline[..]].concat()).json();
    assert_eq!((&held["mode"], &held["cold_after_ms"]), (&"push".into(), &604_800_000.into()), "{held}");
    let proof = run(&[&["verify", "--feed", "--sample", "10"], &offline[..]].concat()).json();
    assert_eq!((&proof["clean"], &proof["viewers"]), (&true.into(), &2.into()), "{proof}");
    run(&["fanout", "status", "--data", &dir]).failed(2, "--server");
}

/// Posts of a user who is deleted are hidden, not gone: no list carries them to where they would be public again.
#[test]
fn exports_leave_out_deleted_users_and_say_so() {
    let scratch = Scratch::new();
    let (dir, copy) = (scratch.arg("data"), scratch.arg("copy"));
    let post = |author: u64, key: &str, to: &str| {
        format!("{{\"author\":{author},\"key\":\"{key}\",\"time\":1700000000000,\"text\":\"{key}\"{to}}}\n")
    };
    let posts = [
        post(1, "hidden", ""),
        post(2, "answer", ",\"reply_to\":{\"author\":1,\"key\":\"hidden\"}"),
        post(2, "shown", ""),
    ];
    let posts = scratch.file("posts.jsonl", posts.concat());
    let server = Server::start(&dir, &["--no-auth"]);
    assert_eq!(run(&["import", "posts", &posts, "--server", &server.admin]).code, 0);
    let deleted = server.call("UserService/DeleteUser", &serde_json::json!({ "uid": "1" }));
    assert!(deleted.get("code").is_none(), "{deleted}");
    let admin = server.admin.clone();
    let export = |name: &str, target: [&str; 2]| {
        let list = scratch.arg(name);
        let said = run(&[&["export", "posts", &list, "--json"], &target[..]].concat());
        assert_eq!(said.json(), serde_json::json!({ "posts": 1, "of_deleted_users": 2 }), "{said:?}");
        assert!(said.stderr.contains("left out 2 posts of deleted users"), "{said:?}");
        assert!(said.stderr.contains("no list carries since when requests wait"), "{said:?}");
        std::fs::read_to_string(&list).unwrap()
    };
    let of_server = export("one.jsonl", ["--server", &admin]);
    server.stop();
    let of_directory = export("other.jsonl", ["--data", &dir]);
    assert_eq!(of_server, of_directory);
    assert!(of_server.contains("shown") && !of_server.contains("hidden"), "{of_server}");
    let list = scratch.arg("one.jsonl");
    let copied = run(&["import", "posts", &list, "--data", &copy, "--json"]).json();
    assert_eq!((&copied["accepted"], &copied["refused_total"]), (&1.into(), &0.into()), "{copied}");
}
