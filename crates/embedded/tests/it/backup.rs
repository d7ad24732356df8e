//! A dump under write load equals the state at its token; a damaged dump is refused and leaves nothing that opens.

use crate::world::{Model, NOW_MS, Rng, clock, command, head, open, options, seen, uid, write};
use guanxi_embedded::{DumpedTokens, EmbeddedStore, OpenError, RestoreError, restore};
use guanxi_model::user::{Contact, ContactClaim, ContactCommand, ContactKind, UserCommand, UserStatus};
use guanxi_model::{
    Command, Credential, ExternalId, GroupCommand, GroupId, HistoryId, ImportCursor, ImportEdge, LogId, Op,
    Page, PairCommand, Position, Principal, Reason, RequestKey, Session, Stamp, Write,
};
use guanxi_ports::{
    CredentialWrites, Credentials, Facts as _, Log as _, SessionWrites as _, Sessions, Store as _,
    Upkeep as _,
};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The history of restored stores.
const RESTORED: u64 = 2;

fn dump(store: &EmbeddedStore) -> (Vec<u8>, Position) {
    let mut bytes = Vec::new();
    let position = store.dump(&mut bytes, &mut |_| {}).unwrap();
    (bytes, position)
}

fn restore_into(dir: &Path, mut dump: &[u8]) -> Result<EmbeddedStore, RestoreError> {
    restore(&mut dump, dir, &options(RESTORED), DumpedTokens::Keep, &[], &mut |_| {})?;
    Ok(open(dir, 99))
}

fn follow(subject: u64, object: u64) -> PairCommand {
    PairCommand { op: Op::Follow, subject: uid(subject), object: uid(object) }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_dump_under_write_load_equals_the_state_at_its_token() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path(), 1);
    let stop = Arc::new(AtomicBool::new(false));
    let writers: Vec<_> = (0..3)
        .map(|seed| {
            let (store, stop) = (store.clone(), stop.clone());
            tokio::spawn(async move {
                let mut rng = Rng::new(100 + seed);
                while !stop.load(Ordering::Relaxed) {
                    write(&store, (0..5).map(|_| command(&mut rng)).collect()).await;
                }
            })
        })
        .collect();
    let mut dumps = Vec::new();
    for wanted in 1..=6 {
        store.view(Some(&Position::one(head(&store).await.history(), wanted * 50))).await.unwrap();
        let store = store.clone();
        dumps.push(tokio::task::spawn_blocking(move || dump(&store)).await.unwrap());
    }
    stop.store(true, Ordering::Relaxed);
    for writer in writers {
        writer.await.unwrap();
    }
    assert!(
        head(&store).await.event_count() > dumps[0].1.event_count(),
        "writes went on after the first dump"
    );
    for (bytes, position) in dumps {
        let restored_dir = tempfile::tempdir().unwrap();
        let restored = restore_into(restored_dir.path(), &bytes).unwrap();
        let wanted = Position::one(HistoryId(RESTORED), position.event_count());
        assert_eq!(head(&restored).await, wanted);
        assert_eq!(seen(&restored).await.unwrap(), Model::replay(&store, &position).await.seen());
        let report = restored.verify(&mut |_| {}).unwrap();
        assert!(report.clean(), "{:?}", report.differences);
    }
}

/// The credential of a back end.
fn back_end() -> Credential {
    Credential {
        hash: [7; 32],
        name: "back end".into(),
        principal: Principal::Admin,
        created_ms: 5,
        rate_per_minute: None,
    }
}

/// Binds a contact to a user of whom nothing else is kept.
async fn bound(store: &EmbeddedStore, n: u64, contact: &Contact) -> ContactClaim {
    let (uid, contact) = (uid(n), contact.clone());
    let step = async |command: ContactCommand| {
        let answer = store.apply(Write::of(UserCommand::from(command))).await.unwrap();
        assert_eq!(answer.user().unwrap().result, Ok(true));
        store.view(None).await.unwrap()
    };
    let reserve = ContactCommand::Reserve { contact: contact.clone(), uid };
    let version = step(reserve).await.claim_of(&contact).await.unwrap().unwrap().version;
    let bind =
        ContactCommand::Bind { uid, contact: contact.clone(), expected_revision: 0, reserved: version };
    step(bind).await;
    let confirm = ContactCommand::Confirm { contact: contact.clone(), uid, version };
    step(confirm).await.claim_of(&contact).await.unwrap().unwrap()
}

/// The claim of a contact, if the user has it.
async fn held(store: &EmbeddedStore, n: u64, contact: &Contact) -> Option<ContactClaim> {
    let view = store.view(None).await.unwrap();
    let user = view.users(&[uid(n)]).await.unwrap().pop().flatten();
    view.claim_of(contact).await.unwrap().filter(|_| user.is_some_and(|user| user.contacts.has(contact)))
}

#[tokio::test]
async fn everything_that_is_no_edge_is_restored_too() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path(), 1);
    write(&store, vec![follow(1, 2), follow(1, 3)]).await;
    write(&store, vec![PairCommand { op: Op::Unfollow, ..follow(1, 3) }]).await;
    store.apply(Write::of(Command::FollowLimit { uid: uid(1), limit: Some(1) })).await.unwrap();
    let credential = back_end();
    store.add(credential.clone()).await.unwrap();
    let session = Session { expires_ms: Some(u64::MAX), used_ms: 6, ..Session::lone(uid(6), [8; 32], 5) };
    store.put(session.clone()).await.unwrap();
    let request = RequestKey { actor: uid(4), id: "once".into(), fingerprint: 1 };
    let once = Write::all(vec![follow(4, 5)]).under(Some(request));
    let first = store.apply(once.clone()).await.unwrap();
    let import =
        |from, to, edges| Write::edges(edges, false).at(Some(ImportCursor { job: "job".into(), from, to }));
    store.apply(import(0, 12, Vec::new())).await.unwrap();
    let phone = Contact::stored(ContactKind::Phone, "+14155550100".into());
    let claim = bound(&store, 9, &phone).await;
    let (bytes, position) = dump(&store);
    let token = position;

    let restored_dir = tempfile::tempdir().unwrap();
    let restored = restore_into(restored_dir.path(), &bytes).unwrap();
    assert_eq!(Credentials::list(&restored).await, Ok(vec![credential.clone()]));
    assert_eq!(Credentials::find(&restored, [7; 32]).await, Ok(Some(credential)));
    assert_eq!(Sessions::find(&restored, session.key(session.id)).await, Ok(Some(session.clone())));
    assert_eq!(held(&restored, 9, &phone).await, Some(claim));
    let listed = Sessions::list(&restored, uid(6), None, 9).await.unwrap().sessions;
    assert_eq!(listed, std::slice::from_ref(&session));
    let report = restored.verify(&mut |_| {}).unwrap();
    assert!(report.clean(), "{:?}", report.differences);
    // Tokens from before are refused, and the log begins after the restore.
    assert_eq!(restored.view(Some(&token)).await.err().unwrap().reason, Reason::TokenFromOtherHistory);
    let start = Position::one(HistoryId(RESTORED), 0);
    assert_eq!(restored.read(LogId(0), &start, 1).await.unwrap_err().reason, Reason::Trimmed);
    assert!(restored.read(LogId(0), &head(&restored).await, 1).await.unwrap().events.is_empty());
    // A request id is still known; its answer is one of the new history.
    let again = restored.apply(once).await.unwrap();
    assert_eq!(again.outcomes, first.outcomes);
    assert_eq!(again.position, Position::one(HistoryId(RESTORED), first.position.event_count()));
    // A removed follow stays removed, the user's own limit holds, and the job goes on where it stood.
    let edge = |object, at| ImportEdge::new(uid(1), uid(object), at);
    let edges = vec![edge(3, Some(Stamp::from_ms(1))), edge(6, None)];
    let outcomes = restored.apply(import(12, 13, edges)).await.unwrap().pairs();
    assert_eq!(outcomes[0].result, Ok(false));
    assert_eq!(outcomes[1].result, Err(Reason::LimitReached { limit: 1 }));
    // New stamps lie after all that were dumped.
    let before = head(&restored).await;
    write(&restored, vec![follow(2, 1)]).await;
    let event = restored.read(LogId(0), &before, 1).await.unwrap().events[0];
    assert!(event.version > Stamp::from_ms(NOW_MS));
    assert!(restored.verify(&mut |_| {}).unwrap().clean());

    let revoked_dir = tempfile::tempdir().unwrap();
    let (mut dump, options) = (&bytes[..], options(RESTORED));
    let report =
        restore(&mut dump, revoked_dir.path(), &options, DumpedTokens::Revoke, &[], &mut |_| {}).unwrap();
    assert_eq!(report.tokens, 2);
    let revoked = open(revoked_dir.path(), 99);
    assert_eq!(Credentials::list(&revoked).await, Ok(Vec::new()));
    assert_eq!(Credentials::find(&revoked, [7; 32]).await, Ok(None));
    assert_eq!(Sessions::find(&revoked, session.key(session.id)).await, Ok(None));
    assert!(revoked.verify(&mut |_| {}).unwrap().clean());
    assert_eq!(
        revoked.view(None).await.unwrap().import_position("job").await,
        Ok(Some(12)),
        "the rest is there"
    );
}

#[tokio::test]
async fn external_ids_are_restored_both_ways() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path(), 1);
    let id = ExternalId::new("b3f1", "external_id").unwrap();
    let known = uid(0x100 | u64::from(id.gene().0));
    let assign =
        |uid| Write::of(UserCommand::AssignExternalId { uid, external_id: id.clone(), listed: false });
    store.apply(assign(known)).await.unwrap();
    let restored_dir = tempfile::tempdir().unwrap();
    let restored = restore_into(restored_dir.path(), &dump(&store).0).unwrap();
    let view = restored.view(None).await.unwrap();
    assert_eq!(view.uids_of(std::slice::from_ref(&id)).await, Ok(vec![Some(known)]));
    assert_eq!(view.external_ids(&[known]).await, Ok(vec![Some(id.clone())]));
    let again = restored.apply(assign(uid(0x200 | u64::from(id.gene().0)))).await.unwrap().user().unwrap();
    assert_eq!((again.result, again.uid), (Ok(false), known));
    // What stays of one whose user is erased is restored with the key of its hash.
    for status in [UserStatus::Deleted { erase_at_ms: 1 }, UserStatus::Erased { at_ms: 2 }] {
        restored.apply(Write::of(UserCommand::SetStatus { uid: known, status })).await.unwrap();
    }
    let next_dir = tempfile::tempdir().unwrap();
    let next = restore_into(next_dir.path(), &dump(&restored).0).unwrap();
    let uid = uid(0x300 | u64::from(id.gene().0));
    for (listed, result) in [(true, Err(Reason::UserDeleted)), (false, Ok(true))] {
        let assign = UserCommand::AssignExternalId { uid, external_id: id.clone(), listed };
        assert_eq!(next.apply(Write::of(assign)).await.unwrap().user().unwrap().result, result);
    }
    assert!(next.verify(&mut |_| {}).unwrap().clean());
    assert!(restored.verify(&mut |_| {}).unwrap().clean());
}

#[tokio::test]
async fn an_empty_store_is_dumped_and_restored() {
    let dir = tempfile::tempdir().unwrap();
    let (bytes, position) = dump(&open(dir.path(), 1));
    assert_eq!(position.event_count(), 0);
    let restored_dir = tempfile::tempdir().unwrap();
    let restored = restore_into(restored_dir.path(), &bytes).unwrap();
    write(&restored, vec![follow(1, 2)]).await;
    assert_eq!(head(&restored).await.event_count(), 1);
}

/// Some hundred edges, so that the dump has bytes of every kind.
async fn small_dump() -> Vec<u8> {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path(), 1);
    let mut rng = Rng::new(5);
    write(&store, (0..400).map(|_| command(&mut rng)).collect()).await;
    dump(&store).0
}

/// Restores a damaged dump: it must be refused, and the directory must not open.
fn refused(bytes: &[u8], what: &str) {
    let dir = tempfile::tempdir().unwrap();
    match restore_into(dir.path(), bytes) {
        Ok(_) => panic!("restored although {what}"),
        Err(RestoreError::NotADump | RestoreError::Newer(_) | RestoreError::Older(_)) => {
            assert!(std::fs::read_dir(dir.path()).unwrap().next().is_none(), "{what}: nothing was touched");
        }
        Err(RestoreError::Damaged { detail, .. }) => {
            assert!(!detail.is_empty());
            // A dump whose very beginning cannot be read leaves the directory as it was.
            if std::fs::read_dir(dir.path()).unwrap().next().is_some() {
                let opened = EmbeddedStore::open(dir.path(), options(3), clock());
                assert!(matches!(opened.err(), Some(OpenError::UnfinishedLoad(_))), "{what}");
                assert!(!dir.path().join("engine").exists(), "{what}: what was restored is removed");
            }
        }
        Err(other) => panic!("{what}: {other}"),
    }
}

#[tokio::test]
async fn a_cut_or_changed_dump_is_refused() {
    let bytes = small_dump().await;
    let mut rng = Rng::new(11);
    for cut in (0..40).map(|_| rng.below(bytes.len() as u64) as usize).chain([0, 5, 14, bytes.len() - 1]) {
        refused(&bytes[..cut], &format!("cut at {cut}"));
    }
    for _ in 0..60 {
        let mut flipped = bytes.clone();
        let at = rng.below(bytes.len() as u64) as usize;
        // Behind the first line, zstd's magic number and its descriptor: how much memory a reader needs. Another size that
        // is enough reads the same, so that nothing is wrong with the dump.
        if at == "guanxi-dump 3\n".len() + 5 {
            continue;
        }
        flipped[at] ^= 1 << rng.below(8);
        refused(&flipped, &format!("flipped at {at}"));
    }
    let trailing = [&bytes[..], b"x"].concat();
    refused(&trailing, "followed by a byte");
    refused(&[&bytes[..], &bytes[..]].concat(), "followed by another dump");
    refused(b"not a dump at all", "something else");
    refused(b"guanxi-dump 3\n", "of a newer version");
}

#[tokio::test]
async fn a_restore_into_a_marked_directory_starts_over_and_into_a_store_is_refused() {
    let bytes = small_dump().await;
    let dir = tempfile::tempdir().unwrap();
    assert!(restore_into(dir.path(), &bytes[..bytes.len() - 9]).is_err());
    let restored = restore_into(dir.path(), &bytes).unwrap();
    let before = seen(&restored).await.unwrap();
    restored.close().await.unwrap();
    drop(restored);
    let again = restore_into(dir.path(), &bytes);
    assert!(matches!(again.err(), Some(RestoreError::NotEmpty(_))));
    assert_eq!(seen(&open(dir.path(), 99)).await.unwrap(), before, "the store that was there is untouched");
}

#[tokio::test]
async fn groups_are_restored_with_their_numbers() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path(), 1);
    let (owner, id) = (uid(1), GroupId::MIN);
    let create = || GroupCommand::Create { owner, name: "friends".to_owned() };
    let add = GroupCommand::AddMembers { owner, id, members: vec![uid(2), uid(3)] };
    store.apply(Write::all([create(), create(), add])).await.unwrap();
    let gone = GroupCommand::Delete { owner, id: GroupId::new(2).unwrap() };
    store.apply(Write::of(gone)).await.unwrap();
    let before = store.view(None).await.unwrap();
    let restored_dir = tempfile::tempdir().unwrap();
    let restored = restore_into(restored_dir.path(), &dump(&store).0).unwrap();
    let view = restored.view(None).await.unwrap();
    let groups = view.groups(owner).await.unwrap();
    assert_eq!((groups.len(), groups[0].members), (1, 2));
    assert_eq!(groups, before.groups(owner).await.unwrap());
    assert_eq!(
        view.group_members(owner, id, Page::first()).await,
        before.group_members(owner, id, Page::first()).await
    );
    assert_eq!(view.groups_with(owner, &[uid(3)]).await, Ok(vec![vec![id]]));
    let made = restored.apply(Write::of(create())).await.unwrap().group().unwrap();
    assert_eq!(made.id, GroupId::new(3).ok(), "a number is not given twice, not even after a restore");
    write(&restored, vec![PairCommand { op: Op::Block, subject: uid(2), object: owner }]).await;
    let members = restored.view(None).await.unwrap().group_members(owner, id, Page::first()).await.unwrap();
    let left: Vec<_> = members.items.iter().map(|edge| edge.uid).collect();
    assert_eq!(left, [uid(3)], "a block finds members that were there when the store was opened");
    assert!(restored.verify(&mut |_| {}).unwrap().clean());
}
