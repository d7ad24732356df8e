//! Likes of users and marks about users: what is on one side only is named.

use super::*;
use guanxi_model::PostId;

/// Two posts of 1 in the golden directory: 4, 5 and 8 like the first, and 4 the second. 4 has followed 1 and left it, 6 blocks 7,
/// who followed it, and mutes 8; 5 blocks 7, and 9 mutes 8.
pub(super) const FIRST: u64 = 3_159_632_965_009_408_001;
const SECOND: u64 = 3_159_632_969_203_712_001;

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to);
        } else {
            let _bytes = std::fs::copy(entry.path(), to).unwrap();
        }
    }
}

/// A copy of the golden directory.
fn golden_store() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests-data/format-9/store"), dir.path());
    dir
}

fn post(raw: u64) -> PostId {
    PostId::new(raw).unwrap()
}

fn rows_of(engine: &Engine) -> Vec<(Vec<u8>, Vec<u8>)> {
    let rows = [LIKE_OF_USER, MARKED_BY].map(|prefix| engine.snapshot().prefix(Table::Records, &[prefix]));
    let rows = rows.into_iter().flatten();
    rows.map(|row| row.map(|(key, value)| (key.to_vec(), value.to_vec())).unwrap()).collect()
}

/// Checks what a verification of the golden directory names after each change.
pub(super) async fn check_in(cases: &[(&str, Corrupt, &[Named])]) {
    for (what, corrupt, expected) in cases {
        let dir = golden_store();
        let report = corrupted(dir.path(), &[*corrupt]).await;
        assert_eq!(names(&report), *expected, "{what}: {:?}", report.differences);
    }
}

#[tokio::test]
async fn every_wrong_like_of_a_user_is_named() {
    let cases: [(&str, Corrupt, &[Named]); 6] = [
        ("nothing", |_, _| {}, &[]),
        (
            "drop a like of a user",
            |_, b| b.remove(Table::Records, &like_of_user_key(uid(5), post(FIRST))),
            &[(LikeIndex, Some(5), None)],
        ),
        (
            "add one",
            |_, b| {
                b.put(
                    Table::Records,
                    &like_of_user_key(uid(5), post(SECOND)),
                    &encode_stamp(Stamp::from_ms(3)),
                );
            },
            &[(LikeIndex, Some(5), None)],
        ),
        (
            "add one of no post",
            |_, b| {
                b.put(
                    Table::Records,
                    &like_of_user_key(uid(7), PostId::MIN),
                    &encode_stamp(Stamp::from_ms(3)),
                );
            },
            &[(LikeIndex, Some(7), None)],
        ),
        (
            "flip its time",
            |_, b| {
                b.put(
                    Table::Records,
                    &like_of_user_key(uid(8), post(FIRST)),
                    &encode_stamp(Stamp::from_ms(3)),
                );
            },
            &[(LikeIndex, Some(8), None)],
        ),
        (
            "a like of a user that cannot be decoded",
            |_, b| b.put(Table::Records, &like_of_user_key(uid(8), post(FIRST)), &[1]),
            &[(LikeIndex, Some(8), None), (Undecodable, None, None)],
        ),
    ];
    check_in(&cases).await;
}

#[tokio::test]
async fn every_wrong_mark_about_a_user_is_named() {
    let cases: [(&str, Corrupt, &[Named]); 5] = [
        (
            "drop a mark about a user",
            |_, b| b.remove(Table::Records, &marked_by_key(uid(8), MarkKind::Mute, uid(9))),
            &[(MarkIndex, Some(9), Some(8))],
        ),
        (
            "a mark of another kind",
            |_, b| {
                b.remove(Table::Records, &marked_by_key(uid(1), MarkKind::RemovedFollow, uid(4)));
                b.put(Table::Records, &marked_by_key(uid(1), MarkKind::Mute, uid(4)), &[]);
            },
            &[(MarkIndex, Some(4), Some(1)), (MarkIndex, Some(4), Some(1))],
        ),
        (
            "a mark that nobody has set",
            |_, b| b.put(Table::Records, &marked_by_key(uid(2), MarkKind::Block, uid(1)), &[]),
            &[(MarkIndex, Some(1), Some(2))],
        ),
        (
            "a mark with a value",
            |_, b| b.put(Table::Records, &marked_by_key(uid(2), MarkKind::Block, uid(1)), &[1]),
            &[(Undecodable, None, None)],
        ),
        (
            "a mark of no kind",
            |_, b| b.put(Table::Records, b"m0000000010000000", &[]),
            &[(Undecodable, None, None)],
        ),
    ];
    check_in(&cases).await;
    // A lost index is named row by row.
    let lost: Corrupt = |e, b| rows_of(e).iter().for_each(|(key, _)| b.remove(Table::Records, key));
    let report = corrupted(golden_store().path(), &[lost]).await;
    assert_eq!(report.differences_total, 13, "{:?}", report.differences);
}
