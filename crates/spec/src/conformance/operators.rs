//! What an operator asks for: export, proof, dump, credentials.

use super::{Need, World, u};
use guanxi_model::limits::CREDENTIAL_NAME_LEN_MAX;
use guanxi_model::{Credential, Position, Principal, Reason, Scope, Scopes};

/// The export holds every follow once, in the order of (subject, object), from any place on.
pub async fn the_export_is_ordered_and_resumable(world: &World) {
    world.build("3->1 1->3 1->2 2->9 1-x4 5-m6 7->8 7-/8 255->256 256->255").await;
    let all = world.export().await;
    let pairs: Vec<_> = all.iter().map(|edge| (edge.subject.get(), edge.object.get())).collect();
    assert_eq!(pairs, [(1, 2), (1, 3), (2, 9), (3, 1), (255, 256), (256, 255)]);
    let view = world.view().await;
    for max in 1..=all.len() + 1 {
        assert_eq!(view.edges(None, max).await.unwrap(), all[..max.min(all.len())]);
        for (n, edge) in all.iter().enumerate() {
            let rest = view.edges(Some((edge.subject, edge.object)), max).await.unwrap();
            assert_eq!(rest, all[n + 1..].iter().take(max).copied().collect::<Vec<_>>());
        }
    }
    // A place between edges, and one whose edge is gone.
    assert_eq!(view.edges(Some((u(7), u(8))), 1).await.unwrap(), all[4..5]);
    assert_eq!(view.edges(Some((u(1), u(1))), 1).await.unwrap(), all[..1]);
    assert_eq!(view.edges(Some((u(300), u(1))), 1).await.unwrap(), []);
    for edge in all {
        let relation = world.relation(edge.subject.get(), edge.object.get()).await;
        assert_eq!(relation.following_since, Some(edge.at));
    }
}

/// A verification says how much it compared, and reports its progress up to the end.
pub async fn verification_counts_what_it_compares(world: &World) {
    world.build("1<->2 3->1 1->4 1-x5 6-m1 7->8 7-/8").await;
    let upkeep = world.backend.upkeep.clone();
    let verify = tokio::task::spawn_blocking(move || {
        let mut last = None;
        let report = upkeep.verify(&mut |progress| last = Some(progress)).unwrap();
        (report, last)
    });
    let (report, progress) = verify.await.unwrap();
    assert!(report.clean());
    assert_eq!((report.forward, report.reverse, report.mutual, report.marks), (4, 4, 2, 2));
    assert!(report.counters >= 6, "users 1 to 6 have counters: {}", report.counters);
    stands_at(&report.position, world);
    if let Some(progress) = progress {
        assert!(progress.done <= progress.total);
    }
}

/// A dump is written whole and says where it stands; it grows with the store.
pub async fn a_dump_says_where_it_stands(world: &World) {
    if world.lacks(Need::Dump) {
        return;
    }
    let dump = async || {
        let upkeep = world.backend.upkeep.clone();
        let dump = tokio::task::spawn_blocking(move || {
            let mut sink = Vec::new();
            let position = upkeep.dump(&mut sink, &mut |_| ()).unwrap();
            (sink, position)
        });
        dump.await.unwrap()
    };
    let (empty, origin) = dump().await;
    assert_eq!(origin, world.origin);
    world.import((1..500).map(|n| (n, n + 1, n))).await;
    let (full, position) = dump().await;
    stands_at(&position, world);
    assert!(full.len() > empty.len() + 500, "{} bytes for 499 edges", full.len() - empty.len());
}

/// A report stands where the store does: after the last write, and with one log exactly there. Logs of users who did
/// nothing may have gone on, by what others did to them.
fn stands_at(position: &Position, world: &World) {
    assert!(position.covers(&world.last()));
    assert!(world.lacks(Need::OneOrder) || world.last().covers(position));
}

fn credential(name: &str, byte: u8, principal: Principal) -> Credential {
    Credential {
        hash: [byte; 32],
        name: name.to_owned(),
        principal,
        created_ms: super::START_MS,
        rate_per_minute: None,
    }
}

/// Credentials are found by hash, listed by name, and gone when revoked.
pub async fn credentials_are_found_listed_and_revoked(world: &World) {
    if world.lacks(Need::Credentials) {
        return;
    }
    let store = &world.backend.credentials;
    assert_eq!(store.list().await, Ok(Vec::new()));
    let read = [Scope::RelationRead, Scope::Watch].into_iter().collect();
    let newer = Scopes::of_names(["post.write", "stars.count"]).expect("names that could be stored");
    let added = [
        credential("web", 1, Principal::Service(Scopes::all())),
        credential("alice", 2, Principal::EndUser(u(7))),
        credential("ops", 3, Principal::Admin),
        credential("reader", 4, Principal::Service(read)),
        credential("newer", 6, Principal::Service(newer)),
        credential("nothing", 7, Principal::Service(Scopes::default())),
    ];
    for credential in &added {
        store.add(credential.clone()).await.unwrap();
    }
    for credential in &added {
        assert_eq!(store.find(credential.hash).await, Ok(Some(credential.clone())));
    }
    assert_eq!(store.find([9; 32]).await, Ok(None));
    let names: Vec<String> =
        store.list().await.unwrap().into_iter().map(|credential| credential.name).collect();
    assert_eq!(names, ["alice", "newer", "nothing", "ops", "reader", "web"]);
    assert_eq!(store.revoke("alice").await, Ok(true));
    assert_eq!(store.revoke("alice").await, Ok(false));
    assert_eq!(store.find([2; 32]).await, Ok(None));
    assert_eq!(store.list().await.unwrap().len(), 5);
    store.add(credential("alice", 5, Principal::EndUser(u(8)))).await.unwrap();
    assert_eq!(store.find([5; 32]).await.unwrap().unwrap().principal, Principal::EndUser(u(8)));
    assert_eq!(world.events_since(&world.origin).await, [], "credentials are not in the log");
}

/// Names are unique, present, bounded and one line.
pub async fn credentials_names_are_checked(world: &World) {
    if world.lacks(Need::Credentials) {
        return;
    }
    let store = &world.backend.credentials;
    let add = async |name: &str, byte| store.add(credential(name, byte, Principal::Admin)).await;
    let reason = async |name: &str, byte| add(name, byte).await.unwrap_err().reason;
    add("a", 1).await.unwrap();
    assert_eq!(reason("a", 2).await, Reason::AlreadyExists);
    assert_eq!(store.find([2; 32]).await, Ok(None));
    assert_eq!(store.find([1; 32]).await.unwrap().unwrap().name, "a", "the first stays");
    assert_eq!(reason("", 3).await, Reason::MissingField { field: "name" });
    let long = "x".repeat(CREDENTIAL_NAME_LEN_MAX as usize + 1);
    let too_long = Reason::TooLong { field: "name", limit: CREDENTIAL_NAME_LEN_MAX };
    assert_eq!(reason(&long, 4).await, too_long);
    add(&long[1..], 5).await.unwrap();
    for control in ["a\nb", "a\r", "\0", "\u{1b}[2J", "\u{7f}", "\u{85}", "a\u{2028}b"] {
        assert_eq!(reason(control, 6).await, Reason::InvalidField { field: "name" }, "{control:?}");
    }
    add("后端 / web-1", 7).await.unwrap();
}
