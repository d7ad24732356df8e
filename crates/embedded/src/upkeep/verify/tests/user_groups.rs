//! Rows of groups that do not say the same are named.

use super::{Corrupt, corrupted, open, uid};
use crate::engine::Table;
use crate::layout::*;
use guanxi_model::{GroupCommand, GroupId, Stamp, UserGroup, Write};
use guanxi_ports::{DifferenceKind, Facts as _};

const ID: GroupId = GroupId::MIN;

fn group(members: u32) -> UserGroup {
    let (name, created) = ("friends".to_owned(), Stamp::from_ms(5));
    UserGroup { owner: uid(1), id: ID, name, created, revision: 2, members, audience: false }
}

#[tokio::test]
async fn every_wrong_row_of_groups_is_named() {
    let no_group: Corrupt = |_, b| b.remove(Table::Records, &group_key(USER_GROUP, uid(1), ID));
    let other_count: Corrupt =
        |_, b| b.put(Table::Records, &group_key(USER_GROUP, uid(1), ID), &encode_group(&group(3)));
    let no_number: Corrupt = |_, b| b.remove(Table::Records, &user_key(GROUP_NUMBER, uid(1)));
    let no_member: Corrupt = |_, b| b.remove(Table::Records, &group_member_key(uid(1), ID, uid(2)));
    let no_way_back: Corrupt = |_, b| b.remove(Table::Records, &member_of_key(uid(2), uid(1), ID));
    let one_more_back: Corrupt = |_, b| b.put(Table::Records, &member_of_key(uid(9), uid(1), ID), &[]);
    let one_more: Corrupt = |_, b| {
        b.put(Table::Records, &group_member_key(uid(1), ID, uid(9)), &encode_stamp(Stamp::ZERO));
        b.put(Table::Records, &member_of_key(uid(9), uid(1), ID), &[]);
    };
    let no_name: Corrupt = |_, b| {
        b.put(Table::Records, &group_key(USER_GROUP, uid(1), ID), &encode_group(&group(2))[..11]);
    };
    let value_back: Corrupt = |_, b| b.put(Table::Records, &member_of_key(uid(2), uid(1), ID), &[1]);
    let cases: [(&[Corrupt], usize); 11] = [
        (&[], 0),
        (&[no_group], 2),
        (&[other_count], 1),
        (&[no_number], 1),
        (&[no_member], 2),
        (&[no_way_back], 1),
        (&[one_more_back], 1),
        (&[one_more], 1),
        (&[no_name], 1),
        (&[value_back], 1),
        (&[no_way_back, no_number], 2),
    ];
    for (case, (corruptions, expected)) in cases.iter().enumerate() {
        let dir = tempfile::tempdir().unwrap();
        let store = open(dir.path());
        let members = vec![uid(2), uid(3)];
        store
            .apply(Write::all([
                GroupCommand::Create { owner: uid(1), name: "friends".to_owned() },
                GroupCommand::AddMembers { owner: uid(1), id: ID, members },
            ]))
            .await
            .unwrap();
        store.close().await.unwrap();
        drop(store);
        let report = corrupted(dir.path(), corruptions).await;
        assert_eq!(report.differences_total, *expected as u64, "{case}: {:?}", report.differences);
        assert!(report.differences.iter().all(|found| found.kind == DifferenceKind::Undecodable));
    }
    // A block's mark behind the store's back is wrong by itself.
    let block: Corrupt = |_, b| {
        b.put(Table::Records, &pair_key(BLOCK, uid(2), uid(1)), &encode_stamp(Stamp::ZERO));
    };
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    store
        .apply(Write::all([
            GroupCommand::Create { owner: uid(1), name: "friends".to_owned() },
            GroupCommand::AddMembers { owner: uid(1), id: ID, members: vec![uid(2)] },
        ]))
        .await
        .unwrap();
    store.close().await.unwrap();
    drop(store);
    let report = corrupted(dir.path(), &[block]).await;
    let parted =
        report.differences.iter().filter(|found| found.detail.starts_with("member whom a block parts"));
    assert_eq!(parted.count(), 1, "{:?}", report.differences);
}
