//! What ends by itself: requests, rejections and mutes; and the places that requests hold.
//!
//! Nothing ends because a clock shows a time. It ends when somebody is told so, which is the server's job, and then only if
//! the time is over as of that moment.

use crate::Oracle;
use guanxi_model::{PairEnd, PairEndKind, RequestDirection, RequestKind, Uid};
use std::cmp::Reverse;
use std::collections::BTreeSet;

const DAY_MS: u64 = 24 * 3_600_000;

/// How long a request waits about which nothing is said.
pub(super) const TTL_MS: u64 = 30 * DAY_MS;

/// How long who was rejected may not ask again.
pub(super) const COOLDOWN_MS: u64 = 7 * DAY_MS;

/// For how long a request that was taken back keeps its place.
pub(super) const RESEND_MS: u64 = DAY_MS;

/// What a user asks of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Asked {
    pub kind: RequestKind,
    pub expires_ms: u64,
    pub place: u64,
}

/// What a user does not want to hear of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Muted {
    pub reposts_only: bool,
    pub until_ms: Option<u64>,
    pub place: u64,
}

/// A mute as its list shows it: whom, whether only reposts, and until when.
pub type ListedMute = (Uid, bool, Option<u64>);

impl Oracle {
    /// Nothing has happened yet, and the clock shows a time.
    pub fn at(now_ms: u64) -> Self {
        Self { now_ms, ..Self::default() }
    }

    /// The clock shows another time: later, or earlier.
    pub const fn set_now(&mut self, now_ms: u64) {
        self.now_ms = now_ms;
    }

    /// Everything that ends by itself, with when.
    pub fn ends(&self) -> BTreeSet<(u64, PairEnd)> {
        let end = |kind, owner, other| PairEnd { kind, owner, other };
        let asks = self.asks.iter().map(|((sender, receiver), asked)| {
            (asked.expires_ms, end(PairEndKind::Request, *receiver, *sender))
        });
        let mutes = self.mutes.iter().filter_map(|((subject, object), muted)| {
            Some((muted.until_ms?, end(PairEndKind::Mute, *subject, *object)))
        });
        let cooldowns = self
            .cooldowns
            .iter()
            .map(|((owner, other), until)| (*until, end(PairEndKind::Cooldown, *owner, *other)));
        let taken_back = self
            .taken_back
            .iter()
            .map(|((owner, other), (_, until))| (*until, end(PairEndKind::Cooldown, *owner, *other)));
        asks.chain(mutes).chain(cooldowns).chain(taken_back).collect()
    }

    /// Returns the requests to follow that wait for a user that is not locked: sender and receiver. A deleted user is
    /// approved no more.
    pub fn waits_in_vain(&self) -> Vec<(Uid, Uid)> {
        let waits = self.asks.iter().filter(|(_, asked)| asked.kind == RequestKind::Follow);
        let pairs = waits.map(|(pair, _)| *pair);
        pairs
            .filter(|(sender, receiver)| {
                let stayed = |uid: &Uid| !self.went.contains(uid);
                !self.locked.contains(receiver) && stayed(sender) && stayed(receiver)
            })
            .collect()
    }

    /// What a user asks of another.
    pub fn asks(&self, sender: Uid, receiver: Uid) -> Option<RequestKind> {
        self.asks.get(&(sender, receiver)).map(|asked| asked.kind)
    }

    /// The requests of a kind that a user got or sent: of whom or to whom, and until when; newest first.
    pub fn requests(&self, of: Uid, direction: RequestDirection, kind: RequestKind) -> Vec<(Uid, u64)> {
        let mut found: Vec<(Reverse<u64>, Uid, u64)> = Vec::new();
        for ((sender, receiver), asked) in &self.asks {
            let (one, other) = match direction {
                RequestDirection::Incoming => (receiver, sender),
                RequestDirection::Outgoing => (sender, receiver),
            };
            if *one == of && asked.kind == kind {
                found.push((Reverse(asked.place), *other, asked.expires_ms));
            }
        }
        found.sort_unstable();
        found.into_iter().map(|(_, other, expires_ms)| (other, expires_ms)).collect()
    }

    /// Returns the mutes of a user, newest first. A mute that gets new terms keeps its place.
    pub fn mutes(&self, of: Uid) -> Vec<ListedMute> {
        let own = self.mutes.iter().filter(|((subject, _), _)| *subject == of);
        let mut found: Vec<_> =
            own.map(|((_, object), muted)| (Reverse(muted.place), *object, muted)).collect();
        found.sort_unstable_by_key(|(place, object, _)| (*place, *object));
        found.into_iter().map(|(_, object, muted)| (object, muted.reposts_only, muted.until_ms)).collect()
    }

    /// Returns the users whom a user follows.
    pub fn following(&self, of: Uid) -> BTreeSet<Uid> {
        self.follows.iter().filter(|(a, _)| *a == of).map(|(_, b)| *b).collect()
    }

    /// Returns the followers of a user.
    pub fn followers(&self, of: Uid) -> BTreeSet<Uid> {
        self.follows.iter().filter(|(_, b)| *b == of).map(|(a, _)| *a).collect()
    }

    /// Returns how many places a user has taken among the users that it may follow: one for each that it follows, and one
    /// for each other that it has asked.
    pub fn places(&self, of: Uid) -> usize {
        let asked = self.asks.keys().filter(|(sender, _)| *sender == of).map(|(_, receiver)| *receiver);
        (&self.following(of) | &asked.collect()).len()
    }

    /// Whether a user has no place for another, and does not hold one already.
    pub(super) fn is_full(&self, a: Uid, b: Uid) -> bool {
        let has_place = self.follows(a, b) || self.asks(a, b).is_some();
        !has_place && self.limits.get(&a).is_some_and(|limit| self.places(a) >= *limit as usize)
    }

    /// Whether a user was rejected not long ago.
    pub(super) fn must_wait(&self, sender: Uid, receiver: Uid) -> bool {
        self.cooldowns.get(&(receiver, sender)).is_some_and(|until| *until > self.now_ms)
    }

    pub(super) fn limit(&mut self, uid: Uid, limit: Option<u32>) -> bool {
        if limit.is_some() && self.has_left(uid) {
            return false;
        }
        let before = match limit {
            Some(limit) => self.limits.insert(uid, limit),
            None => self.limits.remove(&uid),
        };
        before != limit
    }

    pub(super) fn mute(&mut self, a: Uid, b: Uid, reposts_only: bool, duration_ms: Option<u64>) -> bool {
        if self.has_left(a) || self.has_left(b) {
            return false;
        }
        let stands = self.mutes.get(&(a, b)).copied();
        let place = stands.map_or_else(|| self.next_place(), |muted| muted.place);
        let until_ms = duration_ms.map(|duration| self.now_ms + duration);
        let muted = Muted { reposts_only, until_ms, place };
        self.mutes.insert((a, b), muted) != Some(muted)
    }

    pub(super) fn end_mute_in_time(&mut self, a: Uid, b: Uid) -> bool {
        let until = self.mutes.get(&(a, b)).and_then(|muted| muted.until_ms);
        until.is_some_and(|until| until <= self.now_ms) && self.mutes.remove(&(a, b)).is_some()
    }

    pub(super) fn end_ask_in_time(&mut self, sender: Uid, receiver: Uid) -> bool {
        let asked = self.asks.get(&(sender, receiver));
        asked.is_some_and(|asked| asked.expires_ms <= self.now_ms)
            && self.asks.remove(&(sender, receiver)).is_some()
    }

    pub(super) const fn next_place(&mut self) -> u64 {
        self.begun += 1;
        self.begun
    }
}
