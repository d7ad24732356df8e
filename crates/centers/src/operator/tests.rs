//! What operators are told of batches, exports, long tasks and tokens. The stores' own rules are in the suite.

use super::*;
use crate::Centers;
use guanxi_model::limits::{AUDIT_TARGETS_MAX, FACT_AHEAD_MAX_MS, IMPORT_BATCH_MAX};
use guanxi_model::post::{Body, Draft, ImportLike, ImportPost};
use guanxi_model::user::{UserCommand, UserStatus};
use guanxi_model::{
    AuditOutcome, AuditTarget, Error, FanoutMode, FanoutPolicy, ImportCursor, ImportEdge, Logs, ManualClock,
    Principal, Reason, RestrictionKind, Result, Stamp, Uid, Visibility, Write,
};
use guanxi_spec::memory::{MemoryInbox, MemoryStore, Options};

pub(super) fn u(n: u64) -> Uid {
    Uid::new(n).expect("a test uid is in range")
}

fn operator() -> OperatorCenter {
    world().0
}

pub(super) const NOW_MS: u64 = 1_750_000_000_000;

fn world() -> (OperatorCenter, Centers) {
    world_at(Arc::new(ManualClock::new(NOW_MS)))
}

fn world_at(clock: Arc<ManualClock>) -> (OperatorCenter, Centers) {
    let (operator, centers, _) = world_of(clock);
    (operator, centers)
}

pub(super) fn world_of(clock: Arc<ManualClock>) -> (OperatorCenter, Centers, Arc<MemoryStore>) {
    let store = Arc::new(MemoryStore::new(clock.clone(), Options::default()));
    let inbox = Arc::new(MemoryInbox::new(Options::default().history, Logs::One));
    let ports = Ports { store: store.clone(), inbox, log: store.clone(), clock };
    let (operator, centers) = operator_of(&ports, &store);
    (operator, centers, store)
}

pub(super) fn operator_of(ports: &Ports, store: &Arc<MemoryStore>) -> (OperatorCenter, Centers) {
    let own = OperatorParts {
        credentials: store.clone(),
        sessions: store.clone(),
        shards: store.clone(),
        upkeep: store.clone(),
        random: Arc::new(|| [7; 32]),
        mint: |_, random| Secret { text: "secret".into(), hash: random },
    };
    let centers = Centers::new(ports);
    (OperatorCenter::new(ports, &centers.feed, own), centers)
}

fn edge(subject: u64, object: u64, at_ms: u64) -> ImportEdge {
    ImportEdge::new(u(subject), u(object), Some(Stamp::from_ms(at_ms)))
}

fn batch(edges: Vec<ImportEdge>) -> impl ExactSizeIterator<Item = Result<ImportEdge>> {
    edges.into_iter().map(Ok)
}

fn cursor(job: &str, from: u64, to: u64) -> ImportCursor {
    ImportCursor { job: job.into(), from, to }
}

#[tokio::test]
async fn each_row_of_a_batch_has_its_outcome_in_its_place() {
    let operator = operator();
    let rows = || {
        let none = Err(Error::new(Reason::UidOutOfRange));
        let ahead = NOW_MS + FACT_AHEAD_MAX_MS;
        let late = Ok(edge(1, 4, ahead + 1));
        vec![Ok(edge(1, 2, 5)), none, Ok(edge(3, 3, 5)), late, Ok(edge(1, 3, ahead))].into_iter()
    };
    for (accepted, already_there) in [(2, 0), (0, 2)] {
        let found = operator.import_edges(rows(), false, None).await.unwrap();
        assert_eq!((found.accepted, found.already_there, found.refused), (accepted, already_there, 3));
        let results: Vec<_> = found.outcomes.iter().map(|outcome| outcome.result.clone()).collect();
        let new = accepted > 0;
        assert_eq!(
            results,
            [
                Ok(new),
                Err(Reason::UidOutOfRange),
                Err(Reason::SelfRelation),
                Err(Reason::TimeOutOfRange),
                Ok(new)
            ]
        );
        assert!(found.outcomes[0].relation.following_since.is_some());
    }
}

#[tokio::test]
async fn a_batch_and_a_cursor_are_refused_before_anything_is_written() {
    let operator = operator();
    let many = (0..=IMPORT_BATCH_MAX).map(|_| edge(1, 2, 5));
    let refused = operator.import_edges(batch(many.collect()), false, None).await.unwrap_err();
    assert_eq!(refused.reason, Reason::BatchTooLarge { limit: IMPORT_BATCH_MAX });
    for (job, from, to, reason) in [
        ("", 0, 1, Reason::MissingField { field: "job" }),
        ("j", 2, 1, Reason::InvalidField { field: "next_position" }),
    ] {
        let refused = operator.import_edges(batch(vec![edge(1, 2, 5)]), false, Some(cursor(job, from, to)));
        assert_eq!(refused.await.unwrap_err().reason, reason);
    }
    assert_eq!(
        operator.export(None, None, u64::MAX, None).await.unwrap().next(9).await.unwrap(),
        Some(Vec::new())
    );
    operator.import_edges(batch(vec![edge(1, 2, 5)]), false, Some(cursor("j", 0, 7))).await.unwrap();
    assert_eq!(operator.import_position("j").await, Ok(Some(7)));
    assert_eq!(operator.import_position("k").await, Ok(None));
}

#[tokio::test]
async fn an_export_ends_at_its_bound_and_goes_on_after_a_pair() {
    let operator = operator();
    let edges = (2..=6).map(|object| edge(1, object, 5)).collect();
    operator.import_edges(batch(edges), false, None).await.unwrap();
    let all = async |after, max_edges, chunk| {
        let mut export = operator.export(None, after, max_edges, None).await.unwrap();
        let mut chunks = Vec::new();
        while let Some(edges) = export.next(chunk).await.unwrap() {
            chunks.push(edges.iter().map(|edge| edge.object.get()).collect::<Vec<_>>());
        }
        chunks
    };
    assert_eq!(all(None, u64::MAX, 2).await, [vec![2, 3], vec![4, 5], vec![6]]);
    assert_eq!(all(None, 3, 2).await, [vec![2, 3], vec![4]]);
    assert_eq!(all(Some((u(1), u(4))), u64::MAX, 9).await, [vec![5, 6]]);
}

/// Four users who follow, mute, answer and like each other.
async fn world_of_answers() -> OperatorCenter {
    let operator = operator();
    let edges = [(1, 2), (2, 3), (3, 1), (3, 2), (3, 4), (4, 1)].map(|(a, b)| edge(a, b, 5));
    operator.import_edges(batch(edges.to_vec()), false, None).await.unwrap();
    operator
        .import_restrictions(RestrictionKind::Mute, batch(vec![edge(2, 1, 5), edge(2, 4, 5)]), None)
        .await
        .unwrap();
    let post = |author: u64, key: &str, ms: u64, reply_to: Option<(u64, &str)>| ImportPost {
        id: None,
        key: key.into(),
        author: u(author),
        at_ms: NOW_MS - 9_000 + ms,
        body: Body { text: key.into(), attachments: Vec::new() },
        visibility: Visibility::Public,
        reply_to: reply_to.map(|(author, key)| (u(author), key.into())),
        repost_of: None,
        deleted: false,
    };
    let posts = [
        post(1, "a", 50, None),
        post(2, "answer to a", 60, Some((1, "a"))),
        // Of an earlier time than what it answers, as imports may be: of a later round.
        post(3, "answer to that", 40, Some((2, "answer to a"))),
        post(3, "d", 70, None),
        post(2, "answer to d", 30, Some((3, "d"))),
        post(1, "other answer to d", 80, Some((3, "d"))),
        post(4, "answer to the answer", 90, Some((2, "answer to d"))),
    ];
    let imported = operator.import_posts(posts.into_iter().map(Ok), None).await.unwrap();
    assert_eq!((imported.accepted, imported.refused), (7, 0));
    let like = |uid: u64, author: u64, key: &str| ImportLike {
        uid: u(uid),
        author: u(author),
        key: key.into(),
        at: None,
    };
    let likes = [like(2, 1, "a"), like(1, 3, "d"), like(2, 3, "d")];
    assert_eq!(operator.import_likes(likes.into_iter().map(Ok), None).await.unwrap().accepted, 3);
    operator
}

/// Of users who are deleted nothing is exported, nor what answers or shares their posts, nor what hangs on that; each row that
/// is left out is counted once, however the export is cut into chunks.
#[tokio::test]
async fn exports_leave_out_who_is_deleted() {
    let operator = world_of_answers().await;
    let all = async |chunk: usize| {
        let (mut rows, mut left_out) = (Vec::new(), [0; 4]);
        for (at, kind) in [None, Some(RestrictionKind::Mute)].into_iter().enumerate() {
            let mut export = operator.export(kind, None, u64::MAX, None).await.unwrap();
            while let Some(edges) = export.next(chunk).await.unwrap() {
                rows.extend(edges.iter().map(|edge| format!("{} {}", edge.subject, edge.object)));
                left_out[at] += export.left_out();
            }
        }
        let mut export = operator.export_posts(PostsPlace::default(), u64::MAX, None).await.unwrap();
        while let Some(posts) = export.next(usize::MAX).await.unwrap() {
            rows.extend(posts.iter().map(|post| post.key.clone()));
            left_out[2] += export.left_out();
        }
        let mut export = operator.export_likes(None, u64::MAX, None).await.unwrap();
        while let Some(likes) = export.next(chunk).await.unwrap() {
            rows.extend(likes.iter().map(|like| format!("{} likes {}", like.like.uid, like.key)));
            left_out[3] += export.left_out();
        }
        (rows, left_out)
    };
    let (rows, left_out) = all(9).await;
    assert_eq!((rows.len(), left_out), (8 + 7 + 3, [0; 4]));
    let status = UserStatus::Deactivated;
    let set = |uid, status| Write::of(UserCommand::SetStatus { uid, status });
    operator.ports.store.apply(set(u(1), status)).await.unwrap();
    assert_eq!(all(9).await, (rows, left_out), "whoever may come back is exported");
    let status = UserStatus::Deleted { erase_at_ms: NOW_MS * 2 };
    operator.ports.store.apply(set(u(1), status)).await.unwrap();
    for chunk in [1, 2, 9] {
        let (rows, left_out) = all(chunk).await;
        let expected = ["2 3", "3 2", "3 4", "2 4", "d", "answer to the answer", "answer to d", "2 likes d"];
        let (mut rows, mut expected) = (rows, expected.map(str::to_owned).to_vec());
        rows[4..7].sort();
        expected[4..7].sort();
        assert_eq!((rows, left_out), (expected, [3, 1, 4, 2]), "{chunk} at once");
    }
}

#[tokio::test]
async fn one_long_task_runs_at_a_time_and_a_proof_is_bounded() {
    let operator = operator();
    let task = operator.long_task().unwrap();
    assert!(matches!(operator.long_task().err().unwrap().reason, Reason::Overloaded { .. }));
    assert!(task.verify(&mut |_| {}).unwrap().clean());
    drop(task);
    for (viewers, sample, reason) in [
        (vec![u(1)], 1, Reason::InvalidField { field: "sample" }),
        (vec![u(1); 1_001], 0, Reason::BatchTooLarge { limit: 1_000 }),
        (Vec::new(), 1_001, Reason::BatchTooLarge { limit: 1_000 }),
    ] {
        let asked = HomesAsked { viewers, sample, max_items: 0 };
        let refused = operator.long_task().unwrap().homes(asked).await.err().unwrap();
        assert_eq!(refused.reason, reason, "and the right to run is given back");
    }
}

#[tokio::test]
async fn settings_and_tokens_are_checked_alike_for_every_caller() {
    let operator = operator();
    let refused = operator.set_follow_limit(u(1), Some(60_001)).await.unwrap_err();
    assert_eq!(refused.reason, Reason::InvalidField { field: "limit" });
    let position = operator.set_follow_limit(u(1), Some(3)).await.unwrap();
    assert_eq!(operator.follow_limit(u(1), Some(position)).await.unwrap().0.own, Some(3));
    let wrong = FanoutPolicy { inbox_cap: 0, ..FanoutPolicy::default() };
    let refused = operator.put_fanout_policy(wrong).await.unwrap_err();
    assert_eq!(refused.reason, Reason::InvalidField { field: "inbox_cap" });
    let wanted = FanoutPolicy { inbox_cap: 9, ..FanoutPolicy::default() };
    operator.put_fanout_policy(wanted).await.unwrap();
    assert_eq!(operator.fanout_policy().await, Ok(wanted));
    let unnamed = operator.create_token("", Principal::Admin, None).await.unwrap_err();
    assert_eq!(unnamed.reason, Reason::MissingField { field: "name" });
    assert_eq!(operator.create_token("a", Principal::Admin, None).await.unwrap(), "secret");
    assert_eq!(operator.stats().await.unwrap().tokens, 1);
    assert_eq!(operator.revoke_token("a").await, Ok(true));
    assert_eq!(operator.revoke_token("a").await, Ok(false));
}

#[tokio::test]
async fn a_proof_of_homes_reads_the_inboxes_that_the_policy_builds() {
    for mode in [FanoutMode::Pull, FanoutMode::Push, FanoutMode::Hybrid] {
        let (operator, centers) = world();
        centers.feed.start().await.unwrap();
        operator.put_fanout_policy(FanoutPolicy { mode, ..FanoutPolicy::default() }).await.unwrap();
        let edges = (2..=4).flat_map(|author| [edge(1, author, 5), edge(author, 1, 5)]).collect();
        operator.import_edges(batch(edges), false, None).await.unwrap();
        for author in (2..=4).cycle().take(120) {
            let body = Body { text: "a".into(), attachments: Vec::new() };
            let (author, visibility) = (u(author), Visibility::Public);
            let draft = Draft { author, body, visibility, reply_to: None, repost_of: None };
            centers.post.create(draft, None).await.unwrap();
        }
        // No reader has read a home before, as after a start.
        let task = operator.long_task().unwrap();
        let mut proof = task.homes(HomesAsked { sample: 9, ..HomesAsked::default() }).await.unwrap();
        let mut viewers = Vec::new();
        while let Some((found, progress)) = proof.next().await.unwrap() {
            assert!(found.clean() && found.pages > 0, "{found:?}");
            let expected = if mode == FanoutMode::Pull { 0 } else { found.pages };
            assert_eq!(found.from_inbox, expected, "{mode:?}: {found:?}");
            viewers.push(found.viewer.get());
            assert_eq!((progress.done, progress.total), (viewers.len() as u64, 4));
        }
        assert_eq!(viewers, [1, 2, 3, 4], "all who follow somebody");
    }
}

/// Entries of several operators, an hour after another.
async fn audited(operator: &OperatorCenter, clock: &ManualClock) {
    let of = |target: AuditTarget| AuditAbout::default().and(Some(target)).because("why");
    for (n, (principal, action)) in [("ann", "Backup"), ("bob", "TakeDownUser"), ("ann", "TakeDownUser")]
        .into_iter()
        .cycle()
        .take(30)
        .enumerate()
    {
        let id = operator.begin_audit(principal, action, of(AuditTarget::User(u(n as u64 % 4 + 1)))).await;
        operator.end_audit(id.unwrap(), AuditOutcome::Done).await;
        clock.advance(3_600_000);
    }
}

#[tokio::test]
async fn the_audit_log_is_filtered_and_paged() {
    let clock = Arc::new(ManualClock::new(NOW_MS));
    let operator = world_at(clock.clone()).0;
    audited(&operator, &clock).await;
    let hours = |page: &AuditPage| -> Vec<u64> {
        page.entries.iter().map(|entry| (entry.id.at.ms() - NOW_MS) / 3_600_000).collect()
    };
    let every = AuditFilter::default();
    let ann = AuditFilter { principal: Some("ann".into()), ..every.clone() };
    let taken = AuditFilter { action: Some("TakeDownUser".into()), ..ann.clone() };
    let target = AuditFilter { target: Some(AuditTarget::User(u(1))), ..every.clone() };
    let (since_ms, until_ms) = (Some(NOW_MS + 5 * 3_600_000), Some(NOW_MS + 8 * 3_600_000));
    let window = AuditFilter { since_ms, until_ms, ..every.clone() };
    for (filter, expected) in [
        (every, (0..30).rev().collect::<Vec<u64>>()),
        (ann, (0..30).rev().filter(|n| n % 3 != 1).collect()),
        (taken, (0..30).rev().filter(|n| n % 3 == 2).collect()),
        (target, (0..30).rev().filter(|n| n % 4 == 0).collect()),
        (window, vec![7, 6, 5]),
        (AuditFilter { principal: Some(String::new()), ..AuditFilter::default() }, vec![]),
    ] {
        for max in [1, 7, 100] {
            let (mut found, mut below) = (Vec::new(), None);
            loop {
                let page = operator.audit_entries(&filter, below, max).await.unwrap();
                assert!(page.entries.len() <= max);
                found.extend(hours(&page));
                below = page.next;
                if below.is_none() {
                    break;
                }
            }
            assert_eq!(found, expected, "{filter:?}, {max} at once");
        }
    }
}

#[tokio::test]
async fn a_page_of_the_audit_log_looks_at_so_many_entries() {
    let clock = Arc::new(ManualClock::new(NOW_MS));
    let operator = world_at(clock.clone()).0;
    let first = operator.begin_audit("ann", "Backup", AuditAbout::default()).await.unwrap();
    for _ in 0..AUDIT_SCAN_MAX {
        operator.begin_audit("bob", "Backup", AuditAbout::default()).await.unwrap();
    }
    let filter = AuditFilter { principal: Some("ann".into()), ..AuditFilter::default() };
    let page = operator.audit_entries(&filter, None, 10).await.unwrap();
    assert!(page.entries.is_empty() && page.next.is_some_and(|next| next > first), "{page:?}");
    let page = operator.audit_entries(&filter, page.next, 10).await.unwrap();
    assert_eq!((page.entries.len(), page.entries[0].id, page.next), (1, first, None));
}

#[tokio::test]
async fn an_entry_of_the_audit_log_is_bounded_by_itself() {
    let operator = operator();
    let long = "x".repeat(10_000);
    let about =
        (1..20).map(u).fold(AuditAbout::default(), |about, uid| about.and(Some(AuditTarget::User(uid))));
    let about = about.and(Some(AuditTarget::Token(long.clone()))).because(&long);
    operator.begin_audit("", "TakeDownUser", about).await.unwrap();
    let page = operator.audit_entries(&AuditFilter::default(), None, 10).await.unwrap();
    let [entry] = &page.entries[..] else { panic!("{page:?}") };
    assert_eq!((entry.targets.len(), &*entry.reason), (AUDIT_TARGETS_MAX, ""));
    assert_eq!(entry.outcome, AuditOutcome::Begun);
}
