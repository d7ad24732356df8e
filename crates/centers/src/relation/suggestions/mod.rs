//! Suggestions: users that a user may want to follow, in three steps, each in its own file. [`sources`] collects and counts
//! the candidates, [`rules`] says which users may be suggested and whose follows may be told of, and the points of `model`
//! put them in order.
//!
//! An answer depends on the viewer's own neighbourhood alone. The lists of the users whom the viewer follows are read from
//! the front, and followers lists of other users are never read.

mod rules;
mod sources;
#[cfg(test)]
mod tests;

use super::RelationCenter;
use super::write::check_request;
use crate::Viewer;
use guanxi_model::limits::SUGGESTION_NAMES_MAX;
use guanxi_model::suggestion::{DismissCommand, SuggestionKind, SuggestionReason};
use guanxi_model::{Edge, Position, RequestKey, Result, Uid, Write};
use guanxi_ports::StoreView;
use rules::{ViewerCircle, stays_away};
use sources::Candidate;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::iter;

/// Candidates whose relation to the viewer is asked for at once, at most.
const RELATIONS_AT_ONCE: usize = 100;

/// The same at least, once some of the best have been left out.
const RELATIONS_AGAIN: usize = 16;

/// The request for suggestions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuggestionAsk {
    /// How many at most; no more than [`SUGGESTIONS_MAX`](guanxi_model::limits::SUGGESTIONS_MAX).
    pub size: usize,
    /// Which reasons count.
    pub kinds: Vec<SuggestionKind>,
}

/// A suggested user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suggestion {
    /// The suggested user.
    pub uid: Uid,
    /// Why, what weighs most first; one of each kind at most.
    pub reasons: Vec<SuggestionReason>,
}

/// Suggestions, and what was counted for them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suggested {
    /// The best first.
    pub items: Vec<Suggestion>,
    /// The most users, of those that the viewer follows, whose follows may be read.
    pub followed: u32,
    /// How many of them were counted, from the most telling on: fewer if that was more than
    /// [`SUGGESTION_FOLLOWS_MAX`](guanxi_model::limits::SUGGESTION_FOLLOWS_MAX) follows.
    pub followed_counted: u32,
    /// How many follows of theirs were counted, once for each kind that counts them.
    pub looked_at: u64,
    /// Where the answer stands.
    pub position: Position,
}

impl RelationCenter {
    /// Returns the users that `of` may want to follow, with the reasons, as far as the viewer may know them.
    ///
    /// # Errors
    /// `PERMISSION_DENIED` for an end user that asks for another user's suggestions; `OVERLOADED` without a place for a heavy
    /// call; those of pinning a view.
    pub async fn suggestions(
        &self,
        viewer: Viewer,
        of: Uid,
        ask: &SuggestionAsk,
        at_least: Option<Position>,
    ) -> Result<Suggested> {
        viewer.require_private_of(of)?;
        let _place = self.heavy.begin(of).await?;
        let view = self.store.view(at_least.as_ref()).await?;
        let circle = ViewerCircle::of(&*view, of, viewer.end_user().is_some()).await?;
        let found = sources::candidates(&*view, &circle, &ask.kinds).await?;
        let items = best(&*view, of, found.all, ask.size).await?;
        Ok(Suggested {
            items: items.into_iter().map(|candidate| suggestion(&circle, candidate)).collect(),
            followed: circle.followed().len() as u32,
            followed_counted: found.followed_counted as u32,
            looked_at: found.looked_at,
            position: view.position().joined(at_least.as_ref()),
        })
    }

    /// Dismisses a user from another user's suggestions, or takes that back. Returns whether that changed anything.
    ///
    /// # Errors
    /// `SELF`, `USER_DELETED`, or a whole-request error of the store.
    pub async fn dismiss(
        &self,
        command: DismissCommand,
        request: Option<RequestKey>,
    ) -> Result<(bool, Position)> {
        check_request(request.as_ref())?;
        let answer = self.store.apply(Write::of(command).under(request)).await?;
        let position = answer.position.clone();
        Ok((answer.plain()?, position))
    }

    /// Returns the users that a user has dismissed, newest first, and the position of the answer.
    ///
    /// # Errors
    /// `PERMISSION_DENIED` for an end user that asks for another user's list; those of pinning a view.
    pub async fn dismissed(
        &self,
        viewer: Viewer,
        of: Uid,
        at_least: Option<Position>,
    ) -> Result<(Vec<Edge>, Position)> {
        viewer.require_private_of(of)?;
        let view = self.store.view(at_least.as_ref()).await?;
        Ok((view.dismissed(of).await?, view.position().joined(at_least.as_ref())))
    }
}

/// Returns the best candidates, without users that must not be suggested for their relation with the viewer
/// (`rules::stays_away`). That relation is read for hardly more candidates than an answer needs, since it may take a read
/// for each.
async fn best(
    view: &dyn StoreView,
    of: Uid,
    candidates: Vec<Candidate>,
    size: usize,
) -> Result<Vec<Candidate>> {
    let rank = |(place, candidate): (usize, &Candidate)| {
        let points = candidate.evidence.points();
        (points > 0).then_some((points, Reverse(candidate.uid), place))
    };
    // A heap: few of them are asked for.
    let mut order: BinaryHeap<(u64, Reverse<Uid>, usize)> =
        candidates.iter().enumerate().filter_map(rank).collect();
    let mut best = Vec::with_capacity(size.min(order.len()));
    let mut candidates: Vec<Option<Candidate>> = candidates.into_iter().map(Some).collect();
    let mut at_least = 0;
    while best.len() < size {
        let step = (size - best.len()).max(at_least).min(RELATIONS_AT_ONCE);
        let places = iter::from_fn(|| order.pop()).take(step);
        let next: Vec<Candidate> = places.filter_map(|(_, _, place)| candidates[place].take()).collect();
        if next.is_empty() {
            break;
        }
        let uids: Vec<Uid> = next.iter().map(|candidate| candidate.uid).collect();
        let relations = view.relations(of, &uids).await?;
        let kept = next.into_iter().zip(&relations).filter(|(_, relation)| !stays_away(relation));
        best.extend(kept.map(|(next, _)| next));
        // Where some are left out, more may be: they are not asked about one by one.
        at_least = RELATIONS_AGAIN;
    }
    best.truncate(size);
    Ok(best)
}

fn suggestion(circle: &ViewerCircle, candidate: Candidate) -> Suggestion {
    let Candidate { uid, evidence, followed_by, lately_by } = candidate;
    let mut kinds: Vec<SuggestionKind> =
        SuggestionKind::ALL.into_iter().filter(|kind| evidence.points_of(*kind) > 0).collect();
    kinds.sort_by_key(|kind| Reverse(evidence.points_of(*kind)));
    let reason = |kind| {
        let by: &[u32] = match kind {
            SuggestionKind::FriendsOfFriends => &followed_by,
            SuggestionKind::FollowsYou => &[],
            SuggestionKind::Popular => &lately_by,
        };
        let names = by.iter().take(SUGGESTION_NAMES_MAX);
        let uids = names.filter_map(|place| circle.followed().get(*place as usize).copied()).collect();
        SuggestionReason { kind, count: by.len() as u32, uids }
    };
    Suggestion { uid, reasons: kinds.into_iter().map(reason).collect() }
}
