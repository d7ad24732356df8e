//! Lists that have more than one order.

use super::read;
use buffa::EnumValue;
use guanxi_centers::relation::{RankedPlace, RelationCenter};
use guanxi_model::affinity::{Affinity, Score};
use guanxi_model::{Cursor, Edge, Error, List, Page, PageStart, Reason, Result, Stamp, Uid};
use guanxi_proto::v1::{self, list_item::Order};

use crate::caller::Caller;
use crate::convert::{at_least, items, list_scope};

/// What the two requests have in common.
struct RankedAsk<'a> {
    uid: u64,
    list: List,
    size: i32,
    page_token: &'a str,
    offset: u32,
    viewer: u64,
    token: &'a str,
}

/// A function per list: it answers in the order that is asked for.
macro_rules! ordered {
    ($($method:ident($request:ident.$list:ident) -> $response:ident { $items:ident };)*) => {$(
        pub(super) async fn $method(
            center: &RelationCenter,
            caller: &Caller,
            request: &v1::$request<'_>,
        ) -> Result<v1::$response> {
            if !by_affinity(request.order)? {
                return read::$method(center, caller, request).await;
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
    list_following(ListFollowingRequestView.Following) -> ListFollowingResponse { following };
    list_friends(ListFriendsRequestView.Friends) -> ListFriendsResponse { friends };
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
    caller: &Caller,
    ask: RankedAsk<'_>,
) -> Result<(Vec<v1::ListItem>, String, String)> {
    let of = caller.uid(ask.uid, "uid")?;
    let viewer = caller.reads_as(ask.viewer)?;
    if ask.offset > 0 {
        return Err(Error::new(Reason::InvalidField { field: "offset" }));
    }
    let size = Page::new(PageStart::Newest, ask.size)?.size();
    let tokens = Tokens { of, list: ask.list };
    let after = if ask.page_token.is_empty() { None } else { Some(tokens.open(ask.page_token)?) };
    let found =
        center.ranked(caller.viewer(), (of, ask.list), (after, size), viewer, at_least(ask.token)?).await?;
    let next = found.next.map_or_else(String::new, |place| tokens.seal(place));
    Ok((items(&found.items), next, found.position.to_token()))
}

/// Page tokens of a list by affinity. Frozen: tokens of running walks depend on it. They hold a score, but not as it is:
/// whoever turns pages is not told of it.
struct Tokens {
    of: Uid,
    list: List,
}

impl Tokens {
    /// What seals tokens among those with a score, and among all others.
    fn scopes(&self) -> (u64, u64) {
        let kind = if self.list == List::Friends { 42 } else { 40 };
        (list_scope(kind, self.of.get(), 0), list_scope(kind + 1, self.of.get(), 0))
    }

    fn mask(&self, uid: Uid) -> u64 {
        list_scope(44, self.of.get(), uid.get())
    }

    fn seal(&self, place: RankedPlace) -> String {
        let (scored, rest) = self.scopes();
        match place {
            RankedPlace::Scored(Affinity { uid, score }) => {
                let at = Stamp::from_raw(score.raw() ^ self.mask(uid));
                Cursor(Edge { at, uid }).to_token(scored)
            }
            RankedPlace::Rest(cursor) => cursor.to_token(rest),
        }
    }

    fn open(&self, token: &str) -> Result<RankedPlace> {
        let (scored, rest) = self.scopes();
        match Cursor::from_token(token, scored) {
            Ok(Cursor(Edge { at, uid })) => {
                let score = Score::from_raw(at.raw() ^ self.mask(uid));
                Ok(RankedPlace::Scored(Affinity { uid, score }))
            }
            Err(_) => Cursor::from_token(token, rest).map(RankedPlace::Rest),
        }
    }
}
