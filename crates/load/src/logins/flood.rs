//! Many more logins than can be hashed, while home pages are read.

use super::{PASSWORD, WRONG_PASSWORD, known_name, login_request, unknown_name};
use crate::open_loop::{self, Shape, TimedCalls, TimedOutcome};
use crate::rpc::posts_request;
use crate::{World, broken};
use guanxi_model::Result;
use guanxi_model::random::{Rng, mix};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

/// Connections that log in: more than passwords may wait, so that there is always one for the next login.
const LOGIN_CONNECTIONS: usize = 250;
/// Connections that read home pages.
const PAGE_CONNECTIONS: usize = 16;
/// Prepared requests for home pages.
const PAGES: usize = 4_096;

/// What is asked of a server.
#[derive(Debug)]
pub struct Flood {
    logins: Arc<Vec<Vec<u8>>>,
    pages: Arc<Vec<Vec<u8>>>,
    logins_per_s: f64,
    pages_per_s: f64,
}

/// The result of one turn.
#[derive(Clone, Debug)]
pub struct FloodTurn {
    /// Home pages.
    pub pages: TimedOutcome,
    /// Logins; none in a turn without them.
    pub logins: Option<TimedOutcome>,
}

impl Flood {
    /// Returns logins to the first `accounts`, a third each with the right password, with a wrong one, and with an unknown
    /// name, beside pages of homes of a world.
    pub fn new(world: &World, accounts: u32, logins_per_s: f64, pages_per_s: f64) -> Self {
        let mut rng = Rng::new(mix(world.seed));
        let logins = (0..accounts).flat_map(|number| {
            let known = known_name(number);
            let unknown = unknown_name(number);
            [(&known, PASSWORD), (&known, WRONG_PASSWORD), (&unknown, PASSWORD)]
                .map(|(name, password)| login_request(name, password))
        });
        let mut logins: Vec<_> = logins.collect();
        rng.shuffle(&mut logins);
        let pages = (0..PAGES).map(|_| posts_request(world.uid(rng.below(world.users as usize) as u32)));
        Self { pages: Arc::new(pages.collect()), logins: Arc::new(logins), logins_per_s, pages_per_s }
    }
}

/// Reads home pages for a time, with or without the logins beside. Each connection that logs in comes from a loopback
/// address of its own, so that no budget of one caller keeps the logins from the hashing threads.
///
/// # Errors
/// When a connection breaks, or an answer is neither good nor a refusal that is meant.
pub async fn flood(
    address: SocketAddr,
    flood: &Flood,
    with_logins: bool,
    time: Duration,
) -> Result<FloodTurn> {
    let shape = |connections, rate| Shape { connections, rate: Some(rate), time };
    let from = (1..=LOGIN_CONNECTIONS).map(|number| Ipv4Addr::new(127, 0, 1, number as u8)).collect();
    let pages = TimedCalls {
        requests: flood.pages.clone(),
        shape: shape(PAGE_CONNECTIONS, flood.pages_per_s),
        from: Vec::new(),
    };
    let logins = TimedCalls {
        requests: flood.logins.clone(),
        shape: shape(LOGIN_CONNECTIONS, flood.logins_per_s),
        from,
    };
    let calls = if with_logins { vec![pages, logins] } else { vec![pages] };
    let mut made = open_loop::run(address, calls).await?.into_iter();
    let pages = made.next().ok_or_else(|| broken("no outcome"))?;
    Ok(FloodTurn { pages, logins: made.next() })
}
