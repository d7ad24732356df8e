//! Each kind of row keeps its terms: what is a user's goes with it, of every kind and in every state.

use super::erasure::{done, is_erased, live, succeeds};
use super::run::{Scratch, Server, wait_for};
use guanxi_rows::{DumpError, DumpReader, DumpSection, RecordKind, RowEnd, RowKind};
use serde_json::json;
use std::collections::BTreeSet;
use std::fs::File;
use std::path::Path;

/// Kinds that this world has no row of: of the work of upgrades and bulk loads, what the header of a dump says, and a setting.
const OF_OTHERS: &[RecordKind] =
    &[RecordKind::Upgrade, RecordKind::RelationsSince, RecordKind::State, RecordKind::Uids];

/// All rows of a dump with their kinds.
fn rows(dump: &Path) -> Vec<(RowKind, Vec<u8>, Vec<u8>)> {
    let mut file = File::open(dump).unwrap();
    let mut reader = DumpReader::new(&mut file).unwrap();
    let mut rows = Vec::new();
    for section in [DumpSection::Forward, DumpSection::Records, DumpSection::Posts] {
        let read = reader.rows::<DumpError>(section, |key, value| {
            let kind = RowKind::of(section, key);
            rows.push((
                kind.unwrap_or_else(|| panic!("a row of no kind: {key:?}")),
                key.to_vec(),
                value.to_vec(),
            ));
            Ok(())
        });
        read.unwrap();
    }
    rows
}

/// What two users, of whom the first has an account, do beside what [`live`] does.
fn live_on(server: &Server, [uid, other]: &[String; 2]) {
    for (method, request) in [
        ("CreateGroup", json!({ "subject": uid, "name": "friends" })),
        ("SetGroupMembers", json!({ "subject": uid, "groupId": 1, "objects": ["1", other] })),
        ("CreateGroup", json!({ "subject": "1", "name": "theirs", "requestId": "once" })),
        ("SetGroupMembers", json!({ "subject": "1", "groupId": 1, "objects": [uid] })),
        ("DismissSuggestion", json!({ "viewer": uid, "target": "6" })),
        ("DismissSuggestion", json!({ "viewer": "6", "target": uid })),
        (
            "RecordInteractions",
            json!({ "interactions": [
            { "kind": "VISIT", "subject": uid, "object": "1" }, { "kind": "VISIT", "subject": "1", "object": uid }
        ] }),
        ),
        ("SendFriendRequest", json!({ "subject": uid, "object": "7", "message": "hello" })),
        ("SendFriendRequest", json!({ "subject": "8", "object": uid, "ttl": "86400s" })),
        ("SendFriendRequest", json!({ "subject": "9", "object": uid })),
        ("RejectFriendRequest", json!({ "subject": uid, "object": "9" })),
        ("SendFriendRequest", json!({ "subject": uid, "object": "10" })),
        ("RejectFriendRequest", json!({ "subject": "10", "object": uid })),
        ("Mute", json!({ "subject": uid, "object": "11", "duration": "86400s" })),
        ("MarkRequestsSeen", json!({ "uid": uid })),
    ] {
        done(server, method, &request);
    }
    let theirs = json!({ "author": "1", "text": "look" });
    let theirs = done(server, "PostService/CreatePost", &theirs)["postId"].clone();
    let repost = json!({ "author": uid, "repostOf": theirs });
    let repost = done(server, "PostService/CreatePost", &repost)["token"].clone();
    done(server, "FeedService/MarkSeen", &json!({ "viewer": uid, "seen": repost }));
    done(server, "UserService/RevokeSession", &json!({ "uid": other, "everywhere": true }));
}

/// Returns all rows of a server on which a user is unlocked while another waits. A job ends that within a second, so it is made again
/// until a backup has it.
fn rows_while_unlocking(server: &Server, scratch: &Scratch, uid: &str) -> Vec<(RowKind, Vec<u8>, Vec<u8>)> {
    for waits in 20..40 {
        done(server, "UserService/SetPrivacy", &json!({ "uid": uid, "locked": true }));
        done(server, "Follow", &json!({ "subject": waits.to_string(), "object": uid }));
        done(server, "UserService/SetPrivacy", &json!({ "uid": uid, "locked": false }));
        let backup = scratch.path(&format!("before-{waits}"));
        succeeds(&["backup", backup.to_str().unwrap(), "--server", &server.admin]);
        let rows = rows(&backup);
        if rows.iter().any(|(kind, ..)| *kind == RowKind::Record(RecordKind::Unlocking)) {
            return rows;
        }
    }
    panic!("no backup has a user that is unlocked");
}

#[test]
fn whatever_row_a_user_has_goes_with_it_or_stays_for_a_reason() {
    let scratch = Scratch::new();
    let (dir, after) = (scratch.arg("data"), scratch.path("after"));
    let server = Server::start(&dir, &["--no-auth"]);
    let users = live(&server, &scratch);
    succeeds(&["fanout", "policy", "--celebrity-followers", "77", "--server", &server.admin]);
    let deleted = done(&server, "UserService/Register", &json!({ "loginName": "deleted" }))["uid"].clone();
    done(&server, "UserService/DeleteUser", &json!({ "uid": deleted }));
    live_on(&server, &users);
    let rows_before = rows_while_unlocking(&server, &scratch, &users[0]);
    let uids: Vec<[u8; 8]> = users.iter().map(|uid| uid.parse::<u64>().unwrap().to_be_bytes()).collect();
    let names = |bytes: &[u8], ids: &[[u8; 8]]| ids.iter().any(|id| bytes.windows(8).any(|part| part == id));
    // A post's row begins with its author.
    let posts = rows_before.iter().filter(|(kind, _, value)| *kind == RowKind::Post && names(value, &uids));
    let ids: Vec<[u8; 8]> =
        posts.map(|(_, key, _)| key[..8].try_into().unwrap()).chain(uids.iter().copied()).collect();
    let kinds: BTreeSet<RowKind> = rows_before.iter().map(|(kind, ..)| *kind).collect();
    for uid in &users {
        done(&server, "UserService/EraseUser", &json!({ "uid": uid }));
    }
    wait_for(|| users.iter().all(|uid| is_erased(&server, uid)));
    succeeds(&["backup", after.to_str().unwrap(), "--server", &server.admin]);
    let rows_after = rows(&after);
    for (kind, key, value) in &rows_after {
        let is_theirs = names(key, &ids) || names(value, &ids);
        assert!(!is_theirs || kind.terms().erased != RowEnd::Gone, "{kind:?} is left: {key:?} {value:?}");
    }
    let missing = |kind: &RecordKind| !OF_OTHERS.contains(kind) && !kinds.contains(&RowKind::Record(*kind));
    let later: BTreeSet<RowKind> = rows_after.iter().map(|(kind, ..)| *kind).collect();
    let missing =
        RecordKind::ALL.iter().filter(|kind| missing(kind) && !later.contains(&RowKind::Record(**kind)));
    let missing: Vec<_> = missing.collect();
    assert!(missing.is_empty(), "this world has no {missing:?}");
    server.stop();
}
