//! Whose numbers uids are: kept with the data, over restarts and in backups.

use crate::world::{clock, options, uid};
use guanxi_embedded::{DumpedTokens, EmbeddedStore, OpenError, Options, restore};
use guanxi_model::user::{UidPolicy, UidRange};
use guanxi_model::{Op, PairCommand, Write};
use guanxi_ports::{Facts as _, Upkeep as _};
use std::path::Path;

const ALL: UidPolicy = UidPolicy::Minted(UidRange::ALL);

fn open(dir: &Path, uids: Option<UidPolicy>) -> Result<EmbeddedStore, OpenError> {
    EmbeddedStore::open(dir, Options { uids, ..options(1) }, clock())
}

fn stands(dir: &Path, asked: Option<UidPolicy>, uids: UidPolicy) {
    let store = open(dir, asked).unwrap();
    assert_eq!(store.uids(), uids);
    assert!(store.verify(&mut |_| {}).unwrap().clean());
}

fn is_refused(dir: &Path, asked: UidPolicy) {
    let refused = open(dir, Some(asked)).err().unwrap();
    assert!(matches!(refused, OpenError::OtherUids(_)), "{refused}");
    assert!(refused.to_string().contains("leave it as it was"), "{refused}");
}

async fn follow(dir: &Path) {
    let store = open(dir, None).unwrap();
    let follow = PairCommand { op: Op::Follow, subject: uid(1), object: uid(2) };
    store.apply(Write::of(follow)).await.unwrap();
    store.close().await.unwrap();
}

#[tokio::test]
async fn data_without_users_takes_any_range_and_with_users_none() {
    let reserved = UidPolicy::Minted(UidRange::new(1 << 62, i64::MAX as u64).unwrap());
    let dir = tempfile::tempdir().unwrap();
    stands(dir.path(), None, UidPolicy::Both);
    stands(dir.path(), Some(ALL), ALL);
    stands(dir.path(), Some(reserved), reserved);
    stands(dir.path(), None, reserved);
    follow(dir.path()).await;
    is_refused(dir.path(), ALL);
    stands(dir.path(), None, reserved);
    // What is less is taken, and there is no way back.
    stands(dir.path(), Some(UidPolicy::Foreign), UidPolicy::Foreign);
    stands(dir.path(), None, UidPolicy::Foreign);
    stands(dir.path(), Some(UidPolicy::Both), UidPolicy::Both);
    is_refused(dir.path(), reserved);
    stands(dir.path(), None, UidPolicy::Both);
}

#[tokio::test]
async fn a_backup_has_it() {
    let (dir, again) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    stands(dir.path(), Some(ALL), ALL);
    follow(dir.path()).await;
    let mut dump = Vec::new();
    open(dir.path(), None).unwrap().dump(&mut dump, &mut |_| {}).unwrap();
    restore(&mut &dump[..], again.path(), &options(2), DumpedTokens::Keep, &[], &mut |_| {}).unwrap();
    stands(again.path(), None, ALL);
}
