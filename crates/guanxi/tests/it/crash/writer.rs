//! A writer: random writes on its own users, each answer compared, each acknowledgement remembered.

use super::journal::{InFlight, Kind, Op, Outcome, Relations};
use super::rpc::{Answer, Rpc};
use super::world::{good, items, uid_of};
use guanxi_model::Position;
use serde_json::{Value, json};
use std::net::SocketAddr;

/// Users whom everybody follows and unfollows: 1 to this.
pub(crate) const CROWD: u64 = 40;

/// Users of one writer that follow the crowd and the users of other writers.
const FOLLOWERS: u64 = 5;

/// Users of one writer that follow, block and mute each other.
const RIVALS: u64 = 3;

/// Distance between the users of two writers.
const STRIDE: u64 = 100;

/// Most objects of one batch.
const BATCH_MAX: usize = 12;

/// Items of a page when lists are read back: small, so that lists have several.
const PAGE_SIZE: u32 = 16;

/// One client and what it knows.
pub(crate) struct Writer {
    number: u64,
    random: fastrand::Rng,
    relations: Relations,
    in_flight: Option<InFlight>,
    /// The newest position that an answer carried.
    pub(crate) seen: Option<Position>,
    /// Writes acknowledged so far.
    pub(crate) acknowledged: u64,
    sent: u64,
}

impl Writer {
    pub(crate) fn new(number: u64, seed: u64) -> Self {
        let mut writer = Self {
            number,
            random: fastrand::Rng::with_seed(seed ^ (number << 32)),
            relations: Relations::default(),
            in_flight: None,
            seen: None,
            acknowledged: 0,
            sent: 0,
        };
        writer.relations.following = writer.users().map(|uid| (uid, Vec::new())).collect();
        writer
    }

    /// Writes until the server is gone.
    pub(crate) fn write_until_cut(&mut self, address: SocketAddr) {
        let Ok(mut rpc) = Rpc::connect(address) else { return };
        loop {
            let op = self.random_op();
            let mut after = self.relations.clone();
            let outcomes = after.apply(&op);
            let in_flight = InFlight { op, outcomes, after };
            self.in_flight = Some(in_flight.clone());
            if !self.send(&mut rpc, in_flight) {
                return;
            }
        }
    }

    /// Sends a write and takes its answer in. False when none came.
    fn send(&mut self, rpc: &mut Rpc, InFlight { op, outcomes, after }: InFlight) -> bool {
        let Ok(answer) = rpc.call(op.method(), &op.request()) else { return false };
        match answer {
            // Ending, overloaded, or with a full queue: it did nothing, and says so.
            Answer::Refused(reason) if is_temporary(&reason) => {}
            answer => {
                assert_eq!(self.outcomes(&op, &answer), outcomes, "{op:?} answered {answer:?}");
                self.relations = after;
                self.acknowledged += 1;
            }
        }
        self.in_flight = None;
        true
    }

    fn outcomes(&mut self, op: &Op, answer: &Answer) -> Vec<Outcome> {
        let body = match answer {
            Answer::Good(body) => body,
            Answer::Refused(reason) => {
                assert!(reason.starts_with("BLOCKED"), "{op:?} was refused: {reason}");
                return vec![Outcome::Blocked];
            }
        };
        self.see(body);
        let changed = |item: &Value| match item["error"]["reason"].as_str() {
            Some("BLOCKED") => Outcome::Blocked,
            None => {
                Outcome::Changed(item["changed"].as_bool().expect("every outcome says whether it changed"))
            }
            Some(other) => panic!("{op:?} was refused: {other}"),
        };
        if op.kind == Kind::BatchFollow {
            items(&body["outcomes"]).iter().map(changed).collect()
        } else {
            vec![changed(body)]
        }
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

    /// After a restart: every acknowledged write is there, and the one that was cut off is whole or absent.
    pub(crate) fn check(&mut self, address: SocketAddr) {
        let mut rpc = Rpc::connect(address).expect("the server is ready");
        let found = self.read_back(&mut rpc);
        let Some(in_flight) = self.in_flight.take() else {
            assert_eq!(found, self.relations, "writer {}: acknowledged (right) is not there", self.number);
            return;
        };
        if found != self.relations {
            let op = &in_flight.op;
            assert_eq!(found, in_flight.after, "writer {}: neither without {op:?} nor with it", self.number);
        }
        self.relations = found;
        if self.random.bool() {
            // A client that does not know repeats the request: its answer must be that of the first time, with the
            // position of the first time if it took effect then.
            let seen = self.seen.take();
            assert!(self.send(&mut rpc, in_flight), "the server is ready");
            self.seen = self.seen.take().map(|now| now.joined(seen.as_ref())).or(seen);
        }
    }

    /// Everything that the server knows of this writer's users.
    fn read_back(&mut self, rpc: &mut Rpc) -> Relations {
        let mut found = Relations::default();
        for uid in self.users() {
            let mut following = self.list(rpc, "ListFollowing", "following", uid);
            following.reverse();
            found.following.insert(uid, following);
        }
        for uid in self.rivals() {
            found
                .blocks
                .extend(self.list(rpc, "ListBlocks", "blocks", uid).iter().map(|object| (uid, *object)));
            found.mutes.extend(self.list(rpc, "ListMutes", "mutes", uid).iter().map(|object| (uid, *object)));
        }
        found
    }

    /// One list of a user, newest first, read page by page at a position not older than the newest seen.
    fn list(&mut self, rpc: &mut Rpc, method: &str, name: &str, uid: u64) -> Vec<u64> {
        let token = self.seen.as_ref().map(Position::to_token).unwrap_or_default();
        let (mut list, mut page_token) = (Vec::new(), String::new());
        loop {
            let request = json!({
                "uid": uid.to_string(), "pageSize": PAGE_SIZE, "pageToken": page_token, "token": token,
            });
            let page = good(rpc.call(method, &request));
            self.see(&page);
            list.extend(items(&page[name]).iter().map(uid_of));
            match page["nextPageToken"].as_str() {
                Some(next) if !next.is_empty() => next.clone_into(&mut page_token),
                _ => return list,
            }
        }
    }

    /// What is true of this writer's users, as acknowledged.
    pub(crate) fn relations(&self) -> &Relations {
        &self.relations
    }

    /// Who of this writer's users follows `object`, as acknowledged.
    pub(crate) fn followers_of(&self, object: u64) -> impl Iterator<Item = u64> {
        let following = self.relations.following.iter();
        following.filter(move |(_, objects)| objects.contains(&object)).map(|(subject, _)| *subject)
    }

    /// The users that follow the crowd.
    fn followers(&self) -> std::ops::Range<u64> {
        let first = (self.number + 1) * STRIDE;
        first..first + FOLLOWERS
    }

    /// All users of this writer.
    fn users(&self) -> std::ops::Range<u64> {
        self.followers().start..self.rivals().end
    }

    /// The users that follow, block and mute each other.
    fn rivals(&self) -> std::ops::Range<u64> {
        let first = self.followers().end;
        first..first + RIVALS
    }

    fn random_op(&mut self) -> Op {
        self.sent += 1;
        let request_id = format!("{}-{}", self.number, self.sent);
        let (kind, subject, objects) = match self.random.u32(0..10) {
            0..4 => (Kind::Follow, self.random_follower(), vec![self.random_object()]),
            4..6 => (Kind::Unfollow, self.random_follower(), vec![self.random_object()]),
            6 => {
                let length = self.random.usize(1..=BATCH_MAX);
                let subject = self.random_follower();
                (Kind::BatchFollow, subject, (0..length).map(|_| self.random_object()).collect())
            }
            _ => self.random_rivalry(),
        };
        Op { kind, subject, objects, request_id }
    }

    fn random_rivalry(&mut self) -> (Kind, u64, Vec<u64>) {
        const KINDS: [Kind; 7] = [
            Kind::Follow,
            Kind::Unfollow,
            Kind::RemoveFollower,
            Kind::Block,
            Kind::Unblock,
            Kind::Mute,
            Kind::Unmute,
        ];
        let kind = KINDS[self.random.usize(..KINDS.len())];
        let (first, other) = (self.random.u64(..RIVALS), self.random.u64(1..RIVALS));
        let subject = self.rivals().start + first;
        (kind, subject, vec![self.rivals().start + (first + other) % RIVALS])
    }

    fn random_follower(&mut self) -> u64 {
        let range = self.followers();
        self.random.u64(range)
    }

    /// Somebody of the crowd, or a user of the next writer, who may follow back.
    fn random_object(&mut self) -> u64 {
        if self.random.u32(0..4) > 0 {
            return self.random.u64(1..=CROWD);
        }
        let own = self.followers();
        let other = if self.number.is_multiple_of(2) { own.start + STRIDE } else { own.start - STRIDE };
        other + self.random.u64(..FOLLOWERS)
    }
}

/// Refusals that promise that nothing was done and that a later try may succeed.
pub(crate) fn is_temporary(reason: &str) -> bool {
    ["SHUTTING_DOWN", "OVERLOADED"].iter().any(|word| reason.starts_with(word))
}
