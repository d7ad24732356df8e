//! What an operation on a pair does: follows, blocks, mutes and requests.

use crate::{Happened, Oracle};
use guanxi_model::{Op, Uid};

/// What a user asks of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ask {
    ToFollow,
    ToBeFriends,
}

impl Oracle {
    /// What a thing does to edges and mutes, in words that say so by themselves: what an operation does may depend on requests
    /// and locks, of which a part of a shard knows nothing. Asked before it happens.
    pub fn in_plain_words(&self, what: &Happened) -> Vec<Happened> {
        let Happened::Pair { op, subject, object } = *what else { return vec![*what] };
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

    pub(super) fn pair(&mut self, op: Op, a: Uid, b: Uid) -> bool {
        let are_there = self.is_there(a) && self.is_there(b);
        let may_begin = !self.blocked(a, b) && are_there;
        match op {
            Op::Follow => may_begin && !self.follows(a, b) && self.begin_to_follow(a, b),
            Op::Unfollow => self.follows.remove(&(a, b)) || self.end_ask(a, b, Ask::ToFollow),
            Op::RemoveFollower => self.follows.remove(&(b, a)),
            // Nothing begins with who is deleted.
            Op::Block | Op::Mute | Op::AcceptFriendRequest | Op::ApproveFollow | Op::ApproveUnlocked
                if self.has_left(a) || self.has_left(b) =>
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
            Op::Mute => self.mutes.insert((a, b), false) != Some(false),
            Op::Unmute | Op::ExpireMute => self.mutes.remove(&(a, b)).is_some(),
            Op::SendFriendRequest => may_begin && self.ask_to_be_friends(a, b),
            Op::AcceptFriendRequest => self.end_ask(b, a, Ask::ToBeFriends) && self.make_friends(a, b),
            Op::RejectFriendRequest => self.end_ask(b, a, Ask::ToBeFriends),
            Op::CancelFriendRequest => self.end_ask(a, b, Ask::ToBeFriends),
            Op::RemoveFriend => {
                let friends = self.follows(a, b) && self.follows(b, a);
                friends && self.follows.remove(&(a, b)) && self.follows.remove(&(b, a))
            }
            Op::ApproveUnlocked if self.locked.contains(&a) => false,
            Op::ApproveFollow | Op::ApproveUnlocked => {
                self.end_ask(b, a, Ask::ToFollow) && self.follows.insert((b, a))
            }
            Op::RejectFollow => self.end_ask(b, a, Ask::ToFollow),
            Op::ExpireRequest => self.asks.remove(&(b, a)).is_some(),
        }
    }

    /// Follows, or asks a user who is locked to be let; whoever asked to be friends lets by that.
    fn begin_to_follow(&mut self, a: Uid, b: Uid) -> bool {
        let is_let = !self.locked.contains(&b) || self.asks.get(&(b, a)) == Some(&Ask::ToBeFriends);
        if !is_let {
            let asks = self.asks.contains_key(&(a, b));
            self.asks.entry((a, b)).or_insert(Ask::ToFollow);
            return !asks;
        }
        self.end_ask(a, b, Ask::ToFollow);
        self.follows.insert((a, b));
        if self.follows(b, a) {
            self.make_friends(a, b);
        }
        true
    }

    fn ask_to_be_friends(&mut self, a: Uid, b: Uid) -> bool {
        let are_friends = self.follows(a, b) && self.follows(b, a);
        if are_friends || self.asks.get(&(a, b)) == Some(&Ask::ToBeFriends) {
            return false;
        }
        if self.end_ask(b, a, Ask::ToBeFriends) {
            return self.make_friends(a, b);
        }
        if self.end_ask(b, a, Ask::ToFollow) {
            self.follows.insert((b, a));
            if self.follows(a, b) {
                return self.make_friends(a, b);
            }
        }
        self.asks.insert((a, b), Ask::ToBeFriends);
        true
    }

    /// Nothing waits between friends.
    fn make_friends(&mut self, a: Uid, b: Uid) -> bool {
        for pair in [(a, b), (b, a)] {
            self.follows.insert(pair);
            self.asks.remove(&pair);
        }
        true
    }

    fn end_ask(&mut self, from: Uid, to: Uid, ask: Ask) -> bool {
        let asks = self.asks.get(&(from, to)) == Some(&ask);
        if asks {
            self.asks.remove(&(from, to));
        }
        asks
    }
}
