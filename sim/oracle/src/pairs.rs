//! What an operation on a pair does: follows, blocks, mutes and requests.

use crate::ends::{Asked, COOLDOWN_MS, RESEND_MS, TTL_MS};
use crate::{Happened, Oracle};
use guanxi_model::{Op, RequestKind, Uid};

impl Oracle {
    /// What a thing does to edges and mutes, in words that say so by themselves: what an operation does may depend on requests
    /// and locks, of which a part of a shard knows nothing. Asked before it happens.
    pub fn in_plain_words(&self, what: &Happened) -> Vec<Happened> {
        let (op, subject, object) = match *what {
            Happened::Pair { op, subject, object } => (op, subject, object),
            Happened::Asked { sender, receiver, .. } => (Op::SendFriendRequest, sender, receiver),
            _ => return vec![*what],
        };
        let mut after = self.clone();
        after.happened(what);
        let pair = |op, subject, object| Happened::Pair { op, subject, object };
        if op == Op::Block {
            return vec![*what];
        }
        let mut plain = Vec::new();
        for (a, b) in [(subject, object), (object, subject)] {
            match (self.follows(a, b), after.follows(a, b)) {
                (false, true) => plain.push(pair(Op::Follow, a, b)),
                (true, false) => plain.push(pair(Op::Unfollow, a, b)),
                _ => {}
            }
        }
        if self.mutes != after.mutes || self.blocks != after.blocks {
            plain.push(if op == Op::ExpireMute { pair(Op::Unmute, subject, object) } else { *what });
        }
        plain
    }

    /// Takes in again an act that has changed something, in plain words: nothing stands against it, whether or not it once
    /// depended on other facts.
    pub fn happened_again(&mut self, what: &Happened) {
        match *what {
            Happened::Pair { op, subject, object } => {
                self.part_of_pair(None, (op, subject, object), |_| true);
            }
            _ => drop(self.happened(what)),
        }
    }

    pub(super) fn pair(&mut self, op: Op, a: Uid, b: Uid) -> bool {
        match op {
            Op::Follow => self.may_meet(a, b) && !self.follows(a, b) && self.begin_to_follow(a, b),
            Op::Unfollow => self.follows.remove(&(a, b)) || self.take_back(a, b, RequestKind::Follow),
            Op::RemoveFollower => self.follows.remove(&(b, a)),
            // Nothing begins with who is deleted.
            Op::Block | Op::Mute if self.has_left(a) || self.has_left(b) => false,
            // A request that waits for an inactive user waits on.
            Op::AcceptFriendRequest | Op::ApproveFollow | Op::ApproveUnlocked
                if !self.is_there(a) || !self.is_there(b) =>
            {
                false
            }
            Op::Block => {
                for pair in [(a, b), (b, a)] {
                    self.follows.remove(&pair);
                    self.asks.remove(&pair);
                }
                self.leave(a, b);
                self.leave(b, a);
                self.blocks.insert((a, b))
            }
            Op::Unblock => self.blocks.remove(&(a, b)),
            Op::Mute => self.mute(a, b, false, None),
            Op::Unmute => self.mutes.remove(&(a, b)).is_some(),
            Op::ExpireMute => self.end_mute_in_time(a, b),
            Op::SendFriendRequest => self.may_meet(a, b) && self.ask_to_be_friends(a, b, None),
            Op::AcceptFriendRequest => {
                // A user that finds no place for a friend can accept later.
                let is_asked = self.asks(b, a) == Some(RequestKind::Friend);
                is_asked && !self.is_full(a, b) && self.make_friends(a, b)
            }
            Op::RejectFriendRequest => self.reject(a, b, RequestKind::Friend),
            Op::CancelFriendRequest => self.take_back(a, b, RequestKind::Friend),
            Op::RemoveFriend => {
                let friends = self.follows(a, b) && self.follows(b, a);
                friends && self.follows.remove(&(a, b)) && self.follows.remove(&(b, a))
            }
            Op::ApproveUnlocked if self.locked.contains(&a) => false,
            Op::ApproveFollow | Op::ApproveUnlocked => self.grant(a, b) && self.come_to_follow(b, a),
            Op::RejectFollow => self.reject(a, b, RequestKind::Follow),
            Op::ExpireRequest => self.end_ask_in_time(b, a),
        }
    }

    /// Whether a user may come to another: both are there, and no block is between them.
    pub(super) fn may_meet(&self, a: Uid, b: Uid) -> bool {
        !self.blocked(a, b) && self.is_there(a) && self.is_there(b)
    }

    /// Follows, or asks a locked user for approval. If that user has asked to be friends, it approves by that.
    fn begin_to_follow(&mut self, a: Uid, b: Uid) -> bool {
        if self.is_full(a, b) {
            return false;
        }
        let is_let = !self.locked.contains(&b) || self.asks(b, a) == Some(RequestKind::Friend);
        if !is_let {
            let may_ask = self.asks(a, b).is_none() && !self.must_wait(a, b);
            return may_ask && self.ask(a, b, RequestKind::Follow, TTL_MS);
        }
        self.end_ask(a, b, RequestKind::Follow);
        self.come_to_follow(a, b);
        if self.follows(b, a) {
            self.make_friends(a, b);
        }
        true
    }

    pub(super) fn ask_to_be_friends(&mut self, a: Uid, b: Uid, ttl_ms: Option<u64>) -> bool {
        let are_friends = self.follows(a, b) && self.follows(b, a);
        if are_friends || self.asks(a, b) == Some(RequestKind::Friend) || self.is_full(a, b) {
            return false;
        }
        // Two who want the same have it, rejected or not.
        let lets = self.asks(b, a);
        if lets == Some(RequestKind::Friend) || lets == Some(RequestKind::Follow) && self.follows(a, b) {
            return self.make_friends(a, b);
        }
        if self.must_wait(a, b) {
            return false;
        }
        if self.grant(a, b) {
            self.come_to_follow(b, a);
        }
        self.ask(a, b, RequestKind::Friend, ttl_ms.unwrap_or(TTL_MS))
    }

    /// What is asked comes in place of what was asked before.
    fn ask(&mut self, sender: Uid, receiver: Uid, kind: RequestKind, ttl_ms: u64) -> bool {
        let kept = self.taken_back.get(&(receiver, sender)).copied();
        let kept = kept.filter(|(_, until)| self.now_ms < *until);
        let place = kept.map_or_else(|| self.next_place(), |(place, _)| place);
        let asked = Asked { kind, expires_ms: self.now_ms + ttl_ms, place };
        self.asks.insert((sender, receiver), asked);
        true
    }

    /// Nothing waits between friends, whom the first has made them.
    fn make_friends(&mut self, a: Uid, b: Uid) -> bool {
        if self.asks(b, a).is_some() {
            self.taken_back.remove(&(a, b));
        }
        if self.asks(b, a) == Some(RequestKind::Friend) {
            self.cooldowns.remove(&(b, a));
        }
        for pair in [(a, b), (b, a)] {
            self.come_to_follow(pair.0, pair.1);
            self.asks.remove(&pair);
        }
        true
    }

    /// A user that comes to follow is rejected no more.
    fn come_to_follow(&mut self, a: Uid, b: Uid) -> bool {
        let comes = self.follows.insert((a, b));
        if comes {
            self.cooldowns.remove(&(b, a));
        }
        comes
    }

    fn reject(&mut self, a: Uid, b: Uid, kind: RequestKind) -> bool {
        let rejects = self.end_ask(b, a, kind);
        if rejects {
            self.taken_back.remove(&(a, b));
            self.cooldowns.insert((a, b), self.now_ms + COOLDOWN_MS);
        }
        rejects
    }

    /// A user takes back what it asks; if it asks again within a time, that has the same place.
    fn take_back(&mut self, from: Uid, to: Uid, kind: RequestKind) -> bool {
        let place = self.asks.get(&(from, to)).map(|asked| asked.place);
        let ends = self.end_ask(from, to, kind);
        if let Some(place) = place.filter(|_| ends) {
            self.cooldowns.remove(&(to, from));
            self.taken_back.insert((to, from), (place, self.now_ms + RESEND_MS));
        }
        ends
    }

    /// A user lets another follow that has asked to: what that one asks next is new.
    fn grant(&mut self, a: Uid, b: Uid) -> bool {
        let grants = self.end_ask(b, a, RequestKind::Follow);
        if grants {
            self.taken_back.remove(&(a, b));
        }
        grants
    }

    fn end_ask(&mut self, from: Uid, to: Uid, kind: RequestKind) -> bool {
        let asks = self.asks(from, to) == Some(kind);
        if asks {
            self.asks.remove(&(from, to));
        }
        asks
    }
}
