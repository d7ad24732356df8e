//! What one writer knows to be true: the relations of the users that it alone changes, as acknowledged.

use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// One write.
#[derive(Clone, Debug)]
pub(crate) struct Op {
    pub(crate) kind: Kind,
    pub(crate) subject: u64,
    /// One object; several for a batch.
    pub(crate) objects: Vec<u64>,
    /// Its idempotency key.
    pub(crate) request_id: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Follow,
    Unfollow,
    RemoveFollower,
    BatchFollow,
    Block,
    Unblock,
    Mute,
    Unmute,
}

impl Op {
    pub(crate) fn method(&self) -> &'static str {
        match self.kind {
            Kind::Follow => "Follow",
            Kind::Unfollow => "Unfollow",
            Kind::RemoveFollower => "RemoveFollower",
            Kind::BatchFollow => "BatchFollow",
            Kind::Block => "Block",
            Kind::Unblock => "Unblock",
            Kind::Mute => "Mute",
            Kind::Unmute => "Unmute",
        }
    }

    pub(crate) fn request(&self) -> Value {
        let (subject, id) = (self.subject.to_string(), &self.request_id);
        let objects: Vec<String> = self.objects.iter().map(u64::to_string).collect();
        match self.kind {
            Kind::BatchFollow => json!({ "subject": subject, "objects": objects, "requestId": id }),
            _ => json!({ "subject": subject, "object": objects[0], "requestId": id }),
        }
    }
}

/// What a write must answer for one object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Changed(bool),
    Blocked,
}

/// The relations of one writer's users.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Relations {
    /// Whom each of the users follows, oldest first.
    pub(crate) following: BTreeMap<u64, Vec<u64>>,
    /// Who blocks whom.
    pub(crate) blocks: BTreeSet<(u64, u64)>,
    /// Who mutes whom.
    pub(crate) mutes: BTreeSet<(u64, u64)>,
}

impl Relations {
    /// Who follows whom.
    pub(crate) fn follows(&self) -> Vec<(u64, u64)> {
        let following = self.following.iter();
        following.flat_map(|(subject, objects)| objects.iter().map(|object| (*subject, *object))).collect()
    }

    /// Applies a write and says what it must answer for each object.
    pub(crate) fn apply(&mut self, op: &Op) -> Vec<Outcome> {
        op.objects.iter().map(|object| self.apply_one(op.kind, op.subject, *object)).collect()
    }

    fn apply_one(&mut self, kind: Kind, a: u64, b: u64) -> Outcome {
        let changed = match kind {
            Kind::Follow | Kind::BatchFollow => {
                if self.blocks.contains(&(a, b)) || self.blocks.contains(&(b, a)) {
                    return Outcome::Blocked;
                }
                self.follow(a, b)
            }
            Kind::Unfollow => self.unfollow(a, b),
            Kind::RemoveFollower => self.unfollow(b, a),
            Kind::Block => {
                self.unfollow(a, b);
                self.unfollow(b, a);
                self.blocks.insert((a, b))
            }
            Kind::Unblock => self.blocks.remove(&(a, b)),
            Kind::Mute => self.mutes.insert((a, b)),
            Kind::Unmute => self.mutes.remove(&(a, b)),
        };
        Outcome::Changed(changed)
    }

    fn follow(&mut self, a: u64, b: u64) -> bool {
        let following = self.following.get_mut(&a).expect("a writer follows from its own users");
        let changed = !following.contains(&b);
        if changed {
            following.push(b);
        }
        changed
    }

    fn unfollow(&mut self, a: u64, b: u64) -> bool {
        let following = self.following.get_mut(&a).expect("a writer unfollows from its own users");
        let before = following.len();
        following.retain(|object| *object != b);
        following.len() < before
    }
}

/// A write that was sent and not answered: it took effect as a whole or not at all.
#[derive(Clone, Debug)]
pub(crate) struct InFlight {
    pub(crate) op: Op,
    /// What it must answer, whenever it is answered.
    pub(crate) outcomes: Vec<Outcome>,
    /// The relations if it took effect.
    pub(crate) after: Relations,
}
