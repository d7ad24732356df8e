//! Import and export: exact counts, the same again, and refusals by line.

use super::run::{NOSTR, NOSTR_EDGES, Scratch, Server, rows, run, run_with_input};
use std::collections::HashMap;
use std::fs;

/// The lines of an exported list, which is ordered.
fn exported(scratch: &Scratch, dir: &str) -> String {
    let file = scratch.arg("exported.tsv");
    let json = run(&["export", "edges", &file, "--data", dir, "--json"]).json();
    let list = fs::read_to_string(file).unwrap();
    assert!(list.starts_with("# guanxi edges 1: subject object at\n"), "{}", &list[..40]);
    let text = rows(&list);
    assert_eq!(json["edges"], text.lines().count());
    text.to_owned()
}

/// The shipped graph in the order of an export.
fn nostr() -> String {
    let mut text = String::new();
    std::io::Read::read_to_string(
        &mut zstd::Decoder::new(fs::File::open(NOSTR).unwrap()).unwrap(),
        &mut text,
    )
    .unwrap();
    let key = |line: &str| -> (u64, u64) {
        let mut ids = line.split('\t').map(|id| id.parse().unwrap_or(0));
        (ids.next().unwrap(), ids.next().unwrap())
    };
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable_by_key(|line| key(line));
    lines.join("\n") + "\n"
}

#[test]
fn a_real_graph_is_imported_exactly_and_again_without_effect() {
    let scratch = Scratch::new();
    let dir = scratch.arg("data");
    let first = run(&["import", "edges", NOSTR, "--data", &dir, "--json"]).json();
    assert_eq!((&first["method"], &first["accepted"]), (&"bulk".into(), &NOSTR_EDGES.into()), "{first}");
    let again = run(&["import", "edges", NOSTR, "--data", &dir, "--json"]).json();
    assert_eq!((&again["method"], &again["accepted"]), (&"batches".into(), &0.into()), "{again}");
    assert_eq!(again["already_there"], NOSTR_EDGES);
    let once_more = run(&["import", "edges", NOSTR, "--data", &dir, "--json"]).json();
    assert_eq!(
        (&once_more["lines"], &once_more["already_there"]),
        (&NOSTR_EDGES.into(), &NOSTR_EDGES.into())
    );
    let proof = run(&["verify", "--data", &dir, "--json"]).json();
    assert_eq!((&proof["forward"], &proof["reverse"]), (&NOSTR_EDGES.into(), &NOSTR_EDGES.into()), "{proof}");
    assert_eq!((&proof["counters"], &proof["mutual"]), (&29_827.into(), &(2 * 9_367).into()), "{proof}");

    let text = exported(&scratch, &dir);
    assert!(text == nostr(), "what is exported is not what was imported");
    let mut followers: HashMap<&str, u64> = HashMap::new();
    for line in text.lines() {
        *followers.entry(line.split('\t').nth(1).unwrap()).or_default() += 1;
    }
    assert_eq!(followers.iter().max_by_key(|(_, count)| **count), Some((&"1995", &443)));
}

#[test]
fn a_server_imports_and_exports_the_same_as_a_directory() {
    let scratch = Scratch::new();
    let dir = scratch.arg("data");
    let server = Server::start(&dir, &["--no-auth"]);
    let target = ["--server", &server.admin];
    let report = run(&[&["import", "edges", NOSTR, "--json"], &target[..]].concat()).json();
    assert_eq!((&report["method"], &report["accepted"]), (&"server".into(), &NOSTR_EDGES.into()), "{report}");
    let again = run(&[&["import", "edges", NOSTR, "--json"], &target[..]].concat()).json();
    assert_eq!((&again["accepted"], &again["already_there"]), (&0.into(), &NOSTR_EDGES.into()), "{again}");
    let file = scratch.arg("edges.tsv.zst");
    let json = run(&[&["export", "edges", &file, "--json"], &target[..]].concat()).json();
    assert_eq!(json["edges"], NOSTR_EDGES);
    let counts = server.call("GetCounts", &serde_json::json!({ "uid": "1995" }));
    assert_eq!(counts["counts"]["followers"], 443, "{counts}");
    server.stop();

    // What a server exports compressed is what a new directory imports.
    let copy = scratch.arg("copy");
    let report = run(&["import", "edges", &file, "--data", &copy, "--json"]).json();
    assert_eq!(report["accepted"], NOSTR_EDGES);
    assert!(exported(&scratch, &copy) == nostr(), "the copy differs");
}

#[test]
fn every_refused_line_is_reported_with_its_reason_on_each_path() {
    let scratch = Scratch::new();
    let text = "# a comment\n1 2 1700000000\n\n3 3\n0 5\n1 9223372036854775808\nhello world\n1  2 1700000001\n\
                1 4 1700000000000\n1 5\n1 6\n";
    let file = scratch.file("edges", text);
    let config = scratch.file("guanxi.toml", "follow_limit = 2");
    let expected = serde_json::json!({
        "SELF": 1, "UID_OUT_OF_RANGE": 2, "MALFORMED": 1, "TIME_OUT_OF_RANGE": 1, "LIMIT_REACHED": 1
    });
    let check = |report: &serde_json::Value| {
        assert_eq!((&report["lines"], &report["edges"]), (&11.into(), &9.into()), "{report}");
        assert_eq!((&report["accepted"], &report["already_there"]), (&2.into(), &1.into()), "{report}");
        assert_eq!((&report["refused"], &report["refused_total"]), (&expected, &6.into()), "{report}");
        let lines: Vec<_> = report["examples"].as_array().unwrap().iter().map(|e| &e["line"]).collect();
        assert_eq!(lines, [4, 5, 6, 7, 9, 11], "{report}");
    };
    let bulk = ["import", "edges", &file, "--config", &config, "--data", &scratch.arg("bulk"), "--json"];
    check(&run(&bulk).json());

    let dir = scratch.arg("batches");
    run(&["import", "edges", &scratch.file("other", "8 9"), "--data", &dir, "--json"]).json();
    check(&run(&["import", "edges", &file, "--config", &config, "--data", &dir, "--json"]).json());

    let server = Server::start(&scratch.arg("served"), &["--no-auth", "--follow-limit", "2"]);
    check(&run(&["import", "edges", &file, "--server", &server.admin, "--json"]).json());
    let shown = run(&["import", "edges", &file, "--server", &server.admin]);
    assert!(
        shown.stdout.contains("line 7: MALFORMED: the source `hello` is no number: hello world"),
        "{shown:?}"
    );
}

/// What a spreadsheet and a database write.
const CSV: &str = "\u{feff}\"follower\";\"followee\";\"since\"\r\n\"1\";\"2\";\"2024-05-01T12:30:00+08:00\"\r\n\
                   3;4;\r\n5;6;2024-05-01 12:30:00.25Z\r\n";

#[test]
fn what_spreadsheets_write_is_read_on_each_path() {
    let scratch = Scratch::new();
    let file = scratch.file("follows.csv", CSV);
    let check = |report: &serde_json::Value| {
        assert_eq!((&report["accepted"], &report["refused_total"]), (&3.into(), &0.into()), "{report}");
        assert_eq!(report["header"], "\"follower\";\"followee\";\"since\"", "{report}");
    };
    let dir = scratch.arg("bulk");
    check(&run(&["import", "edges", &file, "--data", &dir, "--json"]).json());
    let text = exported(&scratch, &dir);
    assert!(text.starts_with("1\t2\t1714537800\n3\t4\t"), "{text}");
    assert!(text.ends_with("\n5\t6\t1714566600.250\n"), "{text}");
    let server = Server::start(&scratch.arg("served"), &["--no-auth"]);
    check(&run(&["import", "edges", &file, "--server", &server.admin, "--json"]).json());
    let strict = run(&["import", "edges", &file, "--header", "no", "--strict", "--server", &server.admin]);
    assert_eq!(strict.code, 3, "{strict:?}");
    assert!(strict.stdout.contains("line 1: MALFORMED: the source `follower` is no number"), "{strict:?}");
    let shown = run(&["import", "edges", &file, "--server", &server.admin]);
    assert!(shown.stdout.starts_with("taken for a header: \"follower\""), "{shown:?}");
}

#[test]
fn an_import_fails_when_too_much_is_refused() {
    let scratch = Scratch::new();
    let (garbage, mixed) = ("7 7\n".repeat(50), "1 2\nx\n3 4\n5 5\n");
    let (garbage, mixed) = (scratch.file("garbage", garbage), scratch.file("mixed", mixed));
    let server = Server::start(&scratch.arg("served"), &["--no-auth"]);
    let data = |name: &str| ["--data".to_owned(), scratch.arg(name)];
    let import = |file: &str, target: &[String], more: &[&str]| {
        let target: Vec<&str> = target.iter().map(String::as_str).collect();
        run(&[&["import", "edges", file, "--json", "--header", "no"], more, &target[..]].concat())
    };
    let remote = ["--server".to_owned(), server.admin.clone()];
    for (target, other) in [(data("a"), data("b")), (remote.clone(), remote)] {
        let ran = import(&garbage, &target, &[]);
        assert_eq!(ran.code, 3, "{ran:?}");
        assert!(ran.stderr.contains("none of the 50 edges in"), "{ran:?}");
        let report: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(report["examples"].as_array().unwrap().len(), 20);
        let all = fs::read_to_string(report["refused_file"].as_str().unwrap()).unwrap();
        assert_eq!(all.lines().count(), 50, "{all}");
        assert!(all.ends_with(": 7 7\n") && all.contains("\n50\tSELF\t"), "{all}");

        let ran = import(&mixed, &other, &["--strict"]);
        assert!(ran.code == 3 && ran.stderr.contains("more than may be"), "{ran:?}");
        let ran = import(&mixed, &other, &["--max-refused", "1"]);
        assert!(ran.code == 3 && ran.stdout.contains("\"gave_up\":true"), "{ran:?}");
        let report = import(&mixed, &other, &["--max-refused", "2"]).json();
        assert_eq!((&report["accepted"], &report["refused_total"]), (&2.into(), &2.into()), "{report}");
    }
    let here = fs::read_dir(scratch.path("")).unwrap().map(|entry| entry.unwrap().file_name());
    let mut files: Vec<_> = here.filter(|name| name.to_string_lossy().contains("refused")).collect();
    files.sort();
    assert_eq!(files, ["garbage.1.refused.tsv", "garbage.refused.tsv"]);
}

#[test]
fn standard_input_and_output_are_as_good_as_files() {
    let scratch = Scratch::new();
    let dir = scratch.arg("data");
    let zst = fs::read(NOSTR).unwrap();
    let report = run_with_input(&["import", "edges", "-", "--data", &dir, "--json"], &zst).json();
    assert_eq!(report["accepted"], NOSTR_EDGES);
    let out = run(&["export", "edges", "--data", &dir]);
    assert!(out.code == 0 && rows(&out.stdout) == nostr(), "the export on standard output differs");
}

#[test]
fn a_file_that_exists_is_replaced_only_by_force() {
    let scratch = Scratch::new();
    let dir = scratch.arg("data");
    run(&["import", "edges", &scratch.file("edges", "1 2 1700000000\n"), "--data", &dir, "--json"]).json();
    let server = Server::start(&scratch.arg("served"), &["--no-auth"]);
    for target in [["--data", &dir], ["--server", &server.admin]] {
        for verb in [&["backup"][..], &["export", "edges"]] {
            let file = scratch.file("precious", "mine");
            let taken = [verb, &[&file], &target].concat();
            run(&taken).failed(1, "the file exists; --force replaces it");
            assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
            assert_eq!(run(&[&taken[..], &["--force"]].concat()).code, 0);
            assert_ne!(fs::read(&file).unwrap(), b"mine");
        }
    }
    // It is said before any work: also where there is nothing to export.
    run(&["export", "edges", &scratch.file("precious", "mine"), "--data", &scratch.arg("missing")])
        .failed(1, "--force");
}

#[test]
fn a_removed_follow_stays_removed_unless_it_is_revived() {
    let scratch = Scratch::new();
    let file = scratch.file("edges", "1 2 1700000000\n");
    let server = Server::start(&scratch.arg("data"), &["--no-auth"]);
    let pair = serde_json::json!({ "subject": "1", "object": "2" });
    let import = ["import", "edges", &file, "--server", &server.admin, "--json"];
    assert_eq!(run(&import).json()["accepted"], 1);
    assert_eq!(server.call("Unfollow", &pair)["changed"], true);
    assert_eq!(run(&import).json()["already_there"], 1);
    assert_eq!(server.call("GetRelation", &pair)["relation"]["state"], "NONE");
    assert_eq!(run(&[&import[..], &["--revive"]].concat()).json()["accepted"], 1);
    assert_eq!(server.call("GetRelation", &pair)["relation"]["state"], "FOLLOWING");
}

#[test]
fn wrong_inputs_are_named() {
    let scratch = Scratch::new();
    let dir = scratch.arg("data");
    run(&["import", "edges", "/no/such/file", "--data", &dir]).failed(1, "cannot read /no/such/file: ");
    run(&["import", "edges", NOSTR]).failed(2, "say where the graph is");
    run(&["import", "edges", NOSTR, "--server", "http://127.0.0.1:9"]).failed(1, "nothing answers at");
    let mut cut = fs::read(NOSTR).unwrap();
    cut.truncate(cut.len() / 2);
    let cut = scratch.file("cut.zst", cut);
    run(&["import", "edges", &cut, "--data", &dir]).failed(1, "cut.zst");
    // The directory was left half-way, says so, and takes the whole file.
    run(&["verify", "--data", &dir]).failed(1, "interrupted");
    assert_eq!(run(&["import", "edges", NOSTR, "--data", &dir, "--json"]).json()["accepted"], NOSTR_EDGES);
    run(&["verify", "--data", &dir, "--json"]).json();
}

/// Blocks and mutes with times, one of them to the millisecond.
const RESTRICTIONS: &str = "1\t2\t1700000000\n1\t3\t1600000000.250\n5\t1\t1700000001\n300\t7\t946684800\n";

#[test]
fn blocks_and_mutes_survive_a_round_trip_to_the_byte() {
    let scratch = Scratch::new();
    let dir = scratch.arg("data");
    let file = scratch.file("restrictions", RESTRICTIONS);
    let server = Server::start(&scratch.arg("served"), &["--no-auth"]);
    for target in [["--data", &dir], ["--server", &server.admin]] {
        for kind in ["blocks", "mutes"] {
            let import = [&["import", kind, &file, "--json"][..], &target].concat();
            let report = run(&import).json();
            assert_eq!((&report["accepted"], &report["refused_total"]), (&4.into(), &0.into()), "{report}");
            let again = run(&import).json();
            assert_eq!((&again["accepted"], &again["already_there"]), (&0.into(), &4.into()), "{again}");
            let list = run(&[&["export", kind][..], &target].concat()).stdout;
            assert_eq!(rows(&list), RESTRICTIONS, "{kind} {target:?}");
        }
        let edges = run(&[&["export", "edges"][..], &target].concat());
        assert_eq!((edges.code, rows(&edges.stdout)), (0, ""), "{edges:?}");
    }
    let listed = server.call("ListBlocks", &serde_json::json!({ "uid": "1" }));
    assert!(listed.to_string().contains("2023-11-14T22:13:20Z"), "the time is lost: {listed}");
    let proof = run(&["verify", "--server", &server.admin, "--json"]).json();
    assert_eq!((&proof["clean"], &proof["marks"]), (&true.into(), &8.into()), "{proof}");
    // What was taken off since is set again, at its time.
    let pair = serde_json::json!({ "subject": "1", "object": "2" });
    assert_eq!(server.call("Unblock", &pair)["changed"], true);
    let again = run(&["import", "blocks", &file, "--server", &server.admin, "--json"]).json();
    assert_eq!((&again["accepted"], &again["already_there"]), (&1.into(), &3.into()), "{again}");
    assert_eq!(rows(&run(&["export", "blocks", "--server", &server.admin]).stdout), RESTRICTIONS);
    let refused = run(&["import", "blocks", &scratch.file("self", "5 5\n"), "--server", &server.admin]);
    assert!(refused.code == 3 && refused.stdout.contains("line 1: SELF"), "{refused:?}");
}

#[test]
fn blocks_and_mutes_go_on_where_their_job_stands() {
    let scratch = Scratch::new();
    let dir = scratch.arg("data");
    let server = Server::start(&scratch.arg("served"), &["--no-auth"]);
    let half: String = RESTRICTIONS.split_inclusive('\n').take(2).collect();
    let (half, whole) = (scratch.file("half", half), scratch.file("whole", RESTRICTIONS));
    for target in [["--data", &dir], ["--server", &server.admin]] {
        for kind in ["blocks", "mutes"] {
            let import = |file: &str| {
                run(&[&["import", kind, file, "--json", "--job", kind][..], &target].concat()).json()
            };
            assert_eq!(import(&half)["accepted"], 2);
            let rest = import(&whole);
            assert_eq!((&rest["resumed_at_line"], &rest["accepted"]), (&2.into(), &2.into()), "{rest}");
            assert_eq!(rows(&run(&[&["export", kind][..], &target].concat()).stdout), RESTRICTIONS);
        }
    }
}
