//! What a view answers about relations.

use crate::memory::state::Maps;
use crate::memory::view::Parts;
use crate::memory::view::{MemoryView, cut, now, of_owner};
use crate::memory::waiting::place;
use guanxi_model::affinity::{Affinities, Affinity};
use guanxi_model::user::Standing;
use guanxi_model::{
    Counts, Cursor, Edge, EdgePage, Error, GroupId, List, LogId, LogMark, MuteTerms, Page, PageStart,
    Position, Reason, Relation, RequestDirection, RequestKind, Result, Stamp, Uid, UserGroup,
};
use guanxi_ports::{
    BaseView, BoxFuture, FollowedCounts, FollowsAsk, KnownFollowers, RelationView, RequestPage, UserNotes,
    group_uids,
};
use std::future::ready;
use std::sync::Arc;

impl BaseView for MemoryView {
    fn position(&self) -> Position {
        match &self.parts {
            Parts::Whole(state) => state.position(&self.shared.options),
            Parts::Shards { pinned, .. } => {
                let pinned = pinned.lock().expect("nobody panics while holding a view");
                let mark = |(log, state): (&LogId, &Arc<Maps>)| {
                    (*log, LogMark { seen: state.last_in(*log), acted: 0 })
                };
                Position::sparse(self.shared.options.history, pinned.iter().map(mark))
            }
        }
    }

    fn mirrors_are_exact(&self) -> bool {
        self.is_of_one_moment()
    }

    fn all_stand_by_default(&self) -> bool {
        false
    }

    fn list(&self, of: Uid, list: List, page: Page) -> BoxFuture<'_, Result<EdgePage>> {
        if matches!(page.start(), PageStart::Offset(_)) && !list.is_bounded() {
            return Box::pin(ready(Err(Error::new(Reason::InvalidField { field: "offset" }))));
        }
        now(cut(self.whole(of, list), page))
    }

    fn group_uids(&self, owner: Uid, id: GroupId) -> BoxFuture<'_, Result<Option<Arc<[Uid]>>>> {
        Box::pin(group_uids(self, owner, id))
    }
}

impl RelationView for MemoryView {
    fn relations<'a>(&'a self, subject: Uid, objects: &'a [Uid]) -> BoxFuture<'a, Result<Vec<Relation>>> {
        let state = self.of(subject);
        now(objects.iter().map(|object| state.relation(subject, *object)).collect())
    }

    fn pairs<'a>(&'a self, pairs: &'a [(Uid, Uid)]) -> BoxFuture<'a, Result<Vec<Relation>>> {
        now(pairs.iter().map(|(subject, object)| self.of(*subject).relation(*subject, *object)).collect())
    }

    fn counts<'a>(&'a self, uids: &'a [Uid]) -> BoxFuture<'a, Result<Vec<Counts>>> {
        now(uids.iter().map(|uid| self.of(*uid).counts(*uid)).collect())
    }

    fn known_followers(
        &self,
        viewer: Uid,
        target: Uid,
        page: Page,
        told: Option<Uid>,
    ) -> BoxFuture<'_, Result<KnownFollowers>> {
        let state = self.of(target);
        now(self.among_following(viewer, page, |uid| {
            state.followers.contains_key(&(target, uid))
                && self.tells(told, (viewer, uid))
                && self.tells(told, (uid, target))
        }))
    }

    fn mutual_following(
        &self,
        a: Uid,
        b: Uid,
        page: Page,
        told: Option<Uid>,
    ) -> BoxFuture<'_, Result<KnownFollowers>> {
        let state = self.of(b);
        now(self.among_following(a, page, |uid| {
            state.follows.contains_key(&(b, uid)) && self.tells(told, (a, uid)) && self.tells(told, (b, uid))
        }))
    }

    fn count_followed<'a>(
        &'a self,
        ask: FollowsAsk<'a>,
        follows_max: usize,
    ) -> BoxFuture<'a, Result<FollowedCounts>> {
        now(self.followed_by(ask, follows_max))
    }

    fn who_follows<'a>(
        &'a self,
        ask: FollowsAsk<'a>,
        objects: &'a [Uid],
    ) -> BoxFuture<'a, Result<Vec<Vec<u32>>>> {
        now(self.followers_among(ask, objects))
    }

    fn standings<'a>(&'a self, uids: &'a [Uid]) -> BoxFuture<'a, Result<Vec<Standing>>> {
        now(uids.iter().map(|uid| self.of(*uid).standing(*uid)).collect())
    }

    fn standings_beside<'a>(&'a self, pairs: &'a [(Uid, Uid)]) -> BoxFuture<'a, Result<Vec<Standing>>> {
        now(pairs.iter().map(|(_, uid)| self.of(*uid).standing(*uid)).collect())
    }

    fn requests(
        &self,
        of: Uid,
        direction: RequestDirection,
        kind: RequestKind,
        page: Page,
    ) -> BoxFuture<'_, Result<RequestPage>> {
        let after = match page.start() {
            PageStart::Newest => None,
            PageStart::After(Cursor(edge)) => Some(edge),
            PageStart::Offset(_) => {
                return Box::pin(ready(Err(Error::new(Reason::InvalidField { field: "offset" }))));
            }
        };
        let mut items = self.whole_requests(of, direction, kind);
        items.retain(|request| after.is_none_or(|after| place(request, direction) < after));
        let edges: Vec<Edge> = items.iter().map(|request| place(request, direction)).collect();
        let next = EdgePage::cut(edges, page.size()).next;
        items.truncate(page.size());
        now(RequestPage { items, next })
    }

    fn unseen_requests(&self, of: Uid, kind: RequestKind, cap: u32) -> BoxFuture<'_, Result<u32>> {
        let seen = self.of(of).waiting.seen.get(&of).copied().unwrap_or(Stamp::ZERO);
        let requests = self.whole_requests(of, RequestDirection::Incoming, kind);
        let unseen = requests.iter().filter(|request| request.at > seen).count() as u32;
        now(unseen.min(cap))
    }

    fn user_notes(&self, uid: Uid) -> BoxFuture<'_, Result<UserNotes>> {
        let state = self.of(uid);
        let requests_seen = state.waiting.seen.get(&uid).copied();
        now(UserNotes { requests_seen, signed_out_ms: state.not_before_ms(uid).checked_sub(1) })
    }

    fn mute_terms<'a>(&'a self, of: Uid, others: &'a [Uid]) -> BoxFuture<'a, Result<Vec<MuteTerms>>> {
        let state = self.of(of);
        now(others.iter().map(|other| state.mute_terms((of, *other))).collect())
    }

    fn dismissed(&self, viewer: Uid) -> BoxFuture<'_, Result<Vec<Edge>>> {
        let mut dismissed = of_owner(&self.of(viewer).dismissed, viewer);
        dismissed.sort_unstable_by(|a, b| b.cmp(a));
        now(dismissed)
    }

    fn affinities(&self, actor: Uid) -> BoxFuture<'_, Result<Affinities>> {
        let scores = self.of(actor).scores.get(&actor).cloned().unwrap_or_default();
        let mut all: Vec<Affinity> =
            scores.with.into_iter().map(|(uid, score)| Affinity { uid, score }).collect();
        all.sort_by(|a, b| b.score.cmp(&a.score).then(a.uid.cmp(&b.uid)));
        now(Affinities { half_life_ms: scores.half_life_ms, all })
    }

    fn groups(&self, owner: Uid) -> BoxFuture<'_, Result<Vec<UserGroup>>> {
        let groups = &self.of(owner).groups;
        now(groups.of(owner).filter_map(|(id, _)| groups.shown(owner, id)).collect())
    }

    fn group(&self, owner: Uid, id: GroupId) -> BoxFuture<'_, Result<Option<UserGroup>>> {
        now(self.of(owner).groups.shown(owner, id))
    }

    fn group_members(&self, owner: Uid, id: GroupId, page: Page) -> BoxFuture<'_, Result<EdgePage>> {
        let state = self.of(owner);
        let members = state.groups.groups.get(&(owner, id)).into_iter().flat_map(|group| &group.members);
        let mut edges: Vec<Edge> = members.map(|(uid, at)| Edge { at: *at, uid: *uid }).collect();
        edges.sort_unstable_by(|a, b| b.cmp(a));
        let skip = match page.start() {
            PageStart::Newest => 0,
            PageStart::After(cursor) => edges.partition_point(|edge| *edge >= cursor.0),
            PageStart::Offset(skip) => skip as usize,
        };
        now(EdgePage::cut(edges.into_iter().skip(skip), page.size()))
    }

    fn groups_with<'a>(&'a self, owner: Uid, members: &'a [Uid]) -> BoxFuture<'a, Result<Vec<Vec<GroupId>>>> {
        let state = self.of(owner);
        now(members.iter().map(|member| state.groups.with(owner, *member)).collect())
    }
}
