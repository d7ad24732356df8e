//! A view: every read is at least as new as the position it was opened at.

use std::num::NonZeroU64;

use guanxi_api::admin_client::OperatorClient;
use guanxi_api::client_side::{ListKey, ListScope, edge_back, relation_back};
use guanxi_model::limits::BATCH_MAX;
use guanxi_model::{
    Counts, Edge, EdgePage, Error, List, Page, PageStart, Position, Reason, Relation, RestrictionKind,
    Result, Uid,
};
use guanxi_ports::ExportEdge;
use guanxi_proto::{Client, RelationClient, v1};

use super::places::page_tokens;
use super::{Remote, broken, call};

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
pub(super) struct ViewPlace {
    pub(super) page_size: i32,
    pub(super) page_token: String,
    pub(super) offset: u32,
}

pub(super) fn place(page: Page, key: ListKey) -> ViewPlace {
    let page_size = i32::try_from(page.size()).unwrap_or(i32::MAX);
    let (page_token, offset) = match page.start() {
        PageStart::Newest => (String::new(), 0),
        PageStart::After(cursor) => (page_tokens(key.scope()).after(Some(cursor)), 0),
        PageStart::Offset(offset) => (String::new(), offset),
    };
    ViewPlace { page_size, page_token, offset }
}

pub(super) fn page_back(items: &[v1::ListItem], next: &str, key: ListKey) -> Result<EdgePage> {
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
    pub(super) fn relation(&self) -> &RelationClient {
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
                let ViewPlace { page_size, page_token, offset } = place(page, key);
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

    pub(super) async fn counts_of(&self, uids: &[Uid]) -> Result<Vec<Counts>> {
        let mut counts = Vec::with_capacity(uids.len());
        for uids in uids.chunks(BATCH_MAX as usize) {
            let uids = uids.iter().map(|uid| uid.get()).collect();
            let request = v1::BatchGetCountsRequest { uids, token: self.token() };
            let answer = call(self.relation().batch_get_counts(request).await)?;
            counts.extend(answer.counts.iter().map(counts_back));
        }
        Ok(counts)
    }

    pub(super) async fn export(
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

/// The API is asked by the end user whom it tells, and this one asks as a service.
pub(super) fn refuse_told(told: Option<Uid>) -> Result<()> {
    match told {
        None => Ok(()),
        Some(_) => Err(Error::with_detail(Reason::Internal, "a service is told of every edge")),
    }
}

/// These lists take no offset over the API.
pub(super) const fn refuse_offset(offset: u32) -> Result<()> {
    if offset == 0 { Ok(()) } else { Err(Error::new(Reason::InvalidField { field: "offset" })) }
}
