//! Reads that may be much work let others on the thread have their turn.

use crate::world::{clock, options, uid};
use guanxi_embedded::{EmbeddedStore, Options};
use guanxi_model::{ImportEdge, Uid, Write};
use guanxi_ports::{Facts as _, FollowsAsk, Store as _};
use std::future::poll_fn;
use std::path::Path;

/// Users who follow, and how many each of them.
const SUBJECTS: u64 = 40;
const EACH: u64 = 1_000;

/// Follows that may be looked at in one turn, as a reader would bear it: less than a millisecond's.
const TURN_MAX: usize = 20_000;

/// The same of users whom memory does not hold, of whom one at least is read in a turn.
const READ_TURN_MAX: usize = 2 * EACH as usize;

/// An answer, and in how many turns it was made.
async fn turns<T>(read: impl Future<Output = T>) -> (T, usize) {
    let (mut read, mut turns) = (Box::pin(read), 0);
    let answer = poll_fn(|context| {
        turns += 1;
        read.as_mut().poll(context)
    });
    (answer.await, turns)
}

fn open(dir: &Path, user_cache_bytes: u64) -> EmbeddedStore {
    EmbeddedStore::open(dir, Options { user_cache_bytes, ..options(1) }, clock()).unwrap()
}

#[tokio::test]
async fn others_have_their_turn_while_follows_are_counted() {
    let subjects: Vec<Uid> = (1..=SUBJECTS).map(uid).collect();
    let ask = FollowsAsk { subjects: &subjects, newest: usize::MAX };
    let follows = (SUBJECTS * EACH) as usize;
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path(), 64 << 20);
    for subject in &subjects {
        let edge = |object| ImportEdge::new(*subject, uid(object), None);
        store.apply(Write::edges((100..100 + EACH).map(edge).collect(), false)).await.unwrap();
    }
    drop(store);
    for (user_cache_bytes, turn_max) in [(64 << 20, TURN_MAX), (1, READ_TURN_MAX)] {
        let store = open(dir.path(), user_cache_bytes);
        let view = store.view(None).await.unwrap();
        // What is read first is in memory afterwards, if it has a place there.
        for _ in 0..2 {
            let (counted, count_turns) = turns(view.count_followed(ask, usize::MAX)).await;
            assert_eq!(counted.unwrap().users.len(), EACH as usize);
            let (_, who_turns) = turns(view.who_follows(ask, &[uid(100)])).await;
            let least = follows / turn_max;
            assert!(
                count_turns >= least && who_turns >= least,
                "{count_turns}, {who_turns} of {least}, with {user_cache_bytes} bytes of memory"
            );
        }
        let few = FollowsAsk { subjects: &subjects[..5], newest: 20 };
        let (_, few_turns) = turns(view.count_followed(few, usize::MAX)).await;
        assert!(user_cache_bytes == 1 || few_turns == 1, "little is counted at once: {few_turns}");
    }
}
