//! A cluster's dump is restored into another one; what is half restored is not served, and goes on where it was.

use crate::shelf::Lent;
use crate::world::{HISTORY, databases};
use guanxi_cluster::{
    ClusterOptions, ClusterStore, DumpedSecrets, LoadError, LoadReport, RepairCheck, RepairTerms,
    WholeCluster, restore_cluster,
};
use guanxi_model::user::{UserCommand, UserStatus};
use guanxi_model::{
    Credential, ExternalId, HistoryId, ManualClock, Op, PairCommand, Position, Principal, Reason, RequestKey,
    Session, Stamp, Uid, Write,
};
use guanxi_ports::{CredentialWrites as _, Facts as _, Log as _, SessionWrites as _, Upkeep};
use guanxi_rows::layout::FORMAT_VERSION;
use guanxi_rows::{DumpHeader, DumpReader, DumpSection, DumpWriter, LogHeads, RowError};
use std::io::{self, Read};
use std::sync::Arc;
use tokio_postgres::{Client, NoTls};

const NOW_MS: u64 = 1_700_000_000_000;

/// A dump of a store, and where that says that it stands.
pub(crate) async fn dumped(upkeep: Arc<dyn Upkeep>) -> (Vec<u8>, Position) {
    let dump = tokio::task::spawn_blocking(move || {
        let mut bytes = Vec::new();
        let position = upkeep.dump(&mut bytes, &mut |_| ()).unwrap();
        (bytes, position)
    });
    dump.await.unwrap()
}

pub(crate) async fn restore(lines: &[String], dump: Vec<u8>) -> Result<LoadReport, LoadError> {
    let input = Box::new(io::Cursor::new(dump));
    restore_cluster(&databases(lines), input, (DumpedSecrets::Keep, WholeCluster::Refuse), &mut |_| ()).await
}

/// A connection to the database of a line.
async fn client(line: &str) -> Client {
    let (_, url) = line.split_once('=').unwrap();
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}

/// Copies the logs of a cluster to another one with as many databases.
pub(crate) async fn copy_logs(from: &[String], to: &[String]) {
    for (from, to) in from.iter().zip(to) {
        let (from, to) = (client(from).await, client(to).await);
        let rows = "select array_to_json(array_agg(l))::text from gx.log l";
        let rows: Option<String> = from.query_one(rows, &[]).await.unwrap().get(0);
        let put = "insert into gx.log select * from json_populate_recordset(null::gx.log, $1::text::json)";
        to.execute(put, &[&rows.unwrap_or_else(|| "[]".to_owned())]).await.unwrap();
    }
}

/// The rows of a dump.
fn rows(dump: &[u8]) -> Vec<(u8, Vec<u8>, Vec<u8>)> {
    let (mut input, mut rows) = (dump, Vec::new());
    let mut reader = DumpReader::new(&mut input).unwrap();
    for section in [DumpSection::Forward, DumpSection::Records, DumpSection::Posts] {
        let taken = reader.rows(section, |key, value| {
            rows.push((section as u8, key.to_vec(), value.to_vec()));
            Ok::<_, RowError<LoadError>>(())
        });
        taken.unwrap();
    }
    reader.finish().unwrap();
    rows
}

fn uid(n: u64) -> Uid {
    Uid::new(n).unwrap()
}

async fn open(lines: &[String]) -> Arc<ClusterStore> {
    let clock = Arc::new(ManualClock::new(NOW_MS));
    Arc::new(ClusterStore::open(&databases(lines), ClusterOptions::default(), clock).await.unwrap())
}

async fn act(store: &ClusterStore, op: Op, subject: u64, object: u64) {
    let command = PairCommand { op, subject: uid(subject), object: uid(object) };
    let outcome = store.apply(Write::of(command)).await.unwrap().pairs().remove(0);
    assert_eq!(outcome.result, Ok(true), "{op:?} {subject} {object}");
}

/// A cluster with something of everything that has no case of its own.
async fn small(store: &ClusterStore) {
    for (a, b) in [(1, 2), (2, 1), (1, 3), (3, 1), (4, 1), (5, 1), (260, 1), (1, 260)] {
        act(store, Op::Follow, a, b).await;
    }
    act(store, Op::Unfollow, 5, 1).await;
    act(store, Op::Block, 3, 1).await;
    act(store, Op::Mute, 1, 4).await;
    let request = RequestKey { actor: uid(6), id: "once".into(), fingerprint: 7 };
    let command = PairCommand { op: Op::Follow, subject: uid(6), object: uid(2) };
    store.apply(Write::of(command).under(Some(request))).await.unwrap();
    let admin = Credential {
        hash: [7; 32],
        name: "back end".into(),
        principal: Principal::Admin,
        created_ms: 5,
        rate_per_minute: None,
    };
    store.add(admin).await.unwrap();
    store.put(Session { expires_ms: Some(NOW_MS * 2), ..Session::lone(uid(6), [8; 32], 5) }).await.unwrap();
    assert_eq!(assign(store, 1, false).await, Ok(true));
    for status in [UserStatus::Deleted { erase_at_ms: 1 }, UserStatus::Erased { at_ms: 2 }] {
        store.apply(Write::of(UserCommand::SetStatus { uid: elsewhere(1).1, status })).await.unwrap();
    }
}

/// An id from elsewhere, and a uid of its shard.
fn elsewhere(salt: u16) -> (ExternalId, Uid) {
    let id = ExternalId::new("elsewhere", "external_id").unwrap();
    let uid = Uid::minted(NOW_MS, salt, id.gene()).unwrap();
    (id, uid)
}

async fn assign(store: &ClusterStore, salt: u16, listed: bool) -> Result<bool, Reason> {
    let (external_id, uid) = elsewhere(salt);
    let command = UserCommand::AssignExternalId { uid, external_id, listed };
    store.apply(Write::of(command)).await.unwrap().outcomes.remove(0).result()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dump_of_a_cluster_is_restored_into_another() {
    let (one, other) = (Lent::take(HISTORY).await, Lent::take(HISTORY).await);
    let store = open(&one.lines).await;
    small(&store).await;
    let (dump, position) = dumped(store.clone()).await;
    let report = restore(&other.lines, dump.clone()).await.unwrap();
    assert_eq!((report.edges, report.posts, report.tokens), (6, 0, 2));
    assert_eq!(report.position, position);
    let restored = open(&other.lines).await;
    let (again, position_again) = dumped(restored.clone()).await;
    assert_eq!(rows(&again), rows(&dump));
    assert_eq!(position_again, position);
    let verified = restored.clone();
    let report = tokio::task::spawn_blocking(move || verified.verify(&mut |_| ())).await.unwrap().unwrap();
    assert!(report.clean(), "{:?}", report.differences);
    assert_eq!((report.forward, report.reverse, report.mutual), (6, 6, 4));
    for check in [RepairCheck::Digests, RepairCheck::Incremental, RepairCheck::Pairs] {
        let report = restored.repair(check, RepairTerms::default(), &mut |_| ()).await.unwrap();
        assert_eq!((report.differences_total, report.cells_differed), (0, 0), "{check:?}: {report:?}");
    }
    // Its log begins where that of the dump ended, and goes on.
    let head = restored.head().await.unwrap();
    let log = head.logs().of(uid(1));
    assert!(restored.read(log, &head, 9).await.unwrap().events.is_empty());
    let empty = Position::sparse(head.history(), []);
    assert_eq!(restored.read(log, &empty, 9).await.unwrap_err().reason, Reason::Trimmed);
    act(&restored, Op::Follow, 1, 7).await;
    assert_eq!(restored.read(log, &head, 9).await.unwrap().events.len(), 1);
    // An answer under a request id is remembered.
    let request = |fingerprint| RequestKey { actor: uid(6), id: "once".into(), fingerprint };
    let command = PairCommand { op: Op::Follow, subject: uid(6), object: uid(2) };
    let asked =
        async |fingerprint| restored.apply(Write::of(command).under(Some(request(fingerprint)))).await;
    assert_eq!(asked(7).await.unwrap().pairs()[0].result, Ok(true));
    assert_eq!(asked(8).await.unwrap_err().reason, Reason::IdempotencyMismatch);
    // What stays of an id whose user is erased is there, with the key of its hash.
    assert_eq!(assign(&restored, 2, true).await, Err(Reason::UserDeleted));
    assert_eq!(assign(&restored, 2, false).await, Ok(true));
}

/// Input that breaks off after so many bytes, as a dump does whose reader is killed.
struct BrokenOff(io::Cursor<Vec<u8>>, usize);

impl Read for BrokenOff {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if self.1 == 0 {
            return Err(io::Error::other("broken off"));
        }
        let most = buf.len().min(self.1);
        let read = self.0.read(&mut buf[..most])?;
        self.1 -= read;
        Ok(read)
    }
}

/// A dump of a directory with so many follows, each of the next 5 users.
fn follows(users: u64) -> Vec<u8> {
    let header = DumpHeader {
        layout: FORMAT_VERSION,
        history: HistoryId(5),
        seq: users,
        clock: Stamp::from_ms(NOW_MS),
        logs: None,
    };
    let mut bytes = Vec::new();
    let mut dump = DumpWriter::new(&mut bytes, &header).unwrap();
    let at = Stamp::from_ms(NOW_MS);
    let follow = guanxi_rows::layout::ForwardValue { at, version: at, friends_since: None }.encode();
    for subject in 1..=users {
        for object in subject + 1..subject + 6 {
            let key = guanxi_rows::layout::forward_key(uid(subject), uid(object));
            dump.row(DumpSection::Forward, &key, &follow).unwrap();
        }
    }
    dump.end_section().unwrap();
    for n in 1..users + 6 {
        let (following, followers) = (if n <= users { 5 } else { 0 }, (n - 1).min(5).min(users + 6 - n));
        let counts = guanxi_model::Counts { following, followers, ..guanxi_model::Counts::default() };
        let row = guanxi_rows::layout::CountersValue { counts, ..Default::default() };
        let key = guanxi_rows::layout::user_key(guanxi_rows::layout::COUNTERS, uid(n));
        dump.row(DumpSection::Records, &key, &row.encode()).unwrap();
    }
    dump.end_section().unwrap();
    dump.finish().unwrap();
    bytes
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_restore_that_was_cut_off_goes_on_and_is_not_served() {
    let lent = Lent::take(HISTORY).await;
    let dump = follows(4_000);
    let loaded = async || {
        let client = client(&lent.lines[0]).await;
        client.query_one("select loaded from gx.load", &[]).await.unwrap().get::<_, i64>(0)
    };
    let half = BrokenOff(io::Cursor::new(dump.clone()), dump.len() * 2 / 3);
    let cut = restore_cluster(
        &databases(&lent.lines),
        Box::new(half),
        (DumpedSecrets::Keep, WholeCluster::Refuse),
        &mut |_| (),
    )
    .await;
    assert!(matches!(cut, Err(LoadError::Input(_))), "{cut:?}");
    let so_far = loaded().await;
    assert!(so_far > 0, "some of it is there");
    let clock = Arc::new(ManualClock::new(NOW_MS));
    let opened = ClusterStore::open(&databases(&lent.lines), ClusterOptions::default(), clock).await;
    let refused = opened.err().unwrap().to_string();
    assert!(refused.contains("run the same command again"), "{refused}");
    let other = restore(&lent.lines, follows(7)).await;
    assert!(matches!(other, Err(LoadError::OtherDump { .. })), "{other:?}");
    let report = restore(&lent.lines, dump.clone()).await.unwrap();
    assert_eq!(report.edges, 20_000);
    assert!(loaded().await > so_far);
    let store = open(&lent.lines).await;
    let verified = store.clone();
    let report = tokio::task::spawn_blocking(move || verified.verify(&mut |_| ())).await.unwrap().unwrap();
    assert!(report.clean(), "{:?}", report.differences);
    assert_eq!((report.forward, report.reverse), (20_000, 20_000));
    // What is whole is not filled again.
    let again = restore(&lent.lines, dump).await;
    assert!(matches!(again, Err(LoadError::NotEmpty(_))), "{again:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_no_whole_dump_is_refused_and_a_cluster_with_users() {
    let lent = Lent::take(HISTORY).await;
    let dump = follows(10);
    let header =
        |layout, logs| DumpHeader { layout, history: HistoryId(5), seq: 1, clock: Stamp::ZERO, logs };
    let written = |header: &DumpHeader| {
        let mut bytes = Vec::new();
        DumpWriter::new(&mut bytes, header).unwrap().finish().unwrap();
        bytes
    };
    let newer = [b"guanxi-dump 4\n", &dump[14..]].concat();
    for (dump, expected) in [
        (b"something else".to_vec(), "not a guanxi dump"),
        (newer, "use a newer guanxi"),
        (written(&header(99, None)), "use a newer guanxi"),
        (written(&header(7, None)), "made before 0.1.0"),
        (written(&header(FORMAT_VERSION - 1, None)), "a cluster takes those of this program alone"),
        (dump[..20].to_vec(), "the dump is damaged"),
    ] {
        let refused = restore(&lent.lines, dump).await.unwrap_err().to_string();
        assert!(refused.contains(expected), "{refused}");
    }
    let store = open(&lent.lines).await;
    act(&store, Op::Follow, 1, 2).await;
    let (full, _) = dumped(store.clone()).await;
    drop(store);
    for dump in [follows(10), full] {
        let refused = restore(&lent.lines, dump).await;
        assert!(matches!(refused, Err(LoadError::NotEmpty(_))), "{refused:?}");
    }
    // Nothing was changed: it is served.
    act(&*open(&lent.lines).await, Op::Follow, 2, 3).await;
    let heads = LogHeads { base: 0, seqs: vec![0; 256] };
    let lent = Lent::take(HISTORY).await;
    restore(&lent.lines, written(&header(FORMAT_VERSION, Some(heads)))).await.unwrap();
    act(&*open(&lent.lines).await, Op::Follow, 1, 2).await;
}

/// A load that is repeated after its end, as by a command that was cut off while it compared, finds the same and changes nothing;
/// once somebody has written to the cluster, it is refused.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_whole_cluster_is_read_again_until_it_is_written_to() {
    let lent = Lent::take(HISTORY).await;
    let dump = follows(300);
    let load = async |whole| {
        let input = Box::new(io::Cursor::new(dump.clone()));
        restore_cluster(&databases(&lent.lines), input, (DumpedSecrets::Keep, whole), &mut |_| ()).await
    };
    let first = load(WholeCluster::ReadAgain).await.unwrap();
    assert_eq!(load(WholeCluster::ReadAgain).await.unwrap(), first);
    assert!(matches!(load(WholeCluster::Refuse).await, Err(LoadError::NotEmpty(_))));
    let clock = Arc::new(ManualClock::new(NOW_MS));
    let store = ClusterStore::open(&databases(&lent.lines), ClusterOptions::default(), clock).await.unwrap();
    let follow =
        PairCommand { op: Op::Follow, subject: Uid::new(70_001).unwrap(), object: Uid::new(70_002).unwrap() };
    drop(store.apply(Write::of(follow)).await.unwrap());
    drop(store);
    assert!(matches!(load(WholeCluster::ReadAgain).await, Err(LoadError::NotEmpty(_))));
}
