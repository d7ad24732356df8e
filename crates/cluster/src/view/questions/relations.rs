//! What a view answers about relations.

use crate::view::ClusterView;
use guanxi_model::affinity::Affinities;
use guanxi_model::user::Standing;
use guanxi_model::{
    Counts, Edge, EdgePage, GroupId, List, MuteTerms, Page, Position, Relation, RequestDirection,
    RequestKind, Result, Uid, UserGroup,
};
use guanxi_ports::{
    BaseView, BoxFuture, FollowedCounts, FollowsAsk, KnownFollowers, RelationView, RequestPage, UserNotes,
    group_uids,
};
use std::sync::Arc;

impl BaseView for ClusterView {
    fn position(&self) -> Position {
        self.stands_at()
    }

    fn mirrors_are_exact(&self) -> bool {
        false
    }

    fn all_stand_by_default(&self) -> bool {
        false
    }

    fn list(&self, of: Uid, list: List, page: Page) -> BoxFuture<'_, Result<EdgePage>> {
        Box::pin(self.list_of(of, list, page))
    }

    fn group_uids(&self, owner: Uid, id: GroupId) -> BoxFuture<'_, Result<Option<Arc<[Uid]>>>> {
        Box::pin(group_uids(self, owner, id))
    }
}

impl RelationView for ClusterView {
    fn relations<'a>(&'a self, subject: Uid, objects: &'a [Uid]) -> BoxFuture<'a, Result<Vec<Relation>>> {
        Box::pin(async move {
            let pairs: Vec<(Uid, Uid)> = objects.iter().map(|object| (subject, *object)).collect();
            self.relations_in(&pairs).await
        })
    }

    fn pairs<'a>(&'a self, pairs: &'a [(Uid, Uid)]) -> BoxFuture<'a, Result<Vec<Relation>>> {
        Box::pin(self.relations_in(pairs))
    }

    fn counts<'a>(&'a self, uids: &'a [Uid]) -> BoxFuture<'a, Result<Vec<Counts>>> {
        Box::pin(self.counts_of(uids))
    }

    fn known_followers(
        &self,
        viewer: Uid,
        target: Uid,
        page: Page,
        told: Option<Uid>,
    ) -> BoxFuture<'_, Result<KnownFollowers>> {
        Box::pin(self.known_followers_of((viewer, target), page, told))
    }

    fn mutual_following(
        &self,
        a: Uid,
        b: Uid,
        page: Page,
        told: Option<Uid>,
    ) -> BoxFuture<'_, Result<KnownFollowers>> {
        Box::pin(self.mutual_following_of((a, b), page, told))
    }

    fn count_followed<'a>(
        &'a self,
        ask: FollowsAsk<'a>,
        follows_max: usize,
    ) -> BoxFuture<'a, Result<FollowedCounts>> {
        Box::pin(self.count_followed_of(ask, follows_max))
    }

    fn who_follows<'a>(
        &'a self,
        ask: FollowsAsk<'a>,
        objects: &'a [Uid],
    ) -> BoxFuture<'a, Result<Vec<Vec<u32>>>> {
        Box::pin(self.who_follows_of(ask, objects))
    }

    fn standings<'a>(&'a self, uids: &'a [Uid]) -> BoxFuture<'a, Result<Vec<Standing>>> {
        Box::pin(self.standings_of(uids))
    }

    fn standings_beside<'a>(&'a self, pairs: &'a [(Uid, Uid)]) -> BoxFuture<'a, Result<Vec<Standing>>> {
        Box::pin(self.standings_beside_of(pairs))
    }

    fn requests(
        &self,
        of: Uid,
        direction: RequestDirection,
        kind: RequestKind,
        page: Page,
    ) -> BoxFuture<'_, Result<RequestPage>> {
        Box::pin(self.requests_of(of, direction, kind, page))
    }

    fn unseen_requests(&self, of: Uid, kind: RequestKind, cap: u32) -> BoxFuture<'_, Result<u32>> {
        Box::pin(self.unseen_requests_of(of, kind, cap))
    }

    fn user_notes(&self, uid: Uid) -> BoxFuture<'_, Result<UserNotes>> {
        Box::pin(self.notes_of(uid))
    }

    fn mute_terms<'a>(&'a self, of: Uid, others: &'a [Uid]) -> BoxFuture<'a, Result<Vec<MuteTerms>>> {
        Box::pin(self.mute_terms_of(of, others))
    }

    fn dismissed(&self, viewer: Uid) -> BoxFuture<'_, Result<Vec<Edge>>> {
        Box::pin(self.dismissed_of(viewer))
    }

    fn affinities(&self, actor: Uid) -> BoxFuture<'_, Result<Affinities>> {
        Box::pin(self.affinities_of(actor))
    }

    fn groups(&self, owner: Uid) -> BoxFuture<'_, Result<Vec<UserGroup>>> {
        Box::pin(self.groups_of(owner))
    }

    fn group(&self, owner: Uid, id: GroupId) -> BoxFuture<'_, Result<Option<UserGroup>>> {
        Box::pin(self.group_at(owner, id))
    }

    fn group_members(&self, owner: Uid, id: GroupId, page: Page) -> BoxFuture<'_, Result<EdgePage>> {
        Box::pin(self.members_of(owner, id, page))
    }

    fn groups_with<'a>(&'a self, owner: Uid, members: &'a [Uid]) -> BoxFuture<'a, Result<Vec<Vec<GroupId>>>> {
        Box::pin(self.groups_of_owner_with(owner, members))
    }
}
