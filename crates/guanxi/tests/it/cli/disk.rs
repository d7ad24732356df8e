//! Disks that are full or cannot be written, on real small file systems.

use super::namespace::{mount, with_mounts};
use super::run::{Scratch, Server, run, wait_for};
use serde_json::json;
use std::fmt::Write as _;
use std::fs;

/// A file system this small is full after some seconds of import.
const SIZE: &str = "size=40m";
/// What is kept free; the engine needs it to flush and to compact.
const RESERVE_MIB: &str = "20";
/// What makes room when it is removed.
const BALLAST_LEN: usize = 14 << 20;
/// Half of the reserve.
const FILLER_LEN: usize = 10 << 20;

#[test]
fn a_full_disk_refuses_writes_loses_nothing_and_recovers() {
    with_mounts("cli::disk::a_full_disk_refuses_writes_loses_nothing_and_recovers", || {
        let scratch = Scratch::new();
        let disk = scratch.arg("disk");
        fs::create_dir(&disk).unwrap();
        mount(&["-t", "tmpfs", "-o", SIZE, "none", &disk]);
        fs::write(scratch.path("disk/ballast"), vec![0; BALLAST_LEN]).unwrap();
        fill_and_recover(&scratch, &scratch.arg("disk/data"));
    });
}

fn fill_and_recover(scratch: &Scratch, dir: &str) {
    let file = scratch.file("edges", edges());
    let small = ["--free-space-reserve-mib", RESERVE_MIB, "--memtable-mib", "1", "--journal-mib", "4"];
    let server = Server::start(dir, &[&["--no-auth"], &small[..]].concat());
    let import = ["import", "edges", &file, "--server", &server.admin, "--json"];
    let ran = run(&import);
    ran.failed(1, "the disk is almost full");
    let done = lines_done(&ran.stderr);
    assert!(done > 0, "nothing was imported: {ran:?}");

    // Journals that are flushed meanwhile give some room back; this takes it.
    fs::write(scratch.path("disk/filler"), vec![0; FILLER_LEN]).unwrap();
    // Single writes get the typed reason, reads go on, and no acknowledged edge is lost.
    let refused = server.call("Follow", &json!({ "subject": "900000001", "object": "2" }));
    assert_eq!(refused["code"], "resource_exhausted", "{refused}");
    let counts = server.call("GetCounts", &json!({ "uid": "1" }));
    assert!(counts["counts"]["following"].as_u64() > Some(0), "{counts}");
    let proof = run(&["verify", "--server", &server.admin, "--json"]).json();
    assert_eq!((&proof["clean"], &proof["forward"]), (&true.into(), &done.into()), "{proof}");

    for file in ["disk/ballast", "disk/filler"] {
        fs::remove_file(scratch.path(file)).unwrap();
    }
    wait_for(|| {
        let follow = json!({ "subject": "900000001", "object": "2" });
        server.call("Follow", &follow)["changed"] == true
    });
    let resumed = run(&import);
    assert_eq!(resumed.json()["resumed_at_line"], done, "{resumed:?}");
    let total = EDGES + 1;
    assert_eq!(run(&["verify", "--server", &server.admin, "--json"]).json()["forward"], total);
    server.stop();
    let offline = ["verify", "--data", dir, "--json"];
    assert_eq!(run(&offline).json()["forward"], total);
}

/// Edges of the file: more than fit at first, fewer than fit with the ballast gone.
const EDGES: u64 = 60_000;

fn edges() -> String {
    let mut text = String::new();
    for n in 0..EDGES {
        writeln!(text, "{} {} {}", 1 + n / 500, 1_000_000_007 + n * 7_919, 1_700_000_000 + n).unwrap();
    }
    text
}

/// How many lines an interrupted import says it has done.
fn lines_done(stderr: &str) -> u64 {
    let (before, _) = stderr.split_once(" lines are done").expect("a failed import says how far it is");
    before.rsplit(' ').next().and_then(|number| number.parse().ok()).expect("a number of lines")
}

#[test]
fn a_read_only_directory_is_named_and_stays_as_it_is() {
    with_mounts("cli::disk::a_read_only_directory_is_named_and_stays_as_it_is", || {
        let scratch = Scratch::new();
        let disk = scratch.arg("disk");
        fs::create_dir(&disk).unwrap();
        mount(&["-t", "tmpfs", "-o", SIZE, "none", &disk]);
        let dir = scratch.arg("disk/data");
        run(&["import", "edges", &scratch.file("edges", "1 2\n2 1\n"), "--data", &dir, "--json"]).json();
        mount(&["-o", "remount,ro", &disk]);
        for args in
            [&["serve", "--listen", "127.0.0.1:0"][..], &["verify"], &["import", "edges", "/dev/null"]]
        {
            run(&[args, &["--data", &dir]].concat()).failed(1, "cannot be written");
        }
        mount(&["-o", "remount,rw", &disk]);
        assert_eq!(run(&["verify", "--data", &dir, "--json"]).json()["forward"], 2);
    });
}
