//! What a view answers about relations.

use crate::reads::{PinnedView, now, page_of};
use crate::rows;
use guanxi_memory::user_groups::GroupMembers;
use guanxi_model::affinity::Affinities;
use guanxi_model::user::Standing;
use guanxi_model::{
    Counts, Edge, EdgePage, Error, GroupId, List, MuteTerms, Page, Position, Relation, RequestDirection,
    RequestKind, Result, Uid, UserGroup,
};
use guanxi_ports::{
    BaseView, BoxFuture, FollowedCounts, FollowsAsk, KnownFollowers, RelationView, RequestPage, UserNotes,
};
use std::sync::Arc;

impl BaseView for PinnedView {
    fn position(&self) -> Position {
        self.shared.position(self.view.seq)
    }

    /// One commit holds a fact and all that follows from it.
    fn mirrors_are_exact(&self) -> bool {
        true
    }

    fn all_stand_by_default(&self) -> bool {
        self.view.standings.len() == 0
    }

    fn list(&self, of: Uid, list: List, page: Page) -> BoxFuture<'_, Result<EdgePage>> {
        now(self.list_page(of, list, page))
    }

    fn group_uids(&self, owner: Uid, id: GroupId) -> BoxFuture<'_, Result<Option<Arc<[Uid]>>>> {
        let members = self.members_of(owner, id).map_err(Error::from);
        now(members.map(|members| members.map(|members| members.uids)))
    }
}

impl RelationView for PinnedView {
    fn relations<'a>(&'a self, subject: Uid, objects: &'a [Uid]) -> BoxFuture<'a, Result<Vec<Relation>>> {
        now(self.relations_of(subject, objects))
    }

    fn pairs<'a>(&'a self, pairs: &'a [(Uid, Uid)]) -> BoxFuture<'a, Result<Vec<Relation>>> {
        now(pairs.iter().map(|&(subject, object)| self.relation(subject, object)).collect())
    }

    fn counts<'a>(&'a self, uids: &'a [Uid]) -> BoxFuture<'a, Result<Vec<Counts>>> {
        now(self.counts_of(uids))
    }

    fn known_followers(
        &self,
        viewer: Uid,
        target: Uid,
        page: Page,
        told: Option<Uid>,
    ) -> BoxFuture<'_, Result<KnownFollowers>> {
        now(self.known(viewer, target, page, told))
    }

    fn mutual_following(
        &self,
        a: Uid,
        b: Uid,
        page: Page,
        told: Option<Uid>,
    ) -> BoxFuture<'_, Result<KnownFollowers>> {
        now(self.mutual(a, b, page, told))
    }

    fn count_followed<'a>(
        &'a self,
        ask: FollowsAsk<'a>,
        follows_max: usize,
    ) -> BoxFuture<'a, Result<FollowedCounts>> {
        Box::pin(self.count_of_followed(ask, follows_max))
    }

    fn who_follows<'a>(
        &'a self,
        ask: FollowsAsk<'a>,
        objects: &'a [Uid],
    ) -> BoxFuture<'a, Result<Vec<Vec<u32>>>> {
        Box::pin(self.followers_among(ask, objects))
    }

    fn standings<'a>(&'a self, uids: &'a [Uid]) -> BoxFuture<'a, Result<Vec<Standing>>> {
        now(Ok(uids.iter().map(|uid| self.view.standings.of(*uid)).collect()))
    }

    fn standings_beside<'a>(&'a self, pairs: &'a [(Uid, Uid)]) -> BoxFuture<'a, Result<Vec<Standing>>> {
        now(Ok(pairs.iter().map(|(_, uid)| self.view.standings.of(*uid)).collect()))
    }

    fn requests(
        &self,
        of: Uid,
        direction: RequestDirection,
        kind: RequestKind,
        page: Page,
    ) -> BoxFuture<'_, Result<RequestPage>> {
        now(self.request_page(of, direction, kind, page))
    }

    fn unseen_requests(&self, of: Uid, kind: RequestKind, cap: u32) -> BoxFuture<'_, Result<u32>> {
        now(self.count_unseen(of, kind, cap))
    }

    fn user_notes(&self, uid: Uid) -> BoxFuture<'_, Result<UserNotes>> {
        now(self.notes_of(uid).map_err(Error::from))
    }

    fn mute_terms<'a>(&'a self, of: Uid, others: &'a [Uid]) -> BoxFuture<'a, Result<Vec<MuteTerms>>> {
        now(self.terms_of(of, others))
    }

    fn dismissed(&self, viewer: Uid) -> BoxFuture<'_, Result<Vec<Edge>>> {
        let newest_first = |mut dismissed: Vec<Edge>| {
            dismissed.sort_unstable_by(|a, b| b.cmp(a));
            dismissed
        };
        let dismissed = rows::suggestions::dismissed(&self.view.snapshot, viewer);
        now(dismissed.map(newest_first).map_err(Error::from))
    }

    fn affinities(&self, actor: Uid) -> BoxFuture<'_, Result<Affinities>> {
        let affinities = self.shared.affinities_at(actor, &self.view);
        now(affinities.map_err(Error::from))
    }

    fn groups(&self, owner: Uid) -> BoxFuture<'_, Result<Vec<UserGroup>>> {
        now(rows::user_groups::groups(&self.view.snapshot, owner).map_err(Error::from))
    }

    fn group(&self, owner: Uid, id: GroupId) -> BoxFuture<'_, Result<Option<UserGroup>>> {
        now(rows::user_groups::group(&self.view.snapshot, owner, id).map_err(Error::from))
    }

    fn group_members(&self, owner: Uid, id: GroupId, page: Page) -> BoxFuture<'_, Result<EdgePage>> {
        let page = |members: Option<GroupMembers>| {
            members.map_or_else(EdgePage::default, |members| page_of(&members.newest, page))
        };
        now(self.members_of(owner, id).map(page).map_err(Error::from))
    }

    fn groups_with<'a>(&'a self, owner: Uid, members: &'a [Uid]) -> BoxFuture<'a, Result<Vec<Vec<GroupId>>>> {
        let with = |member: &Uid| rows::user_groups::groups_with(&self.view.snapshot, owner, *member);
        now(members.iter().map(|member| with(member).map_err(Error::from)).collect())
    }
}
