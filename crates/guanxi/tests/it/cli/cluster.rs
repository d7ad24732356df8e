//! Laying out a cluster, and looking at it, from the command line.

use super::run::{Ran, Scratch, guanxi};
use guanxi_servers::Postgres;

fn ran(file: &str, args: &[&str]) -> Ran {
    Ran::of(guanxi().args(["--config", file]).args(args))
}

#[test]
fn a_cluster_is_laid_out_checked_and_shown() {
    let (scratch, dir) = (Scratch::new(), tempfile::tempdir().unwrap());
    let settings: &[_] = &[("max_locks_per_transaction", "1024")];
    let server = Postgres::start(dir.path(), settings, false).unwrap();
    // Each of the two is there from the start.
    let lines = [("first", "postgres"), ("second", "template1")];
    let lines = lines.map(|(name, database)| format!("'{name}={}'", server.url(database)));
    let file = scratch.file("cluster.toml", format!("databases = [{}]\n", lines.join(", ")));

    let before = ran(&file, &["config", "check"]);
    assert_eq!(before.code, 1);
    assert!(before.stdout.starts_with("first: not ok, PostgreSQL "), "{before:?}");
    assert!(before.stdout.contains("run `guanxi cluster init`"), "{before:?}");

    let made = ran(&file, &["cluster", "init", "--schemas", "4", "--json"]);
    assert_eq!(made.code, 0, "{made:?}");
    // Seven versions of tables in each of four schemas and two databases.
    assert_eq!((&made.json()["made"], &made.json()["schemas"]), (&42.into(), &4.into()));
    assert!(made.stderr.contains("is laid out: 4 schemas on first, second"), "{made:?}");
    let again = ran(&file, &["cluster", "init"]);
    assert!(again.stderr.contains("was laid out already"), "{again:?}");

    let sound = ran(&file, &["config", "check"]);
    assert_eq!(sound.code, 0, "{sound:?}");
    assert_eq!(sound.stdout.matches(": ok, PostgreSQL").count(), 2, "{sound:?}");
    let shards = ran(&file, &["shard", "list"]);
    let rows: Vec<&str> = shards.stdout.lines().collect();
    assert_eq!(rows.len(), 5, "{shards:?}");
    assert!(rows[2].starts_with("g01     second        1  open    1 5 9 "), "{shards:?}");
    assert_eq!(ran(&file, &["shard", "list", "--json"]).stdout.lines().count(), 256);
}

#[test]
fn a_list_of_databases_that_is_none_is_the_configurations_mistake() {
    let scratch = Scratch::new();
    for (list, said) in [("[]", "set `databases`"), ("['x=mysql://u:hush@h/x']", "the address of `x`")] {
        let file = scratch.file("cluster.toml", format!("databases = {list}\n"));
        for args in [&["cluster", "init"][..], &["shard", "list"], &["config", "check"]] {
            let ran = ran(&file, args);
            assert_eq!(ran.code, 2, "{ran:?}");
            assert!(ran.stderr.contains(said) && !ran.stderr.contains("hush"), "{ran:?}");
        }
        let shown = ran(&file, &["config"]);
        assert!(!shown.stdout.contains("hush"), "{shown:?}");
    }
}

#[test]
fn a_configuration_that_cannot_be_read_is_not_repeated() {
    let scratch = Scratch::new();
    let text = "follow_limit = 10\ndatabases = ['a=postgresql://u:hush@h/x' 'b=postgresql://u:hush@h/y']\n";
    let ran = ran(&scratch.file("cluster.toml", text), &["config"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.stderr.contains("is not a configuration") && ran.stderr.contains("at line 2"), "{ran:?}");
    assert!(!ran.stderr.contains("hush"), "{ran:?}");
    for (text, line) in [("= 1\n", 1), ("\n\n# 关系\n关系 = 'hush\n", 4), ("a = 1\n= 'hush'", 2)] {
        let ran = self::ran(&scratch.file("broken.toml", text), &["config"]);
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(ran.stderr.contains(&format!("at line {line}\n")), "{text:?}: {ran:?}");
    }
}
