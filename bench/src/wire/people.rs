//! The calls on guanxi about the people around a user.

use super::WireError;
use crate::calls::{Answer, PAGE};
use crate::people::{PeopleCall, RANKED_PAGE};
use buffa::Message;
use guanxi_load::http1;
use guanxi_load::rpc::message;
use guanxi_proto::v1::{
    GetGroupTimelineRequest, GetGroupTimelineResponse, ListFollowingRequest, ListFollowingResponse,
    ListSuggestionsRequest, ListSuggestionsResponse, Suggestion, get_group_timeline_request, list_item,
    suggestion_reason,
};

/// The request of a call.
pub(super) fn request(call: PeopleCall) -> Vec<u8> {
    let page_size = PAGE as i32;
    let (method, body) = match call {
        PeopleCall::FriendsOfFriends { viewer } => {
            let kinds = vec![suggestion_reason::Kind::FRIENDS_OF_FRIENDS.into()];
            let request = ListSuggestionsRequest { viewer, page_size, kinds, ..Default::default() };
            ("RelationService/ListSuggestions", request.encode_to_vec())
        }
        PeopleCall::Suggestions { viewer } => {
            let request = ListSuggestionsRequest { viewer, page_size, ..Default::default() };
            ("RelationService/ListSuggestions", request.encode_to_vec())
        }
        PeopleCall::ByAffinity { viewer: uid } => {
            let (page_size, order) = (RANKED_PAGE as i32, list_item::Order::AFFINITY.into());
            let request = ListFollowingRequest { uid, page_size, order, ..Default::default() };
            ("RelationService/ListFollowing", request.encode_to_vec())
        }
        PeopleCall::Group { viewer, group: group_id } => {
            let view = get_group_timeline_request::View::IDS.into();
            let request = GetGroupTimelineRequest { viewer, group_id, page_size, view, ..Default::default() };
            ("FeedService/GetGroupTimeline", request.encode_to_vec())
        }
    };
    http1::post(&format!("/guanxi.v1.{method}"), &body)
}

/// What a reply says.
///
/// # Errors
/// When it is no answer to the call.
pub(super) fn answer(call: PeopleCall, reply: &[u8]) -> Result<Answer, WireError> {
    let suggestions = || message::<ListSuggestionsResponse>(reply).map(|response| response.suggestions);
    Ok(match call {
        PeopleCall::FriendsOfFriends { .. } => Answer::Counted(suggestions()?.iter().map(counted).collect()),
        PeopleCall::Suggestions { .. } => {
            Answer::Ids(suggestions()?.iter().map(|suggestion| suggestion.uid).collect())
        }
        PeopleCall::ByAffinity { .. } => {
            let items = message::<ListFollowingResponse>(reply)?.following;
            Answer::Ids(items.iter().map(|item| item.uid).collect())
        }
        PeopleCall::Group { .. } => Answer::Ids(message::<GetGroupTimelineResponse>(reply)?.post_ids),
    })
}

/// Returns the suggested user, and how many users the first reason is about.
fn counted(suggestion: &Suggestion) -> (u64, u32) {
    (suggestion.uid, suggestion.reasons.first().map_or(0, |reason| reason.count))
}

#[cfg(test)]
mod tests {
    use super::*;
    use guanxi_proto::v1::SuggestionReason;

    #[test]
    fn a_suggestion_is_a_user_and_a_count() {
        let reason = SuggestionReason { count: 3, uids: vec![4, 5], ..Default::default() };
        let suggestion = Suggestion { uid: 9, reasons: vec![reason] };
        let body = ListSuggestionsResponse { suggestions: vec![suggestion], ..Default::default() };
        let body = body.encode_to_vec();
        let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", body.len());
        let reply = [head.as_bytes(), &body].concat();
        let ask = |call| answer(call, &reply).unwrap();
        assert_eq!(ask(PeopleCall::FriendsOfFriends { viewer: 1 }), Answer::Counted(vec![(9, 3)]));
        assert_eq!(ask(PeopleCall::Suggestions { viewer: 1 }), Answer::Ids(vec![9]));
    }
}
