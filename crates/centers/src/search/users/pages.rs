//! Pages of users who were searched for: the ranked answer is kept as a result set.

use super::matched::{UserQuery, matched};
use super::near::Near;
use super::{SearchCenter, UserHit, UserHits, hits};
use crate::confirm::{confirm, confirmed};
use crate::search::query::parse_name;
use crate::search::sets::{RankPlace, ResultSet};
use guanxi_model::{Position, Result, Uid};
use std::future::Future;

/// A page of users who were searched for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserPage {
    /// The users, the best first.
    pub hits: Vec<UserHit>,
    /// Where the next page starts; `None` if and only if there are no more.
    pub next: Option<RankPlace>,
    /// How many users were looked at.
    pub looked: u32,
    /// Up to which events users are found by their names.
    pub as_of: Position,
    /// Where the answer stands.
    pub position: Position,
}

impl SearchCenter {
    /// A page of the users whom a query finds. `place` is the `next` of the page before. Pages have the order of the moment
    /// when the search began; whether a user is found still, and what the viewer is told of it, is of now. Known followers
    /// are counted for the first page alone.
    ///
    /// # Errors
    /// As [`users`](Self::users); `STALE_CURSOR` for a place in a set that is gone, or another reader's.
    pub async fn users_page(
        &self,
        query: &str,
        viewer: Option<Uid>,
        (place, size): (Option<RankPlace>, usize),
        at_least: Option<Position>,
        patience: impl Future<Output = ()> + Send,
    ) -> Result<UserPage> {
        let Some(place) = place else {
            let mut found = self.users(query, viewer, at_least, patience).await?;
            let items: Vec<Uid> = found.hits.iter().map(|hit| hit.user.user.uid).collect();
            let next = if items.len() > size {
                found.hits.truncate(size);
                let set = ResultSet { items, as_of: found.as_of.clone() };
                let set = self.sets.users.keep(viewer, set.into());
                Some(RankPlace { set, from: u32::try_from(size).unwrap_or(u32::MAX) })
            } else {
                None
            };
            let UserHits { hits, looked, as_of, position } = found;
            return Ok(UserPage { hits, next, looked, as_of, position });
        };
        let parsed = parse_name(query)?;
        let wanted = UserQuery { query: &parsed, typed: query, viewer };
        let set = self.sets.users.get(viewer, place.set)?;
        confirmed(|| async {
            let view = self.store.view(Some(&set.as_of.clone().joined(at_least.as_ref()))).await?;
            let near = Near::read(&*view, wanted.viewer).await?;
            let rest = set.items.get(place.from as usize..).unwrap_or_default();
            let mut found = matched(&*view, wanted, &near, rest).await?;
            let next = found.get(size).and_then(|more| rest.iter().position(|uid| *uid == more.user.uid));
            let next = next.and_then(|nth| u32::try_from(nth).ok());
            found.truncate(size);
            let hits = hits(&*view, wanted.viewer, found).await?;
            let position = view.position().joined(at_least.as_ref());
            let is_confirmed = confirm(&*view, wanted.viewer).await?;
            let next = next.map(|nth| RankPlace { from: place.from + nth, ..place });
            let looked = u32::try_from(rest.len()).unwrap_or(u32::MAX);
            Ok(is_confirmed.then_some(UserPage { hits, next, looked, as_of: set.as_of.clone(), position }))
        })
        .await
    }
}
