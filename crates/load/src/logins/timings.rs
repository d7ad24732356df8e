//! How long a login takes that fails: whether time tells an unknown name from a wrong password.

use super::{Compared, WRONG_PASSWORD, known_name, login_request, unknown_name};
use crate::broken;
use crate::connection::RawConnection;
use crate::http1;
use crate::open_loop::{Answered, judge};
use guanxi_model::Result;
use guanxi_model::random::Rng;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

/// Logins of each kind that are not counted: the first ones pay for what a server takes once.
const WARM_UP: u32 = 20;
/// The pause after a pair that is lost: what keeps the machine busy meanwhile may pass.
const LOST_PAUSE: Duration = Duration::from_millis(50);

/// What was timed, in milliseconds.
#[derive(Clone, Debug)]
pub struct LoginTimings {
    /// Unknown names.
    pub unknown: Vec<f64>,
    /// Names of accounts, with a wrong password.
    pub wrong: Vec<f64>,
}

impl LoginTimings {
    /// The unknown names, compared with the wrong passwords.
    pub fn compared(&self) -> Option<Compared> {
        Compared::of(&self.unknown, &self.wrong)
    }
}

/// Times `each` logins of either kind, one after the other on one connection. They come in pairs of both, in either order,
/// so that every other change meanwhile concerns both alike. Names are of the first `accounts`, and as many unknown ones.
///
/// # Errors
/// When a login comes to anything but `LOGIN_FAILED`. Some may be too late, or be refused with `OVERLOADED` since the server
/// sees that they would be.
pub async fn time_logins(address: SocketAddr, accounts: u32, each: u32) -> Result<LoginTimings> {
    let mut connection = RawConnection::open(address).await.map_err(broken)?;
    let mut rng = Rng::new(u64::from(each));
    let mut timings = LoginTimings { unknown: Vec::new(), wrong: Vec::new() };
    // Pairs that a busy machine may lose: a hash takes so long there that a login is too late, or is refused for it.
    let mut losses = WARM_UP + each;
    let mut round = 0;
    while round < WARM_UP + each {
        let number = rng.below(accounts as usize) as u32;
        let unknown = login_request(&unknown_name(number), WRONG_PASSWORD);
        let wrong = login_request(&known_name(number), WRONG_PASSWORD);
        let unknown_first = rng.below(2) == 0;
        let order = if unknown_first { [&unknown, &wrong] } else { [&wrong, &unknown] };
        let first = time_login(&mut connection, order[0]).await?;
        let second = time_login(&mut connection, order[1]).await?;
        let Some((first, second)) = first.zip(second) else {
            losses = losses.checked_sub(1).ok_or_else(|| broken("most logins are refused or too late"))?;
            tokio::time::sleep(LOST_PAUSE).await;
            continue;
        };
        if round >= WARM_UP {
            let (unknown, wrong) = if unknown_first { (first, second) } else { (second, first) };
            timings.unknown.push(unknown);
            timings.wrong.push(wrong);
        }
        round += 1;
    }
    Ok(timings)
}

/// Milliseconds of a login that fails; `None` for one that the server had no time for.
async fn time_login(connection: &mut RawConnection, request: &[u8]) -> Result<Option<f64>> {
    let start = Instant::now();
    let reply = connection.exchange(request, 1, http1::response_len).await.map_err(broken)?;
    let took_ms = start.elapsed().as_secs_f64() * 1e3;
    match judge(reply).map_err(broken)? {
        Answered::LoginFailed => Ok(Some(took_ms)),
        Answered::TooLate | Answered::Overloaded => Ok(None),
        other => Err(broken(format_args!("a login that must fail came to {other:?}"))),
    }
}
