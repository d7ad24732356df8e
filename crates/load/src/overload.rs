//! More calls than a server can answer.

use crate::open_loop::{self, Answered, Shape, TimedCalls, TimedOutcome};
use crate::rpc::{pairs_request, posts_request};
use crate::{World, broken};
use guanxi_model::Result;
use guanxi_model::random::{Rng, mix};
use std::net::SocketAddr;
use std::sync::Arc;

/// Pairs of a relation check: as many as a call may have.
pub const CHECKS: u32 = 1_000;
/// Prepared requests of each kind; the connections go through them in turn.
const PREPARED: u32 = 256;

/// Calls that cost a server much more than their sender: home pages with 20 posts, and the relations within 1,000
/// pairs.
#[derive(Debug)]
pub struct CostlyCalls(Arc<Vec<Vec<u8>>>);

impl CostlyCalls {
    /// Draws calls about a world, half of each kind.
    pub fn draw(world: &World) -> Self {
        let mut rng = Rng::new(mix(world.seed));
        let mut user = move || world.uid(rng.below(world.users as usize) as u32);
        let both = (0..PREPARED).flat_map(|_| {
            let page = posts_request(user());
            let pairs: Vec<_> = (0..CHECKS).map(|_| (user(), user())).filter(|(a, b)| a != b).collect();
            [page, pairs_request(pairs)]
        });
        Self(Arc::new(both.collect()))
    }
}

/// Runs a shape on a thread of its own, and waits for it.
///
/// # Errors
/// When a connection breaks, or an answer is neither good nor a refusal for want of room.
pub async fn run(address: SocketAddr, calls: &CostlyCalls, shape: Shape) -> Result<TimedOutcome> {
    let calls = TimedCalls { requests: calls.0.clone(), shape, from: Vec::new() };
    let made = open_loop::run(address, vec![calls]).await?.pop().ok_or_else(|| broken("no outcome"))?;
    let others = [Answered::LoginFailed, Answered::OverBudget, Answered::TooLate];
    match others.into_iter().find(|other| made.per_s(*other) > 0.0) {
        Some(other) => Err(broken(format_args!("a call came to {other:?}"))),
        None => Ok(made),
    }
}
