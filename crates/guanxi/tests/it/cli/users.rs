//! Users from elsewhere: their accounts and profiles come with the hashes of their passwords.

use super::run::{Scratch, Server, run, run_with_input};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::os::unix::fs::PermissionsExt as _;

/// A hash of `U*U` by bcrypt, as others have made it.
const HASH: &str = "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW";

fn users() -> String {
    format!(
        r#"# users
{{"login_name":"Alice","password_hash":"{HASH}","nickname":"A","sex":"FEMALE","birth_year":1990}}
{{"uid":"7","nickname":"Seven","attributes":{{"city":"Xi'an"}}}}
{{"login_name":"ＡＬＩＣＥ","nickname":"another"}}
{{"login_name":"bob","password_hash":"md5:x"}}
{{"uid":8,"password_hash":"{HASH}"}}
{{"nickname":"nobody"}}
{{"login_name":"carol"}}
"#
    )
}

fn login(server: &Server, name: &str, password: &str) -> Value {
    server.call("UserService/Login", &json!({ "loginName": name, "password": password }))
}

#[test]
fn users_are_imported_once_and_log_in_with_the_passwords_that_they_had() {
    let scratch = Scratch::new();
    let (file, dir) = (scratch.file("users.ndjson", users()), scratch.arg("data"));
    let import = ["import", "users", &file, "--data", &dir, "--json"];
    let first = run(&import).json();
    assert_eq!((&first["accepted"], &first["already_there"]), (&3.into(), &0.into()), "{first}");
    let refused =
        json!({ "LOGIN_NAME_TAKEN": 1, "PASSWORD_HASH_UNUSABLE": 1, "MISSING_FIELD": 1, "MALFORMED": 1 });
    assert_eq!(first["refused"], refused, "{first}");
    let again = run(&import).json();
    assert_eq!(again["accepted"], 0, "{again}");
    let proof = run(&["verify", "--data", &dir, "--json"]).json();
    assert_eq!(proof["clean"], true, "{proof}");
    let server = Server::start(&dir, &["--no-auth"]);
    let session = login(&server, "alice", "U*U");
    assert!(session["accessToken"].is_string(), "{session}");
    assert_eq!(login(&server, "alice", "u*u")["code"], "unauthenticated");
    // The login has hashed the password anew, and it is the same.
    assert_eq!(login(&server, "ALICE", "U*U")["uid"], session["uid"]);
    assert_eq!(login(&server, "carol", "x")["code"], "unauthenticated", "nobody logs in without a password");
    let seven = server.call("UserService/GetUser", &json!({ "uid": "7" }));
    assert_eq!(seven["user"]["attributes"]["city"], "Xi'an", "{seven}");
    // What users have changed since stays.
    server.call("UserService/UpdateUser", &json!({ "uid": "7", "nickname": "Sieben" }));
    let more = ["import", "users", &file, "--server", &server.admin, "--job", "more", "--json"];
    assert_eq!(run(&more).json()["accepted"], 0);
    let seven = server.call("UserService/GetUser", &json!({ "uid": "7" }));
    assert_eq!(seven["user"]["nickname"], "Sieben");
    server.stop();
}

#[test]
fn an_import_of_users_into_a_server_goes_on_where_it_stood() {
    let scratch = Scratch::new();
    let mut lines = String::new();
    for n in 0..250 {
        writeln!(lines, r#"{{"login_name":"user{n}","password_hash":"{HASH}"}}"#).unwrap();
    }
    let server = Server::start(&scratch.arg("data"), &["--no-auth"]);
    let import = |text: &str| {
        let args = ["import", "users", "-", "--job", "once", "--server", &server.admin, "--json"];
        run_with_input(&args, text.as_bytes()).json()
    };
    let half = lines.match_indices('\n').nth(119).unwrap().0 + 1;
    let first = import(&lines[..half]);
    assert_eq!((&first["accepted"], &first["method"]), (&120.into(), &"server".into()), "{first}");
    let rest = import(&lines);
    assert_eq!((&rest["resumed_at_line"], &rest["accepted"]), (&120.into(), &130.into()), "{rest}");
    assert_eq!(import(&lines)["accepted"], 0);
    assert!(login(&server, "user249", "U*U")["accessToken"].is_string());
    server.stop();
}

#[test]
fn a_user_is_exported_whole_from_a_directory_and_through_a_server() {
    let scratch = Scratch::new();
    let dir = scratch.arg("data");
    let edges = scratch.file("edges.tsv", "7\t8\t1700000001\n9\t7\t1700000002\n7\t9\t1700000003\n");
    assert_eq!(run(&["import", "users", &scratch.file("users.ndjson", users()), "--data", &dir]).code, 0);
    assert_eq!(run(&["import", "edges", &edges, "--data", &dir]).code, 0);
    let kinds = |text: &str| -> Vec<String> {
        let line = |line: &str| {
            let record: Value = serde_json::from_str(line).unwrap();
            record.as_object().unwrap().keys().next().unwrap().clone()
        };
        text.lines().map(line).collect()
    };
    let of_directory = run(&["export", "user", "7", "--data", &dir]);
    let expected = ["account", "following", "following", "follower", "end"];
    assert_eq!(kinds(&of_directory.stdout), expected, "{of_directory:?}");
    let account: Value = serde_json::from_str(of_directory.stdout.lines().next().unwrap()).unwrap();
    assert_eq!(account["account"]["user"]["attributes"]["city"], "Xi'an");
    let server = Server::start(&dir, &["--no-auth"]);
    let file = scratch.arg("seven.ndjson");
    let written = run(&["export", "user", "7", &file, "--server", &server.admin, "--json"]);
    assert_eq!(written.json()["records"], 5, "{written:?}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), of_directory.stdout);
    run(&["export", "user", "7", &file, "--server", &server.admin]).failed(1, "exists");
    run(&["export", "user", "0", "--server", &server.admin]).failed(2, "uid");
    server.stop();
}

/// Where uids are minted in a range, every way in keeps others out of it, and the data keeps the range.
#[test]
fn a_foreign_uid_comes_not_into_the_range_of_minted_ones() {
    const RANGE: &str = "4611686018427387904-9223372036854775807";
    let scratch = Scratch::new();
    let (file, dir) = (scratch.file("users.ndjson", users()), scratch.arg("data"));
    let server = Server::start(&dir, &["--no-auth", "--uids", RANGE]);
    let import = ["import", "users", &file, "--server", &server.admin, "--json"];
    assert_eq!(run(&import).json()["accepted"], 3);
    assert_eq!(run(&import).json()["accepted"], 0, "an imported name has one uid in the range, too");
    let made = server.call("UserService/Register", &json!({ "loginName": "dave" }));
    let external = json!({ "externalIds": ["an id"], "create": true });
    let resolved = server.call("UserService/ResolveIds", &external);
    let alice = login(&server, "alice", "U*U");
    for minted in [&made["uid"], &resolved["byExternalId"][0]["uid"], &alice["uid"]] {
        let raw: u64 = minted.as_str().unwrap().parse().unwrap();
        assert!(raw >= 1 << 62, "{raw}");
        let follow = server.call("RelationService/Follow", &json!({ "subject": minted, "object": "7" }));
        assert_eq!(follow["changed"], true, "{follow}");
    }
    let foreign = json!({ "subject": "8", "object": "4611686018427387999" });
    let refused = server.call("RelationService/Follow", &foreign);
    assert_eq!(refused["details"][0]["debug"]["reason"], "UID_NOT_MINTED", "{refused}");
    let edges = scratch.file("edges.tsv", "8\t4611686018427387999\n");
    let none = |to: [&str; 2]| {
        let report = run(&["import", "edges", &edges, to[0], to[1]]);
        assert_eq!(report.code, 3, "{report:?}");
        assert!(report.stdout.contains("line 1: UID_NOT_MINTED"), "{report:?}");
    };
    none(["--server", &server.admin]);
    server.stop();
    // Without the setting it stays; the data takes no other range.
    none(["--data", &dir]);
    run(&["serve", "--data", &dir, "--uids", "minted"]).failed(1, "leave it as it was");
    assert_eq!(run(&["verify", "--data", &dir, "--json"]).json()["clean"], true);
}

/// Lines that name a uid which may not be named are reported, the others are imported: through a server, and again into its
/// directory, where they are there already.
#[test]
fn an_import_leaves_out_lines_of_uids_that_may_not_be_named() {
    const BAD: &str = "4611686018427387999";
    let lists = [
        ("edges", format!("8\t9\n8\t{BAD}\n{BAD}\t9\n9\t8\n")),
        ("mutes", format!("{BAD}\t9\n9\t10\n9\t{BAD}\n10\t9\n")),
        ("blocks", format!("{BAD}\t9\n9\t11\n9\t{BAD}\n11\t9\n")),
        (
            "posts",
            [("8", "a"), (BAD, "b"), ("9", "c"), (BAD, "d")]
                .map(|(author, key)| {
                    let time = "2024-05-01T12:30:00Z";
                    json!({ "author": author, "key": key, "time": time, "text": "hello" }).to_string() + "\n"
                })
                .concat(),
        ),
        (
            "likes",
            [("9", "8", "a"), (BAD, "8", "a"), ("9", BAD, "b"), ("10", "8", "a")]
                .map(|(user, author, key)| {
                    json!({ "user": user, "author": author, "key": key }).to_string() + "\n"
                })
                .concat(),
        ),
        (
            "users",
            [("8", "eight"), (BAD, "bad"), ("9", "nine"), (BAD, "bad")]
                .map(|(uid, name)| json!({ "uid": uid, "nickname": name }).to_string() + "\n")
                .concat(),
        ),
    ];
    let scratch = Scratch::new();
    let dir = scratch.arg("data");
    let server = Server::start(&dir, &["--no-auth", "--uids", "4611686018427387904-9223372036854775807"]);
    let check = |list: &str, file: &str, to: [&str; 2], new: u64| {
        let args = ["import", list, file, to[0], to[1], "--job", &format!("{list}{new}"), "--json"];
        let report = run(&args).json();
        let counts = [&report["accepted"], &report["already_there"], &report["refused"]["UID_NOT_MINTED"]];
        assert_eq!(counts, [new, 2 - new, 2], "{list}: {report}");
        let lines: Vec<_> = report["examples"].as_array().unwrap().iter().map(|one| &one["line"]).collect();
        assert_eq!(lines.len(), 2, "{report}");
    };
    let files: Vec<_> = lists.iter().map(|(list, text)| (*list, scratch.file(list, text.clone()))).collect();
    for (list, file) in &files {
        check(list, file, ["--server", &server.admin], 2);
    }
    server.stop();
    for (list, file) in &files {
        check(list, file, ["--data", &dir], 0);
    }
    assert_eq!(run(&["verify", "--data", &dir, "--json"]).json()["clean"], true);
}

/// Refused lines hold what the lines do, hashes of passwords among it: their file is for its owner alone.
#[test]
fn the_file_of_refused_users_is_for_its_owner_alone() {
    let scratch = Scratch::new();
    let mut lines = format!("{{\"login_name\":\"alice\",\"password_hash\":\"{HASH}\"}}\n");
    for n in 0..30 {
        writeln!(lines, r#"{{"password_hash":"{HASH}","nickname":"n{n}"}}"#).unwrap();
    }
    let (file, dir) = (scratch.file("users.ndjson", lines), scratch.arg("data"));
    let report = run(&["import", "users", &file, "--data", &dir, "--json"]).json();
    assert_eq!((&report["accepted"], &report["refused_total"]), (&1.into(), &30.into()), "{report}");
    let refused = report["refused_file"].as_str().unwrap();
    assert_eq!(refused, format!("{file}.refused.tsv"));
    let text = std::fs::read_to_string(refused).unwrap();
    assert_eq!(text.lines().filter(|line| line.contains(HASH)).count(), 30, "{text}");
    let mode = std::fs::metadata(refused).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

/// With ids of your own users have neither uids nor login names in a list, and in another directory they get uids by the same
/// ids; accounts have no id, and are left out.
#[test]
fn users_are_exported_and_imported_by_ids_of_your_own() {
    let scratch = Scratch::new();
    let (old, new) = (scratch.arg("old"), scratch.arg("new"));
    let lines = concat!(
        r#"{"external_id":"a \"b\"","nickname":"A","locked":true,"phone":"+14155550100"}"#,
        "\n",
        r#"{"external_id":"c","bio":"x","status":"DEACTIVATED"}"#,
        "\n",
        r#"{"login_name":"alice"}"#,
        "\n"
    );
    let import = |text: &str, dir: &str, ids: &str| {
        run_with_input(&["import", "users", "-", "--ids", ids, "--data", dir, "--json"], text.as_bytes())
            .json()
    };
    let first = import(lines, &old, "string");
    assert_eq!((&first["accepted"], &first["refused_total"]), (&2.into(), &1.into()), "{first}");
    assert_eq!(import(r#"{"login_name":"alice"}"#, &old, "uid")["accepted"], 1);
    let exported = run(&["export", "users", "--ids", "string", "--data", &old]);
    assert!(
        exported.code == 3 && exported.stderr.contains("1 rows about 1 users without an id"),
        "{exported:?}"
    );
    let read = |text: &str| -> Vec<Value> {
        text.lines().skip(1).map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let mut sorted = read(&exported.stdout);
    sorted.sort_by_key(|user| user["external_id"].to_string());
    let expected = json!([
        { "external_id": "a \"b\"", "nickname": "A", "locked": true, "phone": "+14155550100" },
        { "external_id": "c", "bio": "x", "status": "DEACTIVATED" }
    ]);
    assert_eq!(Value::from(sorted), expected);
    let copied = import(&exported.stdout, &new, "string");
    assert_eq!((&copied["accepted"], &copied["refused_total"]), (&2.into(), &0.into()), "{copied}");
    let again = run(&["export", "users", "--ids", "string", "--data", &new]);
    let mut again_sorted = read(&again.stdout);
    again_sorted.sort_by_key(|user| user["external_id"].to_string());
    assert_eq!((again.code, Value::from(again_sorted)), (0, expected));
    // Another user has the number already: the line is refused, and nothing of it is kept.
    let taken = r#"{"uid":7,"phone":"+14155550100","nickname":"late"}"#;
    let taken = run_with_input(&["import", "users", "-", "--data", &new, "--json"], taken.as_bytes());
    assert!(taken.code == 3 && taken.stdout.contains(r#"{"CONTACT_TAKEN":1}"#), "{taken:?}");
    assert_eq!(read(&run(&["export", "users", "--data", &new]).stdout).len(), 2);
    assert_eq!(run(&["verify", "--data", &new, "--json"]).json()["clean"], true);
}

#[test]
fn a_list_of_users_is_for_its_owner_alone_and_leaves_out_who_is_deleted() {
    let scratch = Scratch::new();
    let dir = scratch.arg("data");
    let lines = r#"{"uid":7,"nickname":"x"}
{"uid":8,"nickname":"y"}
"#;
    assert_eq!(run(&["import", "users", &scratch.file("users.ndjson", lines), "--data", &dir]).code, 0);
    let server = Server::start(&dir, &["--no-auth"]);
    server.call("UserService/DeleteUser", &json!({ "uid": "8" }));
    let (file, of_directory) = (scratch.arg("list"), scratch.arg("list of the directory"));
    let told = run(&["export", "users", &file, "--server", &server.admin, "--json"]);
    assert_eq!(told.json(), json!({ "users": 1, "of_deleted_users": 1 }), "{told:?}");
    assert!(told.stderr.contains("no list carries"), "{told:?}");
    let mode = std::fs::metadata(&file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    server.stop();
    assert_eq!(run(&["export", "users", &of_directory, "--data", &dir]).code, 0);
    let read = |file: &str| std::fs::read_to_string(file).unwrap();
    assert_eq!(read(&file), "# guanxi users 1: a JSON object a line\n{\"uid\":\"7\",\"nickname\":\"x\"}\n");
    assert_eq!(read(&file), read(&of_directory));
}
