//! Requests between users, and mutes on terms.

use buffa::MessageField;
use guanxi_centers::relation::{ListedRequest, ListedRequests, RelationCenter};
use guanxi_model::limits::UNREAD_CAP_DEFAULT;
use guanxi_model::{
    Error, FriendRequest, MuteCommand, Op, Reason, RequestDirection, RequestKind, Result, Stamp, Uid,
};
use guanxi_proto::v1;
use guanxi_rim::Caller;
use guanxi_texts::message;

use super::write::{pair_key, pair_response};
use crate::convert::{at_least, edge_page, milliseconds, required, stamp_of, time};
use crate::page_token::ListScope;
use crate::request::{Fingerprint, ListReader};

/// The first kind of lists of requests; kinds of lists are frozen, since tokens of running walks depend on them.
const REQUEST_LISTS: u8 = 32;

/// The hash that seals the tokens of a list of requests.
pub fn requests_scope(of: Uid, direction: RequestDirection, kind: RequestKind) -> ListScope {
    let nth = match (direction, kind) {
        (RequestDirection::Incoming, RequestKind::Friend) => 0,
        (RequestDirection::Outgoing, RequestKind::Friend) => 1,
        (RequestDirection::Incoming, RequestKind::Follow) => 2,
        (RequestDirection::Outgoing, RequestKind::Follow) => 3,
    };
    ListScope::new(REQUEST_LISTS + nth, of.get(), 0)
}

/// A time in milliseconds that is given as seconds and nanoseconds, if it is given.
fn given(duration: Option<(i64, i32)>, field: &'static str) -> Result<Option<u64>> {
    duration.map(|given| milliseconds(Some(given), 0, field)).transpose()
}

pub(super) async fn send_friend_request(
    center: &RelationCenter,
    caller: &Caller,
    request: &v1::SendFriendRequestRequestView<'_>,
) -> Result<v1::SendFriendRequestResponse> {
    let sender = caller.uid(request.subject, "subject")?;
    let receiver = required(request.object, "object")?;
    let ttl_ms = given(request.ttl.as_option().map(|ttl| (ttl.seconds, ttl.nanos)), "ttl")?;
    let message = message(request.message)?;
    let more = |hash: &mut Fingerprint| {
        hash.text(&message).number(ttl_ms.map_or(0, |ms| ms + 1));
    };
    let key = pair_key(caller, request.request_id, Op::SendFriendRequest, sender, &[receiver], more)?;
    caller.pay_for_asking(&[receiver])?;
    let asked = FriendRequest { sender, receiver, message, ttl_ms };
    let written = center.send_friend_request(caller.viewer(), asked, key).await?;
    Ok(pair_response!(SendFriendRequestResponse, written))
}

pub(super) async fn mute(
    center: &RelationCenter,
    caller: &Caller,
    request: &v1::MuteRequestView<'_>,
) -> Result<v1::MuteResponse> {
    let subject = caller.uid(request.subject, "subject")?;
    let object = required(request.object, "object")?;
    let duration = request.duration.as_option().map(|duration| (duration.seconds, duration.nanos));
    let (reposts_only, duration_ms) = (request.reposts_only, given(duration, "duration")?);
    // A mute without terms is hashed as before there were any.
    let more = |hash: &mut Fingerprint| {
        if reposts_only || duration_ms.is_some() {
            hash.number(reposts_only.into()).number(duration_ms.map_or(0, |ms| ms + 1));
        }
    };
    let key = pair_key(caller, request.request_id, Op::Mute, subject, &[object], more)?;
    let mute = MuteCommand { subject, object, reposts_only, duration_ms };
    let written = center.mute(caller.viewer(), mute, key).await?;
    Ok(pair_response!(MuteResponse, written))
}

/// The common part of the requests for lists of requests.
struct RequestsAsk<'a> {
    kind: RequestKind,
    uid: u64,
    outgoing: bool,
    size: i32,
    page_token: &'a str,
    token: &'a str,
}

/// Items, next page token and token of a list of requests.
type RequestsAnswer = (Vec<v1::RequestItem>, String, String);

async fn list(
    center: &RelationCenter,
    caller: &ListReader<'_>,
    ask: RequestsAsk<'_>,
) -> Result<RequestsAnswer> {
    let uid = caller.uid(ask.uid, "uid")?;
    let direction = if ask.outgoing { RequestDirection::Outgoing } else { RequestDirection::Incoming };
    let tokens = caller.page_tokens(requests_scope(uid, direction, ask.kind));
    let page = edge_page(ask.size, ask.page_token, 0, &tokens)?;
    let at_least = at_least(ask.token)?;
    let found = center.requests(caller.viewer(), uid, direction, ask.kind, page, at_least).await?;
    let ListedRequests { items, next, position } = found;
    let next = tokens.after(next);
    let items = items.into_iter().map(|listed| item(direction, listed)).collect();
    Ok((items, next, position.to_token()))
}

fn item(direction: RequestDirection, listed: ListedRequest) -> v1::RequestItem {
    let ListedRequest { request, deactivated } = listed;
    let uid = match direction {
        RequestDirection::Incoming => request.sender,
        RequestDirection::Outgoing => request.receiver,
    };
    v1::RequestItem {
        uid: uid.get(),
        create_time: MessageField::some(time(request.at)),
        expire_time: MessageField::some(time(Stamp::from_ms(request.expires_ms))),
        message: request.message,
        deactivated,
    }
}

/// The list of a kind of requests.
macro_rules! requests {
    ($($method:ident($request:ident: $kind:ident) -> $response:ident;)*) => {$(
        pub(super) async fn $method(
            center: &RelationCenter,
            caller: &ListReader<'_>,
            request: &v1::$request<'_>,
        ) -> Result<v1::$response> {
            let ask = RequestsAsk {
                kind: RequestKind::$kind,
                uid: request.uid,
                outgoing: request.outgoing,
                size: request.page_size,
                page_token: request.page_token,
                token: request.token,
            };
            let (requests, next_page_token, token) = list(center, caller, ask).await?;
            Ok(v1::$response { requests, next_page_token, token })
        }
    )*};
}

requests! {
    list_friend_requests(ListFriendRequestsRequestView: Friend) -> ListFriendRequestsResponse;
    list_follow_requests(ListFollowRequestsRequestView: Follow) -> ListFollowRequestsResponse;
}

pub(super) async fn get_unseen_requests(
    center: &RelationCenter,
    caller: &Caller,
    request: &v1::GetUnseenRequestsRequestView<'_>,
) -> Result<v1::GetUnseenRequestsResponse> {
    let uid = caller.uid(request.uid, "uid")?;
    let cap = if request.cap == 0 { UNREAD_CAP_DEFAULT } else { request.cap };
    let found = center.unseen_requests(caller.viewer(), uid, cap, at_least(request.token)?).await?;
    Ok(v1::GetUnseenRequestsResponse {
        friend_requests: Some(found.friend),
        follow_requests: Some(found.follow),
        token: found.position.to_token(),
    })
}

pub(super) async fn mark_requests_seen(
    center: &RelationCenter,
    caller: &Caller,
    request: &v1::MarkRequestsSeenRequestView<'_>,
) -> Result<v1::MarkRequestsSeenResponse> {
    let uid = caller.uid(request.uid, "uid")?;
    let none_of_ours = || Error::new(Reason::InvalidField { field: "seen_time" });
    let seen = request.seen_time.as_option();
    let seen = seen.map(|time| stamp_of(time.seconds, time.nanos).ok_or_else(none_of_ours)).transpose()?;
    let position = center.mark_requests_seen(caller.viewer(), uid, seen).await?;
    Ok(v1::MarkRequestsSeenResponse { token: position.to_token() })
}
