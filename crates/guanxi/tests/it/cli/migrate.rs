//! A directory becomes a cluster, and the cluster's backup a directory: all of them say the same.

use super::moving::{Dice, archive, assert_same, exported, live};
use super::run::{Ran, Scratch, Server, guanxi, rows, run};
use guanxi_servers::Postgres;

fn ran(file: &str, args: &[&str]) -> Ran {
    Ran::of(guanxi().args(["--config", file]).args(args))
}

#[test]
fn a_directory_moves_into_a_cluster_and_back() {
    let (scratch, dir) = (Scratch::new(), tempfile::tempdir().unwrap());
    let settings: &[_] = &[("max_connections", "200")];
    let server = Postgres::start(dir.path(), settings, false).unwrap();
    let lines = [("first", "postgres"), ("second", "template1")];
    let lines = lines.map(|(name, database)| format!("'{name}={}'", server.url(database)));
    let to = scratch.file("cluster.toml", format!("databases = [{}]\n", lines.join(", ")));
    assert_eq!(ran(&to, &["cluster", "init"]).code, 0);

    let (from, mut dice) = (scratch.arg("from"), Dice(7));
    let posts = scratch.file("posts", archive(&mut dice));
    let imported = run(&["import", "posts", &posts, "--data", &from]);
    assert_eq!(imported.code, 0, "{imported:?}");
    let of_directory = Server::start(&from, &["--no-auth"]);
    live(&of_directory, &mut dice);
    let move_it = || run(&["migrate", "--from", &from, "--to", &to, "--json"]);
    move_it().failed(1, "--server");
    of_directory.stop();
    run(&["migrate", "--from", &scratch.arg("none"), "--to", &to]).failed(2, "is no data directory");

    let ours = exported(["--data", &from]);
    let moved = move_it().json();
    let follows = rows(&ours["edges"]).lines().count();
    assert_eq!((&moved["edges"], &moved["compared"]["follows"]), (&follows.into(), &follows.into()));
    // One that is cut off while it compares has moved everything: the same command compares, and changes nothing.
    assert_eq!(move_it().json(), moved);

    let (dump, back) = (scratch.arg("dump"), scratch.arg("back"));
    let backup = ran(&to, &["backup", &dump, "--json"]);
    assert_eq!(backup.json()["bytes"], std::fs::metadata(&dump).unwrap().len(), "{backup:?}");
    assert_eq!(run(&["restore", &dump, "--data", &back]).code, 0);
    assert_same(&ours, &exported(["--data", &back]), "back in a directory");
    let proof = run(&["verify", "--data", &back, "--json"]).json();
    assert_eq!(proof["clean"], true, "{proof}");
    ran(&to, &["restore", &dump]).failed(1, "holds something already");
    ran(&to, &["restore", &dump, "--erased", &posts]).failed(2, "--erased is for a directory");
}
