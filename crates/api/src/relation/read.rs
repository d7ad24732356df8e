//! Reads: one function per method.

use buffa::MessageField;
use guanxi_centers::relation::{Listed, RelationCenter};
use guanxi_model::limits::BATCH_MAX;
use guanxi_model::{Error, List, Reason, Result, Uid};
use guanxi_proto::v1;

use crate::auth::Caller;
use crate::convert::{
    ListKey, RelationMask, at_least, counts, items, optional, relation, required, required_list,
};

/// What the lists have in common; `offset` is 0 where there is none.
struct ListAsk<'a> {
    key: ListKey,
    size: i32,
    page_token: &'a str,
    offset: u32,
    viewer: Option<Uid>,
    token: &'a str,
}

/// Items, next page token and token of a list.
struct ListAnswer {
    items: Vec<v1::ListItem>,
    next: String,
    token: String,
    count: Option<u32>,
}

async fn list(center: &RelationCenter, caller: &Caller, ask: ListAsk<'_>) -> Result<ListAnswer> {
    let page = ask.key.page(ask.size, ask.page_token, ask.offset)?;
    let position = at_least(ask.token)?;
    if let Some(viewer) = ask.viewer {
        caller.act_as(viewer)?;
    }
    let viewer = ask.viewer;
    let listed = match ask.key {
        ListKey::Following(uid) => center.list(uid, List::Following, page, viewer, position).await?,
        ListKey::Followers(uid) => center.list(uid, List::Followers, page, viewer, position).await?,
        ListKey::Friends(uid) => center.list(uid, List::Friends, page, viewer, position).await?,
        ListKey::Blocks(uid) => center.list(uid, List::Blocks, page, viewer, position).await?,
        ListKey::Mutes(uid) => center.list(uid, List::Mutes, page, viewer, position).await?,
        ListKey::KnownFollowers(viewer, target) => {
            center.known_followers(viewer, target, page, position).await?
        }
        ListKey::MutualFollowing(subject, object) => {
            center.mutual_following(subject, object, page, position).await?
        }
    };
    Ok(present(caller, &ask, &listed))
}

fn present(caller: &Caller, ask: &ListAsk<'_>, listed: &Listed) -> ListAnswer {
    let mask = ask
        .viewer
        .map_or(RelationMask { private: false, blocked_by: false }, |viewer| caller.relation_mask(viewer));
    ListAnswer {
        items: items(&listed.items, mask),
        next: ask.key.next(listed),
        token: listed.position.to_token(),
        count: listed.count,
    }
}

pub(super) async fn list_following(
    center: &RelationCenter,
    caller: &Caller,
    request: &v1::ListFollowingRequestView<'_>,
) -> Result<v1::ListFollowingResponse> {
    let ask = ListAsk {
        key: ListKey::Following(required(request.uid, "uid")?),
        size: request.page_size,
        page_token: request.page_token,
        offset: request.offset,
        viewer: optional(request.viewer)?,
        token: request.token,
    };
    let ListAnswer { items, next, token, .. } = list(center, caller, ask).await?;
    Ok(v1::ListFollowingResponse { following: items, next_page_token: next, token })
}

pub(super) async fn list_followers(
    center: &RelationCenter,
    caller: &Caller,
    request: &v1::ListFollowersRequestView<'_>,
) -> Result<v1::ListFollowersResponse> {
    let ask = ListAsk {
        key: ListKey::Followers(required(request.uid, "uid")?),
        size: request.page_size,
        page_token: request.page_token,
        offset: 0,
        viewer: optional(request.viewer)?,
        token: request.token,
    };
    let ListAnswer { items, next, token, .. } = list(center, caller, ask).await?;
    Ok(v1::ListFollowersResponse { followers: items, next_page_token: next, token })
}

pub(super) async fn list_friends(
    center: &RelationCenter,
    caller: &Caller,
    request: &v1::ListFriendsRequestView<'_>,
) -> Result<v1::ListFriendsResponse> {
    let ask = ListAsk {
        key: ListKey::Friends(required(request.uid, "uid")?),
        size: request.page_size,
        page_token: request.page_token,
        offset: request.offset,
        viewer: optional(request.viewer)?,
        token: request.token,
    };
    let ListAnswer { items, next, token, .. } = list(center, caller, ask).await?;
    Ok(v1::ListFriendsResponse { friends: items, next_page_token: next, token })
}

pub(super) async fn list_blocks(
    center: &RelationCenter,
    caller: &Caller,
    request: &v1::ListBlocksRequestView<'_>,
) -> Result<v1::ListBlocksResponse> {
    let uid = required(request.uid, "uid")?;
    caller.act_as(uid)?;
    let ask = ListAsk {
        key: ListKey::Blocks(uid),
        size: request.page_size,
        page_token: request.page_token,
        offset: 0,
        viewer: None,
        token: request.token,
    };
    let ListAnswer { items, next, token, .. } = list(center, caller, ask).await?;
    Ok(v1::ListBlocksResponse { blocks: items, next_page_token: next, token })
}

pub(super) async fn list_mutes(
    center: &RelationCenter,
    caller: &Caller,
    request: &v1::ListMutesRequestView<'_>,
) -> Result<v1::ListMutesResponse> {
    let uid = required(request.uid, "uid")?;
    caller.act_as(uid)?;
    let ask = ListAsk {
        key: ListKey::Mutes(uid),
        size: request.page_size,
        page_token: request.page_token,
        offset: 0,
        viewer: None,
        token: request.token,
    };
    let ListAnswer { items, next, token, .. } = list(center, caller, ask).await?;
    Ok(v1::ListMutesResponse { mutes: items, next_page_token: next, token })
}

pub(super) async fn list_known_followers(
    center: &RelationCenter,
    caller: &Caller,
    request: &v1::ListKnownFollowersRequestView<'_>,
) -> Result<v1::ListKnownFollowersResponse> {
    let viewer = required(request.viewer, "viewer")?;
    caller.act_as(viewer)?;
    let ask = ListAsk {
        key: ListKey::KnownFollowers(viewer, required(request.target, "target")?),
        size: request.page_size,
        page_token: request.page_token,
        offset: 0,
        viewer: None,
        token: request.token,
    };
    let ListAnswer { items, next, token, count } = list(center, caller, ask).await?;
    Ok(v1::ListKnownFollowersResponse { users: items, next_page_token: next, token, count })
}

pub(super) async fn list_mutual_following(
    center: &RelationCenter,
    caller: &Caller,
    request: &v1::ListMutualFollowingRequestView<'_>,
) -> Result<v1::ListMutualFollowingResponse> {
    let subject = required(request.subject, "subject")?;
    let ask = ListAsk {
        key: ListKey::MutualFollowing(subject, required(request.object, "object")?),
        size: request.page_size,
        page_token: request.page_token,
        offset: 0,
        viewer: None,
        token: request.token,
    };
    let ListAnswer { items, next, token, count } = list(center, caller, ask).await?;
    Ok(v1::ListMutualFollowingResponse { users: items, next_page_token: next, token, count })
}

pub(super) async fn get_relation(
    center: &RelationCenter,
    caller: &Caller,
    request: &v1::GetRelationRequestView<'_>,
) -> Result<v1::GetRelationResponse> {
    let subject = required(request.subject, "subject")?;
    let object = required(request.object, "object")?;
    let at = center.relations(subject, &[object], at_least(request.token)?).await?;
    let found = at.relations.first().ok_or_else(|| Error::with_detail(Reason::Internal, "no relation"))?;
    Ok(v1::GetRelationResponse {
        relation: MessageField::some(relation(object, found, caller.relation_mask(subject))),
        token: at.position.to_token(),
    })
}

pub(super) async fn batch_get_relations(
    center: &RelationCenter,
    caller: &Caller,
    request: &v1::BatchGetRelationsRequestView<'_>,
) -> Result<v1::BatchGetRelationsResponse> {
    let subject = required(request.subject, "subject")?;
    let objects = required_list(&request.objects, "objects", BATCH_MAX)?;
    let at = center.relations(subject, &objects, at_least(request.token)?).await?;
    let mask = caller.relation_mask(subject);
    let pairs = objects.iter().zip(&at.relations);
    Ok(v1::BatchGetRelationsResponse {
        relations: pairs.map(|(object, found)| relation(*object, found, mask)).collect(),
        token: at.position.to_token(),
    })
}

pub(super) async fn batch_check_pairs(
    center: &RelationCenter,
    caller: &Caller,
    request: &v1::BatchCheckPairsRequestView<'_>,
) -> Result<v1::BatchCheckPairsResponse> {
    if request.pairs.is_empty() {
        return Err(Error::new(Reason::MissingField { field: "pairs" }));
    }
    if request.pairs.len() > BATCH_MAX as usize {
        return Err(Error::new(Reason::BatchTooLarge { limit: BATCH_MAX }));
    }
    let pairs = request
        .pairs
        .iter()
        .map(|pair| Ok((required(pair.subject, "subject")?, required(pair.object, "object")?)))
        .collect::<Result<Vec<_>>>()?;
    let at = center.pairs(&pairs, at_least(request.token)?).await?;
    let found = pairs.iter().zip(&at.relations);
    Ok(v1::BatchCheckPairsResponse {
        relations: found
            .map(|((subject, object), found)| relation(*object, found, caller.relation_mask(*subject)))
            .collect(),
        token: at.position.to_token(),
    })
}

pub(super) async fn get_counts(
    center: &RelationCenter,
    caller: &Caller,
    request: &v1::GetCountsRequestView<'_>,
) -> Result<v1::GetCountsResponse> {
    let uid = required(request.uid, "uid")?;
    let (found, position) = center.counts(&[uid], at_least(request.token)?).await?;
    let found = found.first().ok_or_else(|| Error::with_detail(Reason::Internal, "no counters"))?;
    Ok(v1::GetCountsResponse {
        counts: MessageField::some(counts(uid, found, caller.relation_mask(uid))),
        token: position.to_token(),
    })
}

pub(super) async fn batch_get_counts(
    center: &RelationCenter,
    caller: &Caller,
    request: &v1::BatchGetCountsRequestView<'_>,
) -> Result<v1::BatchGetCountsResponse> {
    let uids = required_list(&request.uids, "uids", BATCH_MAX)?;
    let (found, position) = center.counts(&uids, at_least(request.token)?).await?;
    let pairs = uids.iter().zip(&found);
    Ok(v1::BatchGetCountsResponse {
        counts: pairs.map(|(uid, found)| counts(*uid, found, caller.relation_mask(*uid))).collect(),
        token: position.to_token(),
    })
}
