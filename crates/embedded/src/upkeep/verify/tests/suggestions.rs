//! Dismissals and scores that do not say the same on both sides are named.

use super::{Corrupt, corrupted, open};
use crate::engine::Table;
use crate::layout::*;
use guanxi_model::affinity::{AffinityCommand, Score};
use guanxi_model::suggestion::DismissCommand;
use guanxi_model::{Stamp, Uid, Write};
use guanxi_ports::{DifferenceKind, Facts as _};

fn uid(n: u64) -> Uid {
    Uid::new(n).unwrap()
}

#[tokio::test]
async fn a_dismissal_without_its_other_side_is_named() {
    let no_way_there: Corrupt = |_, batch| batch.remove(Table::Records, &pair_key(DISMISSED, uid(1), uid(2)));
    let no_way_back: Corrupt = |_, batch| batch.remove(Table::Records, &dismissed_by_key(uid(2), uid(1)));
    let one_more: Corrupt = |_, batch| {
        batch.put(Table::Records, &pair_key(DISMISSED, uid(1), uid(3)), &encode_stamp(Stamp::from_ms(1)));
    };
    let no_time: Corrupt = |_, batch| batch.put(Table::Records, &pair_key(DISMISSED, uid(1), uid(2)), b"");
    let a_value: Corrupt = |_, batch| batch.put(Table::Records, &dismissed_by_key(uid(2), uid(1)), b"?");
    let no_user: Corrupt = |_, batch| batch.put(Table::Records, &[DISMISSED; 9], &[0; 8]);
    let cases: [(&[Corrupt], usize); 7] = [
        (&[], 0),
        (&[no_way_there], 1),
        (&[no_way_back], 1),
        (&[one_more], 1),
        (&[no_time], 1),
        (&[a_value], 1),
        (&[no_user], 1),
    ];
    for (case, (corruptions, expected)) in cases.iter().enumerate() {
        let dir = tempfile::tempdir().unwrap();
        let store = open(dir.path());
        let dismiss = DismissCommand { viewer: uid(1), uid: uid(2), dismissed: true };
        store.apply(Write::of(dismiss)).await.unwrap();
        store.close().await.unwrap();
        drop(store);
        let report = corrupted(dir.path(), corruptions).await;
        assert_eq!(report.differences_total, *expected as u64, "{case}: {:?}", report.differences);
        assert!(report.differences.iter().all(|found| found.kind == DifferenceKind::Undecodable));
    }
}

#[tokio::test]
async fn a_score_without_its_other_side_or_half_life_is_named() {
    let no_way_there: Corrupt = |_, batch| batch.remove(Table::Records, &pair_key(AFFINITY, uid(1), uid(2)));
    let no_way_back: Corrupt = |_, batch| batch.remove(Table::Records, &scored_by_key(uid(2), uid(1)));
    let no_half_life: Corrupt = |_, batch| batch.remove(Table::Records, &user_key(AFFINITY, uid(1)));
    let no_time: Corrupt =
        |_, batch| batch.put(Table::Records, &user_key(AFFINITY, uid(1)), &encode_number(0));
    let nothing: Corrupt =
        |_, batch| batch.put(Table::Records, &pair_key(AFFINITY, uid(1), uid(2)), &encode_number(0));
    let cases: [(&[Corrupt], usize); 6] = [
        (&[], 0),
        (&[no_way_there], 1),
        (&[no_way_back], 1),
        (&[no_half_life], 1),
        (&[no_time], 1),
        (&[nothing], 1),
    ];
    for (case, (corruptions, expected)) in cases.iter().enumerate() {
        let dir = tempfile::tempdir().unwrap();
        let store = open(dir.path());
        let additions = vec![(uid(2), Score::of(1, 1_750_000_000_000, 1_000))];
        let add = AffinityCommand { actor: uid(1), half_life_ms: 1_000, additions, is_fact: true };
        store.apply(Write::of(add)).await.unwrap();
        store.close().await.unwrap();
        drop(store);
        let report = corrupted(dir.path(), corruptions).await;
        assert_eq!(report.differences_total, *expected as u64, "{case}: {:?}", report.differences);
    }
}
