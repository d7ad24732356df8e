//! Disks that are full or cannot be written, on real small file systems.

use super::namespace::{mount, with_mounts};
use super::occupancy::Kept;
use super::run::{Scratch, Server, pause, run, wait_for};
use serde_json::json;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

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
        // What only reads works; see the tests of read-only directories.
        for args in [&["serve", "--listen", "127.0.0.1:0"][..], &["import", "edges", "/dev/null"]] {
            run(&[args, &["--data", &dir]].concat()).failed(1, "cannot be written");
        }
        mount(&["-o", "remount,rw", &disk]);
        assert_eq!(run(&["verify", "--data", &dir, "--json"]).json()["forward"], 2);
    });
}

/// How long a server on a broken disk may take to end.
const END_MAX: Duration = Duration::from_secs(10);
/// Follows of one batch.
const BATCH: u64 = 900;

/// Writes batches, each of one user, while `go_on` and until one is not acknowledged, and answers how many follows were.
fn write_batches(kept: &mut Kept, first: u64, mut go_on: impl FnMut(u64) -> bool) -> u64 {
    let mut acknowledged = 0;
    for batch in (first..).take_while(|batch| go_on(*batch)) {
        let objects: Vec<String> = (1..=BATCH).map(|n| spread(batch * BATCH + n).to_string()).collect();
        let request = json!({ "subject": batch.to_string(), "objects": objects });
        match kept.try_call("RelationService/BatchFollow", &request) {
            Ok(answer) if answer["code"].is_null() => acknowledged += BATCH,
            _ => break,
        }
    }
    acknowledged
}

/// Ids that cannot be compressed, so that a flush needs much room.
const fn spread(n: u64) -> u64 {
    n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 1
}

/// Fills a file system to its last byte.
fn fill(file: &Path) {
    let mut file = fs::File::create(file).unwrap();
    while file.write_all(&[0; 4_096]).is_ok() {}
}

/// Files that leave little room on a file system, however much is written to it.
struct Ballast {
    disk: String,
    files: u32,
}

impl Ballast {
    const FILE_LEN: usize = 64 << 10;
    /// Just above the reserve of one MiB.
    const ROOM: u64 = 5 << 18;

    fn fill(disk: &str) -> Self {
        let mut ballast = Self { disk: disk.to_owned(), files: 0 };
        while ballast.free() > Self::ROOM {
            ballast.files += 1;
            fs::write(ballast.last(), vec![0; Self::FILE_LEN]).unwrap();
        }
        ballast
    }

    fn last(&self) -> String {
        format!("{}/ballast-{}", self.disk, self.files)
    }

    fn free(&self) -> u64 {
        let stat = rustix::fs::statvfs(&self.disk).unwrap();
        stat.f_bavail * stat.f_frsize
    }

    /// Makes room for one more batch. False when a flush has begun to take what there was.
    fn leave_room(&mut self) -> bool {
        while (1 << 20..Self::ROOM).contains(&self.free()) {
            fs::remove_file(self.last()).unwrap();
            self.files -= 1;
        }
        self.free() >= Self::ROOM
    }
}

/// Waits for the end of a server that stopped, and returns its log.
fn ended_with_failure(mut server: Server, begun: Instant) -> String {
    let mut status = None;
    while status.is_none() {
        assert!(begun.elapsed() < END_MAX, "it did not end: {}", server.log());
        pause(Duration::from_millis(10));
        status = server.try_wait();
    }
    let status = status.expect("it has ended");
    assert_eq!(status.code(), Some(1), "{status}: {}", server.log());
    server.log()
}

/// Opens the directory again, after which what was acknowledged is there.
fn reopens_with(dir: &str, acknowledged: u64) {
    let report = run(&["verify", "--data", dir, "--json"]).json();
    assert_eq!(report["clean"], true, "{report}");
    let found = report["forward"].as_u64().unwrap();
    // The batch that was cut off may be there, too.
    assert!((acknowledged..=acknowledged + BATCH).contains(&found), "{found} of {acknowledged}");
}

#[test]
fn a_full_disk_does_not_hold_up_the_end() {
    with_mounts("cli::disk::a_full_disk_does_not_hold_up_the_end", || {
        let scratch = Scratch::new();
        let disk = scratch.arg("disk");
        fs::create_dir(&disk).unwrap();
        mount(&["-t", "tmpfs", "-o", SIZE, "none", &disk]);
        let dir = scratch.arg("disk/data");
        let server = Server::start(&dir, &["--no-auth", "--free-space-reserve-mib", "1"]);
        let acknowledged = write_batches(&mut Kept::new(&server.api), 1, |batch| batch <= 5);
        assert_eq!(acknowledged, 5 * BATCH);
        fill(&scratch.path("disk/filler"));
        let begun = Instant::now();
        server.signal("TERM");
        let log = ended_with_failure(server, begun);
        assert!(log.contains("the disk is full") && log.contains("make room"), "{log}");
        // It refuses to write anything for a start, too, and names the disk rather than the directory.
        let listen = ["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"];
        let refused = run(&[&["serve", "--data", &dir][..], &listen].concat());
        refused.failed(1, "the disk is almost full");
        assert!(!refused.stderr.contains("damaged"), "{refused:?}");
        fs::remove_file(scratch.path("disk/filler")).unwrap();
        reopens_with(&dir, acknowledged);
    });
}

#[test]
fn a_flush_that_finds_no_room_ends_the_server_at_once() {
    with_mounts("cli::disk::a_flush_that_finds_no_room_ends_the_server_at_once", || {
        let scratch = Scratch::new();
        let disk = scratch.arg("disk");
        fs::create_dir(&disk).unwrap();
        mount(&["-t", "tmpfs", "-o", SIZE, "none", &disk]);
        let dir = scratch.arg("disk/data");
        let small = ["--free-space-reserve-mib", "1", "--memtable-mib", "32", "--journal-mib", "8"];
        let server = Server::start(&dir, &[&["--no-auth"], &small[..]].concat());
        let mut ballast = Ballast::fill(&disk);
        // There is always room for the journal, and never for the flush that eight MiB of it ask for.
        let acknowledged = write_batches(&mut Kept::new(&server.api), 1, |_| ballast.leave_room());
        assert!(acknowledged > 10 * BATCH, "{acknowledged}");
        // No client writes any more: the failure alone ends it.
        let log = ended_with_failure(server, Instant::now());
        assert!(log.contains("a flush or compaction failed: the disk is full"), "{log}");
        mount(&["-o", "remount,size=80m", &disk]);
        reopens_with(&dir, acknowledged);
    });
}

#[test]
fn a_limit_of_open_files_is_named_and_not_taken_for_a_failed_disk() {
    let scratch = Scratch::new();
    let dir = scratch.arg("data");
    let small = ["--free-space-reserve-mib", "1", "--memtable-mib", "1", "--journal-mib", "1"];
    let server = Server::start(&dir, &[&["--no-auth"], &small[..]].concat());
    let mut kept = Kept::new(&server.api);
    let before = write_batches(&mut kept, 1, |batch| batch == 1);
    let files = fs::read_dir(format!("/proc/{}/fd", server.pid())).unwrap().count();
    let limit = format!("--nofile={files}:{files}");
    let lowered = Command::new("prlimit").args(["--pid", &server.pid().to_string(), &limit]).status();
    assert!(lowered.expect("prlimit is there").success());
    // A client that cannot be accepted waits, and the log says for what.
    let _waiting = Kept::new(&server.api);
    wait_for(|| server.log().contains("a client waits: the limit of open files is reached"));
    // Acknowledged writes go on while no file is wanted; the first flush cannot open its table.
    let acknowledged = before + write_batches(&mut kept, 2, |_| true);
    let log = ended_with_failure(server, Instant::now());
    assert!(log.contains("a flush or compaction failed: the limit of open files is reached"), "{log}");
    assert!(log.contains("LimitNOFILE"), "{log}");
    reopens_with(&dir, acknowledged);
}
