//! The audit log: what operators did, noted before it is done and when it has ended, and read newest first.
//!
//! The id of an entry is a time and a random number, minted by the process. So a repeated write changes nothing, and no counter
//! is shared. Like credentials, entries have no event. In a cluster their rows are in the first database, under the same lock as
//! settings; they have no version, because no process keeps a copy. Filters are a bounded scan in the center: a backend answers
//! one question, entries below one.

use super::OperatorCenter;
use guanxi_model::limits::TAKEDOWN_REASON_LEN_MAX;
use guanxi_model::{AuditCommand, AuditEntry, AuditId, AuditOutcome, AuditTarget, Hlc, Result, Stamp, Write};
use guanxi_ports::Facts as _;
use std::sync::{Mutex, PoisonError};

/// Entries that a page looks at before it answers with what it has: each is a short row, and a filter may match few.
pub const AUDIT_SCAN_MAX: usize = 5_000;

/// Entries that are asked of the store at once.
const AUDIT_CHUNK: usize = 500;

/// The subject of an action, in ids alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditAbout {
    /// The targets that it names; more than an entry holds are left out.
    pub targets: Vec<AuditTarget>,
    /// The reason that was given; empty without one, and for one that is too long to be kept.
    pub reason: String,
}

impl AuditAbout {
    /// Adds something that it is about, if the call names it.
    #[must_use]
    pub fn and(mut self, target: Option<AuditTarget>) -> Self {
        self.targets.extend(target.filter(AuditTarget::fits));
        self
    }

    /// Adds the reason that was given.
    #[must_use]
    pub fn because(self, reason: &str) -> Self {
        let fits = reason.len() <= TAKEDOWN_REASON_LEN_MAX as usize;
        Self { reason: if fits { reason.to_owned() } else { String::new() }, ..self }
    }
}

/// Which entries are wanted; all of them by default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditFilter {
    /// Of this credential.
    pub principal: Option<String>,
    /// Of this RPC.
    pub action: Option<String>,
    /// Entries that name this.
    pub target: Option<AuditTarget>,
    /// Not before this time, in Unix milliseconds.
    pub since_ms: Option<u64>,
    /// Before this time, in Unix milliseconds.
    pub until_ms: Option<u64>,
}

impl AuditFilter {
    fn matches(&self, entry: &AuditEntry) -> bool {
        self.principal.as_ref().is_none_or(|principal| *principal == entry.principal)
            && self.action.as_ref().is_none_or(|action| *action == entry.action)
            && self.target.as_ref().is_none_or(|target| entry.targets.contains(target))
    }
}

/// Entries, newest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditPage {
    /// As many as were found within what a page looks at.
    pub entries: Vec<AuditEntry>,
    /// Below which entry the next page begins; none behind the last one.
    pub next: Option<AuditId>,
}

/// Mints the times of entries, each above the one before.
#[derive(Debug, Default)]
pub(super) struct AuditClock(Mutex<Hlc>);

impl AuditClock {
    fn tick(&self, now_ms: u64) -> Stamp {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).tick(now_ms)
    }
}

impl OperatorCenter {
    /// Notes that an operator, known by the name of its credential, begins an action. Without that it is not to be done.
    ///
    /// # Errors
    /// That of the store.
    pub async fn begin_audit(&self, principal: &str, action: &str, about: AuditAbout) -> Result<AuditId> {
        let at = self.audit.tick(self.ports.clock.now_ms());
        let id = AuditId { at, nonce: crate::random::number_of((self.own.random)()) };
        let AuditAbout { mut targets, reason } = about;
        targets.truncate(guanxi_model::limits::AUDIT_TARGETS_MAX);
        let (principal, action) = (principal.to_owned(), action.to_owned());
        let entry = AuditEntry { id, principal, action, targets, reason, outcome: AuditOutcome::Begun };
        self.ports.store.apply(Write::of(AuditCommand::Begin(entry))).await?.plain()?;
        Ok(id)
    }

    /// Notes how an action has ended. If that cannot be noted, the action stays done, and the entry goes on to say that its
    /// end is not known.
    pub async fn end_audit(&self, id: AuditId, outcome: AuditOutcome) {
        let ended = self.ports.store.apply(Write::of(AuditCommand::End { id, outcome })).await;
        if let Err(error) = ended {
            tracing::warn!(%error, at_ms = id.at.ms(), "how an operator's action ended is not in the audit log");
        }
    }

    /// Entries of a filter below one, newest first, at most `max`. A page may hold fewer, or none, and have a next one all the
    /// same: it ends when it has looked at [`AUDIT_SCAN_MAX`].
    ///
    /// # Errors
    /// That of the store.
    pub async fn audit_entries(
        &self,
        filter: &AuditFilter,
        below: Option<AuditId>,
        max: usize,
    ) -> Result<AuditPage> {
        let view = self.ports.store.view(None).await?;
        let until = filter.until_ms.map(|ms| AuditId { at: Stamp::from_ms(ms), nonce: 0 });
        let mut place = [below, until].into_iter().flatten().min();
        let since = filter.since_ms.map_or(Stamp::ZERO, Stamp::from_ms);
        let (mut entries, mut looked) = (Vec::new(), 0);
        while entries.len() < max && looked < AUDIT_SCAN_MAX {
            let asked = AUDIT_CHUNK.min(AUDIT_SCAN_MAX - looked);
            let found = view.audit_entries(place, asked).await?;
            let is_last = found.len() < asked;
            for entry in found {
                if entry.id.at < since {
                    return Ok(AuditPage { entries, next: None });
                }
                (place, looked) = (Some(entry.id), looked + 1);
                if filter.matches(&entry) {
                    entries.push(entry);
                    if entries.len() == max {
                        return Ok(AuditPage { entries, next: place });
                    }
                }
            }
            if is_last {
                return Ok(AuditPage { entries, next: None });
            }
        }
        Ok(AuditPage { entries, next: place })
    }
}
