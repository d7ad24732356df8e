//! Imports into a cluster that is busy.

use super::run::{Scratch, Server, guanxi, run, wait_for};
use guanxi_servers::Postgres;
use std::process::{Command, Stdio};

/// Holds the row of a shard for longer than a write waits for it.
const HOLD: &str = "begin; select from gx.shard where gene = 5 for update; select pg_sleep(3)";
const HOLDS: &str = "select count(*) from pg_stat_activity where wait_event = 'PgSleep'";

#[test]
fn an_import_waits_for_a_shard_that_another_session_holds() {
    let (scratch, dir) = (Scratch::new(), tempfile::tempdir().unwrap());
    let postgres = Postgres::start(dir.path(), &[("max_connections", "200")], false).unwrap();
    let url = postgres.url("postgres");
    let file = scratch.file("cluster.toml", format!("databases = ['d1={url}']\n"));
    assert!(guanxi().args(["--config", &file, "cluster", "init"]).status().unwrap().success());
    let server = Server::start(&scratch.arg("data"), &["--config", &file, "--no-auth"]);
    let psql = |sql: &str| {
        let mut psql = Command::new("psql");
        psql.args(["-qXAt", "-c", sql]).arg(&url).stdin(Stdio::null()).stdout(Stdio::piped());
        psql
    };
    let mut holder = psql(HOLD).spawn().expect("psql is installed with the server");
    wait_for(|| psql(HOLDS).output().unwrap().stdout.starts_with(b"1"));
    let edges = scratch.file("edges.tsv", "5\t6\n7\t8\n261\t5\n");
    let imported = run(&["import", "edges", &edges, "--json", "--server", &server.admin]);
    assert_eq!(imported.code, 0, "{imported:?}");
    let report = imported.json();
    let added = [&report["accepted"], &report["already_there"]].map(|count| count.as_u64().unwrap());
    assert_eq!(added.iter().sum::<u64>(), 3, "a part may have been written by a try before: {report}");
    assert!(report["seconds"].as_f64().unwrap() > 1.0, "it met the held row: {report}");
    holder.kill().unwrap();
    holder.wait().unwrap();
    server.stop();
}
