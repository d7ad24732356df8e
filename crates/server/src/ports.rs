//! The ports of an open store, with all that is wrapped around them.

use crate::clock::SystemClock;
use crate::failpoints::Failing;
use crate::priority::{give_way, give_way_by};
use crate::secret;
use guanxi_api::{Authenticator, Jwt, Revocations, StoredTokens};
use guanxi_centers::feed::FeedCenter;
use guanxi_centers::jobs::{self, BackgroundJob, Erasure, ErasureParts, JobParts, KeptFor};
use guanxi_centers::operator::{OperatorCenter, OperatorParts};
use guanxi_centers::user::passwords::{PasswordOptions, PasswordThread, Passwords};
use guanxi_centers::user::sessions::{SessionCenter, SessionTerms};
use guanxi_centers::user::{AccountCenter, UserCenter};
use guanxi_centers::{Centers, HeavyWork, Ports, Random};
use guanxi_model::user::UidPolicy;
use guanxi_model::{Clock, Result};
use guanxi_ports::{
    CachedSessions, CheckedUids, Credentials, EndedUsers, Inbox, Log, Metered, NamedSessions, Sessions,
    Shards, Store, Upkeep,
};
use std::sync::Arc;

/// A store that has all ports of a server, as every backend does.
pub trait WholeStore: Store + Log + Credentials + Sessions + EndedUsers + Shards + Upkeep + 'static {}

impl<S: Store + Log + Credentials + Sessions + EndedUsers + Shards + Upkeep + 'static> WholeStore for S {}

/// What [`StorePorts`] are made of beside the store.
pub struct StoreTerms<I> {
    /// The inboxes of this process; empty at first.
    pub inbox: I,
    /// The origin of uids.
    pub uids: UidPolicy,
    /// Whether other processes write to the store, too.
    pub others_write: bool,
    /// Places for heavy calls.
    pub heavy: HeavyWork,
    /// Time, random bits and threads.
    pub process: ProcessTerms,
}

/// What ports take from the process that serves them.
#[derive(Clone)]
pub struct ProcessTerms {
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Bits of secrets, ids and samples.
    pub random: Random,
    /// The threads that hash passwords.
    pub passwords: PasswordOptions,
}

impl ProcessTerms {
    /// Those of a real process: the clock and the random bits of the operating system, and threads that give way to calls.
    pub(crate) fn of_system() -> Self {
        Self {
            clock: Arc::new(SystemClock),
            random: Arc::new(|| {
                secret::random().expect("the operating system has given random bytes before")
            }),
            passwords: PasswordOptions { at_start: hash_in_turn, ..PasswordOptions::default() },
        }
    }
}

/// The ports of an open store, one of each for the whole process.
#[derive(Clone)]
pub struct StorePorts {
    /// The ports on which centers are made.
    checked: Ports,
    /// The same without the check of uids.
    measured: Ports,
    credentials: Arc<dyn Credentials>,
    /// Tokens as they are stored: the name of one outlives the session that it names.
    stored_credentials: Arc<dyn Credentials>,
    sessions: Arc<dyn Sessions>,
    ended: Arc<dyn EndedUsers>,
    shards: Arc<dyn Shards>,
    upkeep: Arc<dyn Upkeep>,
    revocations: Revocations,
    uids: UidPolicy,
    heavy: HeavyWork,
    process: ProcessTerms,
}

impl StorePorts {
    /// Puts every wrapper around the ports of a store. Each line below wraps what the lines above it have made.
    pub fn around<I: Inbox + 'static>(store: Arc<impl WholeStore>, terms: StoreTerms<I>) -> Self {
        let StoreTerms { inbox, uids, others_write, heavy, process } = terms;
        let clock = process.clock.clone();
        let revocations = Revocations::default();
        revocations.hear(&*store);
        // How long questions and writes take, of all that follows.
        let all = Arc::new(Metered::new(store.clone()));
        // Tests stop the process between the steps of the fan-out.
        let inbox = Arc::new(Failing(inbox));
        let measured = Ports { store: all.clone(), inbox, log: store.clone(), clock: clock.clone() };
        // Writes about uids that no user may have are refused.
        let all = Arc::new(CheckedUids::new(all, uids));
        let checked = Ports { store: all.clone(), ..measured.clone() };
        // Sessions are asked of memory; the end of a session is told to the streams that wait for it.
        let cached = CachedSessions::new(store.clone(), all.clone(), clock);
        let cached = if others_write { cached.ended_by(store.clone()) } else { cached };
        let sessions = revocations.sessions(Arc::new(cached));
        // The tokens of end users are names for sessions; a revocation is told to the streams that wait for it.
        let named = NamedSessions::new(store.clone(), all, sessions.clone());
        let credentials = revocations.credentials(Arc::new(named));
        let stored_credentials = revocations.credentials(store.clone());
        let (ended, shards, upkeep) = (store.clone(), store.clone(), store);
        Self {
            checked,
            measured,
            credentials,
            stored_credentials,
            sessions,
            ended,
            shards,
            upkeep,
            revocations,
            uids,
            heavy,
            process,
        }
    }

    /// Returns the ports on which centers are made.
    pub const fn of_centers(&self) -> &Ports {
        &self.checked
    }

    /// Returns the centers. The centers of one call share a fan-out; those of two calls do not.
    pub fn centers(&self) -> Centers {
        Centers::sharing(&self.checked, &self.heavy)
    }

    /// The operator center beside a feed center that has started.
    pub fn operator(&self, feed: &FeedCenter) -> OperatorCenter {
        let parts = OperatorParts {
            credentials: self.credentials.clone(),
            sessions: self.sessions.clone(),
            shards: self.shards.clone(),
            upkeep: self.upkeep.clone(),
            random: self.process.random.clone(),
            mint: guanxi_api::mint_token,
        };
        OperatorCenter::new(&self.checked, feed, parts).minting(self.uids)
    }

    /// The accounts of users, with the threads that hash their passwords.
    ///
    /// # Errors
    /// When a thread cannot be started.
    pub fn accounts(&self, users: UserCenter, terms: SessionTerms) -> Result<AccountCenter> {
        let ProcessTerms { clock, random, passwords } = self.process.clone();
        let passwords = Passwords::start(passwords, clock.clone(), &random)?;
        let sessions = SessionCenter::new(self.sessions.clone(), clock.clone(), random.clone(), terms);
        Ok(AccountCenter::new(users, passwords, sessions, clock, random).minting(self.uids))
    }

    /// Tells callers by their tokens: the stored ones, and the JWTs of an issuer if there is one.
    pub fn authenticator(&self, jwt: Option<Arc<Jwt>>) -> Authenticator {
        Authenticator::Tokens(StoredTokens {
            credentials: self.credentials.clone(),
            sessions: self.sessions.clone(),
            ended: self.ended.clone(),
            clock: self.process.clock.clone(),
            revocations: self.revocations.clone(),
            jwt,
        })
    }

    /// The job that removes what deleted users left.
    pub fn erasure(&self) -> Erasure {
        let Ports { store, log, clock, .. } = self.measured.clone();
        Erasure::new(ErasureParts { store, credentials: self.stored_credentials.clone(), log, clock })
    }

    /// The jobs of the store. They have no check of uids: what removes users removes also one whom no caller may name any more.
    pub(crate) fn jobs(&self, kept: KeptFor) -> Vec<Box<dyn BackgroundJob>> {
        let (credentials, sessions) = (self.stored_credentials.clone(), self.sessions.clone());
        jobs::all(JobParts { ports: self.measured.clone(), credentials, sessions, kept })
    }

    /// The stored tokens; those of end users are names for sessions.
    pub const fn credentials(&self) -> &Arc<dyn Credentials> {
        &self.credentials
    }

    /// The sessions of end users, cached.
    pub const fn sessions(&self) -> &Arc<dyn Sessions> {
        &self.sessions
    }

    /// Returns the users whose credentials have ended.
    pub const fn ended_users(&self) -> &Arc<dyn EndedUsers> {
        &self.ended
    }

    /// Proof and dump.
    pub(crate) const fn upkeep(&self) -> &Arc<dyn Upkeep> {
        &self.upkeep
    }
}

/// The niceness of the thread that hashes the passwords of a flood. A scheduler owes each thread a share by its niceness. A
/// thread that is owed something may go on until the next tick, even if a call has woken. That costs a few milliseconds each
/// time, and the more often the larger the share is.
const FLOOD_HASHING_NICE: i32 = 19;

/// Lowers the priority of this thread. Without it, a hash of 15 ms holds a core for as long as the scheduler lets it, and a
/// flood of logins makes all other work wait that long.
fn hash_in_turn(which: PasswordThread) {
    match which {
        PasswordThread::Prompt => give_way(),
        PasswordThread::Patient => give_way_by(FLOOD_HASHING_NICE),
    }
}
