//! What can be asked of a graph, and what it answers.

use crate::error::Reason;
use crate::id::Uid;
use crate::pair::Op;
use crate::relation::Relation;
use crate::stamp::Stamp;

/// One operation of a subject on an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Command {
    /// What is done.
    pub op: Op,
    /// Who does it.
    pub subject: Uid,
    /// To whom.
    pub object: Uid,
}

/// An idempotency key with a fingerprint of what was asked under it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RequestKey {
    /// The caller's key, scoped by the api to the caller; at most
    /// [`REQUEST_ID_LEN_MAX`](crate::limits::REQUEST_ID_LEN_MAX) bytes.
    pub id: String,
    /// A hash of method and parameters: the same key with another fingerprint is a mistake of the caller.
    pub fingerprint: u64,
}

/// An edge to import.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ImportEdge {
    /// Who follows.
    pub subject: Uid,
    /// Whom.
    pub object: Uid,
    /// Since when; now if not given.
    pub at: Option<Stamp>,
}

/// Where an import stands: stored in the same commit as the edges it covers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ImportCursor {
    /// The job's name, at most [`JOB_NAME_LEN_MAX`](crate::limits::JOB_NAME_LEN_MAX) bytes.
    pub job: String,
    /// The position that this batch continues from; must be the stored one (0 for a new job).
    pub from: u64,
    /// The position after this batch.
    pub to: u64,
}

/// A write: one commit.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Write {
    /// Operations, applied in order, each with its own outcome.
    Commands {
        /// At most [`BATCH_MAX`](crate::limits::BATCH_MAX).
        commands: Vec<Command>,
        /// Makes the whole write happen once: a repeat is answered from memory of the first.
        request: Option<RequestKey>,
    },
    /// Follows with a given time. An active edge counts as unchanged, and a removed one stays removed.
    Import {
        /// At most [`IMPORT_BATCH_MAX`](crate::limits::IMPORT_BATCH_MAX).
        edges: Vec<ImportEdge>,
        /// Bring removed edges back, too.
        revive: bool,
        /// Where the job stands afterwards.
        mark: Option<ImportCursor>,
    },
    /// Sets or clears a user's own follow limit. Follows beyond a lowered limit stay; new ones are refused.
    SetFollowLimit {
        /// Whose.
        uid: Uid,
        /// At most [`FOLLOW_LIMIT_MAX`](crate::limits::FOLLOW_LIMIT_MAX); `None` is the default again.
        limit: Option<u32>,
    },
}

/// What became of one command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Whether state changed; a refusal is a reason.
    pub result: Result<bool, Reason>,
    /// The relation of subject to object afterwards.
    pub relation: Relation,
}
