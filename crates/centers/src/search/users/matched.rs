//! The users that a search finds among those that an index proposes, by the present facts.

use super::near::{Near, Nearness};
use crate::turn::yield_now;
use guanxi_model::{Result, Uid, User};
use guanxi_ports::StoreView;
use guanxi_text::{MatchKind, NameQuery};
use std::cmp::Reverse;

/// Users whose facts are read in one turn: all whom an index proposes for suggestions.
const READ_AT_ONCE: usize = 256;

/// The query by which users are searched.
#[derive(Clone, Copy)]
pub(super) struct UserQuery<'a> {
    pub(super) query: &'a NameQuery,
    pub(super) typed: &'a str,
    pub(super) viewer: Option<Uid>,
}

/// A user who is found.
pub(super) struct Matched {
    pub(super) user: User,
    pub(super) kind: MatchKind,
    nearness: Nearness,
    /// How many of the users whom the viewer follows follow the user, once that is counted.
    pub(super) known_followers: Option<u32>,
    /// The logarithm of how many follow the user.
    fame: u32,
}

impl Matched {
    /// The order of hits.
    pub(super) fn rank(&self) -> (MatchKind, Nearness, Reverse<Option<u32>>, Reverse<u32>, Uid) {
        let (known, fame) = (Reverse(self.known_followers), Reverse(self.fame));
        (self.kind, self.nearness, known, fame, self.user.uid)
    }
}

impl UserQuery<'_> {
    /// Returns how a user matches now, if the viewer may find it so.
    ///
    /// An end user finds itself, and discoverable users that are not gone. It finds login names only by their whole text,
    /// since a match of their beginnings would tell them. A service finds all users that are not deleted.
    fn finds(&self, user: &User) -> Option<MatchKind> {
        let may_find = match self.viewer {
            Some(viewer) => !user.standing().is_gone() && (user.privacy.discoverable || user.uid == viewer),
            None => !user.status.is_deleted(),
        };
        if !may_find {
            return None;
        }
        let login_name = user.login_name.as_ref();
        let typed = login_name.filter(|name| name.is_typed(self.typed)).map(|_| MatchKind::Exact);
        let alike = match self.viewer {
            Some(_) => None,
            None => login_name.and_then(|name| self.query.matches(name.shown())),
        };
        [self.query.matches(&user.profile.nickname), typed, alike].into_iter().flatten().min()
    }
}

/// Returns the users among some that are found, in any order. A user that blocks the viewer is not found.
pub(super) async fn matched(
    view: &dyn StoreView,
    wanted: UserQuery<'_>,
    near: &Near,
    uids: &[Uid],
) -> Result<Vec<Matched>> {
    let mut all = Vec::new();
    for some in uids.chunks(READ_AT_ONCE) {
        let users = view.users(some).await?.into_iter().flatten();
        let found: Vec<(User, MatchKind)> =
            users.filter_map(|user| wanted.finds(&user).map(|kind| (user, kind))).collect();
        let uids: Vec<Uid> = found.iter().map(|(user, _)| user.uid).collect();
        let blocked = async {
            match wanted.viewer {
                Some(viewer) => view.blocked_by(viewer, &uids).await,
                None => Ok(vec![false; uids.len()]),
            }
        };
        let (blocked, counts) = tokio::try_join!(blocked, view.counts(&uids))?;
        let found = found.into_iter().zip(counts).zip(blocked).filter(|(_, is_blocked)| !is_blocked);
        all.extend(found.map(|(((user, kind), counts), _)| Matched {
            nearness: near.of(user.uid),
            fame: (counts.followers + 1).ilog2(),
            known_followers: None,
            user,
            kind,
        }));
        yield_now().await;
    }
    Ok(all)
}
