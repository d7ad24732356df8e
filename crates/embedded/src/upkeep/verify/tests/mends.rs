//! What a mend derives anew, and what it leaves alone.

use super::*;
use crate::progress::ProgressMeter;
use crate::upkeep::verify::verify;
use crate::writer::MendTarget;
use guanxi_model::{List, Page, PageStart};
use guanxi_ports::{MendReport, MendStage, Remedy, Store as _};

/// Changes rows behind the store's back, and opens it.
async fn damaged(dir: &Path, corruptions: &[Corrupt]) -> EmbeddedStore {
    world(dir).await;
    let engine = open_engine(dir, &Options::default()).unwrap();
    for corrupt in corruptions {
        let mut batch = engine.batch();
        corrupt(&engine, &mut batch);
        batch.commit(Wait::Disk).unwrap();
    }
    engine.flush().unwrap();
    drop(engine);
    open(dir)
}

fn mended(store: &EmbeddedStore) -> MendReport {
    store.mend(&mut |_| {}).unwrap()
}

/// The rows that a comparison names now.
fn targets(store: &EmbeddedStore) -> Vec<MendTarget> {
    let shared = store.shared();
    let view = shared.published.pin();
    let mut ignore = |_| {};
    let mut meter = ProgressMeter::new(0, &mut ignore);
    verify(&view, shared.position(view.seq), &mut meter).unwrap().1
}

async fn act(store: &EmbeddedStore, op: Op, subject: u64, object: u64) {
    let command = PairCommand { op, subject: uid(subject), object: uid(object) };
    store.apply(Write::all(vec![command])).await.unwrap();
}

/// Everything that readers are told of users 1 to 9: counters, followers and friends.
async fn told(store: &EmbeddedStore) -> Vec<String> {
    let view = store.view(None).await.unwrap();
    let mut told = Vec::new();
    for user in (1..10).map(uid) {
        let counts = view.counts(&[user]).await.unwrap();
        let page = Page::new(PageStart::Newest, 10).unwrap();
        let followers = view.list(user, List::Followers, page).await.unwrap();
        let relations = view.viewer_relations(user).await.unwrap();
        let follows: Vec<_> = relations.following().iter().map(|other| relations.follow(*other)).collect();
        told.push(format!("{counts:?} {followers:?} {follows:?}"));
    }
    told
}

const DAMAGES: [(&str, Corrupt); 14] = [
    ("drop reverse", drop_reverse),
    ("drop mutual reverse", drop_mutual_reverse),
    ("add reverse", add_reverse),
    ("flip reverse time", flip_reverse_time),
    ("flip forward time", flip_forward_time),
    ("drop mark", drop_mark),
    ("flip mark", flip_mark_time),
    ("add mark", add_mark),
    ("following", |e, b| count(e, b, 1, |c| c.following = 0)),
    ("followers", |e, b| count(e, b, 3, |c| c.followers = 77)),
    ("friends", |e, b| count(e, b, 2, |c| c.friends = 0)),
    ("blocks", |e, b| count(e, b, 6, |c| c.blocks = 0)),
    ("drop counters", |_, b| b.remove(Table::Records, &user_key(COUNTERS, uid(3)))),
    ("drop a place of a block", |_, b| {
        b.remove(Table::Records, &marked_by_key(uid(7), MarkKind::Block, uid(6)));
    }),
];

#[tokio::test]
async fn each_damage_is_mended_while_the_store_serves_and_readers_are_told_what_is_right() {
    let dir = tempfile::tempdir().unwrap();
    world(dir.path()).await;
    let right = told(&open(dir.path())).await;
    for (what, corrupt) in DAMAGES {
        let dir = tempfile::tempdir().unwrap();
        let store = damaged(dir.path(), &[corrupt]).await;
        // Memory holds what is wrong by then.
        told(&store).await;
        let mut stages = Vec::new();
        let report = store.mend(&mut |now| stages.push(now.stage)).unwrap();
        assert!(report.found > 0 && report.mended > 0, "{what}: {report:?}");
        assert!(report.left.clean(), "{what}: {:?}", report.left.differences);
        assert!(stages.contains(&MendStage::Mending), "{what}");
        assert!(store.verify(&mut |_| {}).unwrap().clean(), "{what}");
        if what != "flip forward time" {
            assert_eq!(told(&store).await, right, "{what}");
        }
        let again = mended(&store);
        assert_eq!((again.found, again.mended), (0, 0), "{what}: a second mend finds nothing");
        // What the writer holds is right as well: it counts on from there.
        act(&store, Op::Follow, 1, 9).await;
        act(&store, Op::Unfollow, 1, 2).await;
        act(&store, Op::Unblock, 6, 7).await;
        let served = told(&store).await;
        store.close().await.unwrap();
        drop(store);
        let store = open(dir.path());
        assert!(store.verify(&mut |_| {}).unwrap().clean(), "{what}: after more writes and a restart");
        assert_eq!(told(&store).await, served, "{what}: memory said what the tables say");
    }
}

#[tokio::test]
async fn all_damages_together_are_mended_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let wanted = [0, 2, 3, 6, 10, 13].map(|n| DAMAGES[n].1);
    let store = damaged(dir.path(), &wanted).await;
    let report = mended(&store);
    assert!(report.left.clean() && report.mended >= 6, "{report:?}");
}

#[tokio::test]
async fn a_lost_reverse_table_is_derived_anew() {
    let dir = tempfile::tempdir().unwrap();
    let store = damaged(
        dir.path(),
        &[|e, b| {
            for row in super::super::source::whole(&e.snapshot(), Table::Reverse) {
                b.remove(Table::Reverse, &row.unwrap().0);
            }
        }],
    )
    .await;
    let report = mended(&store);
    assert_eq!((report.found, report.mended, report.left.clean()), (6, 6, true));
}

#[tokio::test]
async fn what_has_changed_since_the_comparison_is_not_undone() {
    let dir = tempfile::tempdir().unwrap();
    let store = damaged(
        dir.path(),
        &[drop_reverse, drop_mutual_reverse, flip_mark_time, |e, b| count(e, b, 3, |c| c.followers = 77)],
    )
    .await;
    let named = targets(&store);
    assert!(named.len() >= 4, "{named:?}");
    // Every follow that differs ends or begins anew meanwhile, and others come.
    for (op, subject, object) in [
        (Op::Unfollow, 1, 3),
        (Op::Unfollow, 1, 2),
        (Op::Follow, 1, 2),
        (Op::Unfollow, 5, 1),
        (Op::Follow, 8, 3),
        (Op::Follow, 9, 3),
    ] {
        act(&store, op, subject, object).await;
    }
    store.mend_rows(named).unwrap();
    let report = store.verify(&mut |_| {}).unwrap();
    assert!(report.clean(), "{:?}", report.differences);
    let view = store.view(None).await.unwrap();
    assert_eq!(view.counts(&[uid(3)]).await.unwrap()[0].followers, 2);
}

#[tokio::test]
async fn facts_and_what_cannot_be_read_are_left_with_what_to_do() {
    let dir = tempfile::tempdir().unwrap();
    let store = damaged(
        dir.path(),
        &[
            |_, b| b.put(Table::Forward, &forward_key(uid(4), uid(1)), &[99]),
            |e, b| {
                b.put(Table::Records, &pair_key(BLOCK, uid(1), uid(3)), &encode_stamp(Stamp::from_ms(1)));
                b.put(Table::Records, &marked_by_key(uid(3), MarkKind::Block, uid(1)), &[]);
                count(e, b, 1, |c| c.blocks = 1);
            },
            |_, b| b.remove(Table::Log, &log_key(3)),
            drop_mark,
        ],
    )
    .await;
    let report = mended(&store);
    let left =
        [(FollowDespiteBlock, Some(1), Some(3)), (LogGap, None, None), (Undecodable, Some(4), Some(1))];
    assert_eq!(names(&report.left), left);
    assert_eq!(report.mended, 1, "the mark");
    let remedies: Vec<Remedy> = report.remedies().into_iter().collect();
    assert_eq!(remedies, [Remedy::RestoreBackup, Remedy::EndFact]);
}

#[tokio::test]
async fn the_heat_map_shows_where_sides_disagree() {
    let clean = verify_after(&[]).await;
    assert_eq!(clean.heat.len(), 1);
    assert!(clean.heat[0].agrees && clean.heat[0].forward == 6 && clean.heat[0].reverse == 6);
    let report = verify_after(&[|_, b| {
        b.put(Table::Reverse, &reverse_key(uid(0x31), Edge { at: Stamp::from_ms(5), uid: uid(0xf2) }), &[]);
    }])
    .await;
    let [near, far] = report.heat[..] else { panic!("{:?}", report.heat) };
    assert!(near.agrees && !far.agrees);
    assert_eq!((far.subjects, far.objects, far.forward, far.reverse), (15, 3, 0, 1));
}

#[tokio::test]
async fn a_closed_store_mends_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let store = damaged(dir.path(), &[drop_mark]).await;
    let named = targets(&store);
    store.close().await.unwrap();
    assert!(store.mend_rows(named).is_err());
}
