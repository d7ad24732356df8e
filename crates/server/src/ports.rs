//! What a process serves, by its ports: a directory of its own, or a cluster.

use super::secret;
use crate::clock::SystemClock;
use crate::jobs::Jobs;
use crate::priority::{give_way, give_way_by};
use guanxi_api::Revocations;
use guanxi_centers::affinity::AffinityCenter;
use guanxi_centers::feed::FeedCenter;
use guanxi_centers::operator::{OperatorCenter, OperatorParts};
use guanxi_centers::relation::{Expiry, Unlock};
use guanxi_centers::retention::{KeptFor, Retention};
use guanxi_centers::user::passwords::{PasswordOptions, PasswordThread, Passwords};
use guanxi_centers::user::sessions::{SessionCenter, SessionTerms};
use guanxi_centers::user::{AccountCenter, ClaimSweep, Erasure, ErasureParts, UserCenter};
use guanxi_centers::{Centers, HeavyWork, Ports, Random};
use guanxi_model::user::UidPolicy;
use guanxi_model::{Clock, Result};
use guanxi_ports::{
    CachedSessions, CheckedUids, Credentials, EndedUsers, Graph, Inbox, Log, NamedSessions, Posts, Sessions,
    Upkeep,
};
use std::sync::Arc;

/// The ports of a store, as it has them.
pub(crate) struct StoredPorts {
    /// The graph, measured.
    pub graph: Arc<dyn Graph>,
    /// The posts, measured.
    pub posts: Arc<dyn Posts>,
    /// The logs.
    pub log: Arc<dyn Log>,
    /// The stored tokens.
    pub credentials: Arc<dyn Credentials>,
    /// The sessions of end users.
    pub sessions: Arc<dyn Sessions>,
    /// Whose credentials have ended.
    pub ended: Arc<dyn EndedUsers>,
    /// Proof and dump.
    pub upkeep: Arc<dyn Upkeep>,
    /// The inboxes of this process; empty at first.
    pub inbox: Arc<dyn Inbox>,
    /// Whose numbers uids are.
    pub uids: UidPolicy,
    /// Whether other processes write to the store, too.
    pub others_write: bool,
    /// Places for heavy calls.
    pub heavy: HeavyWork,
}

/// What a process serves.
#[derive(Clone)]
pub struct Stored {
    ports: Arc<StoredPorts>,
    /// One for the whole process, so that what it revokes shows at once.
    sessions: Arc<dyn Sessions>,
    /// What they, and credentials, tell of their ends.
    revocations: Revocations,
}

impl Stored {
    /// What is served of a store.
    pub(crate) fn of(ports: StoredPorts) -> Self {
        let revocations = Revocations::default();
        let facts = Arc::new(CheckedUids::new(ports.graph.clone(), ports.uids));
        let mut cached = CachedSessions::new(ports.sessions.clone(), facts, Arc::new(SystemClock));
        if ports.others_write {
            cached = cached.ended_by(ports.ended.clone());
        }
        let sessions = revocations.sessions(Arc::new(cached));
        Self { ports: Arc::new(ports), sessions, revocations }
    }

    /// The ports.
    pub fn ports(&self) -> Ports {
        Ports {
            graph: self.graph(),
            posts: self.posts(),
            inbox: self.inbox(),
            log: self.log(),
            clock: Arc::new(SystemClock),
        }
    }

    /// The centers. Those of one call share a fan-out; those of two do not.
    pub fn centers(&self) -> Centers {
        Centers::sharing(&self.ports(), &self.ports.heavy)
    }

    /// The operator center beside a feed center that has started.
    pub fn operator(&self, feed: &FeedCenter) -> OperatorCenter {
        let parts = OperatorParts {
            credentials: self.credentials(),
            sessions: self.sessions(),
            upkeep: self.ports.upkeep.clone(),
            random: random(),
            mint: guanxi_api::mint_token,
        };
        OperatorCenter::new(&self.ports(), feed, parts).minting(self.ports.uids)
    }

    /// The accounts of users, with the threads that hash their passwords.
    ///
    /// # Errors
    /// When a thread cannot be started.
    pub fn accounts(&self, users: UserCenter, terms: SessionTerms) -> Result<AccountCenter> {
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let options = PasswordOptions { at_start: hash_in_turn, ..PasswordOptions::default() };
        let passwords = Passwords::start(options, clock.clone(), &random())?;
        let sessions = SessionCenter::new(self.sessions(), clock.clone(), random(), terms);
        Ok(AccountCenter::new(users, passwords, sessions, clock, random()).minting(self.ports.uids))
    }

    /// The job that removes what deleted users left.
    pub fn erasure(&self) -> Erasure {
        // Not behind the check of uids: whoever is to go goes, also one whom nobody may name any more.
        Erasure::new(ErasureParts {
            graph: self.ports.graph.clone(),
            posts: self.ports.posts.clone(),
            // As they are stored: the name of a token outlives the session that it names.
            credentials: self.revocations.credentials(self.ports.credentials.clone()),
            log: self.log(),
            clock: Arc::new(SystemClock),
        })
    }

    /// The jobs of a server, with how long what has no other end is kept.
    pub(crate) fn jobs(&self, kept: KeptFor, affinity: AffinityCenter) -> Jobs {
        // Not behind the check of uids, as above.
        let (graph, posts) = (self.ports.graph.clone(), self.ports.posts.clone());
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        Jobs {
            erasure: self.erasure(),
            retention: Retention::new(graph.clone(), posts, clock.clone(), kept),
            claims: ClaimSweep::new(graph.clone(), clock.clone()),
            expiry: Expiry::new(graph.clone(), clock),
            unlock: Unlock::new(graph),
            affinity,
        }
    }

    /// The graph, measured.
    pub fn graph(&self) -> Arc<dyn Graph> {
        Arc::new(CheckedUids::new(self.ports.graph.clone(), self.ports.uids))
    }

    /// The posts, and what feeds read of them, measured.
    pub(crate) fn posts(&self) -> Arc<dyn Posts> {
        Arc::new(CheckedUids::new(self.ports.posts.clone(), self.ports.uids))
    }

    /// The inboxes of this process; empty at first.
    pub(crate) fn inbox(&self) -> Arc<dyn Inbox> {
        self.ports.inbox.clone()
    }

    /// The log of changes.
    pub(crate) fn log(&self) -> Arc<dyn Log> {
        self.ports.log.clone()
    }

    /// The stored tokens; those of end users are names for sessions.
    pub(crate) fn credentials(&self) -> Arc<dyn Credentials> {
        let named = NamedSessions::new(self.ports.credentials.clone(), self.graph(), self.sessions());
        self.revocations.credentials(Arc::new(named))
    }

    /// Tells of credentials that go, as long as they go through this directory's.
    pub(crate) fn revocations(&self) -> Revocations {
        self.revocations.clone()
    }

    /// Whose credentials have ended.
    pub(crate) fn ended_users(&self) -> Arc<dyn EndedUsers> {
        self.ports.ended.clone()
    }

    /// The sessions of end users, cached.
    pub(crate) fn sessions(&self) -> Arc<dyn Sessions> {
        self.sessions.clone()
    }
}

/// How much the thread gives way that hashes what a flood brings. A scheduler owes each thread a share by its niceness, and
/// where it is owed something it may go on with it until the next tick, though a call has woken: a few milliseconds each, and
/// the more often the larger the share.
const FLOOD_HASHING_NICE: i32 = 19;

/// Lowers the priority of this thread. Without it, a hash of 15 ms holds a core for as long as the scheduler lets it, and a
/// flood of logins makes everybody else wait that long.
fn hash_in_turn(which: PasswordThread) {
    match which {
        PasswordThread::Prompt => give_way(),
        PasswordThread::Patient => give_way_by(FLOOD_HASHING_NICE),
    }
}

/// Random bits of the operating system.
fn random() -> Random {
    Arc::new(|| {
        let mut bytes = [0; 32];
        secret::random(&mut bytes).expect("the operating system has given random bytes before");
        bytes
    })
}
