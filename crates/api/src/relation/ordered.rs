//! Lists that have more than one order.

use super::read;
use buffa::EnumValue;
use guanxi_centers::relation::{RankedPlace, RelationCenter};
use guanxi_model::affinity::Score;
use guanxi_model::{Cursor, Error, List, Page, PageStart, Reason, Result};
use guanxi_proto::v1::{self, list_item::Order};

use crate::convert::{at_least, items};
use crate::page_token::{EDGE_LEN, ListScope, ListTokens, edge_bytes, edge_place};
use crate::request::ListReader;

/// The common part of the two requests.
struct RankedAsk<'a> {
    uid: u64,
    list: List,
    size: i32,
    page_token: &'a str,
    offset: u32,
    viewer: u64,
    token: &'a str,
}

/// A function per list: it answers in the order that is asked for. `$by_time` answers in the order of time.
macro_rules! ordered {
    ($($method:ident($request:ident.$list:ident or $by_time:ident) -> $response:ident { $items:ident };)*) => {$(
        pub(super) async fn $method(
            center: &RelationCenter,
            caller: &ListReader<'_>,
            request: &v1::$request<'_>,
        ) -> Result<v1::$response> {
            if !by_affinity(request.order)? {
                return read::$by_time(center, caller, request).await;
            }
            let ask = RankedAsk {
                uid: request.uid,
                list: List::$list,
                size: request.page_size,
                page_token: request.page_token,
                offset: request.offset,
                viewer: request.viewer,
                token: request.token,
            };
            let ($items, next_page_token, token) = ranked(center, caller, ask).await?;
            Ok(v1::$response { $items, next_page_token, token })
        }
    )*};
}

ordered! {
    list_following(ListFollowingRequestView.Following or following_by_time) -> ListFollowingResponse { following };
    list_friends(ListFriendsRequestView.Friends or friends_by_time) -> ListFriendsResponse { friends };
}

fn by_affinity(order: EnumValue<Order>) -> Result<bool> {
    match order.as_known() {
        Some(Order::AFFINITY) => Ok(true),
        Some(Order::ORDER_UNSPECIFIED) => Ok(false),
        None => Err(Error::new(Reason::InvalidField { field: "order" })),
    }
}

async fn ranked(
    center: &RelationCenter,
    caller: &ListReader<'_>,
    ask: RankedAsk<'_>,
) -> Result<(Vec<v1::ListItem>, String, String)> {
    let of = caller.uid(ask.uid, "uid")?;
    let viewer = caller.reads_as(ask.viewer)?;
    if ask.offset > 0 {
        return Err(Error::new(Reason::InvalidField { field: "offset" }));
    }
    let size = Page::new(PageStart::Newest, ask.size)?.size();
    let kind = if ask.list == List::Friends { FRIENDS_KIND } else { FOLLOWING_KIND };
    let tokens = caller.page_tokens(ListScope::new(kind, of.get(), 0));
    let after = if ask.page_token.is_empty() { None } else { Some(opened(&tokens, ask.page_token)?) };
    let found =
        center.ranked(caller.viewer(), (of, ask.list), (after, size), viewer, at_least(ask.token)?).await?;
    let next = found.next.map_or_else(String::new, |place| sealed(&tokens, place));
    Ok((items(&found.items), next, found.position.to_token()))
}

/// Kinds of lists by affinity.
const FOLLOWING_KIND: u8 = 40;
const FRIENDS_KIND: u8 = 42;

/// Bytes of a score.
const SCORE_LEN: usize = 8;

/// Bytes of a place: whether it is among those with a score, the score, time and uid.
const PLACE_LEN: usize = 1 + SCORE_LEN + EDGE_LEN;

fn sealed(tokens: &ListTokens, place: RankedPlace) -> String {
    let (among, score, cursor) = match place {
        RankedPlace::Scored { score, edge } => (1, score.raw(), Cursor(edge)),
        RankedPlace::Rest(cursor) => (0, 0, cursor),
    };
    let mut bytes = [among; PLACE_LEN];
    bytes[1..=SCORE_LEN].copy_from_slice(&score.to_be_bytes());
    bytes[1 + SCORE_LEN..].copy_from_slice(&edge_bytes(cursor));
    tokens.seal(bytes)
}

fn opened(tokens: &ListTokens, token: &str) -> Result<RankedPlace> {
    let [among, rest @ ..]: [u8; PLACE_LEN] = tokens.open(token)?;
    let (mut score, mut place) = ([0; SCORE_LEN], [0; EDGE_LEN]);
    score.copy_from_slice(&rest[..SCORE_LEN]);
    place.copy_from_slice(&rest[SCORE_LEN..]);
    let (score, cursor) = (Score::from_raw(u64::from_be_bytes(score)), edge_place(place)?);
    Ok(match among {
        0 => RankedPlace::Rest(cursor),
        _ => RankedPlace::Scored { score, edge: cursor.0 },
    })
}
