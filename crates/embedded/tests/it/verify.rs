//! A store that is being written verifies clean at every moment; the findings themselves are tested beside the
//! code, where rows can be changed behind the store's back.

use crate::world::{Rng, command, open, write};
use guanxi_ports::Upkeep as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_store_under_write_load_verifies_clean() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path(), 1);
    let stop = Arc::new(AtomicBool::new(false));
    let writers: Vec<_> = (0..3)
        .map(|seed| {
            let (store, stop) = (store.clone(), stop.clone());
            tokio::spawn(async move {
                let mut rng = Rng::new(seed);
                while !stop.load(Ordering::Relaxed) {
                    write(&store, (0..20).map(|_| command(&mut rng)).collect()).await;
                }
            })
        })
        .collect();
    let mut last = 0;
    for _ in 0..40 {
        let verifying = store.clone();
        let report =
            tokio::task::spawn_blocking(move || verifying.verify(&mut |_| {})).await.unwrap().unwrap();
        assert!(report.clean(), "{:?}", report.differences);
        assert_eq!(report.forward, report.reverse);
        assert!(report.position.event_count() >= last);
        last = report.position.event_count();
    }
    stop.store(true, Ordering::Relaxed);
    for writer in writers {
        writer.await.unwrap();
    }
    assert!(last > 100, "the writers were heard: {last}");
    store.close().await.unwrap();
}

#[test]
fn a_new_store_verifies_clean() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path(), 1);
    let mut reports = Vec::new();
    let report = store.verify(&mut |progress| reports.push(progress)).unwrap();
    assert!(report.clean());
    assert_eq!((report.forward, report.counters, report.position.event_count()), (0, 0, 0));
    assert!(reports.last().is_some_and(|last| last.done == last.total));
}
