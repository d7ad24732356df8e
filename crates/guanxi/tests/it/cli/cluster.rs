//! Laying out a cluster, and looking at it, from the command line.

use super::run::{Ran, Scratch, Server, guanxi, run, wait_for};
use guanxi_servers::Postgres;
use serde_json::{Value, json};
use std::process::Command;

fn ran(file: &str, args: &[&str]) -> Ran {
    Ran::of(guanxi().args(["--config", file]).args(args))
}

#[test]
fn a_cluster_is_laid_out_checked_and_shown() {
    let (scratch, dir) = (Scratch::new(), tempfile::tempdir().unwrap());
    let server = Postgres::start(dir.path(), &[], false).unwrap();
    // Each of the two is there from the start.
    let lines = [("first", "postgres"), ("second", "template1")];
    let lines = lines.map(|(name, database)| format!("'{name}={}'", server.url(database)));
    let file = scratch.file("cluster.toml", format!("databases = [{}]\n", lines.join(", ")));

    let before = ran(&file, &["config", "check"]);
    assert_eq!(before.code, 1);
    assert!(before.stdout.starts_with("first: not ok, PostgreSQL "), "{before:?}");
    assert!(before.stdout.contains("run `guanxi cluster init`"), "{before:?}");

    let made = ran(&file, &["cluster", "init", "--json"]);
    assert_eq!(made.code, 0, "{made:?}");
    assert_eq!(made.json()["made"], 8, "four versions of tables in two databases");
    assert!(made.stderr.contains("is laid out on first, second"), "{made:?}");
    let again = ran(&file, &["cluster", "init"]);
    assert!(again.stderr.contains("was laid out already"), "{again:?}");

    let sound = ran(&file, &["config", "check"]);
    assert_eq!(sound.code, 0, "{sound:?}");
    assert_eq!(sound.stdout.matches(": ok, PostgreSQL").count(), 2, "{sound:?}");
    let shards = ran(&file, &["shard", "list"]);
    let rows: Vec<&str> = shards.stdout.lines().collect();
    assert_eq!(rows.len(), 3, "{shards:?}");
    assert!(rows[2].starts_with("second        1  open    1 3 5 "), "{shards:?}");
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

/// Runs a statement in a database, as somebody would by hand.
fn by_hand(server: &Postgres, statement: &str) {
    let url = server.url("postgres");
    let output = Command::new("psql").args(["-qX", "-v", "ON_ERROR_STOP=1", "-c", statement, &url]).output();
    let output = output.expect("psql is installed with the server");
    assert!(output.status.success(), "{output:?}");
}

/// The page of a process.
fn page(server: &Server, name: &str) -> String {
    let output = Command::new("curl").args(["-sS", &format!("{}/{name}", server.admin)]).output();
    String::from_utf8(output.expect("curl is installed").stdout).expect("pages are text")
}

/// An answer to a post of another shard, told from the log of its author.
fn watched_posts_say_what_they_answer(api: &Server) {
    let write = |request: &Value| api.call("PostService/CreatePost", request);
    let original = write(&json!({ "actor": "11", "text": "a" }));
    let before = api.call("Follow", &json!({ "actor": "12", "object": "13" }));
    let reply = write(&json!({ "actor": "12", "text": "b", "replyTo": original["postId"] }));
    let token = before["token"].as_str().unwrap();
    let watch = run(&["watch", "--server", &api.api, "--token", token, "--uid", "12", "--limit", "1"]);
    assert_eq!(watch.code, 0, "{watch:?}");
    let line: Value = serde_json::from_str(watch.stdout.lines().next().unwrap()).unwrap();
    let event = &line["events"][0];
    assert_eq!(event["postId"], reply["postId"], "{watch:?}");
    assert_eq!((&event["author"], &event["replyTo"]), (&json!("12"), &original["postId"]), "{watch:?}");
    assert_eq!(event["originalAuthor"], "11");
}

/// The page of the console, and the call that it makes.
fn the_console_shows_the_cluster(api: &Server) {
    // It asks for no token, and begins a session by a cookie.
    let args = ["-sSL", "-b", "none", &format!("{}/cluster", api.admin)];
    let shown = Command::new("curl").args(args).output().expect("curl is installed");
    let shown = String::from_utf8(shown.stdout).expect("pages are text");
    assert_eq!(shown.matches("<rect class=\"a0\"").count(), 256, "{shown}");
    for text in ["<td>d1</td>", "answers", "<td>0-255</td>", "<td>open</td>", "<td>api</td>"] {
        assert!(shown.contains(text), "{text} is not in {shown}");
    }
    let map = run(&["call", "AdminService/GetShardMap", "{}", "--server", &api.admin]).json();
    assert_eq!((&map["cluster"], &map["databases"][0]["genes"]), (&json!(true), &json!(256)), "{map}");
    // The process is found on its machine by what is told of it.
    let is_own = |process: &Value| process["pid"] == api.pid() && process["host"].as_str() != Some("");
    assert!(map["processes"].as_array().is_some_and(|all| all.iter().any(is_own)), "{map}");
}

#[test]
fn processes_of_a_cluster_have_roles() {
    let (scratch, dir) = (Scratch::new(), tempfile::tempdir().unwrap());
    let settings: &[_] = &[("max_connections", "200")];
    let server = Postgres::start(dir.path(), settings, false).unwrap();
    let file = scratch.file("cluster.toml", format!("databases = ['d1={}']\n", server.url("postgres")));
    assert_eq!(ran(&file, &["cluster", "init"]).code, 0);
    let serve = |name: &str, roles: &str, more: &[&str]| {
        Server::start(&scratch.arg(name), &[&["--config", &file, "--roles", roles], more].concat())
    };
    let api = serve("api", "api", &["--no-auth"]);
    let follow = |subject: u64| {
        let followed = api.call("Follow", &json!({ "subject": subject.to_string(), "object": "2" }));
        assert!(followed["code"].is_null(), "{followed}");
        followed["token"].as_str().unwrap().to_owned()
    };
    // No process follows the logs: a caller that brings the token has it applied, and others do not see it.
    let token = follow(1);
    let followers = |token: Option<&str>| {
        let list = api.call("ListFollowers", &json!({ "uid": "2", "token": token.unwrap_or_default() }));
        list["followers"].as_array().map_or(0, Vec::len)
    };
    assert_eq!(followers(Some(&token)), 1);
    follow(3);
    assert_eq!(followers(None), 1);
    let worker = serve("worker", "worker", &[]);
    wait_for(|| followers(None) == 2);
    watched_posts_say_what_they_answer(&api);
    assert_eq!(page(&worker, "readyz"), "ready\n");
    let metrics = page(&worker, "metrics");
    assert!(metrics.contains("guanxi_clock_ahead_seconds"));
    assert_eq!(crate::ops::exposition::complaints(&metrics), [""; 0]);
    assert!(worker.log().contains("this process answers no calls"), "{}", worker.log());
    assert!(!scratch.path("worker/admin-token").exists());
    worker.stop();
    the_console_shows_the_cluster(&api);
    let processes = ran(&file, &["config", "check"]).stdout;
    assert!(processes.contains("(host ") && processes.contains(", api, tables of version"), "{processes}");

    // What a hand has broken is found, mended when that is asked for, and mended on schedule.
    let damage = || by_hand(&server, "update gx.user_state set followers = 9 where uid = 2");
    damage();
    let found = ran(&file, &["verify"]);
    assert_eq!(found.code, 3, "{found:?}");
    assert!(found.stdout.contains("FOLLOWERS_COUNT"), "{found:?}");
    let only = ran(&file, &["verify", "--check", "pairs,incremental", "--json"]);
    assert_eq!(only.code, 0, "{only:?}");
    assert_eq!(only.json()["checks"][1]["check"], "incremental");
    let mended = ran(&file, &["repair", "--share", "50", "--json"]).json();
    assert_eq!((&mended["clean"], &mended["checks"][1]["mended"]), (&true.into(), &1.into()), "{mended}");
    assert_eq!(ran(&file, &["verify", "--check", "full"]).code, 0);
    damage();
    let repair = serve("repair", "repair", &["--check-share-percent", "100"]);
    let count = || api.call("GetCounts", &json!({ "uid": "2" }))["counts"]["followers"].clone();
    wait_for(|| count() == 2);
    wait_for(|| page(&repair, "metrics").contains("guanxi_check_mended_total{check=\"full\"} 1"));
    repair.stop();
    api.stop();
}

/// A start lacks the second database, and its users alone; it takes the database in when that comes. A copy from before is not
/// taken in until an operator says so.
#[test]
fn a_process_serves_without_a_database_that_is_away() {
    let (scratch, dirs) = (Scratch::new(), [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()]);
    let first = Postgres::start(dirs[0].path(), &[], false).unwrap();
    let mut second = Postgres::start(dirs[1].path(), &[], false).unwrap();
    let lines = [format!("'d1={}'", first.url("postgres")), format!("'d2={}'", second.url("postgres"))];
    let file = scratch.file("cluster.toml", format!("databases = [{}]\n", lines.join(", ")));
    assert_eq!(ran(&file, &["cluster", "init"]).code, 0);
    second.process.kill();
    let process =
        Server::start(&scratch.arg("node"), &["--config", &file, "--roles", "api,worker", "--no-auth"]);
    let follow =
        |subject: u64| process.call("Follow", &json!({ "subject": subject.to_string(), "object": "4" }));
    assert_eq!(follow(2)["code"], Value::Null);
    assert_eq!(follow(3)["code"], "unavailable");
    let ready = page(&process, "readyz");
    assert!(ready.starts_with("ready\ndatabase `d2`: error connecting to server"), "{ready}");
    assert!(process.log().contains("the database is away"), "{}", process.log());
    assert!(process.log().contains("this process opens up to"), "{}", process.log());
    let works = ran(&file, &["verify"]);
    assert!(works.code == 1 && works.stderr.contains("database `d2`: error connecting"), "{works:?}");
    assert!(!works.stderr.contains("Away("), "{works:?}");
    second = Postgres::resume(dirs[1].path(), second.address, &[], false).unwrap();
    wait_for(|| follow(3)["code"].is_null());
    assert_eq!(page(&process, "readyz"), "ready\n");

    // Somebody has the database forget its last event, which the first one has applied.
    wait_for(|| ran(&file, &["verify", "--check", "pairs"]).code == 0);
    let forget = "update gx.shard set seq = seq - 1 where gene = 3; delete from gx.log where gene = 3";
    by_hand(&second, forget);
    wait_for(|| page(&process, "readyz").contains("database `d2`: it lost its newest commits: log 03"));
    assert!(follow(3).to_string().contains("DATABASE_LOST_WRITES"));
    assert_eq!(follow(6)["code"], Value::Null);
    let checked = ran(&file, &["config", "check"]);
    assert!(checked.code == 1 && checked.stdout.contains("accept-loss d2"), "{checked:?}");
    ran(&file, &["verify"]).failed(1, "it lost its newest commits");
    let accepted = ran(&file, &["cluster", "accept-loss", "d2", "--json"]).json();
    assert_eq!((&accepted["logs"], &accepted["events_lost"]), (&128.into(), &1.into()), "{accepted}");
    wait_for(|| follow(3)["code"].is_null());
    process.stop();
}

#[test]
fn roles_and_checks_are_of_a_cluster() {
    let scratch = Scratch::new();
    let data = scratch.arg("data");
    run(&["serve", "--data", &data, "--roles", "worker"]).failed(2, "one process in all roles");
    run(&["repair"]).failed(2, "say what to mend");
    run(&["verify", "--data", &data, "--check", "full"])
        .failed(2, "--check and --share are for the tables of a cluster");
    let file = |text: &str| scratch.file("guanxi.toml", text);
    for (text, said) in [
        ("roles = []", "`roles` is empty: name one or more of api, worker, repair, index"),
        (
            "roles = ['api', 'wroker']",
            "unknown variant `wroker`, expected one of `api`, `worker`, `repair`, `index`",
        ),
        ("roles = 'api'", "`roles` must be a list"),
        ("check_share_percent = 0", "`check_share_percent` must be between 1 and 100"),
    ] {
        ran(&file(text), &["config"]).failed(2, said);
    }
    let both = file("databases = ['d1=postgresql://u:hush@127.0.0.1:1/x']");
    ran(&both, &["verify", "--data", &data]).failed(2, "leave --data out");
    assert!(
        run(&["serve", "--data", &data, "--roles", "wroker"])
            .stderr
            .contains("possible values: api, worker, repair, index")
    );
    assert!(!scratch.path("data").exists());
}
