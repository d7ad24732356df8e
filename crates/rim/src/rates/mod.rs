//! How much a caller may ask for in a time: named budgets, each with a bounded number of keys, in this process alone.

mod table;

use std::fmt;
use std::hash::{BuildHasher as _, Hash, RandomState};
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::{Duration, Instant};

use governor::clock::Clock;
use governor::nanos::Nanos;
use governor::{Quota, RateLimiter};
use guanxi_model::limits::PAGE_SIZE_MAX;
use guanxi_model::{Error, Principal, Reason, Result, Uid};
use metrics::Counter;

use crate::peer::CallerAddress;
use crate::rules::Budget;
use table::{BudgetTable, Spender};

/// A minute, in the steps in which budgets are counted.
const MINUTE_US: u32 = 60_000_000;
/// An hour in them.
const HOUR_US: u32 = 3_600_000_000;
/// Bits of the address of IPv6 that one customer has: a customer that has one address of them has all.
const NETWORK_BITS: u32 = 64;

/// Bits that neighbouring networks share: those of a provider's pool, of a school or an office.
const NEIGHBOURS_BITS_V4: u32 = 24;
/// The same of IPv6: what one site has.
const NEIGHBOURS_BITS_V6: u32 = 48;
/// How many accounts such neighbours may make together, as a multiple of what one network may.
const NETWORKS_PER_NEIGHBOURS: NonZeroU32 = NonZeroU32::new(10).expect("ten is not zero");

/// From how many networks a name may be tried as often as from one: more are guessing together.
const NETWORKS_PER_LOGIN: NonZeroU32 = NonZeroU32::new(10).expect("ten is not zero");

/// How often in an hour an end user may follow the same person, or ask for its friendship, anew. Each time puts the user on
/// top of a list of that person. A user that unfollowed by mistake needs two.
const ASKS_OF_ONE_PER_HOUR: NonZeroU32 = NonZeroU32::new(6).expect("six is not zero");

/// Rows that a heavy call looks at for the price of one call: as many as the largest page has.
pub const ROWS_PER_CALL: u64 = PAGE_SIZE_MAX as u64;

/// The most that a budget may allow in its time: a step each.
pub const RATE_MAX: u32 = MINUTE_US;

/// How much end users, and callers without a valid token, may ask for; 0 for no bound. A service has the rate of its
/// token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimits {
    /// Reads of an end user in a minute.
    pub reads_per_minute: u32,
    /// Writes of an end user in a minute that are neither posts nor follows.
    pub writes_per_minute: u32,
    /// Follows of an end user in an hour.
    pub follows_per_hour: u32,
    /// Posts of an end user in a minute.
    pub posts_per_minute: u32,
    /// Calls without a valid token in a minute from one address, or one network of 64 bits of IPv6.
    pub unknown_per_minute: u32,
    /// Attempts to log in as one user in a minute from one address, and ten times that from everywhere.
    pub logins_per_minute: u32,
    /// Accounts that callers without a credential make in an hour from one address, where that is allowed, and ten times
    /// that from its neighbours.
    pub registrations_per_hour: u32,
    /// Callers of each budget whose spending is remembered at once.
    pub keys_max: usize,
}

impl RateLimits {
    /// No bounds at all.
    pub const NONE: Self = Self {
        reads_per_minute: 0,
        writes_per_minute: 0,
        follows_per_hour: 0,
        posts_per_minute: 0,
        unknown_per_minute: 0,
        logins_per_minute: 0,
        registrations_per_hour: 0,
        keys_max: 1,
    };
}

/// The time since the process began, for the limiters.
#[derive(Clone)]
struct Ticks(Arc<dyn Fn() -> Duration + Send + Sync>);

impl Clock for Ticks {
    type Instant = Nanos;

    fn now(&self) -> Nanos {
        (self.0)().into()
    }
}

/// The rest of one budget, by key. A budget is a time of which each call takes its part, so that callers of different rates
/// share a table.
struct Limiter {
    inner: RateLimiter<Spender, BudgetTable, Ticks>,
    clock: Ticks,
    period_us: u32,
    refused: Counter,
}

impl Limiter {
    fn new(name: &'static str, period_us: u32, keys_max: usize, clock: &Ticks) -> Self {
        let step = Quota::with_period(Duration::from_micros(1)).expect("a microsecond is not zero");
        let burst = NonZeroU32::new(period_us).expect("a period is not zero");
        let table = BudgetTable::new(keys_max, forgotten(name));
        let inner = RateLimiter::new(step.allow_burst(burst), table, clock.clone());
        Self { inner, clock: clock.clone(), period_us, refused: refused(name) }
    }

    /// Takes the part of so many of `rate` in the whole time; a batch of more than that costs all.
    fn spend(&self, key: u64, rate: NonZeroU32, count: usize) -> Result<()> {
        let part = u64::from(self.period_us / rate).max(1).saturating_mul(count as u64);
        let part = u32::try_from(part).unwrap_or(u32::MAX).min(self.period_us);
        let Some(part) = NonZeroU32::new(part) else { return Ok(()) };
        let spender = Spender { key, now: self.clock.now().as_u64() };
        match self.inner.check_key_n(&spender, part) {
            // The outer error is for more than the whole, which no part is.
            Ok(Ok(())) | Err(_) => Ok(()),
            Ok(Err(until)) => {
                self.refused.increment(1);
                let wait = until.wait_time_from(self.clock.now());
                let retry_after_ms = u32::try_from(wait.as_millis() + 1).unwrap_or(u32::MAX);
                Err(Error::new(Reason::RateLimited { retry_after_ms }))
            }
        }
    }
}

impl Limiter {
    /// Takes the part of so many of `rate` in the whole time, or as much of that as is left.
    fn take(&self, key: u64, rate: NonZeroU32, count: u64) {
        let part = u64::from(self.period_us / rate).max(1).saturating_mul(count);
        let mut part = u32::try_from(part).unwrap_or(u32::MAX).min(self.period_us);
        let spender = Spender { key, now: self.clock.now().as_u64() };
        // What is left is found by halves.
        let mut is_whole = true;
        while let Some(some) = NonZeroU32::new(part) {
            if matches!(self.inner.check_key_n(&spender, some), Ok(Ok(()))) && is_whole {
                return;
            }
            is_whole = false;
            part /= 2;
        }
    }
}

/// The budgets of a process, shared by its listeners.
pub struct Budgets {
    limits: RateLimits,
    reads: Limiter,
    writes: Limiter,
    follows: Limiter,
    /// Follows of one person, by both.
    pairs: Limiter,
    posts: Limiter,
    services: Limiter,
    addresses: Limiter,
    logins: Limiter,
    registrations: Limiter,
    /// The keys of this process alone, so that no client can tell which keys share a set.
    hasher: RandomState,
}

impl fmt::Debug for Budgets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Budgets").field("limits", &self.limits).finish_non_exhaustive()
    }
}

impl Default for Budgets {
    fn default() -> Self {
        Self::new(RateLimits::NONE)
    }
}

impl Budgets {
    /// Budgets of which nothing is spent.
    pub fn new(limits: RateLimits) -> Self {
        let start = Instant::now();
        Self::by_clock(limits, move || start.elapsed())
    }

    /// The same by another clock, which tells the time since it was started.
    pub fn by_clock(limits: RateLimits, clock: impl Fn() -> Duration + Send + Sync + 'static) -> Self {
        describe();
        let clock = Ticks(Arc::new(clock));
        let limiter = |name, period_us| Limiter::new(name, period_us, limits.keys_max, &clock);
        Self {
            reads: limiter("reads", MINUTE_US),
            writes: limiter("writes", MINUTE_US),
            follows: limiter("follows", HOUR_US),
            pairs: limiter("pairs", HOUR_US),
            posts: limiter("posts", MINUTE_US),
            services: limiter("services", MINUTE_US),
            addresses: limiter("addresses", MINUTE_US),
            logins: limiter("logins", MINUTE_US),
            registrations: limiter("registrations", HOUR_US),
            limits,
            hasher: RandomState::new(),
        }
    }

    /// Returns the purse from which the holder of a token pays for a call of this budget; `None` for a holder that pays
    /// nothing. A service has the rate of its token.
    pub(crate) fn purse(
        self: &Arc<Self>,
        principal: &Principal,
        of_token: Option<NonZeroU32>,
        holder: &impl Hash,
        budget: Budget,
    ) -> Option<Purse> {
        let (kind, rate) = match principal {
            _ if matches!(budget, Budget::Free | Budget::Address) => return None,
            Principal::EndUser(_) => (Kind::Of(budget), NonZeroU32::new(self.rate(budget))?),
            Principal::Service(_) => (Kind::Service, of_token?),
            Principal::Admin => return None,
        };
        let key = self.hasher.hash_one(holder);
        Some(Purse { rates: Arc::clone(self), kind, key, rate })
    }

    /// Lets a caller without a valid token call once.
    ///
    /// # Errors
    /// `RATE_LIMITED`.
    pub(crate) fn unknown(&self, address: Option<CallerAddress>) -> Result<()> {
        let (Some(address), Some(rate)) = (address, NonZeroU32::new(self.limits.unknown_per_minute)) else {
            return Ok(());
        };
        self.addresses.spend(self.hasher.hash_one(network(address)), rate, 1)
    }

    /// Lets a caller try once to prove to be the owner of a name, right or wrong. The rate holds for one network, so that a
    /// caller that guesses there locks no other network out. All networks together may try [`NETWORKS_PER_LOGIN`] times as
    /// often.
    ///
    /// # Errors
    /// `RATE_LIMITED`.
    pub fn login(&self, name: &str, address: Option<CallerAddress>) -> Result<()> {
        let Some(rate) = NonZeroU32::new(self.limits.logins_per_minute) else { return Ok(()) };
        self.logins.spend(self.hasher.hash_one((name, address.map(network))), rate, 1)?;
        let everywhere = rate.saturating_mul(NETWORKS_PER_LOGIN);
        self.logins.spend(self.hasher.hash_one(name), everywhere, 1)
    }

    /// Lets a caller without a credential try once to make an account, with any result. The rate holds for one network. All
    /// neighbouring networks together may try [`NETWORKS_PER_NEIGHBOURS`] times as often.
    ///
    /// # Errors
    /// `RATE_LIMITED`.
    pub(crate) fn registration(&self, address: Option<CallerAddress>) -> Result<()> {
        let (Some(address), Some(rate)) = (address, NonZeroU32::new(self.limits.registrations_per_hour))
        else {
            return Ok(());
        };
        self.registrations.spend(self.hasher.hash_one(network(address)), rate, 1)?;
        let together = rate.saturating_mul(NETWORKS_PER_NEIGHBOURS);
        self.registrations.spend(self.hasher.hash_one(("neighbours", neighbours(address))), together, 1)
    }

    const fn rate(&self, budget: Budget) -> u32 {
        match budget {
            Budget::Reads => self.limits.reads_per_minute,
            Budget::Writes => self.limits.writes_per_minute,
            Budget::Follows => self.limits.follows_per_hour,
            Budget::Posts => self.limits.posts_per_minute,
            Budget::Address | Budget::Free => 0,
        }
    }

    const fn limiter(&self, kind: Kind) -> &Limiter {
        match kind {
            Kind::Service => &self.services,
            Kind::Of(Budget::Follows) => &self.follows,
            Kind::Of(Budget::Posts) => &self.posts,
            Kind::Of(Budget::Writes) => &self.writes,
            Kind::Of(Budget::Reads | Budget::Address | Budget::Free) => &self.reads,
        }
    }
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Of(Budget),
    Service,
}

/// The budget from which the caller of one call pays.
#[derive(Clone)]
pub(crate) struct Purse {
    rates: Arc<Budgets>,
    kind: Kind,
    key: u64,
    rate: NonZeroU32,
}

impl fmt::Debug for Purse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Purse").field("kind", &self.kind).field("rate", &self.rate).finish_non_exhaustive()
    }
}

impl Purse {
    /// Pays for so many.
    ///
    /// # Errors
    /// `RATE_LIMITED`.
    pub(crate) fn pay(&self, count: usize) -> Result<()> {
        self.rates.limiter(self.kind).spend(self.key, self.rate, count)
    }

    /// Pays for rows that a call has looked at, as for so many calls of [`ROWS_PER_CALL`] each. A call that has been answered
    /// is not refused afterwards: a caller with less left than the price has nothing left, so that its next call waits.
    pub(crate) fn pay_for_rows(&self, rows: u64) {
        let calls = rows / ROWS_PER_CALL;
        if calls > 0 {
            self.rates.limiter(self.kind).take(self.key, self.rate, calls);
        }
    }

    /// Pays for following some, or asking them, each so often in an hour. A service asks for many people, and pays nothing here.
    ///
    /// # Errors
    /// `RATE_LIMITED`.
    pub(crate) fn pay_for_asking(&self, objects: &[Uid]) -> Result<()> {
        if matches!(self.kind, Kind::Service) {
            return Ok(());
        }
        let key = |object: &Uid| self.rates.hasher.hash_one((self.key, object));
        objects.iter().try_for_each(|object| self.rates.pairs.spend(key(object), ASKS_OF_ONE_PER_HOUR, 1))
    }
}

/// Returns the network of addresses that one customer has.
fn network(CallerAddress(address): CallerAddress) -> u128 {
    match address {
        IpAddr::V4(address) => u128::from(address.to_ipv6_mapped()),
        IpAddr::V6(address) => u128::from(address) >> (u128::BITS - NETWORK_BITS) << NETWORK_BITS,
    }
}

/// Returns the bits that the networks beside an address share.
pub fn neighbours(CallerAddress(address): CallerAddress) -> u128 {
    let shared = |bits: u128, width: u32, kept: u32| bits >> (width - kept) << (width - kept);
    match address {
        // The mapped prefix is all ones but for the address, so that no two kinds are taken for one.
        IpAddr::V4(address) => {
            (u128::MAX << 32) | shared(u32::from(address).into(), u32::BITS, NEIGHBOURS_BITS_V4)
        }
        IpAddr::V6(address) => shared(address.into(), u128::BITS, NEIGHBOURS_BITS_V6),
    }
}

fn refused(budget: &'static str) -> Counter {
    metrics::counter!("guanxi_rate_limited_total", "budget" => budget)
}

fn forgotten(budget: &'static str) -> Counter {
    metrics::counter!("guanxi_rate_keys_forgotten_total", "budget" => budget)
}

fn describe() {
    metrics::describe_counter!(
        "guanxi_rate_limited_total",
        "Calls refused with RATE_LIMITED, by the budget that was spent."
    );
    metrics::describe_counter!(
        "guanxi_rate_keys_forgotten_total",
        "Callers whose spending was forgotten, since more than rate_keys_max spent at once."
    );
    for budget in
        ["reads", "writes", "follows", "pairs", "posts", "services", "addresses", "logins", "registrations"]
    {
        refused(budget).increment(0);
        forgotten(budget).increment(0);
    }
}

#[cfg(test)]
mod tests;
