//! `guanxi upgrade --check`: what a start would do is told, and nothing is changed.

use super::run::{Ran, Scratch, Server, guanxi, run};
use guanxi_servers::Postgres;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

/// The golden directory of a format.
fn golden(format: u32) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../tests-data/format-{format}/store"))
}

/// Every file below a directory, with its bytes and when it was changed.
fn listing(dir: &Path) -> Vec<(PathBuf, Vec<u8>, SystemTime)> {
    let mut rows = Vec::new();
    for entry in fs::read_dir(dir).unwrap().map(Result::unwrap) {
        let (path, meta) = (entry.path(), entry.metadata().unwrap());
        if meta.is_dir() {
            rows.extend(listing(&path));
        } else {
            rows.push((path.clone(), fs::read(&path).unwrap(), meta.modified().unwrap()));
        }
    }
    rows.sort();
    rows
}

fn check(more: &[&str]) -> Ran {
    run(&[&["upgrade", "--check", "--json"], more].concat())
}

/// The report of a check that ended with this code.
fn report(ran: &Ran, code: i32) -> Value {
    assert_eq!(ran.code, code, "{ran:?}");
    serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {ran:?}"))
}

#[test]
fn golden_directories_are_served_or_upgraded_and_stay_as_they_are() {
    for (format, code, start, has_way_back) in [(9, 0, "serves", true), (8, 3, "upgrades", false)] {
        let dir = golden(format);
        let (arg, before) = (dir.to_str().unwrap(), listing(&dir));
        let told = report(&check(&[arg]), code);
        assert_eq!((&told["start"], &told["data"][0]["version"]), (&json!(start), &json!(format)), "{told}");
        assert_eq!(told["way_back"]["without_backup"], has_way_back, "{told}");
        assert_eq!((&told["kind"], &told["writes"]), (&json!("directory"), &json!(9)), "{told}");
        assert_eq!(told["reads"], json!({ "first": 8, "last": 9 }));
        let table = run(&["upgrade", "--check", arg]);
        assert_eq!(table.code, code, "{table:?}");
        assert!(table.stdout.contains(&format!("  format {format}")), "{table:?}");
        assert_eq!(table.stdout.contains("upgrades it in place to format 9"), format == 8, "{table:?}");
        assert_eq!(table.stdout.contains("way back: only a backup"), format == 8, "{table:?}");
        assert!(before == listing(&dir), "something was written");
    }
}

#[test]
fn directories_that_a_start_would_refuse_are_refused_with_the_reason() {
    let scratch = Scratch::new();
    let dir = scratch.arg("data");
    check(&[&dir]).failed(1, "holds no guanxi data");
    assert!(!scratch.path("data").exists(), "a check has made a directory");
    fs::create_dir(&dir).unwrap();
    for (mark, version, said) in [
        ("guanxi-data 10\n", json!(10), "has format 10, this program reads up to 9; use a newer guanxi"),
        ("guanxi-data 7\n", json!(7), "has format 7, which was made before 0.1.0"),
    ] {
        scratch.file("data/FORMAT", mark);
        let told = report(&check(&[&dir]), 1);
        assert_eq!((&told["start"], &told["data"][0]["version"]), (&json!("refuses"), &version));
        assert!(told["data"][0]["problem"].as_str().unwrap().contains(said), "{told}");
        // A start says the same.
        run(&["serve", "--data", &dir, "--no-auth"]).failed(1, said);
    }
    scratch.file("data/FORMAT", "guanxi-data 9\n");
    scratch.file("data/BULK", "");
    assert!(report(&check(&[&dir]), 1)["data"][0]["problem"].as_str().unwrap().contains("was interrupted"));
    scratch.file("data/FORMAT", "what is this");
    check(&[&dir]).failed(1, "not a guanxi data directory");
    run(&["upgrade", &dir]).failed_usage();
    check(&[]).failed(2, "say what to check");
}

impl Ran {
    /// Asserts that the command line was refused, and the flag named that is missing.
    fn failed_usage(&self) {
        assert_eq!(self.code, 2, "{self:?}");
        assert!(self.stderr.contains("--check"), "{self:?}");
    }
}

#[test]
fn settings_that_this_program_does_not_know_are_all_named() {
    let scratch = Scratch::new();
    let golden = golden(9);
    let file = scratch.file("guanxi.toml", "follow_limt = 7\nmade_up = true\nmemtable_mib = 8\n");
    let mut command = guanxi();
    command.args(["upgrade", "--check", "--json", "--config", &file]).arg(&golden);
    let told = report(&Ran::of(command.env("GUANXI_LISTEEN", "127.0.0.1:1")), 1);
    assert_eq!((&told["start"], &told["data"][0]["start"]), (&json!("refuses"), &json!("serves")), "{told}");
    let said = told["settings"].as_array().unwrap();
    assert_eq!(said.len(), 3, "{told}");
    for wanted in ["did you mean `follow_limit`?", "no such key `made_up`", "did you mean GUANXI_LISTEN?"] {
        assert!(said.iter().any(|one| one.as_str().unwrap().contains(wanted)), "{wanted}: {told}");
    }
    // The directory of the settings is meant when none is named.
    let file = scratch.file("guanxi.toml", format!("data = '{}'\n", golden.display()));
    assert_eq!(report(&check(&["--config", &file]), 0)["start"], "serves");
}

#[test]
fn a_directory_is_checked_while_a_server_has_it_open() {
    let scratch = Scratch::new();
    let dir = scratch.arg("data");
    let server = Server::start(&dir, &["--no-auth"]);
    assert_eq!(report(&check(&[&dir]), 0)["start"], "serves");
    server.call("Follow", &json!({ "subject": "1", "object": "2" }));
    server.stop();
}

/// Runs a statement in a database, as somebody would by hand.
fn by_hand(url: &str, statement: &str) {
    let output = Command::new("psql").args(["-qX", "-v", "ON_ERROR_STOP=1", "-c", statement, url]).output();
    let output = output.expect("psql is installed with the server");
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn the_tables_of_a_cluster_are_served_brought_up_or_refused() {
    let (scratch, dir) = (Scratch::new(), tempfile::tempdir().unwrap());
    let server = Postgres::start(dir.path(), &[], false).unwrap();
    let urls = ["postgres", "template1"].map(|database| server.url(database));
    let file = scratch.file("cluster.toml", format!("databases = ['d1={}', 'd2={}']\n", urls[0], urls[1]));
    let by_file = || check(&["--config", &file]);
    let by_url = || check(&["--database", &urls[0]]);
    let told = report(&by_file(), 1);
    assert!(told["data"][0]["problem"].as_str().unwrap().contains("it is not laid out"), "{told}");
    assert_eq!(run(&["--config", &file, "cluster", "init"]).code, 0);

    let told = report(&by_file(), 0);
    assert_eq!(
        (&told["kind"], &told["start"], &told["writes"]),
        (&json!("cluster"), &json!("serves"), &json!(19))
    );
    assert_eq!(told["data"].as_array().unwrap().len(), 2, "{told}");
    assert_eq!((&told["data"][1]["name"], &told["data"][1]["version"]), (&json!("d2"), &json!(19)), "{told}");
    let told = report(&by_url(), 0);
    assert_eq!(told["data"][0]["name"], "d1", "the database knows its name: {told}");
    assert!(told["notes"][0].as_str().unwrap().contains("also on d2"), "{told}");

    by_hand(&urls[0], "create table public.whole as table gx.migration");
    for (statement, code, start, version, has_way_back) in [
        ("insert into gx.migration values (20)", 0, "serves", 20, true),
        ("insert into gx.migration values (21)", 1, "refuses", 21, true),
        ("truncate gx.migration; insert into gx.migration values (15)", 1, "refuses", 15, true),
    ] {
        by_hand(&urls[0], "truncate gx.migration; insert into gx.migration table public.whole");
        by_hand(&urls[0], statement);
        for told in [by_file(), by_url()].map(|ran| report(&ran, code)) {
            let found = &told["data"][0];
            assert_eq!((&told["start"], &found["version"]), (&json!(start), &json!(version)), "{told}");
            assert_eq!(told["way_back"]["without_backup"], has_way_back, "{told}");
        }
    }
    let table = run(&["upgrade", "--check", "--config", &file]);
    assert!(table.stdout.contains("guanxi restore"), "an older layout has a way out: {table:?}");
}

#[test]
fn a_database_that_does_not_answer_is_a_refusal_without_its_password() {
    let told = report(&check(&["--database", "postgresql://u:hush@127.0.0.1:1/x"]), 1);
    assert_eq!(told["data"][0]["name"], "database1", "{told}");
    assert!(!told.to_string().contains("hush"), "{told}");
    let ran = check(&["--database", "mysql://u:hush@h/x"]);
    assert!(ran.code == 2 && !ran.stderr.contains("hush"), "{ran:?}");
}
