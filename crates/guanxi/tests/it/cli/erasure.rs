//! Erasing users: nothing of what they said and were called is in a data directory any more, nor in one that is restored
//! from a backup of before.

use super::run::{Scratch, Server, pause, run, wait_for};
use serde_json::{Value, json};
use std::path::Path;
use std::time::{Duration, Instant};
use std::{fs, io};

/// A word that no other user says, of letters and digits without a common beginning, since blocks are compressed.
fn marker(n: u64) -> String {
    let (mut word, mut left) = (String::new(), n.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d);
    for round in 0..14_u64 {
        left = (left ^ (left >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9).wrapping_add(round);
        word.push(char::from(b"abcdefghijklmnopqrstuvwxyz"[(left >> 33) as usize % 26]));
    }
    word
}

/// A number that no other user has.
fn phone() -> String {
    "+8617391648205".to_owned()
}

/// How many words of a user there are.
const MARKERS: u64 = 16;

/// What of all that is in the files of a directory: any eight letters in a row of a word are a trace of it.
fn traces(dir: &Path) -> Vec<String> {
    let mut bytes = Vec::new();
    collect(dir, &mut bytes);
    let words = (0..MARKERS).map(marker).chain([phone()[1..].to_owned()]);
    let is_there = |word: &String| {
        let windows: Vec<&[u8]> = word.as_bytes().windows(8).collect();
        bytes.windows(8).any(|window| windows.contains(&window))
    };
    words.filter(is_there).collect()
}

/// Adds the bytes of all files below a directory. What a server removes meanwhile has none.
fn collect(dir: &Path, bytes: &mut Vec<u8>) {
    let Some(entries) = unless_gone(fs::read_dir(dir)) else { return };
    for path in entries.map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            collect(&path, bytes);
        } else if let Some(more) = unless_gone(fs::read(path)) {
            bytes.extend(more);
            bytes.push(0);
        }
    }
}

fn unless_gone<T>(read: io::Result<T>) -> Option<T> {
    match read {
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        read => Some(read.unwrap()),
    }
}

pub(super) fn done(server: &Server, method: &str, request: &Value) -> Value {
    let answer = server.call(method, request);
    assert!(answer.get("code").is_none(), "{method} {request}: {answer}");
    answer
}

/// Two users who say what they can: one with an account, one with an id of another product.
pub(super) fn live(server: &Server, scratch: &Scratch) -> [String; 2] {
    let mut words = (0..MARKERS).map(marker);
    let mut word = || words.next().expect("as many as there are");
    let name = word();
    let account = json!({ "loginName": name, "password": "correct horse battery", "nickname": word() });
    let uid = done(server, "UserService/Register", &account)["uid"].as_str().unwrap().to_owned();
    let profile = json!({ "uid": uid, "bio": word(), "avatar": word(), "attributes": { word(): word() } });
    done(server, "UserService/UpdateUser", &profile);
    done(server, "UserService/BindPhone", &json!({ "uid": uid, "phone": phone() }));
    done(server, "UserService/BindEmail", &json!({ "uid": uid, "email": format!("{}@example.org", word()) }));
    let login = json!({ "loginName": name, "password": "correct horse battery", "device": word() });
    done(server, "UserService/Login", &login);
    let token = run(&["token", "create", &word(), "--end-user", &uid, "--server", &server.admin]);
    assert_eq!(token.code, 0, "{token:?}");
    let ask = json!({ "externalIds": [word()], "create": true });
    let other =
        done(server, "UserService/ResolveIds", &ask)["byExternalId"][0]["uid"].as_str().unwrap().to_owned();

    let post =
        json!({ "author": uid, "text": word(), "attachments": [{ "kind": "IMAGE", "reference": word() }] });
    let post = done(server, "PostService/CreatePost", &post)["postId"].as_str().unwrap().to_owned();
    let edit = json!({ "author": uid, "postId": post, "text": word() });
    done(server, "PostService/UpdatePost", &edit);
    let deleted = json!({ "author": other, "text": word() });
    let deleted = done(server, "PostService/CreatePost", &deleted)["postId"].as_str().unwrap().to_owned();
    done(server, "PostService/DeletePost", &json!({ "author": other, "postId": deleted }));
    let imported = json!({
        "key": word(), "author": other, "time": 1_600_000_000_000_u64, "text": word(),
    });
    let file = scratch.file("posts.jsonl", format!("{imported}\n"));
    let import = run(&["import", "posts", &file, "--server", &server.admin]);
    assert_eq!(import.code, 0, "{import:?}");
    assert_eq!(words.next(), None, "every word is said");

    for (method, subject, object) in [
        ("Follow", uid.as_str(), "1"),
        ("Follow", "1", &uid),
        ("Follow", "2", &uid),
        ("Unfollow", "2", &uid),
        ("Follow", &uid, "3"),
        ("Unfollow", &uid, "3"),
        ("Block", "4", &uid),
        ("Mute", &uid, "5"),
        ("Mute", "5", &other),
        ("Follow", &other, &uid),
    ] {
        done(server, method, &json!({ "subject": subject, "object": object }));
    }
    let answer = json!({ "author": "1", "text": "an answer", "replyTo": post });
    done(server, "PostService/CreatePost", &answer);
    done(server, "PostService/LikePost", &json!({ "uid": "1", "postId": post }));
    done(server, "PostService/LikePost", &json!({ "uid": other, "postId": post }));
    [uid, other]
}

/// How long a job may take: one that the index overtakes is tried again after 2, 15 and 60 s.
const EXPORT_PATIENCE: Duration = Duration::from_mins(2);

/// Has jobs write all users and all posts to files of the server.
fn exported(server: &Server) {
    for rows in ["users", "posts"] {
        let request = json!({ rows: {}, "format": "EXPORT_JSON_LINES" });
        let job = done(server, "AdminService/StartExport", &request)["job"]["job"].clone();
        let began = Instant::now();
        loop {
            let job = done(server, "AdminService/GetExport", &json!({ "job": job }))["job"].clone();
            if job["state"] == "EXPORT_DONE" {
                break;
            }
            let goes_on = job["state"] != "EXPORT_FAILED" && began.elapsed() < EXPORT_PATIENCE;
            assert!(goes_on, "{job}, {}", server.log());
            pause(Duration::from_millis(50));
        }
    }
}

pub(super) fn is_erased(server: &Server, uid: &str) -> bool {
    done(server, "UserService/GetUser", &json!({ "uid": uid }))["user"]["status"] == "ERASED"
}

pub(super) fn succeeds(args: &[&str]) {
    let ran = run(args);
    assert_eq!(ran.code, 0, "{args:?}: {ran:?}");
}

#[test]
fn of_erased_users_no_byte_is_left_nor_comes_back_from_a_backup() {
    let scratch = Scratch::new();
    let (dir, dump, again) = (scratch.arg("data"), scratch.arg("dump"), scratch.arg("again"));
    let server = Server::start(&dir, &["--no-auth"]);
    let users = live(&server, &scratch);
    succeeds(&["backup", &dump, "--server", &server.admin]);
    server.stop();
    succeeds(&["compact", "--data", &dir]);
    assert_eq!(traces(Path::new(&dir)).len() as u64, MARKERS + 1, "all of it is found before");

    let server = Server::start(&dir, &["--no-auth"]);
    let spool = Path::new(&dir).join("spool");
    exported(&server);
    assert!(traces(&spool).len() > 4, "names and texts are in files of exports: {:?}", traces(&spool));
    for uid in &users {
        done(&server, "UserService/EraseUser", &json!({ "uid": uid }));
    }
    wait_for(|| users.iter().all(|uid| is_erased(&server, uid)));
    wait_for(|| traces(&spool).is_empty() && fs::read_dir(&spool).unwrap().count() == 0);
    let list = scratch.arg("erased.tsv");
    succeeds(&["export", "erased", &list, "--server", &server.admin]);
    let listed = fs::read_to_string(&list).unwrap();
    assert!(users.iter().all(|uid| listed.contains(&format!("{uid}\t"))) && listed.lines().count() == 2);
    let counts = done(&server, "GetCounts", &json!({ "uid": "1" }));
    assert_eq!((&counts["counts"]["following"], &counts["counts"]["followers"]), (&json!(0), &json!(0)));
    server.stop();
    succeeds(&["compact", "--data", &dir]);
    assert_eq!(traces(Path::new(&dir)), Vec::<String>::new());
    succeeds(&["verify", "--data", &dir]);

    succeeds(&["restore", &dump, "--erased", &list, "--data", &again]);
    assert_eq!(traces(Path::new(&again)), Vec::<String>::new());
    succeeds(&["verify", "--data", &again]);
    let server = Server::start(&again, &["--no-auth"]);
    assert!(users.iter().all(|uid| is_erased(&server, uid)));
    let name = json!({ "loginName": marker(0), "password": "correct horse battery" });
    let next = done(&server, "UserService/Register", &name);
    assert!(next["uid"] != users[0].as_str(), "the name is free, and the uid is not: {next}");
    server.stop();
}

/// A list may be of other data, and name a uid that no user may have here: that delays no other user.
#[test]
fn a_uid_that_is_not_admitted_is_erased_all_the_same() {
    let scratch = Scratch::new();
    let (dir, dump, again) = (scratch.arg("data"), scratch.arg("dump"), scratch.arg("again"));
    let server = Server::start(&dir, &["--no-auth", "--uids", "minted"]);
    succeeds(&["backup", &dump, "--server", &server.admin]);
    server.stop();
    let list = scratch.file("erased.tsv", "7\t1\n");
    succeeds(&["restore", &dump, "--erased", &list, "--data", &again]);
    assert!(run(&["export", "erased", "--data", &again]).stdout.starts_with("7\t"));
}

#[test]
fn a_list_of_erased_users_that_is_none_is_refused_before_anything_is_restored() {
    let scratch = Scratch::new();
    let (dir, dump, again) = (scratch.arg("data"), scratch.arg("dump"), scratch.arg("again"));
    let edges = scratch.file("edges.tsv", "1\t2\n");
    succeeds(&["import", "edges", &edges, "--data", &dir]);
    succeeds(&["backup", &dump, "--data", &dir]);
    let list = scratch.file("erased.tsv", "7\t1\nnobody\t1\n");
    run(&["restore", &dump, "--erased", &list, "--data", &again]).failed(2, "line 2");
    assert!(!Path::new(&again).exists());
}
