//! Budgets: what is spent comes back with time, callers do not meet, and what a call costs to ask.

use std::sync::atomic::{AtomicU64, Ordering};

use super::*;
use guanxi_model::{Scopes, Uid};

const LIMITS: RateLimits = RateLimits {
    reads_per_minute: 60,
    writes_per_minute: 6,
    follows_per_hour: 10,
    posts_per_minute: 2,
    unknown_per_minute: 3,
    logins_per_minute: 2,
    registrations_per_hour: 4,
    keys_max: 1_024,
};

/// Budgets, and a clock in milliseconds.
fn world(limits: RateLimits) -> (Arc<Budgets>, Arc<AtomicU64>) {
    let clock = Arc::new(AtomicU64::new(0));
    let now = Arc::clone(&clock);
    let rates = Budgets::by_clock(limits, move || Duration::from_millis(now.load(Ordering::Relaxed)));
    (Arc::new(rates), clock)
}

/// Who pays, and the rate of its token.
type Payer = (Principal, Option<NonZeroU32>);

fn user(uid: u64) -> Payer {
    (Principal::EndUser(Uid::new(uid).unwrap()), None)
}

fn service(rate: Option<u32>) -> Payer {
    (Principal::Service(Scopes::all()), rate.and_then(NonZeroU32::new))
}

fn purse(rates: &Arc<Budgets>, (principal, rate): &Payer, budget: Budget) -> Option<Purse> {
    rates.purse(principal, *rate, principal, budget)
}

/// How many of these calls get through, and the wait that the first refused one is told.
fn run(rates: &Arc<Budgets>, caller: &Payer, budget: Budget, calls: u32) -> (u32, u32) {
    let own = purse(rates, caller, budget).expect("it pays");
    let (mut passed, mut wait) = (0, 0);
    for _ in 0..calls {
        match own.pay(1) {
            Ok(()) => passed += 1,
            Err(Error { reason: Reason::RateLimited { retry_after_ms }, .. }) => {
                wait = if wait == 0 { retry_after_ms } else { wait };
            }
            Err(other) => panic!("{other}"),
        }
    }
    (passed, wait)
}

#[test]
fn rows_are_paid_for_after_they_were_looked_at() {
    let (rates, clock) = world(LIMITS);
    let reader = |uid| purse(&rates, &user(uid), Budget::Reads).unwrap();
    let left = |uid| run(&rates, &user(uid), Budget::Reads, 100).0;
    reader(1).pay_for_rows(ROWS_PER_CALL - 1);
    assert_eq!(left(1), 60, "a page costs what any call costs");
    reader(2).pay(1).unwrap();
    reader(2).pay_for_rows(20 * ROWS_PER_CALL);
    assert_eq!(left(2), 39);
    reader(3).pay(50).unwrap();
    reader(3).pay_for_rows(1_000 * ROWS_PER_CALL);
    assert_eq!(left(3), 0, "who has less has nothing left");
    clock.fetch_add(60_000, Ordering::Relaxed);
    assert_eq!(left(3), 60, "and owes nothing");
}

#[test]
fn whoever_makes_accounts_in_one_place_leaves_some_for_others() {
    let (rates, clock) = world(LIMITS);
    let from = |third: u8, last: u8| Some(CallerAddress(IpAddr::from([192, 0, third, last])));
    let made = |third, last| (0..20).take_while(|_| rates.registration(from(third, last)).is_ok()).count();
    assert_eq!((made(2, 1), made(2, 1), made(2, 2)), (4, 0, 4), "each address has its own");
    let together: usize = (3..60).map(|last| made(2, last)).sum();
    assert_eq!(together, 40 - 8, "and neighbours have as much as ten");
    assert_eq!(made(3, 1), 4, "whoever is elsewhere has it all");
    clock.fetch_add(15 * 60 * 1_000, Ordering::Relaxed);
    assert_eq!(made(2, 1), 1, "after a quarter of an hour");
    assert!((0..100).all(|_| rates.registration(None).is_ok()), "no address, as in process");
}

#[test]
fn who_guesses_in_one_network_keeps_nobody_else_out() {
    let (rates, _) = world(LIMITS);
    let from = |last: u16| Some(CallerAddress(IpAddr::from([0x2001, 0xdb8, last, 0, 0, 0, 0, 1])));
    for _ in 0..LIMITS.logins_per_minute {
        assert!(rates.login("alice", from(0)).is_ok());
    }
    let limited =
        |result: Result<()>| matches!(result, Err(Error { reason: Reason::RateLimited { .. }, .. }));
    assert!(limited(rates.login("alice", from(0))));
    assert!(rates.login("alice", from(1)).is_ok(), "she is elsewhere");
    assert!(rates.login("bob", from(0)).is_ok(), "another name");
    // Many networks together are guessing, too.
    let tries = (2..40).take_while(|network| rates.login("alice", from(*network)).is_ok()).count();
    assert_eq!(tries as u32, LIMITS.logins_per_minute * NETWORKS_PER_LOGIN.get() - 3);
}

#[test]
fn a_budget_is_spent_and_comes_back_with_time() {
    let (rates, clock) = world(LIMITS);
    for (budget, whole, step_ms) in
        [(Budget::Reads, 60, 1_000), (Budget::Writes, 6, 10_000), (Budget::Follows, 10, 360_000)]
    {
        let (passed, wait) = run(&rates, &user(1), budget, 2 * whole);
        assert_eq!(passed, whole, "{budget:?}");
        assert!(wait > step_ms - 10 && wait <= step_ms + 1, "{budget:?}: {wait}");
        assert_eq!(run(&rates, &user(2), budget, 2 * whole).0, whole, "callers do not meet");
        // Having waited as told, one more gets through.
        clock.fetch_add(u64::from(wait), Ordering::Relaxed);
        assert_eq!(run(&rates, &user(1), budget, 3).0, 1, "{budget:?}");
        clock.fetch_add(2 * 3_600_000, Ordering::Relaxed);
        assert_eq!(
            run(&rates, &user(1), budget, 2 * whole).0,
            whole,
            "{budget:?}: never more than the whole"
        );
    }
    assert_eq!(run(&rates, &user(1), Budget::Posts, 9).0, 2, "budgets are apart");
}

#[test]
fn a_batch_costs_what_it_holds_and_one_too_large_costs_all() {
    let (rates, _) = world(LIMITS);
    let own = purse(&rates, &user(1), Budget::Follows).unwrap();
    own.pay(4).unwrap();
    own.pay(6).unwrap();
    assert!(matches!(own.pay(1).unwrap_err().reason, Reason::RateLimited { .. }));
    let other = purse(&rates, &user(2), Budget::Follows).unwrap();
    other.pay(1_000_000).unwrap();
    assert!(other.pay(1).is_err());
    assert!(purse(&rates, &user(3), Budget::Follows).unwrap().pay(0).is_ok());
}

#[test]
fn what_undoes_is_free_and_a_service_has_the_rate_of_its_token() {
    let (rates, _) = world(LIMITS);
    assert!(purse(&rates, &user(1), Budget::Free).is_none());
    assert!(purse(&rates, &service(None), Budget::Reads).is_none());
    assert!(purse(&rates, &service(Some(5)), Budget::Free).is_none());
    assert!(purse(&rates, &(Principal::Admin, None), Budget::Reads).is_none());
    assert_eq!(run(&rates, &service(Some(5)), Budget::Reads, 9).0, 5);
    assert_eq!(run(&rates, &service(Some(5)), Budget::Posts, 9).0, 0, "one budget for all that it does");
    let (free, _) = world(RateLimits::NONE);
    assert!(purse(&free, &user(1), Budget::Reads).is_none(), "0 is no bound");
}

#[test]
fn addresses_are_apart_and_a_network_of_ipv6_is_one() {
    let (rates, _) = world(LIMITS);
    let passed = |address: &str, calls: u32| {
        let from = Some(CallerAddress(address.parse().unwrap()));
        (0..calls).filter(|_| rates.unknown(from).is_ok()).count()
    };
    assert_eq!(passed("192.0.2.1", 9), 3);
    assert_eq!(passed("192.0.2.2", 9), 3);
    assert_eq!(passed("2001:db8::1", 2), 2);
    assert_eq!(passed("2001:db8::2", 9), 1, "the same customer");
    assert_eq!(passed("2001:db8:0:1::2", 9), 3);
    assert!((0..100).all(|_| rates.unknown(None).is_ok()), "no address, as in process");
}

#[test]
fn a_flood_of_strangers_neither_resets_nor_refuses_others() {
    let (rates, _) = world(RateLimits { keys_max: 64, ..LIMITS });
    assert_eq!(run(&rates, &user(1), Budget::Reads, 100).0, 60);
    let spent = CallerAddress("192.0.2.1".parse().unwrap());
    while rates.unknown(Some(spent)).is_ok() {}
    for stranger in 0..100_000_u32 {
        let address = IpAddr::from((stranger + (10 << 24)).to_be_bytes());
        assert!(rates.unknown(Some(CallerAddress(address))).is_ok(), "{address}");
    }
    assert!(rates.unknown(Some(spent)).is_err(), "it is not forgotten for those who spent less");
    assert_eq!(run(&rates, &user(1), Budget::Reads, 9).0, 0, "users have tables of their own");
}

/// Prints what a call costs. Built without optimisation it has room; `cargo test --release -p guanxi-api rates --
/// --nocapture` shows the figure.
#[test]
fn asking_costs_less_than_a_microsecond() {
    const CALLS: u32 = 200_000;
    let rates = Arc::new(Budgets::new(RateLimits { reads_per_minute: RATE_MAX, ..LIMITS }));
    let callers: Vec<Payer> = (1..=1_000).map(user).collect();
    let began = Instant::now();
    for caller in callers.iter().cycle().take(CALLS as usize) {
        purse(&rates, caller, Budget::Reads).unwrap().pay(1).unwrap();
    }
    let nanoseconds = began.elapsed().as_nanos() / u128::from(CALLS);
    println!("{nanoseconds} ns per call");
    let most = if cfg!(debug_assertions) { 50_000 } else { 1_000 };
    assert!(nanoseconds < most, "{nanoseconds} ns");
}
