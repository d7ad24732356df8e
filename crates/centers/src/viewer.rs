//! The rules of who may learn of a block. They are decided here and nowhere else: centers return answers that are masked
//! already.

use guanxi_model::{Counts, Error, PairOutcome, Reason, Relation, Result, Uid};

/// The viewer for whom an answer is made.
///
/// A block is never visible to the other side. A blocked user is told what every user is told who may not see the thing, or
/// does not follow. Blocks and mutes of one's own are visible to oneself. Services and operators see everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Viewer {
    /// An end user.
    EndUser(Uid),
    /// A service or an operator, for any user that it acts for.
    Trusted,
}

/// The counters of a user as a viewer may see them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShownCounts {
    /// How many the user follows.
    pub following: u32,
    /// How many follow the user.
    pub followers: u64,
    /// How many the user follows and is followed by.
    pub friends: u32,
    /// How many the user blocks and mutes; `None` for a viewer that may not know.
    pub blocks_and_mutes: Option<(u32, u32)>,
}

impl Viewer {
    /// The end user, if it is one.
    pub const fn end_user(self) -> Option<Uid> {
        match self {
            Self::EndUser(uid) => Some(uid),
            Self::Trusted => None,
        }
    }

    /// Returns whether the viewer may know what `subject` has said of others in private: blocks, mutes and requests.
    pub fn knows_private_of(self, subject: Uid) -> bool {
        match self {
            Self::EndUser(own) => own == subject,
            Self::Trusted => true,
        }
    }

    /// Refuses a viewer that may not know the blocks and mutes of `subject`.
    ///
    /// # Errors
    /// `PERMISSION_DENIED`.
    pub(crate) fn require_private_of(self, subject: Uid) -> Result<()> {
        if self.knows_private_of(subject) { Ok(()) } else { Err(Error::new(Reason::PermissionDenied)) }
    }

    /// Returns whether there is a block in a relation of `subject` to another, and the viewer may know of it.
    pub(crate) fn knows_block(self, subject: Uid, relation: &Relation) -> bool {
        self.relation(subject, *relation).is_apart()
    }

    /// A relation of `subject` to another as far as the viewer may see it.
    pub(crate) fn relation(self, subject: Uid, relation: Relation) -> Relation {
        let private = self.knows_private_of(subject);
        Relation {
            blocking: relation.blocking && private,
            muting: relation.muting && private,
            requested: relation.requested.filter(|_| private),
            requested_by: relation.requested_by.filter(|_| private),
            blocked_by: relation.blocked_by && self == Self::Trusted,
            ..relation
        }
    }

    /// Returns the outcome of a command of `subject` as far as the viewer may know it.
    pub(crate) fn outcome(self, subject: Uid, outcome: PairOutcome) -> PairOutcome {
        let PairOutcome { result, relation } = outcome;
        let result = match result {
            Err(Reason::Blocked) if !self.knows_block(subject, &relation) => Err(Reason::NotAllowed),
            other => other,
        };
        PairOutcome { result, relation: self.relation(subject, relation) }
    }

    /// The counters of `uid` as far as the viewer may see them.
    pub(crate) fn counts(self, uid: Uid, counts: &Counts) -> ShownCounts {
        ShownCounts {
            following: counts.following,
            followers: counts.followers,
            friends: counts.friends,
            blocks_and_mutes: self.knows_private_of(uid).then_some((counts.blocks, counts.mutes)),
        }
    }
}
