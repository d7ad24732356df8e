//! Who signed out everywhere, over restarts, in a backup, and once it may be forgotten.

use crate::formats::copy;
use crate::world::{NOW_MS, options, uid};
use guanxi_embedded::{DumpedTokens, EmbeddedStore, Options, restore};
use guanxi_model::SessionCommand;
use guanxi_model::{ManualClock, Write};
use guanxi_ports::{EndedUsers as _, Facts as _, Upkeep as _};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

const HOUR_MS: u64 = 3_600_000;

/// How many users are told of.
const USERS: usize = 3;

fn open(dir: &Path, clock: &Arc<ManualClock>) -> EmbeddedStore {
    EmbeddedStore::open(dir, of_an_hour(1), clock.clone()).unwrap()
}

fn of_an_hour(history: u64) -> Options {
    Options { sign_outs_kept: Duration::from_hours(1), ..options(history) }
}

fn not_before(store: &EmbeddedStore) -> [u64; USERS] {
    [1, 2, 3].map(|raw| store.not_before_ms(uid(raw)))
}

async fn sign_out(store: &EmbeddedStore, raw: u64) {
    store.apply(Write::of(SessionCommand::SignOut { uid: uid(raw) })).await.unwrap();
}

fn verify(store: &EmbeddedStore) {
    let report = store.verify(&mut |_| {}).unwrap();
    assert!(report.clean(), "{:?}", report.differences);
}

/// Waits for the housekeeping, which runs every half second.
async fn until(store: &EmbeddedStore, wanted: [u64; USERS]) {
    for _ in 0..500 {
        if not_before(store) == wanted {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(not_before(store), wanted);
}

/// A process dies, and a backup is restored elsewhere: a user that signed out before stays signed out.
#[tokio::test]
async fn a_sign_out_outlives_a_crash_and_is_in_backups() {
    let clock = Arc::new(ManualClock::new(NOW_MS));
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path(), &clock);
    sign_out(&store, 2).await;
    let left = tempfile::tempdir().unwrap();
    copy(dir.path(), left.path());
    let store = open(left.path(), &clock);
    assert_eq!(not_before(&store), [0, NOW_MS + 1, 0]);
    let (mut dump, restored) = (Vec::new(), tempfile::tempdir().unwrap());
    store.dump(&mut dump, &mut |_| {}).unwrap();
    restore(&mut &dump[..], restored.path(), &of_an_hour(2), DumpedTokens::Keep, &[], &mut |_| {}).unwrap();
    let store = open(restored.path(), &clock);
    assert_eq!(not_before(&store), [0, NOW_MS + 1, 0]);
    verify(&store);
}

/// Rows do not pile up. Nothing that was issued before the last forgotten sign-out is good, for any later setting.
#[tokio::test]
async fn a_sign_out_is_forgotten_once_nothing_lives_of_before_it() {
    let clock = Arc::new(ManualClock::new(NOW_MS));
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path(), &clock);
    sign_out(&store, 1).await;
    clock.set(NOW_MS + 1_000);
    sign_out(&store, 2).await;
    clock.set(NOW_MS + HOUR_MS);
    tokio::time::sleep(Duration::from_millis(700)).await;
    assert_eq!(not_before(&store), [NOW_MS + 1, NOW_MS + 1_001, 0], "not a moment too early");
    clock.set(NOW_MS + HOUR_MS + 1);
    until(&store, [NOW_MS + 1, NOW_MS + 1_001, NOW_MS + 1]).await;
    clock.set(NOW_MS + 9 * HOUR_MS);
    let forgotten = [NOW_MS + 1_001; USERS];
    until(&store, forgotten).await;
    verify(&store);
    store.close().await.unwrap();
    drop(store);
    let store = open(dir.path(), &clock);
    assert_eq!(not_before(&store), forgotten);
    sign_out(&store, 3).await;
    assert_eq!(not_before(&store), [NOW_MS + 1_001, NOW_MS + 1_001, NOW_MS + 9 * HOUR_MS + 1]);
    verify(&store);
}
