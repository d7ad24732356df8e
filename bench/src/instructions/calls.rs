//! The calls that are counted: what is asked, and what shows that it was answered.

use super::world::{LOGINS, Token, readers, world};
use crate::calls::{Call, Operation, PAGE, UserCall};
use crate::wire::guanxi::PLAIN;
use buffa::Message;
use buffa::bytes::Bytes;
use guanxi_api::CallerAddress;
use guanxi_load::World;
use guanxi_load::rpc::{home_body, message};
use guanxi_model::random::Rng;
use guanxi_proto::v1::{
    BatchGetRelationsResponse, FollowResponse, GetHomeTimelineResponse, ListFollowersResponse,
    ListFollowingResponse, LoginResponse, get_home_timeline_request,
};
use http::{Request, header};
use http_body_util::Full;
use std::collections::HashSet;
use std::net::{IpAddr, Ipv4Addr};

/// Different calls of a kind of read: they are repeated, so that what is counted finds all of its users in memory.
const DIFFERENT: usize = 100;
/// Followers of a user who is asked for them: the most popular have full pages.
const POPULAR: usize = 500;

/// A call whose body is here.
pub(super) type Asked = Request<Full<Bytes>>;

/// A kind of call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Kind {
    /// A durable follow of somebody new.
    Follow,
    /// Relation of one user to twenty others, both directions.
    Check,
    /// Page of the following list, with the relation of a third user to each item.
    Following,
    /// First page of the followers list.
    Followers,
    /// The newest home page, with posts.
    Home,
    /// A login without its hash.
    Login,
}

impl Kind {
    /// All of them, in the order of the table.
    pub(super) const ALL: [Self; 6] =
        [Self::Follow, Self::Check, Self::Following, Self::Followers, Self::Home, Self::Login];

    /// What the table calls it.
    pub(super) const fn title(self) -> &'static str {
        match self {
            Self::Follow => "durable follow",
            Self::Check => Operation::Check.title(),
            Self::Following => Operation::Following.title(),
            Self::Followers => Operation::Followers.title(),
            Self::Home => "home page of 20 with posts",
            Self::Login => "login without its hash",
        }
    }

    /// Whether the store's writer works for it.
    pub(super) const fn writes(self) -> bool {
        matches!(self, Self::Follow | Self::Login)
    }

    /// Its name on the command line.
    pub(super) fn word(self) -> String {
        clap::ValueEnum::to_possible_value(&self).map_or(String::new(), |value| value.get_name().to_owned())
    }

    /// So many calls in the order in which they are made.
    pub(super) fn calls(self, count: usize, token: &Token) -> Vec<Asked> {
        let mut drawer = Drawer { world: world(), rng: Rng::new(7), pairs: HashSet::new() };
        let different = if self == Self::Follow { count } else { DIFFERENT };
        let different: Vec<_> = (0..different).map(|number| drawer.ask(self, number)).collect();
        different.iter().cycle().take(count).map(|asked| self.request(asked, token)).collect()
    }

    /// The request of a method and a body, as it comes out of a connection.
    fn request(self, (method, body): &(&str, Vec<u8>), token: &Token) -> Asked {
        let mut request = Request::post(format!("/guanxi.v1.{method}"))
            .header(header::HOST, "127.0.0.1")
            .header(header::CONTENT_TYPE, "application/proto")
            .header("connect-protocol-version", "1")
            // Under valgrind on a busy machine a call may take longer than the usual two seconds.
            .header("connect-timeout-ms", "30000")
            .header(header::CONTENT_LENGTH, body.len());
        if self != Self::Login {
            request = request.header(header::AUTHORIZATION, token.bearer());
        }
        let mut request =
            request.body(Full::new(Bytes::from(body.clone()))).expect("the parts are constants");
        request.extensions_mut().insert(CallerAddress(IpAddr::V4(Ipv4Addr::LOCALHOST)));
        request
    }

    /// Whether an answer is one of this kind's, and whole.
    pub(super) fn is_answered_by(self, body: &[u8]) -> bool {
        match self {
            Self::Follow => read(body, |answer: FollowResponse| answer.changed == Some(true)),
            Self::Check => read(body, |answer: BatchGetRelationsResponse| answer.relations.len() == PAGE),
            Self::Following => read(body, |answer: ListFollowingResponse| answer.following.len() == PAGE),
            Self::Followers => read(body, |answer: ListFollowersResponse| answer.followers.len() == PAGE),
            Self::Home => read(body, |answer: GetHomeTimelineResponse| answer.posts.len() == PAGE),
            Self::Login => read(body, |answer: LoginResponse| !answer.access_token.is_empty()),
        }
    }
}

fn read<M: Message>(body: &[u8], holds: impl FnOnce(M) -> bool) -> bool {
    message(body).is_ok_and(holds)
}

/// Draws who is asked for.
struct Drawer {
    world: World,
    rng: Rng,
    pairs: HashSet<(u32, u32)>,
}

impl Drawer {
    fn uid(&self, user: u32) -> u64 {
        self.world.uid(user).get()
    }

    fn any(&mut self) -> u32 {
        self.rng.below(self.world.users as usize) as u32
    }

    /// A follow of somebody new by one of a few who follow much.
    fn follow(&mut self, reader: u32) -> Call {
        let following = self.world.following(reader);
        let object = loop {
            let object = self.any();
            if object != reader && !following.contains(&object) && self.pairs.insert((reader, object)) {
                break object;
            }
        };
        Call::Follow { a: self.uid(reader), b: self.uid(object) }
    }

    /// What a call asks of which method.
    fn ask(&mut self, kind: Kind, number: usize) -> (&'static str, Vec<u8>) {
        let readers = readers();
        let few = if kind == Kind::Follow { DIFFERENT } else { readers.len() };
        let reader = readers.start + (number % few.min(readers.len())) as u32;
        let uid = self.uid(reader);
        PLAIN.ask(&match kind {
            Kind::Follow => self.follow(reader),
            Kind::Check => Call::Check { subject: uid, objects: self.objects(reader) },
            Kind::Following => {
                let viewer = self.any();
                Call::Following { uid, viewer: self.uid(viewer) }
            }
            Kind::Followers => {
                let popular = self.rng.below(POPULAR) as u32;
                Call::Followers { uid: self.uid(popular) }
            }
            Kind::Login => Call::User(UserCall::LogIn(number as u64 % LOGINS)),
            Kind::Home => {
                let posts = get_home_timeline_request::View::POSTS;
                return ("FeedService/GetHomeTimeline", home_body(self.world.uid(reader), posts));
            }
        })
    }

    /// Ten whom a user follows and ten others, shuffled.
    fn objects(&mut self, user: u32) -> Vec<u64> {
        let mut followed = self.world.following(user);
        self.rng.shuffle(&mut followed);
        let mut objects: Vec<u32> = followed.into_iter().take(PAGE / 2).collect();
        while objects.len() < PAGE {
            let other = self.any();
            if other != user && !objects.contains(&other) {
                objects.push(other);
            }
        }
        self.rng.shuffle(&mut objects);
        objects.into_iter().map(|object| self.uid(object)).collect()
    }
}
