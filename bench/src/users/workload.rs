//! What is asked in a round.

use crate::calls::{Answer, Call, RESOLVED, UserCall, Workload};
use guanxi_model::random::Rng;

use super::LOGINS;

/// The first number that a run makes: above all that are there.
const FIRST_NEW: u64 = 1 << 40;
/// Registrations per second that no system comes to, so that a round does not run out of names.
const REGISTRATIONS_PER_S: f64 = 60_000.0;
/// The same of calls that make a thousand uids.
const BATCHES_PER_S: f64 = 400.0;
/// Calls about what is there: enough that a round does not go through them often.
const CALLS: u64 = 20_000;
/// Calls about a thousand strings that are there.
const RESOLVES: u64 = 256;
/// One call in so many of the mix is not by uid (seed 004).
const MIXED_IN: usize = 100;

/// The users that calls are about.
#[derive(Clone, Copy)]
pub(super) enum Drawn {
    /// Of people who are not registered yet.
    New(fn(u64) -> UserCall),
    /// Of accounts that are there, at random.
    There(fn(u64) -> UserCall),
    /// The same: 99 % by uid, as a logged-in user is looked up, and 1 % by login name, phone or email.
    Mix,
    /// Of external ids that have uids.
    Known,
    /// Of external ids that have none yet.
    Unknown,
    /// Of users that have a password.
    Logins,
}

/// Calls of a round over so many accounts, for so many seconds.
pub(super) fn workload(drawn: Drawn, round: u64, users: u64, seconds: f64) -> Workload {
    let mut rng = Rng::new(round + 1);
    let enough = |per_s: f64| (seconds * 1.5 * per_s) as u64;
    let mut calls: Vec<UserCall> = Vec::new();
    match drawn {
        Drawn::New(call) => {
            let new = enough(REGISTRATIONS_PER_S);
            calls.extend((0..new).map(|n| call(FIRST_NEW + round * new + n)));
        }
        Drawn::There(call) => calls.extend((0..CALLS).map(|_| call(rng.below(users as usize) as u64))),
        Drawn::Mix => calls.extend((0..CALLS).map(|_| {
            let n = rng.below(users as usize) as u64;
            match rng.below(MIXED_IN * 3) {
                0 => UserCall::ByName(n),
                1 => UserCall::ByPhone(n),
                2 => UserCall::ByEmail(n),
                _ => UserCall::ByUid(n),
            }
        })),
        Drawn::Known => calls.extend((0..RESOLVES).map(|_| {
            let first = rng.below(users.saturating_sub(RESOLVED) as usize + 1) as u64;
            UserCall::Resolve { first, create: false }
        })),
        Drawn::Unknown => {
            let new = enough(BATCHES_PER_S).max(RESOLVES);
            let first = |n| FIRST_NEW + (round * new + n) * RESOLVED;
            calls.extend((0..new).map(|n| UserCall::Resolve { first: first(n), create: true }));
        }
        Drawn::Logins => calls.extend((0..LOGINS).map(|n| UserCall::LogIn(UserCall::FIRST_LOGIN + n))),
    }
    let right = |call: &UserCall| match *call {
        UserCall::ByUid(n) | UserCall::ByName(n) | UserCall::ByPhone(n) | UserCall::ByEmail(n) => {
            Answer::User(n)
        }
        UserCall::Resolve { .. } => Answer::Resolved(RESOLVED as usize),
        UserCall::Register(_) | UserCall::LogIn(_) => Answer::Done,
    };
    Workload {
        answers: calls.iter().map(right).collect(),
        calls: calls.into_iter().map(Call::User).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_call_in_a_hundred_of_the_mix_is_not_by_uid() {
        let mix = workload(Drawn::Mix, 0, 5_000, 1.0);
        let count = |which: fn(&UserCall) -> bool| {
            mix.calls.iter().filter(|call| matches!(call, Call::User(call) if which(call))).count()
        };
        let others = count(|call| !matches!(call, UserCall::ByUid(_)));
        assert!((CALLS as usize / 125..CALLS as usize / 80).contains(&others), "{others}");
        let each = [
            count(|call| matches!(call, UserCall::ByName(_))),
            count(|call| matches!(call, UserCall::ByPhone(_))),
            count(|call| matches!(call, UserCall::ByEmail(_))),
        ];
        assert!(each.iter().all(|kind| *kind > others / 5), "{each:?}");
    }

    #[test]
    fn no_two_rounds_make_the_same() {
        for drawn in [Drawn::New(UserCall::Register), Drawn::Unknown] {
            let [one, other] = [0, 1].map(|round| workload(drawn, round, 10, 0.1).calls);
            assert!(one.iter().all(|call| !other.contains(call)));
        }
    }
}
