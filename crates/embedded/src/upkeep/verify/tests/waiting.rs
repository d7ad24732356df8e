//! Rows of requests, rejections and ends that do not say the same are named.

use super::{Corrupt, corrupted, open, uid};
use crate::engine::Table;
use crate::layout::*;
use guanxi_model::limits::{REQUEST_COOLDOWN_MS, REQUEST_TTL_MS};
use guanxi_model::{
    Command, Edge, MuteCommand, Op, PairCommand, PairEnd, PairEndKind, RequestKind, Stamp, Write,
};
use guanxi_ports::DifferenceKind::{self, MutesCount, RequestsCount, Undecodable};
use guanxi_ports::{Facts as _, Upkeep as _};
use std::path::Path;

const NOW_MS: u64 = 1_700_000_000_000;
const AT: Stamp = Stamp::from_ms(NOW_MS);

/// 1 asks 2, 3 was rejected by 2, and 2 mutes 4 for a while.
async fn world(dir: &Path) {
    let store = open(dir);
    let pair = |op, a, b| Command::Pair(PairCommand { op, subject: uid(a), object: uid(b) });
    let mute = MuteCommand { subject: uid(2), object: uid(4), reposts_only: true, duration_ms: Some(9) };
    let commands = [
        pair(Op::SendFriendRequest, 1, 2),
        pair(Op::SendFriendRequest, 3, 2),
        pair(Op::RejectFriendRequest, 2, 3),
        Command::Mute(mute),
    ];
    for outcome in store.apply(Write::all(commands)).await.unwrap().outcomes {
        assert_eq!(outcome.result(), Ok(true));
    }
    assert!(store.verify(&mut |_| {}).unwrap().clean());
    store.close().await.unwrap();
}

fn there() -> [u8; 26] {
    request_key(uid(2), RequestKind::Friend, Edge { at: AT, uid: uid(1) })
}

fn end(kind: PairEndKind, other: u64, at_ms: u64) -> [u8; 26] {
    pair_end_key(at_ms, PairEnd { kind, owner: uid(2), other: uid(other) })
}

#[tokio::test]
async fn what_waits_and_is_not_the_same_on_both_sides_is_named() {
    let drop_sent: Corrupt = |_, batch| batch.remove(Table::Records, &pair_key(SENT_REQUEST, uid(1), uid(2)));
    let drop_there: Corrupt = |_, batch| batch.remove(Table::Records, &there());
    let drop_request_end: Corrupt =
        |_, batch| batch.remove(Table::Records, &end(PairEndKind::Request, 1, NOW_MS + REQUEST_TTL_MS));
    let drop_cooldown_end: Corrupt =
        |_, batch| batch.remove(Table::Records, &end(PairEndKind::Cooldown, 3, NOW_MS + REQUEST_COOLDOWN_MS));
    let drop_mute_end: Corrupt =
        |_, batch| batch.remove(Table::Records, &end(PairEndKind::Mute, 4, NOW_MS + 9));
    let drop_cooldown: Corrupt = |_, batch| batch.remove(Table::Records, &pair_key(COOLDOWN, uid(2), uid(3)));
    let drop_mute: Corrupt = |_, batch| batch.remove(Table::Records, &pair_key(MUTE, uid(2), uid(4)));
    let other_time: Corrupt = |_, batch| {
        let sent = SentValue { kind: RequestKind::Friend, at: AT, expires_ms: 1 };
        batch.put(Table::Records, &pair_key(SENT_REQUEST, uid(1), uid(2)), &sent.encode());
    };
    let add_end: Corrupt = |_, batch| batch.put(Table::Records, &end(PairEndKind::Mute, 9, 5), &[]);
    let damage: Corrupt = |_, batch| batch.put(Table::Records, &there(), b"short");
    let no_key: Corrupt = |_, batch| batch.put(Table::Records, &[UNLOCKING, 1], &[]);
    let cases: [(&str, Corrupt, &[DifferenceKind]); 11] = [
        ("sent", drop_sent, &[RequestsCount, Undecodable, Undecodable]),
        ("there", drop_there, &[RequestsCount, Undecodable]),
        ("end of a request", drop_request_end, &[Undecodable]),
        ("end of a rejection", drop_cooldown_end, &[Undecodable]),
        ("end of a mute", drop_mute_end, &[Undecodable]),
        ("rejection", drop_cooldown, &[Undecodable]),
        ("mute", drop_mute, &[MutesCount, DifferenceKind::MarkIndex, Undecodable]),
        ("other time", other_time, &[Undecodable, Undecodable]),
        ("an end of nothing", add_end, &[Undecodable]),
        ("damaged", damage, &[Undecodable, Undecodable]),
        ("no key", no_key, &[Undecodable]),
    ];
    for (what, corrupt, expected) in cases {
        let dir = tempfile::tempdir().unwrap();
        world(dir.path()).await;
        let report = corrupted(dir.path(), &[corrupt]).await;
        let mut found: Vec<_> = report.differences.iter().map(|found| found.kind).collect();
        let mut expected = expected.to_vec();
        found.sort_unstable();
        expected.sort_unstable();
        assert_eq!(found, expected, "{what}: {:?}", report.differences);
    }
}
