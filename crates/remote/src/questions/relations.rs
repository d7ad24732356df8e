//! What a view answers about relations.

use crate::groups::group_back;
use crate::view::RemoteView;
use crate::view::{ViewPlace, page_back, place, refuse_offset, refuse_told};
use crate::{broken, call, untold};
use guanxi_api::client_side::{ListKey, stamp};
use guanxi_model::affinity::Affinities;
use guanxi_model::user::Standing;
use guanxi_model::{
    Counts, Edge, EdgePage, GroupId, List, MuteTerms, Page, Position, Reason, Relation, RequestDirection,
    RequestKind, Result, Uid, User, UserGroup,
};
use guanxi_ports::{
    BaseView, BoxFuture, FollowedCounts, FollowsAsk, KnownFollowers, RelationView, RequestPage, UserNotes,
    UserView as _, group_uids,
};
use guanxi_proto::v1;
use std::sync::Arc;

impl BaseView for RemoteView {
    fn position(&self) -> Position {
        self.position.clone()
    }

    /// Nothing is known of the backend behind the server.
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

impl RelationView for RemoteView {
    fn relations<'a>(&'a self, subject: Uid, objects: &'a [Uid]) -> BoxFuture<'a, Result<Vec<Relation>>> {
        let objects = objects.to_vec();
        Box::pin(async move { self.relations_of(subject, &objects).await })
    }

    fn pairs<'a>(&'a self, pairs: &'a [(Uid, Uid)]) -> BoxFuture<'a, Result<Vec<Relation>>> {
        let pairs = pairs.to_vec();
        Box::pin(async move { self.pairs_of(&pairs).await })
    }

    fn counts<'a>(&'a self, uids: &'a [Uid]) -> BoxFuture<'a, Result<Vec<Counts>>> {
        let uids = uids.to_vec();
        Box::pin(async move { self.counts_of(&uids).await })
    }

    fn known_followers(
        &self,
        viewer: Uid,
        target: Uid,
        page: Page,
        told: Option<Uid>,
    ) -> BoxFuture<'_, Result<KnownFollowers>> {
        Box::pin(async move {
            refuse_told(told)?;
            let key = ListKey::KnownFollowers(viewer, target);
            let ViewPlace { page_size, page_token, offset } = place(page, key);
            refuse_offset(offset)?;
            let request = v1::ListKnownFollowersRequest {
                viewer: viewer.get(),
                target: target.get(),
                page_size,
                page_token,
                token: self.token(),
            };
            let answer = call(self.relation().list_known_followers(request).await)?;
            let page = page_back(&answer.users, &answer.next_page_token, key)?;
            Ok(KnownFollowers { count: answer.count.unwrap_or_default(), page })
        })
    }

    fn mutual_following(
        &self,
        a: Uid,
        b: Uid,
        page: Page,
        told: Option<Uid>,
    ) -> BoxFuture<'_, Result<KnownFollowers>> {
        Box::pin(async move {
            refuse_told(told)?;
            let key = ListKey::MutualFollowing(a, b);
            let ViewPlace { page_size, page_token, offset } = place(page, key);
            refuse_offset(offset)?;
            let request = v1::ListMutualFollowingRequest {
                subject: a.get(),
                object: b.get(),
                page_size,
                page_token,
                token: self.token(),
            };
            let answer = call(self.relation().list_mutual_following(request).await)?;
            let page = page_back(&answer.users, &answer.next_page_token, key)?;
            Ok(KnownFollowers { count: answer.count.unwrap_or_default(), page })
        })
    }

    fn count_followed<'a>(
        &'a self,
        ask: FollowsAsk<'a>,
        follows_max: usize,
    ) -> BoxFuture<'a, Result<FollowedCounts>> {
        Box::pin(self.followed_by(ask, follows_max))
    }

    fn who_follows<'a>(
        &'a self,
        ask: FollowsAsk<'a>,
        objects: &'a [Uid],
    ) -> BoxFuture<'a, Result<Vec<Vec<u32>>>> {
        Box::pin(self.followers_among(ask, objects))
    }

    fn standings<'a>(&'a self, uids: &'a [Uid]) -> BoxFuture<'a, Result<Vec<Standing>>> {
        Box::pin(async move {
            let users = self.users(uids).await?;
            Ok(users.iter().map(|user| user.as_ref().map(User::standing).unwrap_or_default()).collect())
        })
    }

    fn standings_beside<'a>(&'a self, pairs: &'a [(Uid, Uid)]) -> BoxFuture<'a, Result<Vec<Standing>>> {
        Box::pin(async move {
            let uids: Vec<Uid> = pairs.iter().map(|(_, uid)| *uid).collect();
            self.standings(&uids).await
        })
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
        Box::pin(async move {
            let request = v1::GetUnseenRequestsRequest { uid: of.get(), cap, token: self.token() };
            let answer = call(self.main.relation().get_unseen_requests(request).await)?;
            let unseen = match kind {
                RequestKind::Friend => answer.friend_requests,
                RequestKind::Follow => answer.follow_requests,
            };
            unseen.ok_or_else(|| broken("no number of requests"))
        })
    }

    fn user_notes(&self, _uid: Uid) -> BoxFuture<'_, Result<UserNotes>> {
        untold("what is noted of a user")
    }

    fn mute_terms<'a>(&'a self, of: Uid, others: &'a [Uid]) -> BoxFuture<'a, Result<Vec<MuteTerms>>> {
        Box::pin(async move {
            let all = self.all_mute_terms(of).await?;
            let terms = |other: &Uid| {
                all.iter().find(|(muted, _)| muted == other).map(|(_, terms)| *terms).unwrap_or_default()
            };
            Ok(others.iter().map(terms).collect())
        })
    }

    fn dismissed(&self, viewer: Uid) -> BoxFuture<'_, Result<Vec<Edge>>> {
        Box::pin(async move {
            let request = v1::ListDismissedRequest { viewer: viewer.get(), token: self.token() };
            let answer = call(self.main.relation().list_dismissed(request).await)?;
            let edge = |user: &v1::DismissedUser| {
                Some(Edge {
                    at: user.dismiss_time.as_option().and_then(stamp)?,
                    uid: Uid::new(user.uid).ok()?,
                })
            };
            let edges: Option<Vec<Edge>> = answer.users.iter().map(edge).collect();
            edges.ok_or_else(|| broken("a dismissed user without a time"))
        })
    }

    fn affinities(&self, _: Uid) -> BoxFuture<'_, Result<Affinities>> {
        untold("scores as they are stored")
    }

    fn groups(&self, owner: Uid) -> BoxFuture<'_, Result<Vec<UserGroup>>> {
        Box::pin(async move {
            let request = v1::ListGroupsRequest { subject: owner.get(), token: self.token() };
            let answer = call(self.main.relation().list_groups(request).await)?;
            answer.groups.iter().map(group_back).collect()
        })
    }

    fn group(&self, owner: Uid, id: GroupId) -> BoxFuture<'_, Result<Option<UserGroup>>> {
        Box::pin(async move {
            let (subject, group_id, token) = (owner.get(), id.get(), self.token());
            let request = v1::GetGroupRequest { subject, group_id, token };
            match call(self.main.relation().get_group(request).await) {
                Ok(answer) => answer.group.as_option().map(group_back).transpose(),
                Err(error) if error.reason == Reason::GroupNotFound => Ok(None),
                Err(error) => Err(error),
            }
        })
    }

    fn group_members(&self, owner: Uid, id: GroupId, page: Page) -> BoxFuture<'_, Result<EdgePage>> {
        Box::pin(self.members_of(owner, id, page))
    }

    fn groups_with<'a>(&'a self, owner: Uid, members: &'a [Uid]) -> BoxFuture<'a, Result<Vec<Vec<GroupId>>>> {
        Box::pin(async move {
            let objects = members.iter().map(|member| member.get()).collect();
            let (subject, token) = (owner.get(), self.token());
            let request = v1::ListGroupsWithMemberRequest { subject, objects, token };
            let answer = call(self.main.relation().list_groups_with_member(request).await)?;
            let groups = |user: &v1::GroupsWithMember| {
                user.group_ids.iter().map(|id| GroupId::new(*id)).collect::<Result<Vec<_>>>()
            };
            answer.users.iter().map(groups).collect()
        })
    }
}
