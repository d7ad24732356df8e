//! Sessions over a death of the process.

use crate::formats::copy;
use crate::world::{NOW_MS, clock, options, uid};
use guanxi_embedded::EmbeddedStore;
use guanxi_model::{Refresh, Refreshed, Rotation, Session, SessionSecrets};
use guanxi_ports::{SessionWrites as _, Sessions, Upkeep as _};

const HOUR_MS: u64 = 3_600_000;

fn login() -> Session {
    let secrets = SessionSecrets { access: [2; 32], access_expires_ms: NOW_MS + HOUR_MS, refresh: [3; 32] };
    let rotation = Rotation { ends_ms: NOW_MS + 9 * HOUR_MS, secrets, since_ms: NOW_MS, replaced: None };
    Session {
        expires_ms: Some(NOW_MS + 2 * HOUR_MS),
        rotation: Some(Box::new(rotation)),
        ..Session::lone(uid(1), [1; 32], NOW_MS)
    }
}

fn refresh(from: u8, nonce: u8) -> Refresh {
    Refresh {
        key: login().key([from; 32]),
        nonce: [nonce; 32],
        access: [nonce + 1; 32],
        refresh: [nonce + 2; 32],
        access_ms: HOUR_MS,
        idle_ms: 2 * HOUR_MS,
    }
}

/// The process dies after a commit and before the answer arrives. A client that repeats the refresh gets the same
/// secrets, and the secrets that were replaced before are still known to be stolen.
#[tokio::test]
async fn a_refresh_whose_answer_was_lost_in_a_crash_is_repeated_after_it() {
    let dir = tempfile::tempdir().unwrap();
    let store = EmbeddedStore::open(dir.path(), options(1), clock()).unwrap();
    store.put(login()).await.unwrap();
    let Some(Refreshed::New(refreshed)) = store.refresh(refresh(3, 10)).await.unwrap() else { panic!() };
    // What a killed process leaves: nothing was flushed or closed.
    let left = tempfile::tempdir().unwrap();
    copy(dir.path(), left.path());
    let store = EmbeddedStore::open(left.path(), options(2), clock()).unwrap();
    let again = store.refresh(refresh(3, 20)).await.unwrap();
    assert_eq!(again, Some(Refreshed::Again(refreshed)));
    let Some(Refreshed::New(last)) = store.refresh(refresh(12, 30)).await.unwrap() else { panic!() };
    assert_eq!(Sessions::find(&store, last.key([31; 32])).await, Ok(Some(last)));
    let report = store.verify(&mut |_| {}).unwrap();
    assert!(report.clean(), "{:?}", report.differences);
    assert_eq!(store.refresh(refresh(3, 40)).await, Ok(Some(Refreshed::Reused(uid(1)))));
    assert_eq!(store.list(uid(1), None, 9).await.unwrap().sessions, []);
    let report = store.verify(&mut |_| {}).unwrap();
    assert!(report.clean(), "{:?}", report.differences);
}
