//! Lists from elsewhere: what is not clear is asked before anything is written, and what was read before is not taken on
//! trust.

use super::run::{Scratch, Server, rows, run, run_with_input};
use std::fs;
use std::io::Write as _;
use std::path::Path;

/// A list that may be a row and rows, or names and rows; with what the import asks for.
const UNCLEAR: [(&str, &str); 6] = [
    ("follower,kogo\nann,bob\n", "--header yes|no"),
    ("follower,followee,weight\nann,bob,3\n", "--columns source,target,time"),
    ("ann,bob,3\nbob,carl,4\n", "--columns source,target,-"),
    ("ann bob carl dora\nbob ann dora carl\n", "--columns source,target,time,-"),
    ("source,target\n", "there is no row"),
    ("{\"relationships_following\":[]}\n", "--subject YOU"),
];

#[test]
fn nothing_is_made_of_a_list_that_is_not_clear() {
    let scratch = Scratch::new();
    let server = Server::start(&scratch.arg("data"), &["--no-auth"]);
    for (text, told) in UNCLEAR {
        let file = scratch.file("list", text);
        for target in [["--server", &server.admin], ["--data", &scratch.arg("new")]] {
            run(&[&["import", "edges", &file, "--ids", "string"][..], &target].concat()).failed(3, told);
        }
    }
    assert!(!Path::new(&scratch.arg("new")).exists(), "a directory was made");
    let names = ["follower", "ann", "source"];
    let known = server.call("UserService/ResolveIds", &serde_json::json!({ "externalIds": names }));
    assert!(
        known["byExternalId"]
            .as_array()
            .unwrap()
            .iter()
            .all(|entry| entry["uid"].is_null() || entry["uid"] == "0"),
        "{known}"
    );
    server.stop();
}

#[test]
fn a_dry_run_says_what_a_list_is_taken_for_and_writes_nothing() {
    let scratch = Scratch::new();
    let dir = scratch.arg("data");
    let file =
        scratch.file("list.csv", "id;followed;follower;when\r1;2;3;2024-05-01 12:30:00\r2;3;4;\\N\r3;5;5;\r");
    let shown = run(&["import", "edges", &file, "--data", &dir, "--dry-run"]);
    assert_eq!(shown.code, 0, "{shown:?}");
    for text in [
        "plain text",
        "end in carriage returns, fields are separated by semicolons",
        "header     id;followed;follower;when",
        "columns    -,target,source,time",
        "sources: numbers, targets: numbers",
        "line 2     3 follows 2 since 2024-05-01T12:30:00Z",
        "line 3     4 follows 3 from now on",
        "line 4     refused: SELF",
        "nothing was written",
    ] {
        assert!(shown.stdout.contains(text), "{text}: {}", shown.stdout);
    }
    assert!(!Path::new(&dir).exists());
    let json = run(&["import", "edges", &file, "--data", &dir, "--dry-run", "--json"]).json();
    assert_eq!(
        (&json["columns"], &json["rows"][0]["line"]),
        (&"-,target,source,time".into(), &2.into()),
        "{json}"
    );
    let words = run_with_input(
        &["import", "blocks", "-", "--ids", "string", "--data", &dir, "--dry-run"],
        b"ann bob\n",
    );
    assert!(words.stdout.contains("ann blocks bob from now on"), "{words:?}");
    let posts = scratch.file("posts", "{\"author\":\"ann\",\"key\":\"a\",\"time\":\"2024-05-01\"}\n");
    let posts = run(&["import", "posts", &posts, "--ids", "string", "--data", &dir, "--dry-run"]);
    assert!(posts.stdout.contains("ann wrote the post a at 2024-05-01T00:00:00Z"), "{posts:?}");

    let report = run(&["import", "edges", &file, "--data", &dir]);
    assert!(report.stdout.contains("times without a zone, read as UTC: 1"), "{report:?}");
    let list = run(&["export", "edges", "--data", &dir]).stdout;
    assert!(rows(&list).starts_with("3\t2\t1714566600\n4\t3\t"), "{list}");
}

#[test]
fn what_cannot_be_read_is_named() {
    let scratch = Scratch::new();
    let dir = scratch.arg("data");
    let mut wide = zstd::Encoder::new(Vec::new(), 1).unwrap();
    wide.window_log(30).unwrap();
    wide.write_all(b"1 2\n").unwrap();
    let utf16: Vec<u8> = "1 2\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let mut tar = vec![b'1'; 1024];
    tar[257..262].copy_from_slice(b"ustar");
    let files: [(Vec<u8>, &str); 6] = [
        (b"PK\x03\x04\0".to_vec(), "packed as zip"),
        (b"BZh91AY".to_vec(), "packed as bzip2"),
        (b"\xfd7zXZ\0".to_vec(), "packed as xz"),
        (utf16, "UTF-16"),
        (zstd::encode_all(&tar[..], 1).unwrap(), "tar archive"),
        (wide.finish().unwrap(), "--long=31"),
    ];
    for (bytes, told) in files {
        let file = scratch.file("file", bytes);
        for kind in ["edges", "posts"] {
            let ran = run(&["import", kind, &file, "--data", &dir]);
            assert!(ran.code != 0 && ran.stderr.contains(told), "{told}: {ran:?}");
        }
    }
    assert!(!Path::new(&dir).exists());
}

#[test]
fn an_import_goes_on_with_the_same_list_only() {
    let scratch = Scratch::new();
    let server = Server::start(&scratch.arg("served"), &["--no-auth"]);
    let dir = scratch.arg("data");
    for target in [["--data", &dir], ["--server", &server.admin]] {
        let import = |text: &str| {
            let file = scratch.file("list", text);
            run(&[&["import", "mutes", &file, "--job", "night", "--json"][..], &target].concat())
        };
        assert_eq!(import("1 2\n3 4\n").json()["accepted"], 2);
        import("1 2\n3 5\n5 6\n").failed(1, "the first 2 lines are not those that the job imported");
        import("1 2\n").failed(1, "the list has 1 lines");
        let list = run(&[&["export", "mutes"][..], &target].concat()).stdout;
        assert_eq!(rows(&list).lines().count(), 2, "{list}");
        let rest = import("1 2\n3 4\n5 6\n").json();
        assert_eq!((&rest["resumed_at_line"], &rest["accepted"]), (&2.into(), &1.into()), "{rest}");
    }
    server.stop();
}

#[test]
fn an_archive_that_knows_days_alone_keeps_its_order() {
    let scratch = Scratch::new();
    let dir = scratch.arg("data");
    // More posts of two authors of one shard than a millisecond has ids.
    let count = 16_384 + 100;
    let line = |n: u32| {
        format!(
            "{{\"author\":{},\"key\":\"{n}\",\"time\":\"2014-05-01\",\"text\":\"x\"}}\n",
            1 + 256 * (n % 2)
        )
    };
    let file = scratch.file("posts", (0..count).map(line).collect::<String>());
    let report = run(&["import", "posts", &file, "--data", &dir, "--json"]).json();
    assert_eq!(
        (&report["accepted"], &report["times_without_zone"]),
        (&count.into(), &count.into()),
        "{report}"
    );
    let list = run(&["export", "posts", "--data", &dir]).stdout;
    let keys: Vec<u32> = rows(&list)
        .lines()
        .map(|line| {
            let post: serde_json::Value = serde_json::from_str(line).unwrap();
            assert_eq!(post["time"], 1_398_902_400_000_u64, "{post}");
            post["key"].as_str().unwrap().parse().unwrap()
        })
        .collect();
    assert!(keys.into_iter().eq(0..count), "posts are exported in the order of their ids");
}

#[test]
fn ids_keep_their_spaces_and_a_list_of_one_side_is_imported() {
    let scratch = Scratch::new();
    let dir = scratch.arg("data");
    let out = scratch.arg("out.tsv");
    let target = ["--ids", "string", "--data", &dir];
    let import = |text: &str, more: &[&str]| {
        let file = scratch.file("list", text);
        run(&[&["import", "edges", &file, "--json"], &target[..], more].concat()).json()
    };
    let odd = import("source,target\n\" ann \",bob\nbob,\"\\N\"\nbob,\\N\n\"#1\",\"a \"\"b\"\"\"\n", &[]);
    assert_eq!((&odd["accepted"], &odd["refused_total"]), (&3.into(), &1.into()), "{odd}");
    let following =
        "Account address,Show boosts,Notify on new posts,Languages\nann@example.org,true,false,\"en, fr\"\n";
    assert_eq!(import(following, &["--subject", "me"])["accepted"], 1);
    assert_eq!(import("you\n", &["--object", "me"])["accepted"], 1);
    let export = run(&[&["export", "edges", &out], &target[..]].concat());
    assert_eq!(export.code, 0, "{export:?}");
    let list = fs::read_to_string(&out).unwrap();
    for row in [
        "\" ann \"\tbob\t",
        "bob\t\"\\N\"\t",
        "\"#1\"\t\"a \"\"b\"\"\"\t",
        "me\tann@example.org\t",
        "you\tme\t",
    ] {
        assert!(rows(&list).lines().any(|line| line.starts_with(row)), "{row}: {list}");
    }
    let again = import(&list, &[]);
    assert_eq!((&again["already_there"], &again["refused_total"]), (&5.into(), &0.into()), "{again}");
    let number = run(&["import", "edges", &scratch.file("one", "1\n"), "--subject", "me", "--data", &dir]);
    number.failed(2, "is no uid");
}
