//! A load equals importing the same edges in order.

use crate::world::head;
use guanxi_embedded::{
    BulkEdge, BulkError, BulkJob, BulkLimits, BulkReport, EmbeddedStore, OpenError, Options, RefusedEdge,
    load, loadable,
};
use guanxi_model::limits::IMPORT_BATCH_MAX;
use guanxi_model::{
    HistoryId, ImportCursor, ImportEdge, List, LogId, ManualClock, Page, PageStart, Position, Reason,
    Result as ModelResult, Stamp, Uid, Write,
};
use guanxi_ports::Walk;
use guanxi_ports::{Facts as _, Log as _, Store as _, StoreView, Upkeep as _};
use proptest::prelude::*;
use std::convert::Infallible;
use std::path::Path;
use std::sync::Arc;

const NOW_MS: u64 = 1_700_000_000_000;

/// Users of a random world: few, so that pairs repeat and meet in both directions.
const USERS: u64 = 12;

fn options(follow_limit: u32) -> Options {
    Options { new_history: HistoryId(9), follow_limit, free_space_reserve: 0, ..Options::default() }
}

fn open(dir: &Path, follow_limit: u32) -> EmbeddedStore {
    EmbeddedStore::open(dir, options(follow_limit), Arc::new(ManualClock::new(NOW_MS))).unwrap()
}

fn uid(n: u64) -> Uid {
    Uid::new(n).unwrap()
}

fn edge(line: usize, subject: u64, object: u64, at: Option<u64>) -> BulkEdge {
    BulkEdge { line: line as u64, subject: uid(subject), object: uid(object), at: at.map(Stamp::from_ms) }
}

fn edges() -> impl Strategy<Value = Vec<BulkEdge>> {
    let at = prop_oneof![
        Just(None),
        (1..40_u64).prop_map(Some),
        Just(Some(NOW_MS + 5_000)),
        Just(Some(NOW_MS + 500_000))
    ];
    proptest::collection::vec((1..=USERS, 1..=USERS, at), 0..200).prop_map(|lines| {
        let lines = lines.into_iter().enumerate();
        lines.map(|(line, (subject, object, at))| edge(line, subject, object, at)).collect()
    })
}

fn load_into(dir: &Path, edges: &[BulkEdge], follow_limit: u32, memory_edges: usize) -> BulkReport {
    let job = BulkJob { name: "job", position: &|| edges.len() as u64 };
    let given = edges.iter().map(|edge| Ok::<_, Infallible>(*edge));
    let now = Stamp::from_ms(NOW_MS);
    let limits = BulkLimits { memory_edges };
    load(dir, &options(follow_limit), now, given, Some(job), limits, &mut |_| {}).unwrap()
}

/// Imports the ordinary way, and answers what a load would report.
async fn import_into(store: &EmbeddedStore, edges: &[BulkEdge]) -> BulkReport {
    let mark = ImportCursor { job: "job".into(), from: 0, to: edges.len() as u64 };
    let import = edges.iter().map(|e| ImportEdge::new(e.subject, e.object, e.at)).collect();
    assert!(edges.len() <= IMPORT_BATCH_MAX as usize);
    let answer = store.apply(Write::edges(import, false).at(Some(mark))).await.unwrap();
    let mut report = BulkReport { read: edges.len() as u64, ..BulkReport::default() };
    for (edge, outcome) in edges.iter().zip(answer.pairs()) {
        match outcome.result {
            Ok(true) => report.accepted += 1,
            Ok(false) => report.already_there += 1,
            Err(reason) => {
                *match reason {
                    Reason::SelfRelation => &mut report.self_refused,
                    Reason::TimeOutOfRange => &mut report.ahead_refused,
                    _ => &mut report.over_limit,
                } += 1;
                report.refused.push(RefusedEdge { line: edge.line, reason });
            }
        }
    }
    report
}

/// Everything that can be read about the users of the world. Stamps that were minted differ by a few counts.
async fn seen(view: &dyn StoreView) -> Vec<String> {
    let mut seen = Vec::new();
    let users: Vec<Uid> = (1..=USERS).map(uid).collect();
    let page = Page::new(PageStart::Newest, 1_000).unwrap();
    for &user in &users {
        for list in List::ALL {
            let items = view.list(user, list, page).await.unwrap().items;
            let items: Vec<_> = items.iter().map(|item| (item.uid, item.at.ms())).collect();
            seen.push(format!("{user} {list:?} {items:?}"));
        }
        let relations = view.relations(user, &users).await.unwrap();
        let states = relations.iter().map(|r| (r.state(), r.friends_since.map(Stamp::ms)));
        seen.push(format!("{user} {:?}", states.collect::<Vec<_>>()));
    }
    seen.push(format!("{:?}", view.counts(&users).await.unwrap()));
    seen.push(format!("{:?}", view.import_position("job").await.unwrap()));
    let exported = view.edges(Walk::new(None, 10_000)).await.unwrap();
    seen.push(format!("{:?}", exported.iter().map(|e| (e.subject, e.object, e.at.ms())).collect::<Vec<_>>()));
    seen
}

async fn compare(edges: Vec<BulkEdge>, follow_limit: u32, memory_edges: usize) {
    let (loaded, imported) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let report = load_into(loaded.path(), &edges, follow_limit, memory_edges);
    let loaded = open(loaded.path(), follow_limit);
    let imported = open(imported.path(), follow_limit);
    assert_eq!(report, import_into(&imported, &edges).await);
    let (ours, theirs) = (loaded.view(None).await.unwrap(), imported.view(None).await.unwrap());
    assert_eq!(seen(&*ours).await, seen(&*theirs).await);
    let verified = loaded.verify(&mut |_| {}).unwrap();
    assert!(verified.clean(), "{:?}", verified.differences);
    assert_eq!(verified.forward, report.accepted);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]
    #[test]
    fn a_load_equals_an_import(edges in edges(), limit in 3..12_u32, spill in any::<bool>()) {
        let memory = if spill { 7 } else { 1_000 };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(compare(edges, limit, memory));
    }
}

#[tokio::test]
async fn a_loaded_store_goes_on_and_its_log_begins_after_the_load() {
    let dir = tempfile::tempdir().unwrap();
    let edges = [edge(0, 1, 2, None), edge(1, 2, 1, None)];
    load_into(dir.path(), &edges, 100, 10);
    let store = open(dir.path(), 100);
    assert_eq!(head(&store).await.event_count(), 2);
    let start = Position::one(head(&store).await.history(), 0);
    assert_eq!(store.read(LogId(0), &start, 10).await.unwrap_err().reason, Reason::Trimmed);
    assert!(store.read(LogId(0), &head(&store).await, 10).await.unwrap().events.is_empty());
    // The same job the ordinary way goes on after what the load covered.
    let import = |from, to, object| {
        Write::edges(vec![ImportEdge::new(uid(1), uid(object), None)], false).at(Some(ImportCursor {
            job: "job".into(),
            from,
            to,
        }))
    };
    let refused: ModelResult<_> = store.apply(import(0, 1, 3)).await;
    assert_eq!(refused.unwrap_err().reason, Reason::ImportPositionMismatch { position: 2 });
    let answer = store.apply(import(2, 3, 3)).await.unwrap();
    assert_eq!(answer.position.event_count(), 3);
    let view = store.view(Some(&answer.position)).await.unwrap();
    let following = view.list(uid(1), List::Following, Page::first()).await.unwrap().items;
    assert_eq!(
        following.iter().map(|e| e.uid.get()).collect::<Vec<_>>(),
        [3, 2],
        "newer stamps after the load"
    );
    assert!(store.verify(&mut |_| {}).unwrap().clean());
    store.close().await.unwrap();
}

#[tokio::test]
async fn an_empty_load_opens_and_is_not_the_beginning() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(load_into(dir.path(), &[], 100, 10), BulkReport::default());
    assert_eq!(head(&open(dir.path(), 100)).await.event_count(), 1);
}

#[tokio::test]
async fn a_failed_load_does_not_open_and_starts_over() {
    let dir = tempfile::tempdir().unwrap();
    let now = Stamp::from_ms(NOW_MS);
    let input = [Ok(edge(0, 1, 2, None)), Err("torn")];
    let failed = load(dir.path(), &options(9), now, input, None, BulkLimits::default(), &mut |_| {});
    assert!(matches!(failed, Err(BulkError::Input("torn"))));
    let refused = EmbeddedStore::open(dir.path(), options(9), Arc::new(ManualClock::new(NOW_MS)));
    assert!(matches!(refused.err(), Some(OpenError::UnfinishedLoad(_))));
    assert!(loadable(dir.path()));
    assert_eq!(load_into(dir.path(), &[edge(0, 1, 2, None)], 9, 9).accepted, 1);
    assert_eq!(head(&open(dir.path(), 9)).await.event_count(), 1);
}

#[test]
fn a_store_is_not_loaded_into() {
    let dir = tempfile::tempdir().unwrap();
    assert!(loadable(dir.path()) && loadable(&dir.path().join("new")));
    drop(open(dir.path(), 9));
    assert!(!loadable(dir.path()));
    let input: [Result<BulkEdge, Infallible>; 0] = [];
    let now = Stamp::from_ms(NOW_MS);
    let refused = load(dir.path(), &options(9), now, input, None, BulkLimits::default(), &mut |_| {});
    assert!(matches!(refused, Err(BulkError::NotEmpty(_))));
}

#[test]
fn progress_ends_where_it_said() {
    let dir = tempfile::tempdir().unwrap();
    let edges: Vec<_> =
        (0..20_000).map(|i| edge(i, i as u64 % 200 + 1, i as u64 / 200 + 1_000, None)).collect();
    let mut seen = Vec::new();
    let input = edges.iter().map(|edge| Ok::<_, Infallible>(*edge));
    let now = Stamp::from_ms(NOW_MS);
    load(dir.path(), &options(999), now, input, None, BulkLimits::default(), &mut |p| seen.push(p)).unwrap();
    assert!(seen.len() > 2 && seen.iter().all(|p| p.done <= p.total), "{seen:?}");
    assert_eq!(seen.last().map(|p| p.done), Some(60_000));
}

/// Set for a child process: where to load, and die.
const CHILD_DIR: &str = "GUANXI_TEST_BULK_DIR";

fn some_edges() -> Vec<BulkEdge> {
    (0..500).map(|i| edge(i, i as u64 % 7 + 1, i as u64 % 11 + 1, Some(i as u64))).collect()
}

/// Not a test of its own: the child process of the next one runs it.
#[test]
fn child_that_loads() {
    if let Some(dir) = std::env::var_os(CHILD_DIR) {
        load_into(Path::new(&dir), &some_edges(), 100, 50);
    }
}

#[tokio::test]
async fn a_load_that_died_anywhere_does_not_open_and_starts_over() {
    use guanxi_embedded::failpoints::{BULK_AFTER_COMMIT, BULK_BEFORE_COMMIT, BULK_FORWARD, BULK_MARKED};
    let whole = tempfile::tempdir().unwrap();
    let expected = load_into(whole.path(), &some_edges(), 100, 50);
    let whole = open(whole.path(), 100);
    for failpoint in [BULK_MARKED, BULK_FORWARD, BULK_BEFORE_COMMIT, BULK_AFTER_COMMIT] {
        let dir = tempfile::tempdir().unwrap();
        let child = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "bulk::child_that_loads"])
            .env(CHILD_DIR, dir.path())
            .env("GUANXI_FAILPOINT", format!("{failpoint}:1"))
            .output()
            .unwrap();
        assert!(!child.status.success(), "{failpoint} was not reached");
        let refused = EmbeddedStore::open(dir.path(), options(100), Arc::new(ManualClock::new(NOW_MS)));
        assert!(matches!(refused.err(), Some(OpenError::UnfinishedLoad(_))), "{failpoint}");
        assert_eq!(load_into(dir.path(), &some_edges(), 100, 50), expected, "{failpoint}");
        let store = open(dir.path(), 100);
        let (ours, theirs) = (store.view(None).await.unwrap(), whole.view(None).await.unwrap());
        assert_eq!(seen(&*ours).await, seen(&*theirs).await, "{failpoint}");
        assert!(store.verify(&mut |_| {}).unwrap().clean(), "{failpoint}");
    }
}
