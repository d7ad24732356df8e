//! What is one for the whole cluster, and who is logged in, as several processes know it.

use crate::pair::eventually;
use crate::world::{World, databases, laid_out};
use guanxi_cluster::{ClusterOptions, ClusterStore};
use guanxi_model::limits::{CREDENTIALS_MAX, SESSIONS_PER_USER_MAX};
use guanxi_model::user::{UserCommand, UserStatus};
use guanxi_model::{
    Command, Credential, CredentialCommand, FanoutMode, FanoutPolicy, ManualClock, Outcome, Principal,
    Reason, Refresh, Refreshed, RequestKey, Rotation, Scope, Scopes, Session, SessionSecrets, Uid, Write,
};
use guanxi_ports::{
    CachedSessions, CredentialWrites, Credentials, EndOfAccess, EndedUsers, Facts, SessionWrites, Sessions,
    Store,
};
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const NOW_MS: u64 = 1_750_000_000_000;

async fn process(lines: &[String], clock: &Arc<ManualClock>) -> ClusterStore {
    ClusterStore::open(&databases(lines), ClusterOptions::default(), clock.clone()).await.unwrap()
}

fn u(n: u64) -> Uid {
    Uid::new(n).unwrap()
}

fn credential(name: &str, byte: u8, principal: Principal) -> Credential {
    Credential {
        hash: [byte; 32],
        name: name.to_owned(),
        principal,
        created_ms: NOW_MS,
        rate_per_minute: None,
    }
}

/// Within this time a process hears of what another one ends: a few looks, on a busy machine.
const ENDS_HEARD_MAX: Duration = Duration::from_secs(2);

/// Waits until a process finds a credential of a hash, or none.
async fn until(store: &ClusterStore, hash: [u8; 32], wanted: Option<&Credential>) {
    eventually(async || store.find_credential(hash).await.as_ref() == wanted).await;
}

trait FindCredential {
    async fn find_credential(&self, hash: [u8; 32]) -> Option<Credential>;
}

impl FindCredential for ClusterStore {
    async fn find_credential(&self, hash: [u8; 32]) -> Option<Credential> {
        Credentials::find(self, hash).await.unwrap()
    }
}

/// A process knows its own changes at once and those of others soon; a list is exact.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn credentials_are_known_to_every_process() {
    let world = World::new();
    let lines = world.make(&["d1", "d2"]).await;
    laid_out(&lines).await;
    let clock = Arc::new(ManualClock::new(NOW_MS));
    let (one, other) = (process(&lines, &clock).await, process(&lines, &clock).await);
    let scopes = || [Scope::RelationRead, Scope::PostWrite].into_iter().collect::<Scopes>();
    let newer = Scopes::of_names(["relation.read", "of.later"]).unwrap();
    let rated = Credential {
        rate_per_minute: NonZeroU32::new(7),
        ..credential("rated", 4, Principal::Service(scopes()))
    };
    let all = [
        credential("admin", 1, Principal::Admin),
        credential("newer", 2, Principal::Service(newer)),
        credential("user", 3, Principal::EndUser(u(9))),
        rated,
    ];
    for one_of_all in &all {
        assert_eq!(other.find_credential(one_of_all.hash).await, None);
        one.add(one_of_all.clone()).await.unwrap();
        assert_eq!(one.find_credential(one_of_all.hash).await.as_ref(), Some(one_of_all));
        assert_eq!(
            other.find_credential(one_of_all.hash).await.as_ref(),
            Some(one_of_all),
            "at the first call"
        );
        assert_eq!(other.add(one_of_all.clone()).await.unwrap_err().reason, Reason::AlreadyExists);
    }
    assert_eq!(Credentials::list(&other).await.unwrap(), {
        let mut sorted = all.to_vec();
        sorted.sort_by(|a, b| a.name.cmp(&b.name));
        sorted
    });
    assert_eq!(CredentialWrites::revoke(&other, "user").await, Ok(true));
    assert_eq!(other.find_credential([3; 32]).await, None);
    until(&one, [3; 32], None).await;
    assert_eq!(CredentialWrites::revoke(&one, "user").await, Ok(false));
    assert_eq!(CredentialWrites::revoke(&one, "us\0er").await, Ok(false));
    // Of a name that is given anew the old token stays revoked.
    let again = credential("user", 5, Principal::Admin);
    one.add(again.clone()).await.unwrap();
    until(&other, [5; 32], Some(&again)).await;
    assert_eq!(other.find_credential([3; 32]).await, None);
    // What a new process knows.
    let third = process(&lines, &clock).await;
    assert_eq!(third.find_credential([5; 32]).await, Some(again));
    assert_eq!(third.find_credential([3; 32]).await, None);
    assert_eq!(Credentials::list(&third).await.unwrap().len(), 4);
}

/// Who was away for so long that what was revoked is forgotten meanwhile reads all of them anew.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_forgotten_revocation_is_noticed() {
    let world = World::new();
    let lines = world.make(&["d1"]).await;
    laid_out(&lines).await;
    let clock = Arc::new(ManualClock::new(NOW_MS));
    let store = process(&lines, &clock).await;
    let (kept, gone) = (credential("kept", 1, Principal::Admin), credential("gone", 2, Principal::Admin));
    store.add(kept.clone()).await.unwrap();
    store.add(gone.clone()).await.unwrap();
    until(&store, gone.hash, Some(&gone)).await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    let client = world.client("d1").await;
    // As if others had revoked it days ago, and forgotten it since.
    let forgotten = "begin; delete from gx.credential where name = 'gone'; \
                     update gx.credential_state set change = change + 2, many = many - 1, forgotten = change + 1; commit";
    client.batch_execute(forgotten).await.unwrap();
    until(&store, gone.hash, None).await;
    assert_eq!(store.find_credential(kept.hash).await, Some(kept));
    // What was revoked long ago is forgotten with the next change.
    assert_eq!(CredentialWrites::revoke(&store, "kept").await, Ok(true));
    let old = "update gx.credential set changed_at = now() - interval '2 days'";
    client.batch_execute(old).await.unwrap();
    store.add(credential("next", 3, Principal::Admin)).await.unwrap();
    let rows = client.query("select name from gx.credential", &[]).await.unwrap();
    assert_eq!(rows.iter().map(|row| row.get::<_, String>(0)).collect::<Vec<_>>(), ["next"]);
    let row = client.query_one("select change, many, forgotten from gx.credential_state", &[]).await.unwrap();
    assert_eq!((row.get::<_, i64>(0), row.get::<_, i64>(1), row.get::<_, i64>(2)), (6, 1, 5));
}

/// So many and no more, as the version of settings counts them; one that goes makes room in the same write.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn credentials_are_bounded() {
    let world = World::new();
    let lines = world.make(&["d1"]).await;
    laid_out(&lines).await;
    let store = process(&lines, &Arc::new(ManualClock::new(NOW_MS))).await;
    let client = world.client("d1").await;
    let nearly = format!("update gx.credential_state set many = {}", CREDENTIALS_MAX - 1);
    client.batch_execute(&nearly).await.unwrap();
    store.add(credential("last", 1, Principal::Admin)).await.unwrap();
    let add = |name: &str, byte| CredentialCommand::Add(credential(name, byte, Principal::Admin));
    let revoke = CredentialCommand::Revoke { name: "last".to_owned() };
    let write = Write::all([add("more", 2), revoke, add("more", 3), add("most", 4), add("more", 5)]);
    let answer = store.apply(write).await.unwrap();
    let full = || Err(Reason::LimitReached { limit: CREDENTIALS_MAX });
    let results: Vec<_> = answer.outcomes.iter().map(Outcome::result).collect();
    assert_eq!(results, [full(), Ok(true), Ok(true), full(), Err(Reason::AlreadyExists)]);
    let row = client.query_one("select change, many from gx.credential_state", &[]).await.unwrap();
    assert_eq!((row.get::<_, i64>(0), row.get::<_, i64>(1)), (2, i64::from(CREDENTIALS_MAX)));
    // What changes nothing has no version.
    let vain = Write::all([CredentialCommand::Revoke { name: "last".to_owned() }, add("more", 6)]);
    store.apply(vain).await.unwrap();
    let row = client.query_one("select change from gx.credential_state", &[]).await.unwrap();
    assert_eq!(row.get::<_, i64>(0), 2);
}

/// Processes that write settings at once take turns: no name is given twice, and each change has a version of its own.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn settings_that_are_written_at_once_have_one_order() {
    let world = World::new();
    let lines = world.make(&["d1", "d2"]).await;
    laid_out(&lines).await;
    let clock = Arc::new(ManualClock::new(NOW_MS));
    let (one, other) = (process(&lines, &clock).await, process(&lines, &clock).await);
    let mut added = 0;
    for n in 0..20 {
        let name = format!("token {n}");
        let add = |byte| {
            let policy = Command::FanoutPolicy(FanoutPolicy { inbox_cap: byte, ..FanoutPolicy::default() });
            let new = credential(&name, byte as u8, Principal::Admin);
            Write::all([CredentialCommand::Add(new).into(), policy])
        };
        let answers = tokio::join!(one.apply(add(1)), other.apply(add(2)), one.apply(add(3)));
        let answers = [answers.0.unwrap(), answers.1.unwrap(), answers.2.unwrap()];
        added += answers.iter().filter(|answer| answer.outcomes[0].result() == Ok(true)).count();
    }
    assert_eq!(added, 20);
    assert_eq!(Credentials::list(&other).await.unwrap().len(), 20);
    let client = world.client("d1").await;
    let question =
        "select change, many, (select count(distinct change) from gx.credential) from gx.credential_state";
    let row = client.query_one(question, &[]).await.unwrap();
    let (change, many, versions) = (row.get::<_, i64>(0), row.get::<_, i64>(1), row.get::<_, i64>(2));
    // Two writes of one process may be one batch.
    assert!((40..=60).contains(&change), "{change}");
    assert_eq!((many, versions), (20, 20));
}

/// A session that lets in, with secrets that may be refreshed.
fn login(uid: Uid, n: u8) -> Session {
    let secrets = SessionSecrets { access: [n; 32], access_expires_ms: u64::MAX, refresh: [n + 100; 32] };
    let rotation = Rotation { ends_ms: u64::MAX, secrets, since_ms: NOW_MS, replaced: None };
    let lone = Session::lone(uid, [n; 32], NOW_MS);
    Session { expires_ms: Some(u64::MAX), rotation: Some(Box::new(rotation)), ..lone }
}

/// Ends a session of a login in one of the ways that there are.
async fn end(store: &ClusterStore, uid: Uid, n: u8, way: &str) {
    let user =
        async |command: UserCommand| drop(store.apply(Write::of(command)).await.unwrap().user().unwrap());
    match way {
        "a logout" => assert_eq!(SessionWrites::revoke(store, uid, [n; 32]).await, Ok(true)),
        "a sign-out everywhere" => assert_eq!(store.revoke_all(uid).await, Ok(1)),
        "a deactivation" => user(UserCommand::SetStatus { uid, status: UserStatus::Deactivated }).await,
        "a deletion" => {
            user(UserCommand::SetStatus { uid, status: UserStatus::Deleted { erase_at_ms: u64::MAX } }).await;
        }
        "a refresh secret that is used twice" => {
            let refresh = async |from: u8, to: u8| {
                let (key, nonce) = (login(uid, n).key([from; 32]), [to; 32]);
                let (access, refresh) = ([to + 1; 32], [to; 32]);
                let terms = Refresh { key, nonce, access, refresh, access_ms: 1 << 40, idle_ms: 1 << 40 };
                store.refresh(terms).await.unwrap()
            };
            assert!(matches!(refresh(n + 100, 201).await, Some(Refreshed::New(_))));
            assert!(matches!(refresh(201, 203).await, Some(Refreshed::New(_))));
            assert!(matches!(refresh(n + 100, 205).await, Some(Refreshed::Reused(_))));
        }
        "too many sessions" => {
            for other in 0..SESSIONS_PER_USER_MAX {
                let mut id = [0; 32];
                id[..4].copy_from_slice(&other.to_le_bytes());
                let newer = Session { id, created_ms: NOW_MS + 1, used_ms: NOW_MS + 1, ..login(uid, n) };
                store.put(newer).await.unwrap();
            }
        }
        way => panic!("no way to end a session: {way}"),
    }
}

/// In each way that a session ends in one process, it ends in what another one keeps, too, whose time is not up; and those that
/// wait for it there are told. What others hold stays kept.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_ends_in_one_process_ends_in_what_others_keep() {
    let world = World::new();
    let lines = world.make(&["d1", "d2"]).await;
    laid_out(&lines).await;
    // It stands still: nothing that is kept grows old.
    let clock = Arc::new(ManualClock::new(NOW_MS));
    let (one, other) = (process(&lines, &clock).await, Arc::new(process(&lines, &clock).await));
    let told = Arc::new(Mutex::new(Vec::new()));
    let hears = told.clone();
    other.hear_ends(Arc::new(move |end| hears.lock().unwrap().push(end.clone())));
    let cached = CachedSessions::new(other.clone(), other.clone(), clock).ended_by(other.clone());
    let lets_in = async |uid: u64, n: u8| cached.find(login(u(uid), n).key([n; 32])).await.unwrap().is_some();
    one.put(login(u(9), 99)).await.unwrap();
    assert!(lets_in(9, 99).await);
    let ways = [
        "a logout",
        "a sign-out everywhere",
        "a deactivation",
        "a deletion",
        "a refresh secret that is used twice",
        "too many sessions",
    ];
    // Users of both databases.
    for (uid, way) in (10..).zip(ways.into_iter().flat_map(|way| [way, way])) {
        let n = u8::try_from(uid).unwrap();
        one.put(login(u(uid), n)).await.unwrap();
        assert!(lets_in(uid, n).await, "{way}");
        end(&one, u(uid), n, way).await;
        let took = eventually(async || !lets_in(uid, n).await).await;
        assert!(took < ENDS_HEARD_MAX, "{way}: {took:?}");
        assert!(told.lock().unwrap().contains(&EndOfAccess::OfUser(u(uid))), "{way}");
        let others = EndOfAccess::OfUser(u(9));
        assert!(!told.lock().unwrap().contains(&others) && lets_in(9, 99).await, "{way}");
    }
    one.add(credential("service", 5, Principal::Admin)).await.unwrap();
    assert!(other.find_credential([5; 32]).await.is_some());
    told.lock().unwrap().clear();
    assert_eq!(CredentialWrites::revoke(&one, "service").await, Ok(true));
    let end = EndOfAccess::OfName("service".to_owned());
    let took = eventually(async || told.lock().unwrap().contains(&end)).await;
    assert!(took < ENDS_HEARD_MAX, "{took:?}");
}

/// A flood of tokens that no process knows costs the database no look each.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unknown_tokens_share_their_looks() {
    let world = World::new();
    let lines = world.make(&["d1"]).await;
    laid_out(&lines).await;
    let store = Arc::new(process(&lines, &Arc::new(ManualClock::new(NOW_MS))).await);
    let client = world.client("d1").await;
    // What sessions have done is counted when they rest for a second.
    let looks = async || {
        tokio::time::sleep(Duration::from_millis(1_200)).await;
        let counted = "select seq_scan + coalesce(idx_scan, 0) from pg_stat_user_tables where relname = 'credential_state'";
        client.query_one(counted, &[]).await.unwrap().get::<_, i64>(0)
    };
    let (before, began) = (looks().await, Instant::now());
    let asks = (0..40_u8).map(|byte| {
        let store = store.clone();
        tokio::spawn(async move {
            for n in 0..25 {
                let mut hash = [byte; 32];
                hash[0] = n;
                assert_eq!(store.find_credential(hash).await, None);
            }
        })
    });
    for ask in asks.collect::<Vec<_>>() {
        ask.await.unwrap();
    }
    let asked = looks().await - before;
    // One look in 20 ms for those that wait, and one in 200 ms anyway.
    let most = began.elapsed().as_millis() / 20 + began.elapsed().as_millis() / 100 + 5;
    assert!(
        asked > 0 && u128::from(asked.unsigned_abs()) <= most,
        "{asked} looks for 1,000 tokens, {most} would do"
    );
}

/// Every process reads the policy that was set last; a repeated request does not set an old one anew.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_policy_is_one_for_all_processes() {
    let world = World::new();
    let lines = world.make(&["d1", "d2"]).await;
    laid_out(&lines).await;
    let clock = Arc::new(ManualClock::new(NOW_MS));
    let (one, other) = (process(&lines, &clock).await, process(&lines, &clock).await);
    let policy = async |store: &ClusterStore| store.view(None).await.unwrap().fanout_policy().await.unwrap();
    assert_eq!(policy(&other).await, FanoutPolicy::default());
    let set = |mode, id: &str| {
        let policy = FanoutPolicy { mode, inbox_cap: 7, ..FanoutPolicy::default() };
        let request = RequestKey { actor: u(1), id: id.into(), fingerprint: 1 };
        Write::of(Command::FanoutPolicy(policy)).under(Some(request))
    };
    let first = one.apply(set(FanoutMode::Push, "first")).await.unwrap();
    assert_eq!((policy(&other).await.mode, policy(&one).await.inbox_cap), (FanoutMode::Push, 7));
    let before = one.view(None).await.unwrap();
    assert_eq!(before.fanout_policy().await.unwrap().mode, FanoutMode::Push);
    other.apply(set(FanoutMode::Hybrid, "second")).await.unwrap();
    assert_eq!(before.fanout_policy().await.unwrap().mode, FanoutMode::Push, "a view stands still");
    let repeated = other.apply(set(FanoutMode::Push, "first")).await.unwrap();
    assert_eq!((repeated.outcomes, repeated.position), (first.outcomes, first.position));
    assert_eq!(policy(&one).await.mode, FanoutMode::Hybrid);
}

/// A session lies with its user, whichever process stores it; what has expired is swept from all databases, the earliest first.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sessions_of_all_databases_are_swept() {
    let world = World::new();
    let lines = world.make(&["d1", "d2", "d3"]).await;
    laid_out(&lines).await;
    let clock = Arc::new(ManualClock::new(NOW_MS));
    let (one, other) = (process(&lines, &clock).await, process(&lines, &clock).await);
    let session = |n: u8| Session {
        expires_ms: Some(NOW_MS + u64::from(n)),
        device: Some("phone".into()),
        ..Session::lone(u(u64::from(n)), [n; 32], NOW_MS)
    };
    for n in 1..=200 {
        assert_eq!(one.put(session(n)).await, Ok(None));
    }
    clock.set(NOW_MS + 150);
    for n in [1, 150, 151, 200] {
        let found = Sessions::find(&other, session(n).key([n; 32])).await.unwrap();
        assert_eq!(found, (n > 150).then(|| session(n)));
    }
    let left = async |n: u8| {
        let mut left = 0;
        for name in ["d1", "d2", "d3"] {
            let rows = "select count(*) from gx.session where uid <= $1";
            left +=
                world.client(name).await.query_one(rows, &[&i64::from(n)]).await.unwrap().get::<_, i64>(0);
        }
        left
    };
    let endless = Session { expires_ms: Some(u64::MAX), ..Session::lone(u(300), [201; 32], NOW_MS) };
    one.put(endless.clone()).await.unwrap();
    assert_eq!(Sessions::list(&other, u(300), None, 9).await.unwrap().sessions.len(), 1);
    assert_eq!(other.revoke_all(u(300)).await, Ok(1));
    assert_eq!(other.sweep(70).await, Ok(70));
    assert_eq!((left(70).await, left(200).await), (0, 130));
    // Two at once take no session twice.
    let (a, b) = tokio::join!(one.sweep(1_000), other.sweep(1_000));
    assert_eq!(a.unwrap() + b.unwrap(), 80);
    assert_eq!((left(150).await, left(200).await), (0, 50));
}
