//! Rows of the dictionary that do not say the same are named.

use super::{Corrupt, corrupted, open};
use crate::engine::Table;
use crate::layout::*;
use guanxi_model::user::UserCommand;
use guanxi_model::{ExternalId, PostId, Uid, Write};
use guanxi_ports::{DifferenceKind, Facts as _};

fn id(given: &str) -> ExternalId {
    ExternalId::new(given, "external_id").unwrap()
}

fn uid() -> Uid {
    Uid::minted(PostId::EPOCH_MS + 1, 1, id("alice").gene()).unwrap()
}

#[tokio::test]
async fn an_external_id_without_its_way_back_is_named() {
    let no_way_there: Corrupt = |_, batch| batch.remove(Table::Records, &external_uid_key(&id("alice")));
    let no_way_back: Corrupt = |_, batch| batch.remove(Table::Records, &user_key(EXTERNAL_ID, uid()));
    let other_back: Corrupt = |_, batch| batch.put(Table::Records, &user_key(EXTERNAL_ID, uid()), b"bob");
    let other_there: Corrupt = |_, batch| {
        batch.put(Table::Records, &external_uid_key(&id("alice")), &encode_number(uid().get() ^ 256));
    };
    // The way back is there, and the gene is wrong.
    let other_shard: Corrupt = |_, batch| {
        let other = Uid::new(uid().get() ^ 1).unwrap();
        batch.put(Table::Records, &external_uid_key(&id("bob")), &encode_number(other.get()));
        batch.put(Table::Records, &user_key(EXTERNAL_ID, other), b"bob");
    };
    let no_uid: Corrupt =
        |_, batch| batch.put(Table::Records, &external_uid_key(&id("zoe")), &encode_number(0));
    let no_text: Corrupt = |_, batch| batch.put(Table::Records, &user_key(EXTERNAL_ID, Uid::MAX), b"\n");
    let cases: [(&[Corrupt], usize); 8] = [
        (&[], 0),
        (&[no_way_there], 1),
        (&[no_way_back], 1),
        (&[other_back], 2),
        (&[other_there], 2),
        (&[other_shard], 1),
        (&[no_uid], 1),
        (&[no_text], 1),
    ];
    for (case, (corruptions, expected)) in cases.iter().enumerate() {
        let dir = tempfile::tempdir().unwrap();
        let store = open(dir.path());
        let assigned = UserCommand::AssignExternalId { uid: uid(), external_id: id("alice"), listed: false };
        store.apply(Write::of(assigned)).await.unwrap();
        store.close().await.unwrap();
        drop(store);
        let report = corrupted(dir.path(), corruptions).await;
        assert_eq!(report.differences_total, *expected as u64, "{case}: {:?}", report.differences);
        assert!(report.differences.iter().all(|found| found.kind == DifferenceKind::Undecodable));
    }
}
