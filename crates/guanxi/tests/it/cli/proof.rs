//! Verify, backup and restore.

use super::run::{NOSTR, Scratch, Server, run};
use guanxi_embedded::damage::{Damage, inject};
use guanxi_model::Uid;
use serde_json::json;
use std::fs;
use std::path::Path;

/// A directory with follows, blocks, mutes, a removed follow, a limit, a liked post with an earlier revision, and a policy
/// of the fan-out.
fn world(scratch: &Scratch) -> (String, Server) {
    let dir = scratch.arg("data");
    let server = Server::start(&dir, &["--no-auth"]);
    for (subject, object) in [(1, 2), (2, 1), (1, 3), (3, 1), (4, 1), (5, 6)] {
        let pair = json!({ "subject": subject.to_string(), "object": object.to_string() });
        assert_eq!(server.call("Follow", &pair)["changed"], true);
    }
    for (method, subject, object) in [("Unfollow", "5", "6"), ("Block", "1", "4"), ("Mute", "2", "3")] {
        assert_eq!(server.call(method, &json!({ "subject": subject, "object": object }))["changed"], true);
    }
    run(&["limit", "set", "5", "7", "--server", &server.admin, "--json"]).json();
    run(&["fanout", "policy", "--mode", "push", "--server", &server.admin, "--json"]).json();
    let post = server.call("PostService/CreatePost", &json!({ "author": "2", "text": "first" }));
    let id = &post["postId"];
    let edit = json!({ "author": "2", "postId": id, "text": "second" });
    assert_eq!(server.call("PostService/UpdatePost", &edit)["changed"], true);
    let like = json!({ "uid": "1", "postId": id });
    assert_eq!(server.call("PostService/LikePost", &like)["changed"], true);
    (dir, server)
}

#[test]
fn a_restored_backup_is_the_same_graph_in_a_new_history() {
    let scratch = Scratch::new();
    let (dir, server) = world(&scratch);
    let (dump, copy) = (scratch.arg("dump"), scratch.arg("copy"));
    let backup = run(&["backup", &dump, "--server", &server.admin, "--json"]).json();
    assert_eq!(backup["bytes"], fs::metadata(&dump).unwrap().len());
    run(&["restore", &dump, "--data", &copy, "--json"]).json();
    let proof = run(&["verify", "--data", &copy, "--json"]).json();
    assert_eq!((&proof["clean"], &proof["forward"], &proof["marks"]), (&true.into(), &4.into(), &2.into()));

    let restored = Server::start(&copy, &["--no-auth"]);
    for (subject, object) in [("1", "2"), ("1", "4"), ("2", "3"), ("5", "6")] {
        let pair = json!({ "subject": subject, "object": object });
        let (a, b) = (server.call("GetRelation", &pair), restored.call("GetRelation", &pair));
        assert_eq!(a["relation"], b["relation"]);
    }
    let home = |server: &Server| {
        server.call("FeedService/GetHomeTimeline", &json!({ "viewer": "1" }))["posts"].clone()
    };
    let (a, b) = (home(&server), home(&restored));
    assert_eq!(
        (&a[0]["post"]["text"], &a[0]["likes"], &a[0]["liked"]),
        (&"second".into(), &1.into(), &true.into())
    );
    assert_eq!(a, b, "homes differ");
    let request = json!({ "postId": a[0]["postId"] });
    let revisions = restored.call("PostService/ListPostRevisions", &request);
    assert_eq!(revisions["revisions"][0]["text"], "first", "{revisions}");
    let policy = run(&["fanout", "policy", "--server", &restored.admin, "--json"]).json();
    assert_eq!(policy["mode"], "push");
    let limit = run(&["limit", "get", "5", "--server", &restored.admin, "--json"]).json();
    assert_eq!((&limit["effective"], &limit["own"]), (&7.into(), &7.into()));
    let stale = json!({ "subject": "1", "object": "2", "token": backup["token"] });
    assert!(restored.call("GetRelation", &stale).to_string().contains("another history"));
    server.stop();
    restored.stop();
    let (a, b) = (run(&["export", "edges", "--data", &dir]), run(&["export", "edges", "--data", &copy]));
    assert!(!a.stdout.is_empty() && a.stdout == b.stdout, "{a:?} {b:?}");
}

#[test]
fn a_dump_is_restored_only_into_an_empty_directory_and_only_whole() {
    let scratch = Scratch::new();
    let dir = scratch.arg("data");
    run(&["import", "edges", NOSTR, "--data", &dir, "--json"]).json();
    let dump = scratch.arg("dump");
    run(&["backup", &dump, "--data", &dir, "--json"]).json();
    run(&["restore", &dump, "--data", &dir]).failed(1, "name an empty or new directory");
    let mut bytes = fs::read(&dump).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    let damaged = scratch.file("damaged", &bytes);
    run(&["restore", &damaged, "--data", &scratch.arg("a")]).failed(1, "the dump is damaged");
    let cut = scratch.file("cut", &bytes[..middle - 1]);
    run(&["restore", &cut, "--data", &scratch.arg("b")]).failed(1, "the dump is damaged");
    let foreign = scratch.file("foreign", "1 2\n");
    run(&["restore", &foreign, "--data", &scratch.arg("c")]).failed(1, "not a guanxi dump");
    run(&["restore", "/no/such/dump", "--data", &scratch.arg("d")]).failed(1, "cannot read /no/such/dump");
    // A directory that a failed restore left behind takes the good one.
    run(&["restore", &dump, "--data", &scratch.arg("a"), "--json"]).json();
    assert_eq!(run(&["verify", "--data", &scratch.arg("a"), "--json"]).json()["forward"], 215_216);
}

#[test]
fn a_server_verifies_itself_while_it_serves() {
    let scratch = Scratch::new();
    let (_dir, server) = world(&scratch);
    let proof = run(&["verify", "--server", &server.admin, "--json"]).json();
    assert_eq!((&proof["clean"], &proof["forward"]), (&true.into(), &4.into()), "{proof}");
    let shown = run(&["verify", "--server", &server.admin]);
    assert!(shown.code == 0 && shown.stdout.contains("differences"), "{shown:?}");
}

#[test]
fn a_restore_says_that_revoked_tokens_are_back_and_can_leave_them_out() {
    let scratch = Scratch::new();
    let (dir, dump) = (scratch.arg("data"), scratch.arg("dump"));
    run(&["import", "edges", &scratch.file("edges", "1 2\n"), "--data", &dir, "--json"]).json();
    for name in ["one", "two"] {
        assert_eq!(run(&["token", "create", name, "--admin", "--data", &dir]).code, 0);
    }
    run(&["backup", &dump, "--data", &dir, "--json"]).json();
    assert_eq!(run(&["token", "revoke", "one", "--data", &dir]).code, 0);
    let names = |dir: &str| {
        let tokens = run(&["token", "list", "--data", dir, "--json"]).json();
        tokens.as_array().unwrap().iter().map(|token| token["name"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(names(&dir), ["two"]);

    let (kept, left) = (scratch.arg("kept"), scratch.arg("left"));
    let restored = run(&["restore", &dump, "--data", &kept, "--json"]);
    assert!(restored.stderr.contains("holds 2 tokens, which are valid again"), "{restored:?}");
    assert!(restored.stderr.contains("--revoke-tokens"), "{restored:?}");
    assert_eq!(restored.json()["dumped_tokens"], 2);
    assert_eq!(names(&kept), ["one", "two"], "the revoked one is back");

    let restored = run(&["restore", &dump, "--data", &left, "--revoke-tokens", "--json"]);
    assert!(restored.stderr.contains("holds 2 tokens, which were left out"), "{restored:?}");
    assert_eq!(restored.json()["tokens_revoked"], true);
    assert!(names(&left).is_empty());
    assert_eq!(run(&["verify", "--data", &left, "--json"]).json()["forward"], 1, "the rest is there");
}

#[test]
fn a_proof_of_homes_after_a_start_reads_inboxes() {
    let scratch = Scratch::new();
    let (dir, server) = world(&scratch);
    server.stop();
    let proof = run(&["verify", "--feed", "--data", &dir, "--json"]).json();
    assert_eq!((&proof["clean"], &proof["viewers"]), (&true.into(), &3.into()), "{proof}");
    assert_eq!(proof["pages_from_inbox"], proof["pages"], "the policy is push: {proof}");
    let server = Server::start(&dir, &["--no-auth"]);
    let proof = run(&["verify", "--feed", "--viewer", "1,3", "--server", &server.admin, "--json"]).json();
    assert_eq!((&proof["clean"], &proof["viewers"]), (&true.into(), &2.into()), "{proof}");
    assert_eq!(proof["pages_from_inbox"], proof["pages"], "{proof}");
}

#[test]
fn a_directory_is_told_the_same_of_a_wrong_policy_as_a_server() {
    let scratch = Scratch::new();
    let (dir, server) = world(&scratch);
    let wrong = ["fanout", "policy", "--inbox-cap", "0"];
    let by_server = run(&[&wrong[..], &["--server", &server.admin]].concat());
    server.stop();
    let by_data = run(&[&wrong[..], &["--data", &dir]].concat());
    by_data.failed(1, "inbox_cap");
    by_server.failed(1, "inbox_cap");
}

/// Makes rows of a directory wrong: a lost reverse edge, and a counter.
fn damage(dir: &str) {
    let uid = |n| Uid::new(n).unwrap();
    let all = [
        Damage::ReverseLost { subject: uid(1), object: uid(3) },
        Damage::Followers { uid: uid(1), count: 9 },
    ];
    inject(Path::new(dir), &all).unwrap();
}

#[test]
fn damage_is_mended_through_a_server_and_in_a_directory() {
    let scratch = Scratch::new();
    let (dir, server) = world(&scratch);
    server.stop();
    damage(&dir);
    let found = run(&["verify", "--data", &dir]);
    assert!(found.code == 3 && found.stdout.contains("REVERSE_MISSING 1 3"), "{found:?}");
    let server = Server::start(&dir, &["--no-auth"]);
    let mended = run(&["repair", "--server", &server.admin, "--reason", "a test", "--json"]).json();
    assert_eq!((&mended["clean"], &mended["found"]), (&true.into(), &2.into()), "{mended}");
    assert_eq!((&mended["mended"], &mended["left"]["differences_total"]), (&2.into(), &0.into()), "{mended}");
    let followers = server.call("ListFollowers", &json!({ "uid": "3", "viewer": "3" }));
    assert!(followers.to_string().contains("\"1\""), "{followers}");
    let counts = server.call("GetCounts", &json!({ "uid": "1" }));
    assert_eq!(counts["counts"]["followers"], 2, "{counts}");
    let again = run(&["repair", "--server", &server.admin]);
    let mended = again.stdout.lines().find(|line| line.starts_with("mended"));
    assert!(again.code == 0 && mended.is_some_and(|line| line.ends_with(" 0")), "{again:?}");
    run(&["repair", "--server", &server.admin, "--share", "50"]).failed(2, "--check and --share are for");
    server.stop();
    damage(&dir);
    assert_eq!(run(&["repair", "--data", &dir, "--json"]).json()["mended"], 2);
    assert_eq!(run(&["verify", "--data", &dir]).code, 0);
}
