//! Every flipped, dropped or added row is named, and nothing else is.

use crate::directory::open::open_engine;
use crate::engine::{Engine, RowBatch, Table, Wait};
use crate::layout::*;
use crate::options::Options;
use crate::store::EmbeddedStore;
use DifferenceKind::*;
use guanxi_model::{Counts, Edge, HistoryId, ManualClock, Op, PairCommand, Stamp, Uid, Write};
use guanxi_ports::{DifferenceKind, Facts as _, MarkKind, Upkeep as _, VerifyReport};
use std::path::Path;
use std::sync::Arc;

mod deleted;
mod external_ids;
mod mends;
mod posts;
mod sessions;
mod suggestions;
mod traces;
mod user_groups;
mod users;
mod waiting;

type Named = (DifferenceKind, Option<u64>, Option<u64>);
type Corrupt = fn(&Engine, &mut RowBatch);

fn uid(n: u64) -> Uid {
    Uid::new(n).unwrap()
}

fn open(dir: &Path) -> EmbeddedStore {
    let clock = Arc::new(ManualClock::new(1_700_000_000_000));
    let options = Options { new_history: HistoryId(7), free_space_reserve: 0, ..Options::default() };
    EmbeddedStore::open(dir, options, clock).unwrap()
}

/// 1 and 2 are friends, so are 1 and 5; 1 follows 3, 4 follows 1; 6 blocks 7 and mutes 8.
async fn world(dir: &Path) {
    let store = open(dir);
    let follows = [(1, 2), (2, 1), (1, 3), (4, 1), (5, 1), (1, 5)];
    let mut commands: Vec<PairCommand> = follows
        .map(|(subject, object)| PairCommand { op: Op::Follow, subject: uid(subject), object: uid(object) })
        .to_vec();
    commands.push(PairCommand { op: Op::Block, subject: uid(6), object: uid(7) });
    commands.push(PairCommand { op: Op::Mute, subject: uid(6), object: uid(8) });
    store.apply(Write::all(commands)).await.unwrap();
    store.close().await.unwrap();
}

/// Changes rows of the world behind the store's back, and verifies.
async fn verify_after(corruptions: &[Corrupt]) -> VerifyReport {
    let dir = tempfile::tempdir().unwrap();
    world(dir.path()).await;
    corrupted(dir.path(), corruptions).await
}

/// Changes rows behind the store's back, and verifies.
async fn corrupted(dir: &Path, corruptions: &[Corrupt]) -> VerifyReport {
    {
        let engine = open_engine(dir, &Options::default()).unwrap();
        for corrupt in corruptions {
            let mut batch = engine.batch();
            corrupt(&engine, &mut batch);
            batch.commit(Wait::Disk).unwrap();
        }
        engine.flush().unwrap();
    }
    let store = open(dir);
    let report = store.verify(&mut |_| {}).unwrap();
    store.close().await.unwrap();
    report
}

fn names(report: &VerifyReport) -> Vec<Named> {
    assert_eq!(report.differences_total, report.differences.len() as u64);
    let raw = |uid: Option<Uid>| uid.map(Uid::get);
    report.differences.iter().map(|d| (d.kind, raw(d.subject), raw(d.object))).collect()
}

fn forward(engine: &Engine, subject: u64, object: u64) -> ForwardValue {
    let row =
        engine.snapshot().get(Table::Forward, &forward_key(uid(subject), uid(object))).unwrap().unwrap();
    ForwardValue::decode(&row).unwrap()
}

fn put_forward(batch: &mut RowBatch, subject: u64, object: u64, value: ForwardValue) {
    batch.put(Table::Forward, &forward_key(uid(subject), uid(object)), &value.encode());
}

fn reverse_of(engine: &Engine, subject: u64, object: u64) -> [u8; 24] {
    reverse_key(uid(object), Edge { at: forward(engine, subject, object).at, uid: uid(subject) })
}

fn count(engine: &Engine, batch: &mut RowBatch, of: u64, change: impl FnOnce(&mut Counts)) {
    let key = user_key(COUNTERS, uid(of));
    let mut value =
        CountersValue::decode(&engine.snapshot().get(Table::Records, &key).unwrap().unwrap()).unwrap();
    change(&mut value.counts);
    batch.put(Table::Records, &key, &value.encode());
}

fn drop_reverse(engine: &Engine, batch: &mut RowBatch) {
    batch.remove(Table::Reverse, &reverse_of(engine, 1, 3));
}

fn drop_mutual_reverse(engine: &Engine, batch: &mut RowBatch) {
    batch.remove(Table::Reverse, &reverse_of(engine, 1, 2));
}

fn add_reverse(_: &Engine, batch: &mut RowBatch) {
    batch.put(Table::Reverse, &reverse_key(uid(3), Edge { at: Stamp::from_ms(5), uid: uid(9) }), &[]);
}

fn flip_reverse_time(engine: &Engine, batch: &mut RowBatch) {
    batch.remove(Table::Reverse, &reverse_of(engine, 4, 1));
    batch.put(Table::Reverse, &reverse_key(uid(1), Edge { at: Stamp::from_ms(5), uid: uid(4) }), &[]);
}

fn drop_forward(_: &Engine, batch: &mut RowBatch) {
    batch.remove(Table::Forward, &forward_key(uid(1), uid(3)));
}

fn drop_mutual_forward(_: &Engine, batch: &mut RowBatch) {
    batch.remove(Table::Forward, &forward_key(uid(1), uid(2)));
}

fn add_forward(_: &Engine, batch: &mut RowBatch) {
    let at = Stamp::from_ms(5);
    put_forward(batch, 9, 8, ForwardValue { at, version: at, friends_since: None });
}

fn flip_forward_time(engine: &Engine, batch: &mut RowBatch) {
    let value = forward(engine, 1, 3);
    put_forward(batch, 1, 3, ForwardValue { at: Stamp::from_ms(6), ..value });
}

fn drop_mark(engine: &Engine, batch: &mut RowBatch) {
    let value = forward(engine, 1, 2);
    put_forward(batch, 1, 2, ForwardValue { friends_since: None, ..value });
}

fn flip_mark_time(engine: &Engine, batch: &mut RowBatch) {
    let value = forward(engine, 1, 5);
    put_forward(batch, 1, 5, ForwardValue { friends_since: Some(Stamp::from_ms(9)), ..value });
}

fn add_mark(engine: &Engine, batch: &mut RowBatch) {
    let value = forward(engine, 4, 1);
    put_forward(batch, 4, 1, ForwardValue { friends_since: Some(value.at), ..value });
}

#[tokio::test]
async fn an_undamaged_store_is_clean_and_says_how_much_it_compared() {
    let report = verify_after(&[]).await;
    assert!(report.clean(), "{:?}", report.differences);
    assert_eq!((report.forward, report.reverse, report.mutual, report.marks), (6, 6, 4, 2));
    assert_eq!(report.counters, 6, "users 1 to 6");
    assert_eq!(report.position.event_count(), 8);
}

#[tokio::test]
async fn every_wrong_edge_is_named_once() {
    let cases: [(&str, Corrupt, &[Named]); 8] = [
        ("drop reverse", drop_reverse, &[(ReverseMissing, Some(1), Some(3))]),
        ("drop mutual reverse", drop_mutual_reverse, &[(ReverseMissing, Some(1), Some(2))]),
        ("add reverse", add_reverse, &[(ForwardMissing, Some(9), Some(3))]),
        ("flip reverse time", flip_reverse_time, &[(TimeDiffers, Some(4), Some(1))]),
        ("flip forward time", flip_forward_time, &[(TimeDiffers, Some(1), Some(3))]),
        // A missing fact also makes what counted it wrong.
        (
            "drop forward",
            drop_forward,
            &[
                (ForwardMissing, Some(1), Some(3)),
                (FollowingCount, Some(1), None),
                (FollowersCount, Some(3), None),
            ],
        ),
        (
            "drop mutual forward",
            drop_mutual_forward,
            &[
                (ForwardMissing, Some(1), Some(2)),
                (MutualMarkWrong, Some(2), Some(1)),
                (FollowingCount, Some(1), None),
                (FollowersCount, Some(2), None),
                (FriendsCount, Some(1), None),
                (FriendsCount, Some(2), None),
            ],
        ),
        (
            "add forward",
            add_forward,
            &[
                (ReverseMissing, Some(9), Some(8)),
                (FollowingCount, Some(9), None),
                (FollowersCount, Some(8), None),
            ],
        ),
    ];
    for (what, corrupt, expected) in cases {
        assert_eq!(names(&verify_after(&[corrupt]).await), expected, "{what}");
    }
}

#[tokio::test]
async fn every_wrong_mark_and_counter_is_named_once() {
    let cases: [(&str, Corrupt, &[Named]); 11] = [
        ("drop mark", drop_mark, &[(MutualMarkMissing, Some(1), Some(2))]),
        ("flip mark", flip_mark_time, &[(MutualMarkMissing, Some(1), Some(5))]),
        ("add mark", add_mark, &[(MutualMarkWrong, Some(4), Some(1))]),
        ("following", |e, b| count(e, b, 1, |c| c.following += 1), &[(FollowingCount, Some(1), None)]),
        ("followers", |e, b| count(e, b, 3, |c| c.followers = 77), &[(FollowersCount, Some(3), None)]),
        ("friends", |e, b| count(e, b, 2, |c| c.friends = 0), &[(FriendsCount, Some(2), None)]),
        ("blocks", |e, b| count(e, b, 6, |c| c.blocks = 3), &[(BlocksCount, Some(6), None)]),
        ("mutes", |e, b| count(e, b, 6, |c| c.mutes = 0), &[(MutesCount, Some(6), None)]),
        (
            "drop counters",
            |_, b| b.remove(Table::Records, &user_key(COUNTERS, uid(3))),
            &[(FollowersCount, Some(3), None)],
        ),
        (
            "drop block",
            |_, b| b.remove(Table::Records, &pair_key(BLOCK, uid(6), uid(7))),
            &[(BlocksCount, Some(6), None), (MarkIndex, Some(6), Some(7))],
        ),
        (
            "add mute",
            |_, b| b.put(Table::Records, &pair_key(MUTE, uid(6), uid(9)), &encode_stamp(Stamp::from_ms(1))),
            &[(MutesCount, Some(6), None), (MarkIndex, Some(6), Some(9))],
        ),
    ];
    for (what, corrupt, expected) in cases {
        assert_eq!(names(&verify_after(&[corrupt]).await), expected, "{what}");
    }
}

#[tokio::test]
async fn a_follow_despite_a_block_is_named_in_both_directions() {
    let ours = verify_after(&[|e, b| {
        b.put(Table::Records, &pair_key(BLOCK, uid(1), uid(3)), &encode_stamp(Stamp::from_ms(1)));
        b.put(Table::Records, &marked_by_key(uid(3), MarkKind::Block, uid(1)), &[]);
        count(e, b, 1, |c| c.blocks = 1);
    }]);
    assert_eq!(names(&ours.await), [(FollowDespiteBlock, Some(1), Some(3))]);
    let theirs = verify_after(&[|e, b| {
        b.put(Table::Records, &pair_key(BLOCK, uid(3), uid(1)), &encode_stamp(Stamp::from_ms(1)));
        b.put(Table::Records, &marked_by_key(uid(1), MarkKind::Block, uid(3)), &[]);
        count(e, b, 3, |c| c.blocks = 1);
    }]);
    assert_eq!(names(&theirs.await), [(FollowDespiteBlock, Some(1), Some(3))]);
}

#[tokio::test]
async fn rows_that_cannot_be_decoded_are_named() {
    let cases: [(&str, Corrupt, Named); 8] = [
        (
            "forward value",
            |_, b| b.put(Table::Forward, &forward_key(uid(1), uid(2)), &[99]),
            (Undecodable, Some(1), Some(2)),
        ),
        ("forward key", |_, b| b.put(Table::Forward, &[0; 16], &[0; 9]), (Undecodable, None, None)),
        ("reverse key", |_, b| b.put(Table::Reverse, &[1; 5], &[]), (Undecodable, None, None)),
        (
            "counters",
            |_, b| b.put(Table::Records, &user_key(COUNTERS, uid(2)), &[0xff]),
            (Undecodable, Some(2), None),
        ),
        ("unknown record", |_, b| b.put(Table::Records, b"?what", &[]), (Undecodable, None, None)),
        (
            "tombstone",
            |_, b| {
                b.put(Table::Records, &pair_key(TOMBSTONE, uid(1), uid(9)), &[1]);
                b.put(Table::Records, &marked_by_key(uid(9), MarkKind::RemovedFollow, uid(1)), &[]);
            },
            (Undecodable, None, None),
        ),
        ("import job", |_, b| b.put(Table::Records, b"Jname", &[1]), (Undecodable, None, None)),
        ("event", |_, b| b.put(Table::Log, &log_key(3), &[99]), (Undecodable, None, None)),
    ];
    for (what, corrupt, expected) in cases {
        let report = verify_after(&[corrupt]).await;
        assert_eq!(names(&report), [expected], "{what}: {:?}", report.differences);
    }
}

#[tokio::test]
async fn a_gap_in_the_log_is_named() {
    let middle = verify_after(&[|_, b| b.remove(Table::Log, &log_key(3))]).await;
    assert_eq!(names(&middle), [(LogGap, None, None)]);
    assert_eq!(middle.differences[0].detail, "events 3 to 3 are missing");
    let start: Corrupt = |_, b| (1..=2).for_each(|seq| b.remove(Table::Log, &log_key(seq)));
    assert_eq!(names(&verify_after(&[start]).await), [(LogGap, None, None)]);
}

#[tokio::test]
async fn damage_of_several_kinds_is_named_side_by_side() {
    let report = verify_after(&[
        drop_mutual_reverse,
        add_reverse,
        flip_reverse_time,
        flip_forward_time,
        flip_mark_time,
        |e, b| count(e, b, 2, |c| c.friends = 9),
        |_, b| b.remove(Table::Log, &log_key(3)),
    ]);
    let expected = [
        (ReverseMissing, Some(1), Some(2)),
        (ForwardMissing, Some(9), Some(3)),
        (TimeDiffers, Some(1), Some(3)),
        (TimeDiffers, Some(4), Some(1)),
        (MutualMarkMissing, Some(1), Some(5)),
        (FriendsCount, Some(2), None),
        (LogGap, None, None),
    ];
    assert_eq!(names(&report.await), expected);
    // A wrong reverse edge does not hide a wrong mark, nor a wrong counter of friends.
    let hidden = verify_after(&[drop_mutual_reverse, |e, b| {
        let value = forward(e, 2, 1);
        put_forward(b, 2, 1, ForwardValue { friends_since: None, ..value });
        count(e, b, 2, |c| c.friends = 0);
    }]);
    let expected = [
        (ReverseMissing, Some(1), Some(2)),
        (MutualMarkMissing, Some(2), Some(1)),
        (FriendsCount, Some(2), None),
    ];
    assert_eq!(names(&hidden.await), expected);
}

#[tokio::test]
async fn a_lost_reverse_table_is_named_edge_by_edge() {
    let report = verify_after(&[|e, b| {
        let rows: Vec<_> = super::source::whole(&e.snapshot(), Table::Reverse).map(Result::unwrap).collect();
        for (key, _) in rows {
            b.remove(Table::Reverse, &key);
        }
    }]);
    let names = names(&report.await);
    assert_eq!(names.len(), 6);
    assert!(names.iter().all(|(kind, ..)| *kind == ReverseMissing), "{names:?}");
}
