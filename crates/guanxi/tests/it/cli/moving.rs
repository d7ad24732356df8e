//! A community moves: data that is exported, imported elsewhere and exported again is the same to the byte.

use super::run::{Scratch, Server, rows, run};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// What moves, in the order of its import.
const LISTS: [&str; 5] = ["edges", "mutes", "posts", "likes", "blocks"];
const USERS: u64 = 9;
const OPERATIONS: u64 = 260;

/// A random sequence, the same in every run.
pub(super) struct Dice(pub(super) u64);

impl Dice {
    pub(super) fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }

    fn user(&mut self) -> String {
        // Genes that are not in the order of the users.
        (1 + self.below(USERS)).wrapping_mul(197).to_string()
    }
}

/// Posts of another service: of one millisecond, in threads, some of them answered before they were written, and with keys
/// that look like anything.
pub(super) fn archive(dice: &mut Dice) -> String {
    let mut lines: Vec<(String, String)> = Vec::new();
    let mut text = String::new();
    for n in 0..60_u64 {
        let key = match n % 4 {
            0 => format!("tab\t\"{n}\" \u{4e2d}"),
            1 => n.to_string(),
            _ => format!("k{n}"),
        };
        let (author, time) = (dice.user(), 1_700_000_000_000 - n % 3 * dice.below(2) * 1_000);
        let mut post =
            json!({ "author": author, "key": key, "time": time, "text": format!("\u{65e7} {n}\n") });
        if n > 3 && n % 3 > 0 {
            let (author, key) = &lines[dice.below(n) as usize];
            let of = if n % 3 == 1 { "reply_to" } else { "repost_of" };
            post[of] = json!({ "author": author, "key": key });
            if n % 9 == 2 {
                post["text"] = Value::Null;
            }
        }
        writeln!(text, "{post}").unwrap();
        lines.push((author, key));
    }
    text
}

/// Lets users do what users do. What is refused is answered as such, and belongs to it.
pub(super) fn live(server: &Server, dice: &mut Dice) {
    let mut posts: Vec<(String, String)> = Vec::new();
    let mut done: BTreeMap<&str, u64> = BTreeMap::new();
    for n in 0..OPERATIONS {
        let (user, other) = (dice.user(), dice.user());
        let post = (!posts.is_empty()).then(|| posts[dice.below(posts.len() as u64) as usize].clone());
        let (author, id) = post.unwrap_or_default();
        let pair = json!({ "subject": user, "object": other });
        let visibility = ["PUBLIC", "PUBLIC", "PUBLIC", "FOLLOWERS", "FRIENDS"][dice.below(5) as usize];
        let text = format!("\u{5173}\u{7cfb} {n} \u{1f600}");
        let new = json!({ "author": user, "text": text, "visibility": visibility });
        let with = |field: &str, value: Value| {
            let mut new = new.clone();
            new[field] = value;
            new
        };
        let (method, request) = match dice.below(20) {
            0..4 => ("Follow", pair),
            4 => ("Unfollow", pair),
            5 => (["Block", "Mute", "Mute", "Unblock"][dice.below(4) as usize], pair),
            6..9 => ("PostService/CreatePost", new.clone()),
            9 => {
                let attachments = json!([{ "kind": "IMAGE", "reference": format!("https://x/{n}?a=\"b\"") }]);
                ("PostService/CreatePost", with("attachments", attachments))
            }
            10..12 => ("PostService/CreatePost", with("replyTo", json!(id))),
            12 => ("PostService/CreatePost", with("repostOf", json!(id))),
            13 => ("PostService/CreatePost", json!({ "author": user, "repostOf": id })),
            14 => {
                let edit = json!({ "author": author, "postId": id, "text": format!("edited {n}"),
                    "visibility": visibility, "updateMask": "text,visibility" });
                ("PostService/UpdatePost", edit)
            }
            15..17 => ("PostService/DeletePost", json!({ "author": author, "postId": id })),
            17 => ("PostService/RestorePost", json!({ "author": author, "postId": id })),
            _ => ("PostService/LikePost", json!({ "uid": user, "postId": id })),
        };
        if id.is_empty() && request.to_string().contains("\"\"") {
            continue;
        }
        let answer = server.call(method, &request);
        if answer["code"].is_null() {
            *done.entry(method).or_default() += 1;
            if method == "PostService/CreatePost" {
                posts.push((user, answer["postId"].as_str().unwrap().to_owned()));
            }
        }
    }
    let least = ["Follow", "Unfollow", "Block", "Mute", "PostService/DeletePost", "PostService/LikePost"];
    assert!(least.iter().all(|method| done.contains_key(method)), "{done:?}");
}

/// Every list of a target.
pub(super) fn exported(target: [&str; 2]) -> BTreeMap<&'static str, String> {
    let list = |what| {
        let ran = run(&[&["export", what][..], &target].concat());
        assert_eq!(ran.code, 0, "{ran:?}");
        (what, ran.stdout)
    };
    LISTS.into_iter().map(list).collect()
}

pub(super) fn assert_same(ours: &BTreeMap<&str, String>, theirs: &BTreeMap<&str, String>, context: &str) {
    for (what, list) in ours {
        let lines = list.lines().zip(theirs[what].lines()).enumerate();
        let differs = lines.filter(|(_, (ours, theirs))| ours != theirs).map(|(n, _)| n + 1).next();
        assert!(list == &theirs[what], "{context}: {what} differ, first at line {differs:?}");
    }
}

/// What everybody sees: homes and own posts with their counters, and who likes them.
fn seen(server: &Server) -> Vec<Value> {
    let mut seen = Vec::new();
    for user in 1..=USERS {
        let viewer = (user * 197).to_string();
        for (method, whose) in
            [("FeedService/GetHomeTimeline", "viewer"), ("PostService/ListAuthorPosts", "author")]
        {
            let asked = json!({ whose: viewer, "viewer": viewer, "pageSize": 200 });
            let page = server.call(method, &asked);
            let items = page["posts"].as_array().unwrap_or_else(|| panic!("{page}"));
            for item in items {
                let post = &item["post"];
                let fields = ["postId", "author", "text", "visibility", "replyTo", "repostOf", "createTime"];
                let shown: Vec<&Value> = fields.iter().map(|field| &post[field]).collect();
                let others = ["likes", "replies", "reposts", "liked", "reposted", "status"];
                let counted: Vec<&Value> = others.iter().map(|field| &item[field]).collect();
                let original = &item["original"];
                let original = [&original["status"], &original["post"]["postId"], &original["post"]["text"]];
                seen.push(json!([viewer, method, shown, counted, original]));
            }
        }
    }
    seen
}

/// Checks that everybody sees the same as elsewhere, and that nothing in the store contradicts itself.
fn assert_is_copy(server: &Server, seen_before: &[Value]) {
    let seen_after = seen(server);
    for (before, after) in seen_before.iter().zip(&seen_after) {
        assert_eq!(before, after);
    }
    assert_eq!(seen_before.len(), seen_after.len());
    for flags in [&["--feed", "--sample", "50"][..], &[]] {
        let proof = run(&[&["verify", "--server", &server.admin, "--json"], flags].concat()).json();
        assert_eq!(proof["clean"], true, "{proof}");
    }
}

/// Imports a list in two runs, as if the first had been cut off, and once more to no effect.
fn import(what: &str, list: &str, scratch: &Scratch, target: [&str; 2]) {
    // The first line says what the list is.
    let count = rows(list).lines().count();
    let half: String = list.split_inclusive('\n').take(1 + count / 2).collect();
    let (half, whole) = (scratch.file("half", half), scratch.file("whole", list));
    let once = |file: &str, more: &[&str]| {
        run(&[&["import", what, file, "--json", "--strict"][..], more, &target].concat()).json()
    };
    let job = ["--job", what];
    let (first, rest) = (once(&half, &job), once(&whole, &job));
    assert_eq!(first["accepted"], count / 2, "{first}");
    // Follows are loaded at once into an empty directory, which keeps no position.
    let stood = if first["method"] == "bulk" { 0 } else { 1 + count / 2 };
    assert_eq!((&rest["resumed_at_line"], &rest["refused_total"]), (&stood.into(), &0.into()), "{rest}");
    assert_eq!(rest["accepted"], count - count / 2, "{rest}");
    let again = once(&whole, &["--job", &format!("{what} again")]);
    assert_eq!((&again["accepted"], &again["already_there"]), (&0.into(), &count.into()), "{again}");
}

#[test]
fn a_community_is_the_same_after_it_moved() {
    let scratch = Scratch::new();
    let mut dice = Dice(7);
    let old = scratch.arg("old");
    let archive = scratch.file("archive.ndjson", archive(&mut dice));
    let report = run(&["import", "posts", &archive, "--data", &old, "--json"]).json();
    assert_eq!(report["refused_total"], 0, "{report}");
    let server = Server::start(&old, &["--no-auth"]);
    live(&server, &mut dice);
    let lists = exported(["--server", &server.admin]);
    let seen_before = seen(&server);
    server.stop();
    assert_same(&exported(["--data", &old]), &lists, "the directory and its server");

    let posts: Vec<Value> =
        rows(&lists["posts"]).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let mut known = BTreeSet::new();
    for post in &posts {
        for of in ["reply_to", "repost_of"] {
            let of = &post[of];
            assert!(
                of.is_null() || known.contains(&(of["author"].clone().to_string(), of["key"].to_string())),
                "{post}"
            );
        }
        assert!(known.insert((post["author"].to_string(), post["key"].to_string())), "a key twice: {post}");
    }
    let id = |post: &Value| post["post_id"].as_str().unwrap().parse::<u64>().unwrap();
    assert!(posts.windows(2).any(|pair| id(&pair[0]) > id(&pair[1])), "more than one round");
    let deleted = posts.iter().filter(|post| post["deleted"] == true).count();
    let of_followers = posts.iter().filter(|post| post["visibility"] == "FOLLOWERS").count();
    assert!(deleted > 5 && of_followers > 2 && posts.len() > 100, "{deleted} of {}", posts.len());
    assert!(seen_before.len() > 100 && lists.values().all(|list| !list.is_empty()), "{}", seen_before.len());

    let copy = scratch.arg("copy");
    let second = Server::start(&scratch.arg("served"), &["--no-auth"]);
    // Into the second one while homes are pushed and inboxes are there, made by a visit.
    run(&["fanout", "policy", "--mode", "push", "--server", &second.admin, "--json"]).json();
    for target in [["--data", &*copy], ["--server", &second.admin]] {
        for what in LISTS {
            import(what, &lists[what], &scratch, target);
            if target[0] == "--server" {
                seen(&second);
            }
        }
        assert_same(&exported(target), &lists, target[0]);
    }
    assert_is_copy(&second, &seen_before);
    second.stop();
    let copied = Server::start(&copy, &["--no-auth"]);
    assert_is_copy(&copied, &seen_before);
    // What is written from now on is above what came, and the archive is known by its own keys.
    let next = copied.call("PostService/CreatePost", &json!({ "author": "197", "text": "here" }));
    let next: u64 = next["postId"].as_str().unwrap().parse().unwrap();
    assert!(posts.iter().all(|post| id(post) < next));
    let again = run(&["import", "posts", &archive, "--server", &copied.admin, "--json"]).json();
    assert_eq!((&again["accepted"], &again["refused_total"]), (&0.into(), &0.into()), "{again}");
    copied.stop();
    assert_eq!(run(&["verify", "--data", &copy, "--json"]).json()["clean"], true);
}

#[test]
fn an_export_of_posts_goes_on_after_any_of_its_messages() {
    let scratch = Scratch::new();
    let server = Server::start(&scratch.arg("data"), &["--no-auth"]);
    let archive = scratch.file("archive.ndjson", archive(&mut Dice(3)));
    run(&["import", "posts", &archive, "--server", &server.admin, "--json"]).json();
    let call = |method: &str, request: &Value| -> Vec<Value> {
        let method = format!("AdminService/{method}");
        let ran = run(&["call", &method, &request.to_string(), "--server", &server.admin]);
        assert_eq!(ran.code, 0, "{ran:?}");
        serde_json::Deserializer::from_str(&ran.stdout).into_iter().map(Result::unwrap).collect()
    };
    let keys = |messages: &[Value]| -> Vec<(Value, Value)> {
        let posts = messages.iter().filter_map(|message| message["posts"].as_array()).flatten();
        posts.map(|post| (post["author"].clone(), post["key"].clone())).collect()
    };
    let all = keys(&call("ExportPosts", &json!({})));
    assert!(all.len() > 50);
    let (mut found, mut place) = (Vec::new(), json!({}));
    for _ in 0..all.len() * 2 {
        place["maxPosts"] = json!(7);
        let messages = call("ExportPosts", &place);
        let some = keys(&messages);
        assert!(some.len() <= 7);
        if some.is_empty() {
            break;
        }
        found.extend(some);
        let last = messages.last().unwrap();
        let (round, post) = (last["round"].as_u64().unwrap_or(0), last["postId"].clone());
        place = json!({ "afterRound": round, "afterPostId": post });
    }
    assert_eq!(found, all);
    server.stop();
}
