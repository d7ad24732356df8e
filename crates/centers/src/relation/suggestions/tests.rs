//! In how large pieces suggestions are made; what they answer is compared in the simulator's tests.

use super::sources::{COUNTS_PER_TURN, Counted, first, rank};
use super::*;
use guanxi_spec::conformance::Rng;
use std::future::poll_fn;

fn u(n: u64) -> Uid {
    Uid::new(n).unwrap()
}

/// The first of many in pieces, with turns for others between them, are those of all in order.
#[tokio::test]
async fn the_highest_counts_are_found_in_pieces() {
    let mut rng = Rng::new(3);
    let counted: Vec<Counted> =
        (1..=3 * COUNTS_PER_TURN as u64 + 7).map(|uid| (u(uid * 3), rng.below(40) as u32)).collect();
    let mut ordered = counted.clone();
    ordered.sort_by_key(rank);
    for (least, len) in [(1, 500), (2, 70_000), (39, 3_000), (41, 10)] {
        let left: Vec<Counted> = ordered.iter().filter(|(_, count)| *count >= least).copied().collect();
        let (mut found, mut after) = (Vec::new(), None);
        for _ in 0..3 {
            let mut turns = 0;
            let mut call = Box::pin(first(&counted, least, after, len));
            let some = poll_fn(|context| {
                turns += 1;
                call.as_mut().poll(context)
            });
            let some = some.await;
            assert_eq!(turns, 4);
            after = some.last().copied().or(after);
            found.extend(some);
        }
        assert_eq!(found, left[..left.len().min(3 * len)], "{least}, {len}");
    }
}
