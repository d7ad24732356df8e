//! Lists whose users are UUIDs: imported into a directory and through a server, and exported as they were.

use super::run::{Scratch, Server, rows, run, wait_for};
use serde_json::json;
use std::collections::BTreeSet;
use std::fs;

/// A UUID of a user.
fn uuid(n: u32) -> String {
    format!("0192d3a4-7b1c-7e55-8f00-{n:012x}")
}

/// A small world: who follows whom since when, as a list with the names of its columns.
fn edges() -> String {
    let edge = |n: u32, to: u32| format!("{},{},{}\n", uuid(n), uuid((n * to + 1) % 40), 1_700_000_000 + n);
    let edges: BTreeSet<String> =
        (0..40).flat_map(|n| [edge(n, 3), edge(n, 7)]).filter(|line| line[..36] != line[37..73]).collect();
    "follower,followee,time\n".to_owned() + &edges.into_iter().collect::<String>()
}

/// Runs a command that must succeed.
fn done(args: &[&str]) {
    let ran = run(args);
    assert_eq!(ran.code, 0, "{args:?}: {ran:?}");
}

fn lines(text: &str) -> BTreeSet<String> {
    text.lines().map(|line| line.replace(',', "\t")).collect()
}

#[test]
fn a_world_of_uuids_is_imported_once_and_exported_as_it_was() {
    let scratch = Scratch::new();
    let (dir, file, out) = (scratch.arg("data"), scratch.file("edges.csv", edges()), scratch.arg("out.tsv"));
    let expected = lines(edges().split_once('\n').unwrap().1);
    let import = ["import", "edges", &file, "--ids", "string", "--data", &dir, "--json"];
    let first = run(&import).json();
    assert_eq!(
        (&first["method"], &first["accepted"]),
        (&"batches".into(), &expected.len().into()),
        "{first}"
    );
    let again = run(&import).json();
    assert_eq!((&again["accepted"], &again["already_there"]), (&0.into(), &expected.len().into()), "{again}");
    done(&["export", "edges", &out, "--ids", "string", "--data", &dir]);
    assert_eq!(lines(rows(&fs::read_to_string(&out).unwrap())), expected);
    done(&["verify", "--data", &dir]);

    // Uids are still what they are in the store; one without an id of its own cannot be written by it.
    let plain = run(&["export", "edges", "--data", &dir]);
    assert!(
        rows(&plain.stdout).lines().all(|line| line.split('\t').all(|field| field.parse::<f64>().is_ok()))
    );
    let more = scratch.file("more.tsv", "7\t8\n");
    done(&["import", "edges", &more, "--data", &dir]);
    let part = run(&["export", "edges", &out, "--ids", "string", "--force", "--data", &dir, "--json"]);
    assert_eq!(part.code, 3, "{part:?}");
    assert!(
        part.stderr.contains("1 rows about 2 users without an id of yours were left out: 7, 8"),
        "{part:?}"
    );
    assert!(part.stdout.contains("\"left_out\":1"), "{part:?}");
    assert_eq!(lines(rows(&fs::read_to_string(&out).unwrap())), expected, "all others are there");
}

#[test]
fn a_server_keeps_the_same_dictionary_for_lists_and_calls() {
    let scratch = Scratch::new();
    let server = Server::start(&scratch.arg("data"), &["--no-auth"]);
    let target = ["--ids", "string", "--server", &server.admin, "--json"];
    let import = |kind: &str, name: &str, text: String| {
        run(&[&["import", kind, &scratch.file(name, text)], &target[..]].concat()).json()
    };
    let count = edges().lines().count() - 1;
    let first = import("edges", "edges.csv", edges());
    assert_eq!((&first["method"], &first["accepted"]), (&"server".into(), &count.into()), "{first}");
    let (alice, bob) = (uuid(1), "bob, \"the second\" #2");
    let quoted = format!("{alice};\"{}\"\n", bob.replace('"', "\"\""));
    let refused = format!("{quoted}a;a\n;b\n{};c\n", "x".repeat(129));
    let more = import("edges", "more.csv", refused);
    assert_eq!((&more["accepted"], &more["refused_total"]), (&1.into(), &3.into()), "{more}");
    let relation = server.call(
        "GetRelation",
        &serde_json::json!({
            "subject": format!("ext:{alice}"), "object": format!("ext:{bob}")
        }),
    );
    assert_eq!(relation["relation"]["state"], "FOLLOWING", "{relation}");
    let blocks = import("blocks", "blocks.tsv", format!("{alice}\t{}\n", uuid(99)));
    assert_eq!(blocks["accepted"], 1, "{blocks}");

    let post = format!(
        "{{\"author\":\"{alice}\",\"key\":\"a1\",\"time\":1700000000000,\"text\":\"hello\"}}\n\
         {{\"author\":7,\"key\":\"b1\",\"time\":1700000001000,\"text\":\"yes\",\
         \"reply_to\":{{\"author\":\"{alice}\",\"key\":\"a1\"}}}}\n"
    );
    let posts = import("posts", "posts.jsonl", post.clone());
    assert_eq!((&posts["accepted"], &posts["refused_total"]), (&2.into(), &0.into()), "{posts}");
    assert_eq!(import("posts", "posts.jsonl", post)["already_there"], 2);
    let like = format!("{{\"user\":\"7\",\"author\":\"{alice}\",\"key\":\"a1\",\"time\":1700000002000}}\n");
    assert_eq!(import("likes", "likes.jsonl", like.clone())["accepted"], 1);
    let seven = server.call("UserService/ResolveIds", &serde_json::json!({ "externalIds": ["7"] }));
    assert_ne!(seven["byExternalId"][0]["uid"], "7", "among ids of your own, 7 is a text");

    let export = |kind: &str| {
        let out = scratch.arg(kind);
        done(&[&["export", kind, &out], &target[..]].concat());
        fs::read_to_string(out).unwrap()
    };
    assert_eq!(rows(&export("likes")), like);
    assert!(export("posts").contains(&format!("\"reply_to\":{{\"author\":\"{alice}\",\"key\":\"a1\"}}")));
    assert!(rows(&export("blocks")).starts_with(&format!("{alice}\t{}\t", uuid(99))));
    let exported = export("edges");
    let again = import("edges", "exported.tsv", exported.clone());
    assert_eq!(
        (&again["accepted"], &again["already_there"]),
        (&0.into(), &rows(&exported).lines().count().into())
    );
    server.stop();
}

/// A list names a user whom an operator has erased meanwhile. A repeated import brings no such user back, also into a
/// directory that is restored from a backup. The user itself may begin anew.
#[test]
fn a_list_that_is_imported_again_brings_no_erased_user_back() {
    let scratch = Scratch::new();
    let (dir, dump, copy) = (scratch.arg("data"), scratch.arg("dump"), scratch.arg("copy"));
    let edges =
        scratch.file("edges.tsv", "ann\tbob\t1700000000\nbob\tcat\t1700000001\ncat\tann\t1700000002\n");
    let likes = scratch.file("likes.jsonl", "{\"user\":\"ann\",\"author\":\"bob\",\"key\":\"1\"}\n");
    let posts = scratch.file(
        "posts.jsonl",
        "{\"author\":\"ann\",\"key\":\"1\",\"time\":1700000000000,\"text\":\"x\"}\n\
         {\"author\":\"bob\",\"key\":\"1\",\"time\":1700000000000,\"text\":\"y\"}\n",
    );
    let import = |kind: &str, file: &str, target: [&str; 2]| {
        let target = [&["--ids", "string", "--max-refused", "9", "--json"], &target[..]].concat();
        let ran = run(&[&["import", kind, file], &target[..]].concat());
        let report: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(ran.code, if report["accepted"] == 0 && report["already_there"] == 0 { 3 } else { 0 });
        let counts = [&report["accepted"], &report["already_there"], &report["refused_total"]];
        let counts = counts.map(|n| n.as_u64().unwrap());
        assert_eq!(report["refused"]["USER_DELETED"].as_u64().unwrap_or_default(), counts[2], "{ran:?}");
        counts
    };
    let refused = |kind: &str, target| {
        let (file, named, rest) = match kind {
            "edges" => (&edges, 2, 1),
            "posts" => (&posts, 1, 1),
            _ => (&likes, 1, 0),
        };
        assert_eq!(import(kind, file, target), [0, rest, named], "{kind}");
    };
    let server = Server::start(&dir, &["--no-auth"]);
    let admin = server.admin.clone();
    let here = ["--server", admin.as_str()];
    assert_eq!(import("edges", &edges, here), [3, 0, 0]);
    assert_eq!(import("posts", &posts, here), [2, 0, 0]);
    let resolve = |server: &Server, create: bool| {
        let ask = json!({ "externalIds": ["ann"], "create": create });
        server.call("UserService/ResolveIds", &ask)["byExternalId"][0]["uid"].as_str().unwrap().to_owned()
    };
    let uid = resolve(&server, false);
    server.call("UserService/EraseUser", &json!({ "uid": uid }));
    wait_for(|| {
        let user = server.call("UserService/GetUser", &json!({ "uid": uid }));
        user["user"]["status"] == "ERASED"
    });
    for kind in ["edges", "posts", "likes"] {
        refused(kind, here);
    }
    done(&["backup", &dump, "--server", &server.admin]);
    assert_ne!(resolve(&server, true), uid, "the user itself begins anew");
    assert_eq!(import("edges", &edges, here), [2, 1, 0], "and is who the list means");
    server.stop();

    done(&["restore", &dump, "--data", &copy]);
    for kind in ["edges", "posts", "likes"] {
        refused(kind, ["--data", &copy]);
    }
    done(&["verify", "--data", &copy]);
}
