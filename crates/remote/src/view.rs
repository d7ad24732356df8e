//! A view: every read is at least as new as the position it was opened at.

use std::num::NonZeroU64;

use guanxi_api::admin_client::OperatorClient;
use guanxi_api::client_side::{ListKey, ListScope, edge_back, relation_back};
use guanxi_model::limits::BATCH_MAX;
use guanxi_model::user::Standing;
use guanxi_model::{
    Counts, Edge, EdgePage, Error, List, Page, PageStart, Position, Reason, Relation, RestrictionKind,
    Result, Uid, User,
};
use guanxi_ports::{
    BoxFuture, ExportEdge, FollowedCounts, FollowsAsk, GraphView, KnownFollowers, MarkKind, UserView as _,
};
use guanxi_proto::{Client, RelationClient, v1};

use super::places::page_tokens;
use super::{Remote, broken, call, untold};

/// A view through the API.
pub(crate) struct RemoteView {
    pub(crate) main: Client,
    pub(crate) admin: OperatorClient,
    pub(crate) position: Position,
}

impl Remote {
    pub(crate) fn view_at(&self, position: Position) -> RemoteView {
        RemoteView { main: self.main.clone(), admin: self.admin.clone(), position }
    }
}

/// A page's place as the API takes it.
struct Place {
    page_size: i32,
    page_token: String,
    offset: u32,
}

fn place(page: Page, key: ListKey) -> Place {
    let page_size = i32::try_from(page.size()).unwrap_or(i32::MAX);
    let (page_token, offset) = match page.start() {
        PageStart::Newest => (String::new(), 0),
        PageStart::After(cursor) => (page_tokens(key.scope()).after(Some(cursor)), 0),
        PageStart::Offset(offset) => (String::new(), offset),
    };
    Place { page_size, page_token, offset }
}

fn page_back(items: &[v1::ListItem], next: &str, key: ListKey) -> Result<EdgePage> {
    scoped_page_back(items, next, key.scope())
}

/// A page of users whose tokens are sealed for `scope`.
pub(crate) fn scoped_page_back(items: &[v1::ListItem], next: &str, scope: ListScope) -> Result<EdgePage> {
    let items: Option<Vec<Edge>> = items.iter().map(edge_back).collect();
    let items = items.ok_or_else(|| broken("an item without a time"))?;
    let next = if next.is_empty() { None } else { Some(page_tokens(scope).cursor(next)?) };
    Ok(EdgePage { items, next })
}

impl RemoteView {
    fn relation(&self) -> &RelationClient {
        self.main.relation()
    }

    pub(crate) fn token(&self) -> String {
        self.position.to_token()
    }

    pub(crate) async fn list_of(&self, of: Uid, list: List, page: Page) -> Result<EdgePage> {
        let client = self.relation();
        let (uid, token) = (of.get(), self.token());
        macro_rules! fetch {
            ($key:ident, $method:ident, $request:ident, $items:ident $(, $more:ident: $value:expr)*) => {{
                let key = ListKey::$key(of);
                let Place { page_size, page_token, offset } = place(page, key);
                let _ = offset;
                let request = v1::$request { uid, page_size, page_token, token $(, $more: $value(offset))* };
                let answer = call(client.$method(request).await)?;
                page_back(&answer.$items, &answer.next_page_token, key)
            }};
        }
        let offset = |offset: u32| offset;
        let viewer = |_: u32| 0;
        let order = |_: u32| v1::list_item::Order::ORDER_UNSPECIFIED.into();
        match list {
            List::Following => {
                fetch!(Following, list_following, ListFollowingRequest, following, offset: offset, viewer: viewer, order: order)
            }
            List::Friends => {
                fetch!(Friends, list_friends, ListFriendsRequest, friends, offset: offset, viewer: viewer, order: order)
            }
            // The other lists take no offset.
            _ if matches!(page.start(), PageStart::Offset(_)) => {
                Err(Error::new(Reason::InvalidField { field: "offset" }))
            }
            List::Followers => {
                fetch!(Followers, list_followers, ListFollowersRequest, followers, viewer: viewer)
            }
            List::Blocks => fetch!(Blocks, list_blocks, ListBlocksRequest, blocks),
            List::Mutes => fetch!(Mutes, list_mutes, ListMutesRequest, mutes),
        }
    }

    pub(crate) async fn relations_of(&self, subject: Uid, objects: &[Uid]) -> Result<Vec<Relation>> {
        let mut relations = Vec::with_capacity(objects.len());
        for objects in objects.chunks(BATCH_MAX as usize) {
            let request = v1::BatchGetRelationsRequest {
                subject: subject.get(),
                objects: objects.iter().map(|uid| uid.get()).collect(),
                token: self.token(),
            };
            let answer = call(self.relation().batch_get_relations(request).await)?;
            relations.extend(answer.relations.iter().map(relation_back));
        }
        Ok(relations)
    }

    pub(crate) async fn pairs_of(&self, pairs: &[(Uid, Uid)]) -> Result<Vec<Relation>> {
        let mut relations = Vec::with_capacity(pairs.len());
        for pairs in pairs.chunks(BATCH_MAX as usize) {
            let pairs = pairs
                .iter()
                .map(|(subject, object)| v1::Pair { subject: subject.get(), object: object.get() });
            let request = v1::BatchCheckPairsRequest { pairs: pairs.collect(), token: self.token() };
            let answer = call(self.relation().batch_check_pairs(request).await)?;
            relations.extend(answer.relations.iter().map(relation_back));
        }
        Ok(relations)
    }

    async fn counts_of(&self, uids: &[Uid]) -> Result<Vec<Counts>> {
        let mut counts = Vec::with_capacity(uids.len());
        for uids in uids.chunks(BATCH_MAX as usize) {
            let uids = uids.iter().map(|uid| uid.get()).collect();
            let request = v1::BatchGetCountsRequest { uids, token: self.token() };
            let answer = call(self.relation().batch_get_counts(request).await)?;
            counts.extend(answer.counts.iter().map(counts_back));
        }
        Ok(counts)
    }

    async fn export(
        &self,
        kind: Option<RestrictionKind>,
        after: Option<(Uid, Uid)>,
        max: usize,
    ) -> Result<Vec<ExportEdge>> {
        let mut edges = Vec::new();
        let Some(max) = NonZeroU64::new(max as u64) else { return Ok(edges) };
        let mut keep = |chunk: &[ExportEdge]| {
            edges.extend_from_slice(chunk);
            Ok(())
        };
        self.admin.export_edges(kind, after, Some(max), Some(&self.position), &mut keep).await?;
        Ok(edges)
    }
}

fn counts_back(counts: &v1::Counts) -> Counts {
    Counts {
        following: counts.following.unwrap_or_default(),
        followers: counts.followers.unwrap_or_default().into(),
        friends: counts.friends.unwrap_or_default(),
        blocks: counts.blocks.unwrap_or_default(),
        mutes: counts.mutes.unwrap_or_default(),
    }
}

impl GraphView for RemoteView {
    fn position(&self) -> Position {
        self.position.clone()
    }

    fn relations<'a>(&'a self, subject: Uid, objects: &'a [Uid]) -> BoxFuture<'a, Result<Vec<Relation>>> {
        let objects = objects.to_vec();
        Box::pin(async move { self.relations_of(subject, &objects).await })
    }

    fn pairs<'a>(&'a self, pairs: &'a [(Uid, Uid)]) -> BoxFuture<'a, Result<Vec<Relation>>> {
        let pairs = pairs.to_vec();
        Box::pin(async move { self.pairs_of(&pairs).await })
    }

    fn list(&self, of: Uid, list: List, page: Page) -> BoxFuture<'_, Result<EdgePage>> {
        Box::pin(self.list_of(of, list, page))
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
            let Place { page_size, page_token, offset } = place(page, key);
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
            let Place { page_size, page_token, offset } = place(page, key);
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

    fn all_stand_by_default(&self) -> bool {
        false
    }

    fn edges(&self, after: Option<(Uid, Uid)>, max: usize) -> BoxFuture<'_, Result<Vec<ExportEdge>>> {
        Box::pin(self.export(None, after, max))
    }

    fn restrictions(
        &self,
        kind: RestrictionKind,
        after: Option<(Uid, Uid)>,
        max: usize,
    ) -> BoxFuture<'_, Result<Vec<ExportEdge>>> {
        Box::pin(self.export(Some(kind), after, max))
    }

    fn marked_by(&self, _: Uid, _: MarkKind, _: Option<Uid>, _: usize) -> BoxFuture<'_, Result<Vec<Uid>>> {
        untold("who has set a mark on whom")
    }

    fn all_removed_follows(&self, _: Option<(Uid, Uid)>, _: usize) -> BoxFuture<'_, Result<Vec<ExportEdge>>> {
        untold("whom all users have left")
    }

    fn removed_follows(&self, _: Uid, _: Option<Uid>, _: usize) -> BoxFuture<'_, Result<Vec<Edge>>> {
        untold("whom a user has left")
    }
}

/// The API is asked by the end user whom it tells, and this one asks as a service.
fn refuse_told(told: Option<Uid>) -> Result<()> {
    match told {
        None => Ok(()),
        Some(_) => Err(Error::with_detail(Reason::Internal, "a service is told of every edge")),
    }
}

/// These lists take no offset over the API.
const fn refuse_offset(offset: u32) -> Result<()> {
    if offset == 0 { Ok(()) } else { Err(Error::new(Reason::InvalidField { field: "offset" })) }
}
