//! Rows of sessions that do not say the same are named.

use super::{Corrupt, corrupted, open, uid};
use crate::engine::Table;
use crate::layout::*;
use guanxi_model::Session;
use guanxi_ports::{DifferenceKind, SessionWrites as _};

fn session(n: u8, expires_ms: Option<u64>) -> Session {
    Session { expires_ms, used_ms: 7, ..Session::lone(uid(9), [n; 32], n.into()) }
}

const END: u64 = 1 << 60;

/// The place of the first session, were it one of this user.
fn place_of_user(raw: u64) -> [u8; 49] {
    session_of_user_key(uid(raw), session(1, None).cursor())
}

#[tokio::test]
async fn a_session_without_its_other_rows_is_named() {
    let place: Corrupt = |_, batch| batch.remove(Table::Records, &place_of_user(9));
    let end: Corrupt = |_, batch| batch.remove(Table::Records, &session_end_key(END, [2; 32]));
    // Its place and its end are of nothing then.
    let whole: Corrupt = |_, batch| batch.remove(Table::Records, &session_key([2; 32]));
    let wrong_end: Corrupt = |_, batch| batch.put(Table::Records, &session_end_key(4, [1; 32]), &[]);
    let wrong_place: Corrupt = |_, batch| batch.put(Table::Records, &place_of_user(8), &[]);
    let unreadable: Corrupt = |_, batch| batch.put(Table::Records, &session_key([1; 32]), &[9]);
    let cases: [(&[Corrupt], usize); 7] = [
        (&[], 0),
        (&[place], 1),
        (&[end], 1),
        (&[whole], 2),
        (&[wrong_end], 1),
        (&[wrong_place], 1),
        (&[unreadable], 1),
    ];
    for (case, (corruptions, expected)) in cases.iter().enumerate() {
        let dir = tempfile::tempdir().unwrap();
        let store = open(dir.path());
        store.put(session(1, None)).await.unwrap();
        store.put(session(2, Some(END))).await.unwrap();
        store.close().await.unwrap();
        drop(store);
        let report = corrupted(dir.path(), corruptions).await;
        assert_eq!(report.differences_total, *expected as u64, "{case}: {:?}", report.differences);
        assert!(report.differences.iter().all(|found| found.kind == DifferenceKind::Undecodable));
    }
}
