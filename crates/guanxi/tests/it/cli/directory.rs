//! Directories that cannot be used: each says why, and nothing in it changes.

use super::run::{NOSTR, Scratch, Server, run};
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn a_second_process_is_told_who_has_the_directory() {
    let scratch = Scratch::new();
    let dir = scratch.arg("data");
    let server = Server::start(&dir, &["--no-auth"]);
    let hint = format!("--server {}", server.admin);
    for args in [&["verify"][..], &["export", "edges"], &["backup", "-"], &["import", "edges", NOSTR]] {
        let ran = run(&[args, &["--data", &dir]].concat());
        ran.failed(1, "is in use by another process");
        ran.failed(1, &hint);
    }
    run(&["serve", "--data", &dir, "--listen", "127.0.0.1:0"]).failed(1, "is in use by another process");
    assert_eq!(server.call("Follow", &json!({ "subject": "1", "object": "2" }))["changed"], true);
}

#[test]
fn a_missing_a_foreign_a_newer_and_an_older_directory_are_told_apart() {
    let scratch = Scratch::new();
    run(&["verify", "--data", &scratch.arg("missing")]).failed(1, "there is no graph in");
    assert!(!scratch.path("missing").exists());

    let foreign = scratch.arg("foreign");
    fs::create_dir(&foreign).unwrap();
    fs::write(Path::new(&foreign).join("PG_VERSION"), "16\n").unwrap();
    for args in [&["serve"][..], &["verify"], &["import", "edges", NOSTR]] {
        run(&[args, &["--data", &foreign]].concat()).failed(1, "not a guanxi data directory");
    }
    assert_eq!(fs::read_dir(&foreign).unwrap().count(), 1, "something was written into it");

    let newer = scratch.arg("newer");
    run(&["import", "edges", &scratch.file("edges", "1 2"), "--data", &newer, "--json"]).json();
    fs::write(Path::new(&newer).join("FORMAT"), "guanxi-data 999\n").unwrap();
    run(&["serve", "--data", &newer]).failed(1, "use a newer guanxi");
    fs::write(Path::new(&newer).join("FORMAT"), "guanxi-data 1\n").unwrap();
    run(&["verify", "--data", &newer]).failed(1, "made before 0.1.0");
}

#[test]
fn a_damaged_file_is_noticed() {
    let scratch = Scratch::new();
    let dir = scratch.arg("data");
    run(&["import", "edges", NOSTR, "--data", &dir, "--json"]).json();
    let tables = files(Path::new(&dir)).into_iter().filter(|file| file.iter().any(|part| part == "tables"));
    let largest = tables.max_by_key(|file| fs::metadata(file).unwrap().len()).unwrap();
    let mut bytes = fs::read(&largest).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0xff;
    fs::write(&largest, bytes).unwrap();
    let ran = run(&["verify", "--data", &dir]);
    assert!(ran.code == 1 || ran.code == 3, "the damage was not noticed: {ran:?}");
    assert!(!ran.stderr.contains("panicked"), "{ran:?}");
}

fn files(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}
