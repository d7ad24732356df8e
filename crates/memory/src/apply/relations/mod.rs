//! What events of a user's log change of what the user has said about others.

use crate::user_relations::{Follow, SortedEdges as _, UserRelations};
use guanxi_model::event::PairChange;
use guanxi_model::{Change, Edge, Event, MuteScope, Stamp, Uid};

/// What a commit in the log of a user tells of that user.
#[derive(Clone, Debug)]
pub struct UserCommit {
    /// Whom it tells of.
    pub user: Uid,
    /// Its events that tell of the user, in their order.
    pub events: Vec<Event>,
    /// How many follow the user after it.
    pub followers: u64,
    /// How many requests to the user wait after it.
    pub asked: u64,
}

/// What an event does to what a user has said about others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelationsEffect {
    /// The user follows another one.
    Follow(Follow),
    /// It follows another one no longer.
    Unfollow(Uid),
    /// Another one follows it, since then: the two are friends if it follows back.
    FollowedBy(Edge),
    /// Another one follows it no longer, so that they are no friends.
    UnfollowedBy(Uid),
    /// It blocks another one, since then, or no longer.
    Block(Uid, Option<Stamp>),
    /// What it mutes of another one, since when; or nothing any more.
    Mute(Uid, Option<(Stamp, MuteScope)>),
    /// What it asked of another one waits no longer.
    AskEnded(Uid),
    /// Its own follow limit.
    Limit(Option<u32>),
    /// More than the event says: since when two are friends of whom one began to follow at a given time, or in which place
    /// a request waits that may have waited before.
    Untold,
}

/// What an event of a user's own log does to what the user has said about others, if anything.
pub fn effect_on(event: &Event, user: Uid) -> Option<RelationsEffect> {
    if !event.tells_of(user) {
        return None;
    }
    match event.change {
        Change::Pair { object, kind, .. } if event.subject == user => said(event, object, kind),
        Change::Pair { kind, .. } => heard(event.subject, kind),
        Change::FollowLimit(limit) => Some(RelationsEffect::Limit(limit)),
        _ => None,
    }
}

/// What a fact of the user does. What others ask of it is no word of its own.
fn said(event: &Event, other: Uid, kind: PairChange) -> Option<RelationsEffect> {
    Some(match kind {
        PairChange::Followed { at, mutual: false } => {
            RelationsEffect::Follow(Follow { uid: other, at, friends_since: None })
        }
        // It began now: after the other's follow, whenever that began.
        PairChange::Followed { at, mutual: true } if at == event.version => {
            RelationsEffect::Follow(Follow { uid: other, at, friends_since: Some(at) })
        }
        PairChange::Followed { .. } => RelationsEffect::Untold,
        PairChange::Unfollowed => RelationsEffect::Unfollow(other),
        PairChange::Blocked { at } => RelationsEffect::Block(other, Some(at)),
        PairChange::Unblocked => RelationsEffect::Block(other, None),
        PairChange::Muted { at, terms } => RelationsEffect::Mute(other, Some((at, terms.scope()))),
        PairChange::Unmuted => RelationsEffect::Mute(other, None),
        PairChange::Requested { .. } | PairChange::RequestEnded { .. } => return None,
    })
}

/// What another one's act does. A request is a fact of its receiver.
fn heard(other: Uid, kind: PairChange) -> Option<RelationsEffect> {
    match kind {
        PairChange::Followed { at, .. } => Some(RelationsEffect::FollowedBy(Edge { at, uid: other })),
        PairChange::Unfollowed => Some(RelationsEffect::UnfollowedBy(other)),
        PairChange::Requested { .. } => Some(RelationsEffect::Untold),
        PairChange::RequestEnded { .. } => Some(RelationsEffect::AskEnded(other)),
        PairChange::Blocked { .. }
        | PairChange::Unblocked
        | PairChange::Muted { .. }
        | PairChange::Unmuted => None,
    }
}

impl RelationsEffect {
    /// Whom the user must follow for it to change anything, if that decides.
    pub const fn needs_follow_of(&self) -> Option<Uid> {
        match self {
            Self::FollowedBy(edge) => Some(edge.uid),
            Self::UnfollowedBy(uid) => Some(*uid),
            _ => None,
        }
    }

    /// Makes it to the facts; returns whether feeds depend on what changed, so that the facts have another version. `None` if it
    /// does not say what they are now.
    pub fn make(self, facts: &mut UserRelations) -> Option<bool> {
        match self {
            Self::Follow(follow) => facts.set_follow(follow),
            Self::Unfollow(uid) => drop(facts.remove_follow(uid)),
            Self::FollowedBy(Edge { at, uid }) => match facts.follow(uid).copied() {
                Some(own) => facts.set_follow(Follow { friends_since: Some(own.at.max(at)), ..own }),
                None => return Some(false),
            },
            Self::UnfollowedBy(uid) => match facts.follow(uid).copied() {
                Some(own) if own.friends_since.is_some() => {
                    facts.set_follow(Follow { friends_since: None, ..own });
                }
                _ => return Some(false),
            },
            Self::Block(uid, Some(at)) => facts.blocks.set(Edge { at, uid }),
            Self::Block(uid, None) => drop(facts.blocks.unset(uid)),
            Self::Mute(uid, mute) => facts.set_mute(uid, mute),
            Self::AskEnded(uid) => {
                facts.set_ask(uid, None);
                return Some(false);
            }
            Self::Limit(limit) => facts.limit = limit,
            Self::Untold => return None,
        }
        Some(true)
    }
}

#[cfg(test)]
mod tests;
