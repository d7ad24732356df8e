//! Users of several databases, served by several processes.

use crate::pair::eventually;
use crate::world::{World, databases, laid_out};
use guanxi_cluster::{CarryMode, ClusterOptions, ClusterStore, RepairCheck, RepairTerms};
use guanxi_model::user::{
    ExternalId, LoginName, Profile, ProfilePatch, Registration, UserCommand, UserOutcome, UserStatus,
};
use guanxi_model::{ImportEdge, ManualClock, Op, PairCommand, Reason, Result, SessionCommand, Uid, Write};
use guanxi_ports::Walk;
use guanxi_ports::{EndedUsers, Facts, Store};
use std::collections::BTreeMap;
use std::sync::Arc;

const NOW_MS: u64 = 1_750_000_000_000;

fn u(n: u64) -> Uid {
    Uid::new(n).unwrap()
}

/// A process that carries nothing by itself but what its own writes need.
async fn process(lines: &[String]) -> ClusterStore {
    process_at(lines, NOW_MS).await
}

/// The same at another time.
async fn process_at(lines: &[String], now_ms: u64) -> ClusterStore {
    let options = ClusterOptions { carrying: CarryMode::Log, apply_every: None, ..ClusterOptions::default() };
    ClusterStore::open(&databases(lines), options, Arc::new(ManualClock::new(now_ms))).await.unwrap()
}

async fn user(store: &ClusterStore, command: UserCommand) -> UserOutcome {
    store.apply(Write::of(command)).await.unwrap().user().unwrap()
}

async fn sign_out(store: &ClusterStore, uid: Uid) -> Result<bool, Reason> {
    store.apply(Write::of(SessionCommand::SignOut { uid })).await.unwrap().session().unwrap().result
}

async fn set_status(store: &ClusterStore, uid: u64, status: UserStatus) {
    assert_eq!(user(store, UserCommand::SetStatus { uid: u(uid), status }).await.result, Ok(true));
}

async fn act(store: &ClusterStore, op: Op, subject: u64, object: u64) -> Result<bool, Reason> {
    let command = PairCommand { op, subject: u(subject), object: u(object) };
    store.apply(Write::of(command)).await.unwrap().pairs().remove(0).result
}

/// Imported edges are in the lists of both sides at the answer. So a long import cannot write faster than its events are applied.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn imported_edges_are_on_both_sides_at_their_answer() {
    let world = World::new();
    let lines = world.make(&["d1", "d2", "d3"]).await;
    laid_out(&lines).await;
    let store = process(&lines).await;
    let edges = (0..100).map(|n| ImportEdge::new(u(n + 1), u(3 * n + 500), None)).collect();
    store.apply(Write::edges(edges, false)).await.unwrap();
    let (mut follows, mut fans) = (0, 0);
    for database in ["d1", "d2", "d3"] {
        let client = world.client(database).await;
        let count = "select (select count(*) from gx.follow), (select count(*) from gx.fan)";
        let row = client.query_one(count, &[]).await.unwrap();
        (follows, fans) = (follows + row.get::<_, i64>(0), fans + row.get::<_, i64>(1));
    }
    assert_eq!((follows, fans), (100, 100));
}

/// A user that went is refused in every shard of every database from the answer on, by each process; a user that came back is
/// not. Nothing but the write itself carries that.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn how_a_user_stands_is_known_everywhere_at_once() {
    let world = World::new();
    let lines = world.make(&["d1", "d2", "d3"]).await;
    laid_out(&lines).await;
    let (one, other) = (process(&lines).await, process(&lines).await);
    let others = [1_u64, 2, 3, 17, 256 + 7, 512 + 20, 40, 200];
    for gone in [7_u64, 8, 9] {
        set_status(&one, gone, UserStatus::Deactivated).await;
        for (n, subject) in others.into_iter().enumerate() {
            let asked = if n % 2 == 0 { &other } else { &one };
            assert_eq!(act(asked, Op::Follow, subject, gone).await, Err(Reason::UserDeactivated));
        }
        set_status(&other, gone, UserStatus::Active).await;
        for subject in others {
            assert_eq!(act(&one, Op::Follow, subject, gone).await, Ok(true), "{subject} {gone}");
        }
        set_status(&one, gone, UserStatus::Deleted { erase_at_ms: 5 }).await;
        for subject in others {
            assert_eq!(act(&other, Op::Block, subject, gone).await, Err(Reason::UserDeleted));
            assert_eq!(act(&other, Op::Unfollow, subject, gone).await, Ok(true));
        }
    }
    let view = one.view(None).await.unwrap();
    assert_eq!(view.deleted_users(Walk::new(None, 2)).await.unwrap(), [(5, u(7)), (5, u(8))]);
    assert_eq!(view.deleted_users(Walk::new(Some((5, u(8))), 2)).await.unwrap(), [(5, u(9))]);
    drop(view);
    for database in ["d1", "d2", "d3"] {
        let client = world.client(database).await;
        let rows = client.query("select uid, status, revision from gx.standing order by uid", &[]).await;
        let rows: Vec<(i64, String, i32)> =
            rows.unwrap().iter().map(|row| (row.get(0), row.get(1), row.get(2))).collect();
        assert_eq!(rows, [7, 8, 9].map(|uid| (uid, "deleted".to_owned(), 3)), "{database}");
    }
}

/// What ends somebody's credentials is known at once to the process that did it, to others soon, and to a new one when it opens.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ended_credentials_are_known_to_every_process() {
    let world = World::new();
    let lines = world.make(&["d1", "d2"]).await;
    laid_out(&lines).await;
    let (one, other) = (process(&lines).await, process(&lines).await);
    for uid in [4_u64, 5] {
        assert_eq!(sign_out(&one, u(uid)).await, Ok(true));
        assert_eq!(one.not_before_ms(u(uid)), NOW_MS + 1);
        eventually(async || other.not_before_ms(u(uid)) == NOW_MS + 1).await;
        set_status(&other, uid + 100, UserStatus::Deactivated).await;
        assert_eq!((other.is_gone(u(uid + 100)), other.not_before_ms(u(uid + 100))), (true, u64::MAX));
        eventually(async || one.is_gone(u(uid + 100))).await;
        set_status(&one, uid + 100, UserStatus::Active).await;
        assert!(!one.is_gone(u(uid + 100)));
        eventually(async || other.not_before_ms(u(uid + 100)) == NOW_MS + 1).await;
        set_status(&one, uid + 200, UserStatus::Deleted { erase_at_ms: 9 }).await;
        eventually(async || other.is_gone(u(uid + 200))).await;
    }
    let late = process(&lines).await;
    for uid in [4, 5] {
        assert_eq!(late.not_before_ms(u(uid)), NOW_MS + 1);
        assert_eq!((late.is_gone(u(uid + 100)), late.not_before_ms(u(uid + 100))), (false, NOW_MS + 1));
        assert_eq!(late.not_before_ms(u(uid + 200)), u64::MAX);
        assert_eq!(late.not_before_ms(u(uid + 300)), 0);
    }
}

/// Old sign-outs are removed; nothing that was issued before the last of them is good from then on.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn old_sign_outs_are_forgotten() {
    const DAY_MS: u64 = 24 * 60 * 60 * 1_000;
    let world = World::new();
    let lines = world.make(&["d1", "d2"]).await;
    laid_out(&lines).await;
    let one = process(&lines).await;
    for uid in [4_u64, 5, 20] {
        assert_eq!(sign_out(&one, u(uid)).await, Ok(true));
    }
    let later = process_at(&lines, NOW_MS + DAY_MS + 1).await;
    assert_eq!(sign_out(&later, u(20)).await, Ok(true));
    eventually(async || later.not_before_ms(u(9)) == NOW_MS + 1).await;
    let kept = async |database| {
        let question = "select uid from gx.signed_out order by uid";
        let rows = world.client(database).await.query(question, &[]).await.unwrap();
        rows.iter().map(|row| row.get(0)).collect::<Vec<i64>>()
    };
    assert_eq!((kept("d1").await, kept("d2").await), (vec![20], vec![]));
    let last = process_at(&lines, NOW_MS + DAY_MS + 1).await;
    for store in [&later, &last] {
        let not_before = [4, 5, 9, 20].map(|uid| store.not_before_ms(u(uid)));
        assert_eq!(not_before, [NOW_MS + 1, NOW_MS + 1, NOW_MS + 1, NOW_MS + DAY_MS + 2]);
    }
}

/// What is lost of how users stand, and of their names, is found by a check; and what follows from other rows is mended.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_said_of_users_is_checked() {
    let world = World::new();
    let lines = world.make(&["d1", "d2"]).await;
    laid_out(&lines).await;
    let store = process(&lines).await;
    for uid in 1..=5_u64 {
        set_status(&store, uid, UserStatus::Deactivated).await;
    }
    set_status(&store, 5, UserStatus::Active).await;
    let login_name = LoginName::new("alice".into(), "Alice".into());
    let alice = Uid::minted(NOW_MS, 1, login_name.gene()).unwrap();
    let registration = Registration { uid: alice, login_name, password: None, profile: Profile::default() };
    assert_eq!(user(&store, UserCommand::Register(registration)).await.result, Ok(true));
    let check = async |mends| {
        let terms = RepairTerms { mends, page_rows: 2, ..RepairTerms::default() };
        let report = store.repair(RepairCheck::Full, terms, &mut |_| {}).await.unwrap();
        let named = report.differences.iter().filter_map(|difference| difference.subject);
        let mut named: Vec<u64> = named.map(Uid::get).collect();
        named.sort_unstable();
        (report.differences_total, report.mended, named)
    };
    assert_eq!(check(false).await, (0, 0, vec![]));
    let (first, second) = (world.client("d1").await, world.client("d2").await);
    second.batch_execute("delete from gx.standing where uid = 1").await.unwrap();
    first.batch_execute("update gx.standing set status = 'active' where uid = 2").await.unwrap();
    second.batch_execute("update gx.standing set locked = true, revision = 9 where uid = 5").await.unwrap();
    let home = if alice.get().is_multiple_of(2) { &first } else { &second };
    home.batch_execute("update gx.login_name set uid = 77").await.unwrap();
    let wrong = vec![1, 2, 5, 77, alice.get()];
    assert_eq!(check(false).await, (5, 0, wrong.clone()));
    assert_eq!(check(true).await, (5, 3, wrong));
    assert_eq!(check(false).await, (2, 0, vec![77, alice.get()]), "whose a name is follows from nothing");
    assert_eq!(act(&store, Op::Follow, 3, 1).await, Err(Reason::UserDeactivated));
}

/// Texts are kept with all their characters, also those that the database has not.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn profiles_are_kept_as_they_were_given() {
    let world = World::new();
    let lines = world.make(&["d1"]).await;
    laid_out(&lines).await;
    let store = process(&lines).await;
    let texts =
        ["", "NULL", "null", "a\0b", "\"quoted\", \\ and {braces}", "\u{f0000}\0", "'; --", "\n\t，🦀"];
    let attributes: BTreeMap<String, String> = texts
        .iter()
        .enumerate()
        .flat_map(|(n, text)| {
            [(format!("{n}{text}"), (*text).to_owned()), (format!("k{n}"), text.to_string())]
        })
        .collect();
    let patch = ProfilePatch {
        bio: Some(texts.concat()),
        avatar: Some("a\0".to_owned()),
        attributes: Some(attributes.clone()),
        ..ProfilePatch::default()
    };
    let update = |patch| UserCommand::Update { uid: u(7), patch, expected_revision: None };
    assert_eq!(user(&store, update(patch)).await.result, Ok(true));
    let kept = store.view(None).await.unwrap().users(&[u(7)]).await.unwrap().remove(0).unwrap();
    assert_eq!((kept.profile.bio, kept.profile.avatar), (texts.concat(), "a\0".to_owned()));
    assert_eq!(kept.profile.attributes, attributes);
    let none = ProfilePatch { attributes: Some(BTreeMap::new()), ..ProfilePatch::default() };
    assert_eq!(user(&store, update(none)).await.result, Ok(true));
    let kept = store.view(None).await.unwrap().users(&[u(7)]).await.unwrap().remove(0).unwrap();
    assert_eq!(kept.profile.attributes, BTreeMap::new());
}

/// Uids that are given in one write lie in many shards; a caller that repeats it under its request id is answered as
/// before.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_batch_of_external_ids_spans_databases() {
    let world = World::new();
    let lines = world.make(&["d1", "d2"]).await;
    laid_out(&lines).await;
    let store = process(&lines).await;
    let ids: Vec<ExternalId> = (0..300).map(|n| ExternalId::new(format!("e{n}"), "x").unwrap()).collect();
    let write = |salt: u16| {
        let assign = |id: &ExternalId| UserCommand::AssignExternalId {
            uid: Uid::minted(NOW_MS + u64::from(id.gene().0), salt, id.gene()).unwrap(),
            external_id: id.clone(),
            listed: false,
        };
        // Several ids of a shard ask for one uid: the first gets it.
        Write::all(ids.iter().map(assign))
    };
    let request = guanxi_model::RequestKey { actor: u(1), id: "once".into(), fingerprint: 1 };
    let first = store.apply(write(1).under(Some(request.clone()))).await.unwrap();
    let again = store.apply(write(1).under(Some(request))).await.unwrap();
    assert_eq!(first.outcomes, again.outcomes);
    let view = store.view(None).await.unwrap();
    let uids = view.uids_of(&ids).await.unwrap();
    let mut given = 0;
    for ((id, uid), outcome) in ids.iter().zip(uids).zip(first.outcomes) {
        let outcome = outcome.user().unwrap();
        match outcome.result {
            Ok(true) => {
                assert_eq!(uid, Some(outcome.uid));
                assert_eq!(outcome.uid.gene(), id.gene());
                given += 1;
            }
            result => assert_eq!((result, uid), (Err(Reason::UidInUse), None)),
        }
    }
    let genes: std::collections::BTreeSet<_> = ids.iter().map(ExternalId::gene).collect();
    assert_eq!(given, genes.len());
}
