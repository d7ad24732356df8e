//! A client that writes posts in a circle of users that no other client changes, and reads their homes.

use super::super::rpc::{Answer, Rpc};
use super::super::world::{good, items};
use super::super::writer::is_temporary;
use super::model::{Kind, Model, Op, OpKind, Outcome, Visibility};
use guanxi_model::Position;
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::time::Duration;

/// Users of a circle.
const CIRCLE: u64 = 5;
/// Where the users of the first circle begin: far from those of the other clients.
const FIRST_USER: u64 = 10_000;
/// Distance between the users of two circles.
const STRIDE: u64 = 10_000;
/// Followers of a circle's first user besides the circle: more than the fan-out offers to at once.
const FANS: u64 = 1_200;
/// Items of a page: few, so that homes have several.
const PAGE_SIZE: usize = 7;
/// Items of a home that are compared while writing.
const GLANCE: usize = 30;
/// Items of a home that are compared after a restart, mostly; sometimes all are.
const LOOK: usize = 60;
/// Posts whose counters are compared after a restart.
const STATS: usize = 60;

/// One client and what it knows.
pub(crate) struct Poster {
    number: u64,
    random: fastrand::Rng,
    model: Model,
    /// A write that was sent and not answered.
    in_flight: Option<Op>,
    pub(crate) seen: Option<Position>,
    /// Writes acknowledged so far.
    pub(crate) acknowledged: u64,
    /// Pages of home that were compared.
    pub(crate) pages: u64,
    sent: u64,
}

/// What a server shows of a circle.
#[derive(Debug, PartialEq, Eq)]
struct Shown {
    homes: Vec<Vec<u64>>,
    stats: Vec<(u64, [u64; 3])>,
}

/// Follows of so many clients' first users by users who do nothing, as lines of an edge list.
pub(crate) fn fans(clients: u64) -> String {
    let fans = |client: u64| {
        let star = FIRST_USER + client * STRIDE;
        (1..=FANS).map(move |fan| format!("{} {star}\n", star + CIRCLE + fan))
    };
    (0..clients).flat_map(fans).collect()
}

impl Poster {
    pub(crate) fn new(number: u64, seed: u64) -> Self {
        Self {
            number,
            random: fastrand::Rng::with_seed(seed ^ ((number + 1) << 48)),
            model: Model::default(),
            in_flight: None,
            seen: None,
            acknowledged: 0,
            pages: 0,
            sent: 0,
        }
    }

    /// What is true of the circle, as acknowledged.
    pub(crate) const fn model(&self) -> &Model {
        &self.model
    }

    /// Writes, and compares homes in between, until the server is gone.
    pub(crate) fn write_until_cut(&mut self, address: SocketAddr) {
        let Ok(mut rpc) = Rpc::connect(address) else { return };
        loop {
            let op = self.random_op();
            self.in_flight = Some(op.clone());
            if !self.send(&mut rpc, &op) {
                return;
            }
            if self.random.u32(0..3) == 0 {
                let viewer = self.random_user();
                let Some(found) = self.home(&mut rpc, viewer, GLANCE) else { return };
                let expected: Vec<u64> = self.model.home(viewer).take(GLANCE).collect();
                assert_eq!(found, expected, "client {}: the home of {viewer} after {op:?}", self.number);
            }
        }
    }

    /// Sends a write and takes its answer in. False when none came.
    fn send(&mut self, rpc: &mut Rpc, op: &Op) -> bool {
        let (method, request) = op.call();
        let expected = self.model.outcome(op);
        match rpc.call(method, &request) {
            Err(_) => return false,
            Ok(Answer::Refused(reason)) if is_temporary(&reason) => {}
            Ok(Answer::Refused(reason)) => {
                let Outcome::Refused(wanted) = expected else { panic!("{op:?} was refused: {reason}") };
                assert!(reason.starts_with(wanted), "{op:?} was refused: {reason}, not {wanted}");
                self.acknowledged += 1;
            }
            Ok(Answer::Good(body)) => {
                let changed = body["changed"].as_bool().expect("every write says whether it changed");
                assert_eq!(Outcome::Changed(changed), expected, "{op:?} answered {body}");
                self.see(&body);
                self.model.apply(op, number(&body["postId"]));
                self.acknowledged += 1;
            }
        }
        self.in_flight = None;
        true
    }

    /// After a restart: everything acknowledged is shown, and what was cut off is whole or absent. Repeating it settles
    /// which, and changes nothing that was there.
    pub(crate) fn check(&mut self, address: SocketAddr) {
        let mut rpc = Rpc::connect(address).expect("the server is ready");
        let depth = if self.random.u32(0..8) == 0 { usize::MAX } else { LOOK };
        let before = self.expected(depth);
        let found = self.shown(&mut rpc, &before, depth);
        let Some(op) = self.in_flight.take() else {
            self.compare(&found, &before, "without a write in flight");
            return;
        };
        // The positions of a repeated answer are those of the first time.
        let seen = self.seen.take();
        assert!(self.send(&mut rpc, &op), "the server is ready");
        self.seen = self.seen.take().map(|now| now.joined(seen.as_ref())).or(seen);
        let after = self.expected(depth);
        if found.homes != before.homes {
            assert_eq!(
                found.homes, after.homes,
                "client {}: neither without {op:?} nor with it",
                self.number
            );
        }
        let found = self.shown(&mut rpc, &after, depth);
        self.compare(&found, &after, &format!("after {op:?}"));
    }

    /// Everything acknowledged is shown, and nothing else.
    fn compare(&self, found: &Shown, expected: &Shown, when: &str) {
        for ((viewer, found), expected) in self.users().zip(&found.homes).zip(&expected.homes) {
            assert_eq!(found, expected, "client {}: the home of {viewer} {when}", self.number);
        }
        for (found, expected) in found.stats.iter().zip(&expected.stats) {
            assert_eq!(found, expected, "client {}: likes, replies and reposts {when}", self.number);
        }
        assert_eq!(found.stats.len(), expected.stats.len(), "client {}: posts {when}", self.number);
    }

    fn expected(&self, depth: usize) -> Shown {
        let homes = self.users().map(|viewer| self.model.home(viewer).take(depth).collect());
        Shown { homes: homes.collect(), stats: self.model.stats(STATS) }
    }

    /// What the server shows of the circle.
    fn shown(&mut self, rpc: &mut Rpc, expected: &Shown, depth: usize) -> Shown {
        let users: Vec<u64> = self.users().collect();
        // A machine that is busy with something else has the server refuse calls for moments.
        let mut patient = |viewer| {
            let tries = (0..100).find_map(|_| {
                self.home(rpc, viewer, depth).or_else(|| {
                    std::thread::park_timeout(Duration::from_millis(20));
                    None
                })
            });
            tries.expect("the server is ready")
        };
        let homes: Vec<Vec<u64>> = users.into_iter().map(&mut patient).collect();
        Shown { homes, stats: self.stats(rpc, expected) }
    }

    /// The counters of the posts that are expected; nothing is left of those that the server does not show.
    fn stats(&mut self, rpc: &mut Rpc, expected: &Shown) -> Vec<(u64, [u64; 3])> {
        let ids: Vec<String> = expected.stats.iter().map(|(id, _)| id.to_string()).collect();
        if ids.is_empty() {
            return Vec::new();
        }
        let request = json!({ "postIds": ids, "token": self.token() });
        let body = good(rpc.call("PostService/BatchGetPostStats", &request));
        self.see(&body);
        let shown = items(&body["stats"]).iter().filter(|item| item["status"] == "OK");
        let count = |item: &Value, name: &str| number(&item[name]);
        shown
            .map(|item| {
                let counts = ["likes", "replies", "reposts"].map(|name| count(item, name));
                (number(&item["postId"]), counts)
            })
            .collect()
    }

    /// The newest items of a home, read page by page. None when the server is gone.
    fn home(&mut self, rpc: &mut Rpc, viewer: u64, max: usize) -> Option<Vec<u64>> {
        let (mut ids, mut page_token) = (Vec::new(), String::new());
        loop {
            let request = json!({
                "viewer": viewer.to_string(), "pageSize": PAGE_SIZE.min(max - ids.len()), "pageToken": page_token,
                "view": "IDS", "token": self.token(),
            });
            let page = match rpc.call("FeedService/GetHomeTimeline", &request) {
                Ok(Answer::Good(page)) => page,
                Ok(Answer::Refused(reason)) if is_temporary(&reason) => return None,
                Ok(Answer::Refused(reason)) => panic!("the home of {viewer} was refused: {reason}"),
                Err(_) => return None,
            };
            self.see(&page);
            self.pages += 1;
            ids.extend(items(&page["postIds"]).iter().map(number));
            match page["nextPageToken"].as_str() {
                Some(next) if !next.is_empty() && ids.len() < max => next.clone_into(&mut page_token),
                _ => return Some(ids),
            }
        }
    }

    fn token(&self) -> String {
        self.seen.as_ref().map(Position::to_token).unwrap_or_default()
    }

    /// Takes the position of an answer in: one client never sees positions go back.
    fn see(&mut self, body: &Value) {
        let token = body["token"].as_str().expect("every answer carries a token");
        let position = Position::from_token(token).expect("the token is one of ours");
        if let Some(seen) = &self.seen {
            assert_eq!(position.history(), seen.history(), "the history changed");
            assert!(position.covers(seen), "positions went back from {seen:?} to {position:?}");
        }
        self.seen = Some(position);
    }

    fn users(&self) -> std::ops::Range<u64> {
        let first = FIRST_USER + self.number * STRIDE;
        first..first + CIRCLE
    }

    fn random_user(&mut self) -> u64 {
        let users = self.users();
        self.random.u64(users)
    }

    fn random_op(&mut self) -> Op {
        self.sent += 1;
        let request_id = format!("p{}-{}", self.number, self.sent);
        let user = self.random_user();
        let kind = match self.random.u32(0..20) {
            0..8 => self.random_create(),
            8..12 => self.random_relation(user),
            12..16 => self.random_change(user),
            _ => self.random_like(),
        };
        let fallback = OpKind::Create { kind: Kind::Post, visibility: Visibility::Public };
        Op { kind: kind.unwrap_or(fallback), user, request_id }
    }

    fn random_create(&mut self) -> Option<OpKind> {
        let visibility = if self.random.u32(0..4) == 0 { Visibility::Followers } else { Visibility::Public };
        // No reposts without words: a repost of such a repost is a repost of its original.
        let original = |model: &Model, random: &mut fastrand::Rng| {
            model.pick(random, |_, kind| !matches!(kind, Kind::Repost { .. }))
        };
        let kind = match self.random.u32(0..6) {
            0 => Kind::Reply { to: original(&self.model, &mut self.random)? },
            1 => Kind::Repost { of: original(&self.model, &mut self.random)? },
            2 => Kind::Quote { of: original(&self.model, &mut self.random)? },
            _ => Kind::Post,
        };
        Some(OpKind::Create { kind, visibility })
    }

    fn random_relation(&mut self, user: u64) -> Option<OpKind> {
        let other = self.random_user();
        (other != user).then(|| match self.random.u32(0..8) {
            0..4 => OpKind::Follow(other),
            4..6 => OpKind::Unfollow(other),
            6 => OpKind::Mute(other),
            _ => OpKind::Unmute(other),
        })
    }

    fn random_change(&mut self, user: u64) -> Option<OpKind> {
        let id = self.model.pick(&mut self.random, |author, _| author == user)?;
        Some(match self.random.u32(0..4) {
            0 => OpKind::Delete(id),
            1 => OpKind::Restore(id),
            2 => OpKind::Show { id, visibility: Visibility::Followers },
            _ => OpKind::Show { id, visibility: Visibility::Public },
        })
    }

    fn random_like(&mut self) -> Option<OpKind> {
        let id = self.model.pick(&mut self.random, |_, _| true)?;
        Some(if self.random.u32(0..3) == 0 { OpKind::Unlike(id) } else { OpKind::Like(id) })
    }
}

/// A number that JSON carries as a text; 0 where there is none.
fn number(value: &Value) -> u64 {
    let text = value.as_str().and_then(|text| text.parse().ok());
    text.or_else(|| value.as_u64()).unwrap_or_default()
}
