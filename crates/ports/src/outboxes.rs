//! Outboxes, and what is asked of them in the name of a viewer: what feeds are made of.

use guanxi_model::{EventAt, MuteScope, PostId, Stamp, Uid};

/// Part of an outbox to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutboxAsk {
    /// The author.
    pub author: Uid,
    /// Only ids below this one; `None` starts at the newest.
    pub below: Option<PostId>,
}

/// Parts of several outboxes, one after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outboxes {
    /// The ids of all parts; each part newest first.
    pub ids: Vec<PostId>,
    /// Where each part ends in `ids`, and whether the outbox goes on below it.
    pub parts: Vec<OutboxPart>,
}

/// Where a part of an outbox ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutboxPart {
    /// The index in `ids` after its last id.
    pub end: u32,
    /// Whether the outbox may have more below.
    pub more: bool,
}

/// The state of a viewer's relations, opaque: two that are equal are of the same state, and nothing else is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RelationsVersion(pub u64);

/// The users whom a viewer follows, mutes and blocks, at one position.
pub trait ViewerRelations: Send + Sync {
    /// Another one whenever anything here has changed, for every cause; never used for two different states, and the
    /// same after a restart.
    fn version(&self) -> RelationsVersion;

    /// The place of the last change of anything here in the viewer's own log, for every cause.
    fn changed(&self) -> EventAt;

    /// Returns the users whom the viewer follows, in any order.
    fn following(&self) -> &[Uid];

    /// Returns since when the viewer follows a user, and whether that one follows back; `None` if not followed.
    fn follow(&self, uid: Uid) -> Option<(Stamp, bool)>;

    /// Returns what of a user's items the viewer mutes, if it mutes the user.
    fn mutes(&self, uid: Uid) -> Option<MuteScope>;

    /// Returns whether the viewer blocks a user.
    fn blocks(&self, uid: Uid) -> bool;
}
