//! What operators did: entries with ids alone, and never with what the ids stand for.

use std::fmt;

use crate::error::{Error, Reason, Result};
use crate::id::Uid;
use crate::limits::{
    AUDIT_ACTION_LEN_MAX, AUDIT_FORGET_MAX, AUDIT_TARGETS_MAX, CREDENTIAL_NAME_LEN_MAX, JOB_NAME_LEN_MAX,
    TAKEDOWN_REASON_LEN_MAX,
};
use crate::post::PostId;
use crate::stamp::Stamp;

/// The name of an entry, and its place: entries are in the order of their ids.
///
/// The process that does the action mints it, so that a repeated write is recognised. The times of a process rise; entries of
/// two processes that begin in the same moment differ by a random number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AuditId {
    /// When the action began, by the clock of the process that did it.
    pub at: Stamp,
    /// A random number.
    pub nonce: u64,
}

impl fmt::Display for AuditId {
    /// 32 hex digits, in the order of ids.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}{:016x}", self.at.raw(), self.nonce)
    }
}

/// Something that an action was about, by its id.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AuditTarget {
    /// A user.
    User(Uid),
    /// A post.
    Post(PostId),
    /// A token, by the name that operators gave it.
    Token(String),
    /// An import job, by its name.
    Job(String),
}

impl AuditTarget {
    /// Returns the target of a text such as `uid:7`, `post:9`, `token:ops` or `job:nightly`: what [`fmt::Display`] writes.
    pub fn parse(text: &str) -> Option<Self> {
        let (kind, id) = text.split_once(':')?;
        let target = match kind {
            "uid" => Self::User(Uid::new(id.parse().ok()?).ok()?),
            "post" => Self::Post(PostId::new(id.parse().ok()?).ok()?),
            "token" => Self::Token(id.to_owned()),
            "job" => Self::Job(id.to_owned()),
            _ => return None,
        };
        target.fits().then_some(target)
    }

    /// Returns whether it is no longer than names of its kind may be, and has one.
    pub fn fits(&self) -> bool {
        let named = |name: &str, max: u32| !name.is_empty() && name.len() <= max as usize;
        match self {
            Self::User(_) | Self::Post(_) => true,
            Self::Token(name) => named(name, CREDENTIAL_NAME_LEN_MAX),
            Self::Job(name) => named(name, JOB_NAME_LEN_MAX),
        }
    }
}

impl fmt::Display for AuditTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::User(uid) => write!(f, "uid:{uid}"),
            Self::Post(id) => write!(f, "post:{}", id.get()),
            Self::Token(name) => write!(f, "token:{name}"),
            Self::Job(name) => write!(f, "job:{name}"),
        }
    }
}

/// How an action ended.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum AuditOutcome {
    /// The outcome is not known: the action still runs, or its process was cut off.
    Begun,
    /// It was done.
    Done,
    /// It was not done, or not wholly.
    Refused {
        /// The name of the [`Reason`], without what comes along with it.
        reason: String,
    },
}

impl AuditOutcome {
    /// Returns how an action ended that came to a result.
    pub fn of<T>(result: &Result<T>) -> Self {
        match result {
            Ok(_) => Self::Done,
            Err(error) => Self::Refused { reason: error.reason.name().to_owned() },
        }
    }
}

/// One action of an operator.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AuditEntry {
    /// Which entry, and when.
    pub id: AuditId,
    /// The name of the operator's credential; empty where calls need no credential. At most
    /// [`CREDENTIAL_NAME_LEN_MAX`] bytes.
    pub principal: String,
    /// The name of the RPC, such as `TakeDownPost`; at most [`AUDIT_ACTION_LEN_MAX`] bytes.
    pub action: String,
    /// What it was about; at most [`AUDIT_TARGETS_MAX`].
    pub targets: Vec<AuditTarget>,
    /// The reason that was given, if the action has one; at most [`TAKEDOWN_REASON_LEN_MAX`] bytes.
    pub reason: String,
    /// How it ended.
    pub outcome: AuditOutcome,
}

impl AuditEntry {
    /// Checks the bounds of an entry.
    fn check(&self) -> Result<()> {
        for (field, text, limit) in [
            ("principal", &self.principal, CREDENTIAL_NAME_LEN_MAX),
            ("action", &self.action, AUDIT_ACTION_LEN_MAX),
            ("reason", &self.reason, TAKEDOWN_REASON_LEN_MAX),
        ] {
            if text.len() > limit as usize {
                return Err(Error::new(Reason::TooLong { field, limit }));
            }
        }
        if self.action.is_empty() {
            return Err(Error::new(Reason::MissingField { field: "action" }));
        }
        if self.targets.len() > AUDIT_TARGETS_MAX {
            return Err(Error::new(Reason::BatchTooLarge { limit: AUDIT_TARGETS_MAX as u32 }));
        }
        if !self.targets.iter().all(AuditTarget::fits) {
            return Err(Error::new(Reason::InvalidField { field: "target" }));
        }
        Ok(())
    }
}

/// One operation on entries. There is no event of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum AuditCommand {
    /// Adds an entry, before its action is done: its outcome is [`AuditOutcome::Begun`]. A no-op when there is one of its id.
    Begin(AuditEntry),
    /// Notes how the action ended; a no-op when that is noted already, or the entry is gone.
    End {
        /// Of which entry.
        id: AuditId,
        /// How; never [`AuditOutcome::Begun`].
        outcome: AuditOutcome,
    },
    /// Removes entries that were kept for long enough; a no-op when none of them is there.
    Forget {
        /// Which; at most [`AUDIT_FORGET_MAX`].
        ids: Vec<AuditId>,
    },
}

impl AuditCommand {
    /// Returns the entries that it is about.
    pub fn ids(&self) -> &[AuditId] {
        match self {
            Self::Begin(entry) => std::slice::from_ref(&entry.id),
            Self::End { id, .. } => std::slice::from_ref(id),
            Self::Forget { ids } => ids,
        }
    }

    /// Checks what it may be by itself.
    ///
    /// # Errors
    /// `TOO_LONG`, `MISSING_FIELD`, `BATCH_TOO_LARGE`; `INVALID_FIELD` for a target without a name, and for an outcome that says
    /// of a beginning that it has ended, or the reverse.
    pub fn check(&self) -> Result<()> {
        let wrong = Error::new(Reason::InvalidField { field: "outcome" });
        match self {
            Self::Begin(entry) if entry.outcome != AuditOutcome::Begun => Err(wrong),
            Self::Begin(entry) => entry.check(),
            Self::End { outcome: AuditOutcome::Begun, .. } => Err(wrong),
            Self::End { outcome: AuditOutcome::Refused { reason }, .. }
                if reason.len() > AUDIT_ACTION_LEN_MAX as usize =>
            {
                Err(wrong)
            }
            Self::Forget { ids } if ids.len() > AUDIT_FORGET_MAX => {
                Err(Error::new(Reason::BatchTooLarge { limit: AUDIT_FORGET_MAX as u32 }))
            }
            Self::End { .. } | Self::Forget { .. } => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_read_as_they_are_written() {
        let targets = [
            AuditTarget::User(Uid::MAX),
            AuditTarget::Post(PostId::MIN),
            AuditTarget::Token("后端: web-1".into()),
            AuditTarget::Job("a".repeat(JOB_NAME_LEN_MAX as usize)),
        ];
        for target in targets {
            assert_eq!(AuditTarget::parse(&target.to_string()), Some(target));
        }
        let long = format!("token:{}", "a".repeat(CREDENTIAL_NAME_LEN_MAX as usize + 1));
        for wrong in ["", "7", "uid:", "uid:0", "uid:x", "post:0", "token:", "job:", "mail:a", &long] {
            assert_eq!(AuditTarget::parse(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn names_of_reasons_fit_into_an_outcome() {
        for (name, _) in Reason::ALL {
            assert!(name.len() <= AUDIT_ACTION_LEN_MAX as usize, "{name}");
        }
    }

    #[test]
    fn what_came_along_with_a_reason_is_in_no_outcome() {
        let refused = AuditOutcome::of::<()>(&Err(Reason::UserTakenDown { reason: "abuse".into() }.into()));
        assert_eq!(refused, AuditOutcome::Refused { reason: "USER_TAKEN_DOWN".into() });
        assert_eq!(AuditOutcome::of(&Ok(1)), AuditOutcome::Done);
    }
}
