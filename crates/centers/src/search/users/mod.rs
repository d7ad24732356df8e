//! Searching users by their names.
//!
//! An index proposes users: the best kinds of match first, and within one kind the oldest users. It does not know how many
//! followers a user has, since no document is written anew for a follow. The facts then say which of the proposed users are
//! found, and in which order:
//!
//! 1. by the kind of match;
//! 2. friends;
//! 3. the users whom the viewer follows;
//! 4. by affinity;
//! 5. by how many of the followers the viewer knows;
//! 6. by the logarithm of the number of followers.
//!
//! Where more users match than an index proposes, the matching users whom the viewer follows are proposed as well.

mod known;
mod matched;
mod near;
mod pages;
mod source;

pub use pages::UserPage;
pub use source::UserSource;

use super::SearchCenter;
use super::indexer::Indexer;
use super::query::parse_name;
use super::read::{reaches, rows_of_looks, wait};
use crate::Viewer;
use crate::confirm::{confirm, confirmed};
use crate::user::ShownUser;
use guanxi_model::{Position, Relation, Result, Uid};
use guanxi_ports::{NameAsker, StoreView, UserAsk};
use guanxi_text::MatchKind;
use known::count_known_followers;
use matched::{Matched, UserQuery, matched};
use near::Near;

/// Hits of one search: a user further down is found by typing more letters.
pub const USER_HITS_MAX: usize = 200;

/// Users that an index proposes to a search. As many again are proposed of the users whom the viewer follows.
const PROPOSED_MAX: usize = 1_000;

/// The same to suggestions, which are made while a user types.
const SUGGESTED_MAX: usize = 256;

/// Hits of whom known followers are counted.
const KNOWN_FOLLOWERS_HITS: usize = 50;

/// Keeps an index of users.
pub type UserIndexer = Indexer<UserSource>;

/// A user who was searched for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserHit {
    /// The user, as the viewer may see it.
    pub user: ShownUser,
    /// How it matches.
    pub kind: MatchKind,
    /// The relation of the viewer to the user; none without a viewer.
    pub relation: Option<Relation>,
    /// How many of the users whom the viewer follows follow the user, as far as the viewer may know. It is counted for the
    /// first hits of a search, unless the users whom the viewer follows follow very many.
    pub known_followers: Option<u32>,
}

/// Users who were searched for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserHits {
    /// The users, the best first.
    pub hits: Vec<UserHit>,
    /// How many users were looked at, and so many more as looks at follows cost.
    pub looked: u32,
    /// Up to which events users are found by their names: a user with a newer name may be missing.
    pub as_of: Position,
    /// Where the answer stands.
    pub position: Position,
}

/// How much is looked at for an answer.
#[derive(Clone, Copy)]
struct Bounds {
    hits: usize,
    proposed: usize,
    /// Hits of whom known followers are counted.
    known: usize,
}

impl SearchCenter {
    /// Returns the users that a query finds, at most [`USER_HITS_MAX`]. Without a viewer the caller is a service, which finds
    /// all users that are not deleted, and login names by their beginnings. With `at_least` every event that it includes is
    /// found; `patience` completes when a caller waits for that no longer.
    ///
    /// # Errors
    /// `BAD_QUERY`; `SEARCH_BEHIND` when the index did not reach the position in time; `SEARCH_UNAVAILABLE`; those of pinning
    /// a view.
    pub async fn users(
        &self,
        query: &str,
        viewer: Option<Uid>,
        at_least: Option<Position>,
        patience: impl Future<Output = ()> + Send,
    ) -> Result<UserHits> {
        let bounds = Bounds { hits: USER_HITS_MAX, proposed: PROPOSED_MAX, known: KNOWN_FOLLOWERS_HITS };
        self.found(query, viewer, bounds, at_least, patience).await
    }

    /// Returns the first `max` users that the beginning of a query finds, while a user is typing it. It looks at fewer users
    /// than [`users`](Self::users), and does not count known followers.
    ///
    /// # Errors
    /// As [`users`](Self::users).
    pub async fn suggest(
        &self,
        query: &str,
        viewer: Option<Uid>,
        max: usize,
        at_least: Option<Position>,
        patience: impl Future<Output = ()> + Send,
    ) -> Result<UserHits> {
        let bounds = Bounds { hits: max.clamp(1, USER_HITS_MAX), proposed: SUGGESTED_MAX, known: 0 };
        self.found(query, viewer, bounds, at_least, patience).await
    }

    async fn found(
        &self,
        typed: &str,
        viewer: Option<Uid>,
        bounds: Bounds,
        at_least: Option<Position>,
        patience: impl Future<Output = ()> + Send,
    ) -> Result<UserHits> {
        let query = parse_name(typed)?;
        let (wanted, at_least) = (UserQuery { query: &query, typed, viewer }, at_least.as_ref());
        if let Some(at_least) = at_least {
            wait(&*self.store, &*self.users, at_least, patience).await?;
        }
        confirmed(|| async {
            // The view includes what the index does, so that what an index leaves out is judged as it stands there.
            let as_of = self.users.as_of()?;
            let view = self.store.view(Some(&as_of.clone().joined(at_least))).await?;
            let near = Near::read(&*view, wanted.viewer).await?;
            let (proposed, as_of) = self.proposed(wanted, &near, bounds.proposed, as_of).await?;
            reaches(&as_of, at_least)?;
            let mut found = matched(&*view, wanted, &near, &proposed).await?;
            found.sort_unstable_by_key(Matched::rank);
            found.truncate(bounds.hits);
            let mut follows = 0;
            if let Some(viewer) = wanted.viewer {
                let known = bounds.known.min(found.len());
                follows = count_known_followers(&*view, viewer, near.followed(), &mut found[..known]).await?;
                found[..known].sort_unstable_by_key(Matched::rank);
            }
            let hits = hits(&*view, wanted.viewer, found).await?;
            let position = view.position().joined(at_least);
            let is_confirmed = confirm(&*view, wanted.viewer).await?;
            let looked =
                u32::try_from(proposed.len()).unwrap_or(u32::MAX).saturating_add(rows_of_looks(follows));
            Ok(is_confirmed.then_some(UserHits { hits, looked, as_of, position }))
        })
        .await
    }

    /// Returns the users that the index proposes, each once, and the position of the index.
    async fn proposed(
        &self,
        wanted: UserQuery<'_>,
        near: &Near,
        max: usize,
        mut as_of: Position,
    ) -> Result<(Vec<Uid>, Position)> {
        let asks = if wanted.viewer.is_some() { NameAsker::EndUser } else { NameAsker::Service };
        let among_followed = (!near.followed().is_empty()).then_some(Some(near.followed()));
        let mut uids = Vec::new();
        for among in [None].into_iter().chain(among_followed) {
            let UserQuery { query, typed, .. } = wanted;
            let part = self.users.search_users(UserAsk { query, typed, asks, among, max }).await?;
            // An index that was opened again meanwhile stands at an earlier position.
            if !part.as_of.covers(&as_of) {
                as_of = part.as_of;
            }
            let is_all = part.uids.len() < max;
            uids.extend(part.uids);
            // All matching users whom the viewer follows are among them.
            if is_all {
                break;
            }
        }
        uids.sort_unstable();
        uids.dedup();
        Ok((uids, as_of))
    }
}

/// Returns the hits that the viewer is given of the found users, in their order.
async fn hits(view: &dyn StoreView, viewer: Option<Uid>, found: Vec<Matched>) -> Result<Vec<UserHit>> {
    let uids: Vec<Uid> = found.iter().map(|matched| matched.user.uid).collect();
    let relations = match viewer {
        Some(viewer) => view.relations(viewer, &uids).await?.into_iter().map(Some).collect(),
        None => vec![None; uids.len()],
    };
    let told = viewer.map_or(Viewer::Trusted, Viewer::EndUser);
    let hit = |(Matched { user, kind, known_followers, .. }, relation): (Matched, Option<Relation>)| {
        let relation = relation.zip(viewer).map(|(relation, viewer)| told.relation(viewer, relation));
        let user = ShownUser { whole: told.knows_private_of(user.uid), user };
        UserHit { user, kind, relation, known_followers }
    };
    Ok(found.into_iter().zip(relations).map(hit).collect())
}
