//! Passwords: hashed and verified on threads of their own, never on those that answer calls.
//!
//! A hash is meant to be expensive: 15 ms of a core where it was measured, and 19 MiB. So there are few threads for it, with
//! a short queue of its own. Other work keeps its cores however many people log in, and a caller that finds the queue full is
//! told so at once.

mod cost;
#[cfg(test)]
mod fuzz;
mod hasher;
mod meters;
mod password;
mod pool;
mod rules;
mod stored;
mod waiting;

#[cfg(test)]
mod tests;

pub use cost::Argon2Cost;
pub use hasher::PasswordVerdict;
pub use password::Password;
pub use rules::{PASSWORD_CHARS_MIN, PASSWORD_GIVEN_LEN_MAX, PASSWORD_LEN_MAX};
pub use stored::{
    ARGON2_KIB_MAX, ARGON2_LANES_MAX, ARGON2_PASSES_MAX, ARGON2_WORK_KIB_MAX, BCRYPT_COST_MAX,
    BCRYPT_COST_MIN,
};

pub use waiting::PasswordQueue;

use crate::Random;
use guanxi_model::user::PasswordHash;
use guanxi_model::{Clock, Error, Reason, Result};
use hasher::Hasher;
use meters::PasswordMeters;
use pool::Pool;
use std::sync::Arc;
use std::time::Duration;
use stored::Stored;

/// Threads that hash promptly: one of two cores at most is busy with logins.
pub const PASSWORD_THREADS_DEFAULT: usize = 1;

/// Passwords that wait: half a second of one thread, and a second where cores are half as fast. A user that logs in does not
/// like to wait longer. A password that is given in another form than its normal one takes two hashes.
pub const PASSWORD_QUEUE_MAX: usize = 32;

/// Passwords that wait together without being a flood.
pub const PASSWORD_FEW_MAX: usize = 4;

/// Which of the threads that hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PasswordThread {
    /// A thread that takes passwords while few wait, and a few in a second while many do.
    Prompt,
    /// The one that takes passwords while many wait. It may use the share of the cores that other work leaves: a flood of
    /// logins is hashed as fast as there is room for it, and delays no other work.
    Patient,
}

/// Where a password waits, and for how long.
#[derive(Clone, Copy, Debug, Default)]
pub struct PasswordTurn {
    /// With whom.
    pub queue: PasswordQueue,
    /// The rest of its call's deadline. A password that cannot be hashed in that time is refused at once.
    pub time_left: Option<Duration>,
}

/// The settings of the threads.
#[derive(Clone, Copy, Debug)]
pub struct PasswordOptions {
    /// How many prompt ones there are; the patient one is beside them.
    pub threads: usize,
    /// More than so many that wait are a flood.
    pub few: usize,
    /// How many passwords wait for them at most, in each queue.
    pub queue: usize,
    /// The cost of a new hash.
    pub cost: Argon2Cost,
    /// The first act of each thread, such as giving way to threads that answer calls.
    pub at_start: fn(PasswordThread),
}

impl Default for PasswordOptions {
    fn default() -> Self {
        Self {
            threads: PASSWORD_THREADS_DEFAULT,
            few: PASSWORD_FEW_MAX,
            queue: PASSWORD_QUEUE_MAX,
            cost: Argon2Cost::TODAY,
            at_start: |_| (),
        }
    }
}

/// The work of the threads since they started. It shows that two answers cost the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PasswordWork {
    /// Hashes that were run, of passwords that were right, wrong or of unknown names.
    pub hashes: u64,
    /// KiB that those of argon2 have filled.
    pub argon2_kib: u64,
}

/// The threads that hash passwords. Cheap to clone; they end when the last clone is dropped.
#[derive(Clone)]
pub struct Passwords {
    pool: Arc<Pool>,
    meters: Arc<PasswordMeters>,
}

crate::opaque_debug!(Passwords);

impl Passwords {
    /// Starts the threads. Salts come from `random`; the clock is for what operators watch.
    ///
    /// # Errors
    /// `INTERNAL` when a thread cannot be started, or there is no such cost.
    pub fn start(options: PasswordOptions, clock: Arc<dyn Clock>, random: &Random) -> Result<Self> {
        let PasswordOptions { threads, few, queue, cost, at_start } = options;
        if cost.params(stored::OUTPUT_LEN).is_none() {
            return Err(Error::with_detail(Reason::Internal, format_args!("no argon2 hash has {cost:?}")));
        }
        let meters = Arc::new(PasswordMeters::new(clock));
        let hasher = |which| (which, Hasher::new(cost, random.clone(), meters.clone()));
        let prompt = (0..threads.max(1)).map(|_| PasswordThread::Prompt);
        let hashers = prompt.chain([PasswordThread::Patient]).map(hasher).collect();
        let pool = Pool::start(hashers, (queue, few), at_start, meters.clone())
            .map_err(|error| Error::with_detail(Reason::Internal, error))?;
        Ok(Self { pool: Arc::new(pool), meters })
    }

    /// Returns whether one more password may wait now. A caller that is not admitted is refused before its call is read, and
    /// counted. A password that comes when the queue has filled meanwhile is refused all the same.
    pub fn admits(&self, queue: PasswordQueue) -> bool {
        self.pool.admits(queue)
    }

    /// Returns a new hash of a password: argon2id of today's cost with a salt of its own, as a PHC string.
    ///
    /// # Errors
    /// `OVERLOADED` when the queue is full, or there is not enough time left.
    pub async fn hash(&self, password: Password, turn: PasswordTurn) -> Result<PasswordHash> {
        self.pool.run(turn, move |hasher| hasher.hash(&password)).await
    }

    /// Compares a password with the stored hash of a user, or with the dummy.
    ///
    /// A password that is given in another form than its normal one is compared in both: two hashes at most.
    ///
    /// There is no stored hash if no user has the name or this user has no password. Then as many hashes of today's cost are
    /// run for nothing, so neither the answer nor the time tells which names exist. An imported hash, of bcrypt or of another
    /// cost, takes its own time until it is renewed; until then its user can be told from others.
    ///
    /// # Errors
    /// `OVERLOADED` when the queue is full, or there is not enough time left.
    pub async fn verify(
        &self,
        password: Password,
        stored: Option<PasswordHash>,
        turn: PasswordTurn,
    ) -> Result<PasswordVerdict> {
        self.pool
            .run(turn, move |hasher| hasher.verify(&password, stored.as_ref().map(PasswordHash::expose)))
            .await
    }

    /// Checks a hash that comes from elsewhere, before it is stored.
    ///
    /// # Errors
    /// `PASSWORD_HASH_UNUSABLE` when it is of no known kind, damaged, or costs more than is run here.
    pub fn check_hash(stored: &str) -> Result<()> {
        Stored::parse(stored).map(drop)
    }

    /// Returns what was done so far.
    pub fn work(&self) -> PasswordWork {
        let (hashes, argon2_kib) = self.meters.work();
        PasswordWork { hashes, argon2_kib }
    }
}
