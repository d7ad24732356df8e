//! The calls on guanxi: protobuf over HTTP/1.1, the Connect protocol's unary form.

use super::{Protocol, Request, WireError, first};
use crate::calls::{Answer, Call, PAGE, UserCall};
use crate::people::{PeopleCall, RANKED_PAGE};
use crate::search::{Kind, POSTS_PAGE, SUGGESTED, SearchCall, USERS_PAGE};
use buffa::Message;
use guanxi_load::http1;
use guanxi_load::rpc::{home_body, message};
use guanxi_model::Uid;
use guanxi_proto::v1::{
    BatchGetRelationsRequest, BatchGetRelationsResponse, FollowRequest, FollowResponse, FoundUser,
    GetGroupTimelineRequest, GetGroupTimelineResponse, GetHomeTimelineResponse, GetUserRequest,
    GetUserResponse, ListFollowersRequest, ListFollowersResponse, ListFollowingRequest,
    ListFollowingResponse, ListItem, ListKnownFollowersRequest, ListKnownFollowersResponse,
    ListSuggestionsRequest, ListSuggestionsResponse, LoginRequest, LoginResponse, LookupUserRequest,
    LookupUserResponse, RegisterRequest, RegisterResponse, Relation, ResolveIdsRequest, ResolveIdsResponse,
    SearchPostsRequest, SearchPostsResponse, SearchUsersRequest, SearchUsersResponse, SuggestRequest,
    SuggestResponse, Suggestion, UnfollowRequest, UnfollowResponse, User, get_group_timeline_request,
    get_home_timeline_request, list_item, suggestion_reason,
};
use std::sync::atomic::{AtomicU64, Ordering};

/// The protocol of a guanxi server.
#[derive(Debug, Default)]
pub(crate) struct Guanxi {
    /// What the request ids of writes begin with, and how many there were: callers may repeat such writes. Two processes
    /// share what they remember.
    ids: Option<(&'static str, AtomicU64)>,
}

/// The one without request ids.
pub(crate) static PLAIN: Guanxi = Guanxi { ids: None };

/// A method with its service, and the encoded request.
type Asked = (&'static str, Vec<u8>);

impl Guanxi {
    /// Each write has a request id that begins with a name.
    pub(crate) fn keyed(name: &'static str) -> Self {
        Self { ids: Some((name, AtomicU64::new(0))) }
    }

    fn request_id(&self) -> String {
        let Some((name, made)) = &self.ids else { return String::new() };
        format!("{}-{}", name.replace(' ', "-"), made.fetch_add(1, Ordering::Relaxed))
    }

    /// What a call asks of which method.
    pub(crate) fn ask(&self, call: &Call) -> Asked {
        let page_size = PAGE as i32;
        match call {
            &Call::Follow { a: subject, b: object } => {
                let request_id = self.request_id();
                asked("RelationService/Follow", &FollowRequest { subject, object, request_id })
            }
            &Call::Unfollow { a: subject, b: object } => {
                let request_id = self.request_id();
                asked("RelationService/Unfollow", &UnfollowRequest { subject, object, request_id })
            }
            &Call::Following { uid, viewer } => {
                let request = ListFollowingRequest { uid, viewer, page_size, ..Default::default() };
                asked("RelationService/ListFollowing", &request)
            }
            &Call::Followers { uid } => {
                let request = ListFollowersRequest { uid, page_size, ..Default::default() };
                asked("RelationService/ListFollowers", &request)
            }
            Call::Check { subject, objects } => {
                let (subject, objects) = (*subject, objects.clone());
                let request = BatchGetRelationsRequest { subject, objects, ..Default::default() };
                asked("RelationService/BatchGetRelations", &request)
            }
            &Call::Known { viewer, target } => {
                let request = ListKnownFollowersRequest { viewer, target, page_size, ..Default::default() };
                asked("RelationService/ListKnownFollowers", &request)
            }
            &Call::Home { uid, with_posts } => {
                use get_home_timeline_request::View;
                let viewer = Uid::new(uid).expect("a world's ids are in range");
                let view = if with_posts { View::POSTS } else { View::IDS };
                ("FeedService/GetHomeTimeline", home_body(viewer, view))
            }
            Call::User(call) => ask_of_user(*call),
            Call::People(call) => ask_of_people(*call),
            Call::Search(call) => search(call),
        }
    }
}

fn asked(method: &'static str, request: &impl Message) -> Asked {
    (method, request.encode_to_vec())
}

impl Protocol for Guanxi {
    fn request(&self, call: &Call) -> Request {
        let (method, body) = self.ask(call);
        Request::one(http1::post(&format!("/guanxi.v1.{method}"), &body))
    }

    fn reply_len(&self, bytes: &[u8]) -> Result<Option<usize>, WireError> {
        http1::success_len(bytes)
    }

    fn decode(&self, call: &Call, steps: &[Vec<u8>]) -> Result<Answer, WireError> {
        answer(call, &http1::body(first(steps)?)?)
    }
}

/// The answer that a response says.
///
/// # Errors
/// When it is none to the call.
pub(crate) fn answer(call: &Call, body: &[u8]) -> Result<Answer, WireError> {
    Ok(match call {
        Call::Follow { .. } => {
            let response: FollowResponse = message(body)?;
            Answer::Write { changed: response.changed == Some(true), state: state(&response.relation) }
        }
        Call::Unfollow { .. } => {
            let response: UnfollowResponse = message(body)?;
            Answer::Write { changed: response.changed == Some(true), state: state(&response.relation) }
        }
        Call::Following { .. } => page(&message::<ListFollowingResponse>(body)?.following),
        Call::Followers { .. } => page(&message::<ListFollowersResponse>(body)?.followers),
        Call::Check { .. } => {
            let relations = message::<BatchGetRelationsResponse>(body)?.relations;
            Answer::Relations(relations.iter().map(state).collect())
        }
        Call::Known { .. } => {
            let response: ListKnownFollowersResponse = message(body)?;
            let first = response.users.iter().map(|user| user.uid).collect();
            Answer::Known { count: response.count.unwrap_or(0) as usize, first }
        }
        Call::Home { with_posts: false, .. } => {
            Answer::Ids(message::<GetHomeTimelineResponse>(body)?.post_ids)
        }
        Call::Home { with_posts: true, .. } => {
            let posts = message::<GetHomeTimelineResponse>(body)?.posts;
            Answer::Ids(posts.iter().map(|item| item.post.post_id).collect())
        }
        Call::User(call) => answer_of_user(*call, body)?,
        Call::People(call) => answer_of_people(*call, body)?,
        Call::Search(call) => found(call, body)?,
    })
}

fn ask_of_user(call: UserCall) -> Asked {
    let name = UserCall::name_of;
    let look_up = |request: LookupUserRequest| asked("UserService/LookupUser", &request);
    match call {
        UserCall::Register(n) => {
            let password = if n >= UserCall::FIRST_LOGIN { UserCall::PASSWORD } else { "" }.to_owned();
            let (login_name, nickname) = (name(n), n.to_string());
            let request = RegisterRequest { login_name, nickname, password, ..Default::default() };
            asked("UserService/Register", &request)
        }
        UserCall::ByName(n) => look_up(LookupUserRequest { login_name: name(n), ..Default::default() }),
        UserCall::ByPhone(n) => {
            look_up(LookupUserRequest { phone: UserCall::phone_of(n), ..Default::default() })
        }
        UserCall::ByEmail(n) => {
            look_up(LookupUserRequest { email: UserCall::email_of(n), ..Default::default() })
        }
        UserCall::ByUid(n) => {
            let uid = UserCall::uid_of(n).get();
            asked("UserService/GetUser", &GetUserRequest { uid, ..Default::default() })
        }
        UserCall::Resolve { first, create } => {
            let external_ids = UserCall::external_ids_from(first);
            let request = ResolveIdsRequest { external_ids, create, ..Default::default() };
            asked("UserService/ResolveIds", &request)
        }
        UserCall::LogIn(n) => {
            let (login_name, password) = (name(n), UserCall::PASSWORD.to_owned());
            asked("UserService/Login", &LoginRequest { login_name, password, ..Default::default() })
        }
    }
}

fn answer_of_user(call: UserCall, body: &[u8]) -> Result<Answer, WireError> {
    let is_done = match call {
        UserCall::Register(_) => message::<RegisterResponse>(body)?.uid != 0,
        UserCall::LogIn(_) => !message::<LoginResponse>(body)?.access_token.is_empty(),
        UserCall::ByUid(_) => return number_of(&message::<GetUserResponse>(body)?.user),
        UserCall::ByName(_) | UserCall::ByPhone(_) | UserCall::ByEmail(_) => {
            return number_of(&message::<LookupUserResponse>(body)?.user);
        }
        UserCall::Resolve { first, .. } => {
            let found = message::<ResolveIdsResponse>(body)?.by_external_id;
            let asked = UserCall::external_ids_from(first);
            let right =
                found.iter().zip(asked).filter(|(found, id)| found.uid != 0 && found.external_id == *id);
            return Ok(Answer::Resolved(right.count()));
        }
    };
    if is_done { Ok(Answer::Done) } else { Err(format!("{call:?} was not done")) }
}

/// The account whose number is its nickname.
fn number_of(user: &User) -> Result<Answer, WireError> {
    let nickname = &user.nickname;
    nickname.parse().map(Answer::User).map_err(|_| format!("found {nickname:?}"))
}

fn ask_of_people(call: PeopleCall) -> Asked {
    let page_size = PAGE as i32;
    let suggest = |request: ListSuggestionsRequest| asked("RelationService/ListSuggestions", &request);
    match call {
        PeopleCall::FriendsOfFriends { viewer } => {
            let kinds = vec![suggestion_reason::Kind::FRIENDS_OF_FRIENDS.into()];
            suggest(ListSuggestionsRequest { viewer, page_size, kinds, ..Default::default() })
        }
        PeopleCall::Suggestions { viewer } => {
            suggest(ListSuggestionsRequest { viewer, page_size, ..Default::default() })
        }
        PeopleCall::ByAffinity { viewer: uid } => {
            let (page_size, order) = (RANKED_PAGE as i32, list_item::Order::AFFINITY.into());
            let request = ListFollowingRequest { uid, page_size, order, ..Default::default() };
            asked("RelationService/ListFollowing", &request)
        }
        PeopleCall::Group { viewer, group: group_id } => {
            let view = get_group_timeline_request::View::IDS.into();
            let request = GetGroupTimelineRequest { viewer, group_id, page_size, view, ..Default::default() };
            asked("FeedService/GetGroupTimeline", &request)
        }
    }
}

fn answer_of_people(call: PeopleCall, body: &[u8]) -> Result<Answer, WireError> {
    let suggestions = || message::<ListSuggestionsResponse>(body).map(|response| response.suggestions);
    // The suggested user, and how many users the first reason is about.
    let counted = |item: &Suggestion| (item.uid, item.reasons.first().map_or(0, |reason| reason.count));
    Ok(match call {
        PeopleCall::FriendsOfFriends { .. } => Answer::Counted(suggestions()?.iter().map(counted).collect()),
        PeopleCall::Suggestions { .. } => Answer::Ids(suggestions()?.iter().map(|item| item.uid).collect()),
        PeopleCall::ByAffinity { .. } => {
            let items = message::<ListFollowingResponse>(body)?.following;
            Answer::Ids(items.iter().map(|item| item.uid).collect())
        }
        PeopleCall::Group { .. } => Answer::Ids(message::<GetGroupTimelineResponse>(body)?.post_ids),
    })
}

fn search(call: &SearchCall) -> Asked {
    let (query, viewer) = (call.query.clone(), call.viewer);
    match call.kind {
        Kind::Letter | Kind::Letters => {
            let page_size = SUGGESTED as i32;
            asked("SearchService/Suggest", &SuggestRequest { query, viewer, page_size })
        }
        kind if kind.is_of_posts() => {
            let page_size = POSTS_PAGE as i32;
            let request = SearchPostsRequest { query, viewer, page_size, ..Default::default() };
            asked("SearchService/SearchPosts", &request)
        }
        _ => {
            let page_size = USERS_PAGE as i32;
            let request = SearchUsersRequest { query, viewer, page_size, ..Default::default() };
            asked("SearchService/SearchUsers", &request)
        }
    }
}

fn found(call: &SearchCall, body: &[u8]) -> Result<Answer, WireError> {
    let uids = |users: Vec<FoundUser>| users.iter().map(|found| found.user.uid).collect();
    Ok(Answer::Ids(match call.kind {
        Kind::Letter | Kind::Letters => uids(message::<SuggestResponse>(body)?.users),
        kind if kind.is_of_posts() => {
            let posts = message::<SearchPostsResponse>(body)?.posts;
            posts.iter().map(|found| found.post.post_id).collect()
        }
        _ => uids(message::<SearchUsersResponse>(body)?.users),
    }))
}

/// The length of the token in a reply to a relation check.
pub(crate) fn token_len(reply: &[u8]) -> Result<usize, WireError> {
    Ok(message::<BatchGetRelationsResponse>(&http1::body(reply)?)?.token.len())
}

fn page(items: &[ListItem]) -> Answer {
    Answer::Page(items.iter().map(|item| (item.uid, state(&item.relation))).collect())
}

/// The API's states are seed 000's statuses in another order: 1 none, 2 following, 3 followed by, 4 both. Absent
/// is none.
fn state(relation: &Relation) -> u8 {
    match relation.state.to_i32() {
        2 => 2,
        3 => 1,
        4 => 3,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use guanxi_proto::v1::SuggestionReason;

    fn response(body: &[u8]) -> Vec<u8> {
        let mut bytes = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", body.len()).into_bytes();
        bytes.extend_from_slice(body);
        bytes
    }

    fn relation(uid: u64, state: i32) -> Relation {
        Relation { uid, state: state.into(), ..Default::default() }
    }

    #[test]
    fn relations_are_translated() {
        let relations = (1..=4).map(|state| relation(9, state)).collect();
        let body = BatchGetRelationsResponse { relations, ..Default::default() }.encode_to_vec();
        let call = Call::Check { subject: 1, objects: vec![9; 4] };
        let answer = PLAIN.decode(&call, &[response(&body)]).unwrap();
        assert_eq!(answer, Answer::Relations(vec![0, 2, 1, 3]));
    }

    #[test]
    fn pages_keep_their_order_and_relations() {
        let item = |uid, state| ListItem { uid, relation: relation(uid, state).into(), ..Default::default() };
        let body = ListFollowingResponse { following: vec![item(7, 4), item(5, 1)], ..Default::default() };
        let call = Call::Following { uid: 1, viewer: 2 };
        let answer = PLAIN.decode(&call, &[response(&body.encode_to_vec())]).unwrap();
        assert_eq!(answer, Answer::Page(vec![(7, 3), (5, 0)]));
    }

    #[test]
    fn an_error_says_what_the_server_said() {
        let reply = b"HTTP/1.1 400 Bad Request\r\ncontent-length: 2\r\n\r\nno";
        assert_eq!(PLAIN.reply_len(reply), Err("status 400: no".to_owned()));
        let empty = response(b"");
        assert_eq!(PLAIN.reply_len(&empty), Ok(Some(empty.len())));
    }

    #[test]
    fn a_suggestion_is_a_user_and_a_count() {
        let reason = SuggestionReason { count: 3, uids: vec![4, 5], ..Default::default() };
        let suggestion = Suggestion { uid: 9, reasons: vec![reason] };
        let body = ListSuggestionsResponse { suggestions: vec![suggestion], ..Default::default() };
        let ask = |call| answer(&Call::People(call), &body.encode_to_vec()).unwrap();
        assert_eq!(ask(PeopleCall::FriendsOfFriends { viewer: 1 }), Answer::Counted(vec![(9, 3)]));
        assert_eq!(ask(PeopleCall::Suggestions { viewer: 1 }), Answer::Ids(vec![9]));
    }
}
