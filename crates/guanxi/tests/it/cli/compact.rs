//! `guanxi compact` says how large the files were and are.

use super::run::{Scratch, Server, run};
use serde_json::json;
use std::fs;
use std::path::Path;

fn size(dir: &Path) -> u64 {
    let entries = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap());
    let len = |entry: fs::DirEntry| {
        let meta = entry.metadata().unwrap();
        if meta.is_dir() { size(&entry.path()) } else { meta.len() }
    };
    entries.map(len).sum()
}

#[test]
fn the_printed_size_is_that_of_the_files_that_are_left() {
    let scratch = Scratch::new();
    let dir = scratch.arg("data");
    let edges =
        (0..12_000).map(|n| format!("{}\t{}\n", n / 40 + 1, 1_000 + n * 7)).collect::<Vec<_>>().concat();
    let list = scratch.file("edges.tsv", edges);
    let server = Server::start(&dir, &["--no-auth"]);
    assert_eq!(run(&["import", "edges", &list, "--server", &server.admin]).code, 0);
    server.stop();
    let server = Server::start(&dir, &["--no-auth"]);
    for subject in 1..=20 {
        let blocked = server.call("Block", &json!({ "subject": subject.to_string(), "object": "2000" }));
        assert_eq!(blocked["changed"], true, "{blocked}");
    }
    drop(server);
    for _ in 0..2 {
        let before = size(Path::new(&dir));
        let said = run(&["compact", "--data", &dir, "--json"]);
        let after = size(Path::new(&dir));
        assert_eq!(said.json(), json!({ "bytes_before": before, "bytes_after": after }), "{said:?}");
        assert!(said.stderr.contains(&format!("{before} bytes before, {after} now")), "{said:?}");
    }
}
