//! The calls on guanxi: protobuf over HTTP/1.1, the Connect protocol's unary form.

use super::{Protocol, Request, WireError, first, people, search};
use crate::calls::{Answer, Call, PAGE, UserCall};
use buffa::Message;
use guanxi_load::http1;
use guanxi_load::rpc::{self, message};
use guanxi_model::Uid;
use guanxi_proto::v1::{
    BatchGetRelationsRequest, BatchGetRelationsResponse, FollowRequest, FollowResponse, GetUserRequest,
    GetUserResponse, ListFollowersRequest, ListFollowersResponse, ListFollowingRequest,
    ListFollowingResponse, ListItem, ListKnownFollowersRequest, ListKnownFollowersResponse, LoginRequest,
    LoginResponse, LookupUserRequest, LookupUserResponse, RegisterRequest, RegisterResponse, Relation,
    ResolveIdsRequest, ResolveIdsResponse, UnfollowRequest, UnfollowResponse, User,
};

/// The protocol of a guanxi server.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Guanxi;

impl Protocol for Guanxi {
    fn request(&self, call: &Call) -> Request {
        let page_size = PAGE as i32;
        let (method, body) = match call {
            &Call::Follow { a, b } => {
                ("Follow", FollowRequest { subject: a, object: b, ..Default::default() }.encode_to_vec())
            }
            &Call::Unfollow { a, b } => {
                ("Unfollow", UnfollowRequest { subject: a, object: b, ..Default::default() }.encode_to_vec())
            }
            &Call::Following { uid, viewer } => {
                let request = ListFollowingRequest { uid, viewer, page_size, ..Default::default() };
                ("ListFollowing", request.encode_to_vec())
            }
            &Call::Followers { uid } => {
                let request = ListFollowersRequest { uid, page_size, ..Default::default() };
                ("ListFollowers", request.encode_to_vec())
            }
            Call::Check { subject, objects } => {
                let request = BatchGetRelationsRequest {
                    subject: *subject,
                    objects: objects.clone(),
                    ..Default::default()
                };
                ("BatchGetRelations", request.encode_to_vec())
            }
            &Call::User(call) => return Request::one(user_request(call)),
            &Call::People(call) => return Request::one(people::request(call)),
            Call::Search(call) => return Request::one(search::request(call)),
            &Call::Home { uid } => {
                let viewer = Uid::new(uid).expect("a world's ids are in range");
                return Request::one(rpc::home_request(viewer));
            }
            &Call::Known { viewer, target } => {
                let request = ListKnownFollowersRequest { viewer, target, page_size, ..Default::default() };
                ("ListKnownFollowers", request.encode_to_vec())
            }
        };
        Request::one(http1::post(&format!("/guanxi.v1.RelationService/{method}"), &body))
    }

    fn reply_len(&self, bytes: &[u8]) -> Result<Option<usize>, WireError> {
        http1::success_len(bytes)
    }

    fn decode(&self, call: &Call, steps: &[Vec<u8>]) -> Result<Answer, WireError> {
        let reply = first(steps)?;
        Ok(match call {
            Call::Follow { .. } => {
                let response: FollowResponse = message(reply)?;
                Answer::Write { changed: response.changed == Some(true), state: state(&response.relation) }
            }
            Call::Unfollow { .. } => {
                let response: UnfollowResponse = message(reply)?;
                Answer::Write { changed: response.changed == Some(true), state: state(&response.relation) }
            }
            Call::Following { .. } => page(&message::<ListFollowingResponse>(reply)?.following),
            Call::Followers { .. } => page(&message::<ListFollowersResponse>(reply)?.followers),
            Call::Check { .. } => {
                let relations = message::<BatchGetRelationsResponse>(reply)?.relations;
                Answer::Relations(relations.iter().map(state).collect())
            }
            Call::Home { .. } => Answer::Ids(rpc::home_ids(reply)?),
            Call::User(call) => user_answer(*call, reply)?,
            Call::People(call) => people::answer(*call, reply)?,
            Call::Search(call) => search::answer(call, reply)?,
            Call::Known { .. } => {
                let response: ListKnownFollowersResponse = message(reply)?;
                let first = response.users.iter().map(|user| user.uid).collect();
                Answer::Known { count: response.count.unwrap_or(0) as usize, first }
            }
        })
    }
}

fn user_request(call: UserCall) -> Vec<u8> {
    let name = |n: u64| UserCall::name_of(n);
    let (method, body) = match call {
        UserCall::Register(n) => {
            let password =
                if n >= UserCall::FIRST_LOGIN { UserCall::PASSWORD.to_owned() } else { String::new() };
            let (login_name, nickname) = (name(n), n.to_string());
            let request = RegisterRequest { login_name, nickname, password, ..Default::default() };
            ("Register", request.encode_to_vec())
        }
        UserCall::ByName(n) => {
            ("LookupUser", LookupUserRequest { login_name: name(n), ..Default::default() }.encode_to_vec())
        }
        UserCall::ByPhone(n) => {
            let phone = UserCall::phone_of(n);
            ("LookupUser", LookupUserRequest { phone, ..Default::default() }.encode_to_vec())
        }
        UserCall::ByEmail(n) => {
            let email = UserCall::email_of(n);
            ("LookupUser", LookupUserRequest { email, ..Default::default() }.encode_to_vec())
        }
        UserCall::ByUid(n) => {
            let uid = UserCall::uid_of(n).get();
            ("GetUser", GetUserRequest { uid, ..Default::default() }.encode_to_vec())
        }
        UserCall::Resolve { first, create } => {
            let external_ids = UserCall::external_ids_from(first);
            let request = ResolveIdsRequest { external_ids, create, ..Default::default() };
            ("ResolveIds", request.encode_to_vec())
        }
        UserCall::LogIn(n) => {
            let password = UserCall::PASSWORD.to_owned();
            let request = LoginRequest { login_name: name(n), password, ..Default::default() };
            ("Login", request.encode_to_vec())
        }
    };
    http1::post(&format!("/guanxi.v1.UserService/{method}"), &body)
}

fn user_answer(call: UserCall, reply: &[u8]) -> Result<Answer, WireError> {
    let is_done = match call {
        UserCall::Register(_) => message::<RegisterResponse>(reply)?.uid != 0,
        UserCall::LogIn(_) => !message::<LoginResponse>(reply)?.access_token.is_empty(),
        UserCall::ByUid(_) => return number_of(&message::<GetUserResponse>(reply)?.user),
        UserCall::ByName(_) | UserCall::ByPhone(_) | UserCall::ByEmail(_) => {
            return number_of(&message::<LookupUserResponse>(reply)?.user);
        }
        UserCall::Resolve { first, .. } => {
            let found = message::<ResolveIdsResponse>(reply)?.by_external_id;
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

/// The length of the token in a reply to a relation check.
pub(crate) fn token_len(reply: &[u8]) -> Result<usize, WireError> {
    Ok(message::<BatchGetRelationsResponse>(reply)?.token.len())
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
        let answer = Guanxi.decode(&call, &[response(&body)]).unwrap();
        assert_eq!(answer, Answer::Relations(vec![0, 2, 1, 3]));
    }

    #[test]
    fn pages_keep_their_order_and_relations() {
        let item = |uid, state| ListItem { uid, relation: relation(uid, state).into(), ..Default::default() };
        let body = ListFollowingResponse { following: vec![item(7, 4), item(5, 1)], ..Default::default() };
        let call = Call::Following { uid: 1, viewer: 2 };
        let answer = Guanxi.decode(&call, &[response(&body.encode_to_vec())]).unwrap();
        assert_eq!(answer, Answer::Page(vec![(7, 3), (5, 0)]));
    }

    #[test]
    fn an_error_says_what_the_server_said() {
        let reply = b"HTTP/1.1 400 Bad Request\r\ncontent-length: 2\r\n\r\nno";
        assert_eq!(Guanxi.reply_len(reply), Err("status 400: no".to_owned()));
        let empty = response(b"");
        assert_eq!(Guanxi.reply_len(&empty), Ok(Some(empty.len())));
    }
}
