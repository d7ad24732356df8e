//! Reads: one function per method.

use buffa::MessageField;
use guanxi_centers::relation::RelationCenter;
use guanxi_model::limits::BATCH_MAX;
use guanxi_model::{Error, List, Reason, Result};
use guanxi_proto::v1;
use guanxi_rim::Caller;

use crate::convert::{ListKey, at_least, counts, edge_page, items, relation, required, required_list};
use crate::request::ListReader;

/// The common part of the requests for lists.
struct ListAsk<'a> {
    key: ListKey,
    size: i32,
    page_token: &'a str,
    /// 0 where there is none.
    offset: u32,
    /// The user whose relation to each item is told, where the list has that: 0 for no user, or for an end user's own.
    viewer: Option<u64>,
    token: &'a str,
}

impl<'a> ListAsk<'a> {
    const fn new(key: ListKey, size: i32, page_token: &'a str, token: &'a str) -> Self {
        Self { key, size, page_token, offset: 0, viewer: None, token }
    }

    const fn offset(self, offset: u32) -> Self {
        Self { offset, ..self }
    }

    const fn viewer(self, viewer: u64) -> Self {
        Self { viewer: Some(viewer), ..self }
    }
}

/// Items, next page token and token of a list.
struct ListAnswer {
    items: Vec<v1::ListItem>,
    next: String,
    token: String,
    count: Option<u32>,
}

async fn list(center: &RelationCenter, caller: &ListReader<'_>, ask: ListAsk<'_>) -> Result<ListAnswer> {
    let viewer = ask.viewer.map_or(Ok(None), |raw| caller.reads_as(raw))?;
    let key = ask.key;
    let tokens = caller.page_tokens(key.scope());
    let page = edge_page(ask.size, ask.page_token, ask.offset, &tokens)?;
    let position = at_least(ask.token)?;
    let of = async |uid, list| center.list(caller.viewer(), uid, list, page, viewer, position.clone()).await;
    let listed = match key {
        ListKey::Following(uid) => of(uid, List::Following).await?,
        ListKey::Followers(uid) => of(uid, List::Followers).await?,
        ListKey::Friends(uid) => of(uid, List::Friends).await?,
        ListKey::Blocks(uid) => of(uid, List::Blocks).await?,
        ListKey::Mutes(uid) => of(uid, List::Mutes).await?,
        ListKey::KnownFollowers(viewer, target) => {
            center.known_followers(caller.viewer(), viewer, target, page, position.clone()).await?
        }
        ListKey::MutualFollowing(subject, object) => {
            center.mutual_following(caller.viewer(), subject, object, page, position.clone()).await?
        }
    };
    caller.pay_for_rows(listed.looked_at);
    Ok(ListAnswer {
        items: items(&listed.items),
        next: tokens.after(listed.next),
        token: listed.position.to_token(),
        count: listed.count,
    })
}

/// A function per list: the request's fields that choose it, those that the request has beside (`offset`, `viewer`),
/// and the answer's field of the items, with `count` where the answer has one.
macro_rules! list {
    ($($method:ident($request:ident.$key:ident($($of:ident),+) $(, $field:ident)*)
        -> $response:ident { $items:ident $(, $count:ident)? };)*) => {$(
        pub(super) async fn $method(
            center: &RelationCenter,
            caller: &ListReader<'_>,
            request: &v1::$request<'_>,
        ) -> Result<v1::$response> {
            let key = ListKey::$key($(caller.uid(request.$of, stringify!($of))?),+);
            let ask = ListAsk::new(key, request.page_size, request.page_token, request.token)
                $(.$field(request.$field))*;
            let answer = list(center, caller, ask).await?;
            Ok(v1::$response {
                $items: answer.items,
                next_page_token: answer.next,
                token: answer.token,
                $($count: answer.$count,)?
            })
        }
    )*};
}

list! {
    following_by_time(ListFollowingRequestView.Following(uid), offset, viewer) -> ListFollowingResponse { following };
    list_followers(ListFollowersRequestView.Followers(uid), viewer) -> ListFollowersResponse { followers };
    friends_by_time(ListFriendsRequestView.Friends(uid), offset, viewer) -> ListFriendsResponse { friends };
    list_blocks(ListBlocksRequestView.Blocks(uid)) -> ListBlocksResponse { blocks };
    list_mutes(ListMutesRequestView.Mutes(uid)) -> ListMutesResponse { mutes };
    list_known_followers(ListKnownFollowersRequestView.KnownFollowers(viewer, target))
        -> ListKnownFollowersResponse { users, count };
    list_mutual_following(ListMutualFollowingRequestView.MutualFollowing(subject, object))
        -> ListMutualFollowingResponse { users, count };
}

pub(super) async fn get_relation(
    center: &RelationCenter,
    caller: &Caller,
    request: &v1::GetRelationRequestView<'_>,
) -> Result<v1::GetRelationResponse> {
    let subject = required(request.subject, "subject")?;
    let object = required(request.object, "object")?;
    let at = center.relations(caller.viewer(), subject, &[object], at_least(request.token)?).await?;
    let found = at.relations.first().ok_or_else(|| Error::with_detail(Reason::Internal, "no relation"))?;
    Ok(v1::GetRelationResponse {
        relation: MessageField::some(relation(object, found)),
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
    caller.pay_for_batch(objects.len())?;
    let at = center.relations(caller.viewer(), subject, &objects, at_least(request.token)?).await?;
    let pairs = objects.iter().zip(&at.relations);
    Ok(v1::BatchGetRelationsResponse {
        relations: pairs.map(|(object, found)| relation(*object, found)).collect(),
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
    caller.pay_for_batch(pairs.len())?;
    let at = center.pairs(caller.viewer(), &pairs, at_least(request.token)?).await?;
    let found = pairs.iter().zip(&at.relations);
    Ok(v1::BatchCheckPairsResponse {
        relations: found.map(|((_, object), found)| relation(*object, found)).collect(),
        token: at.position.to_token(),
    })
}

pub(super) async fn get_counts(
    center: &RelationCenter,
    caller: &Caller,
    request: &v1::GetCountsRequestView<'_>,
) -> Result<v1::GetCountsResponse> {
    let uid = required(request.uid, "uid")?;
    let (found, position) = center.counts(caller.viewer(), &[uid], at_least(request.token)?).await?;
    let found = found.first().ok_or_else(|| Error::with_detail(Reason::Internal, "no counters"))?;
    Ok(v1::GetCountsResponse { counts: MessageField::some(counts(uid, found)), token: position.to_token() })
}

pub(super) async fn batch_get_counts(
    center: &RelationCenter,
    caller: &Caller,
    request: &v1::BatchGetCountsRequestView<'_>,
) -> Result<v1::BatchGetCountsResponse> {
    let uids = required_list(&request.uids, "uids", BATCH_MAX)?;
    caller.pay_for_batch(uids.len())?;
    let (found, position) = center.counts(caller.viewer(), &uids, at_least(request.token)?).await?;
    let pairs = uids.iter().zip(&found);
    Ok(v1::BatchGetCountsResponse {
        counts: pairs.map(|(uid, found)| counts(*uid, found)).collect(),
        token: position.to_token(),
    })
}
