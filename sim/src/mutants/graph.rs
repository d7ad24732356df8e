//! Bugs of what waits and ends between users: a write is done otherwise than it was asked for.

use super::Mutation;
use guanxi_model::{Command, Op, PairCommand, Position, RequestKind, Result, Uid, Write};
use guanxi_ports::{Applied, BoxFuture, Facts, Store, StoreView};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// A graph with one bug.
pub(crate) struct MutantGraph {
    inner: Arc<dyn Store>,
    mutation: Mutation,
    places: Mutex<Places>,
}

/// Places that were not given back, and the limits that are too low by them.
#[derive(Debug, Default)]
struct Places {
    kept: BTreeMap<Uid, u32>,
    limits: BTreeMap<Uid, u32>,
}

impl Places {
    /// Returns the lowered limit of a user.
    fn lowered(&self, uid: Uid) -> Option<Command> {
        let (limit, kept) = (self.limits.get(&uid)?, self.kept.get(&uid).copied().unwrap_or(0));
        Some(Command::FollowLimit { uid, limit: Some(limit.saturating_sub(kept)) })
    }
}

impl MutantGraph {
    pub(crate) fn new(inner: Arc<dyn Store>, mutation: Mutation) -> Self {
        Self { inner, mutation, places: Mutex::default() }
    }

    /// What is done instead of a command, if anything is.
    async fn instead(&self, command: Command) -> Result<Option<Command>> {
        let pair = |op, subject, object| Some(Command::Pair(PairCommand { op, subject, object }));
        let asked = match &command {
            Command::Pair(PairCommand { op, subject, object }) => Some((*op, *subject, *object)),
            Command::SendFriendRequest(request) => {
                Some((Op::SendFriendRequest, request.sender, request.receiver))
            }
            _ => None,
        };
        let Some((op, a, b)) = asked else { return Ok(Some(self.limit(command))) };
        Ok(match (self.mutation, op) {
            (Mutation::CrossingWaits, Op::SendFriendRequest)
                if self.asks(b, a).await? == Some(RequestKind::Friend) =>
            {
                // It does nothing: only the other one asks.
                pair(Op::CancelFriendRequest, a, b)
            }
            (Mutation::CooldownForgotten, Op::RejectFriendRequest)
                if self.asks(b, a).await? == Some(RequestKind::Friend) =>
            {
                pair(Op::CancelFriendRequest, b, a)
            }
            (Mutation::CooldownForgotten, Op::RejectFollow)
                if self.asks(b, a).await? == Some(RequestKind::Follow) =>
            {
                pair(Op::Unfollow, b, a)
            }
            (Mutation::RenewedMuteEnded, Op::ExpireMute) => pair(Op::Unmute, a, b),
            (Mutation::EndSkipped, Op::ExpireMute | Op::ExpireRequest) => {
                Some(command).filter(|_| !(a.get() + b.get()).is_multiple_of(4))
            }
            _ => Some(command),
        })
    }

    async fn asks(&self, sender: Uid, receiver: Uid) -> Result<Option<RequestKind>> {
        let view = self.inner.view(None).await?;
        let relations = view.relations(receiver, &[sender]).await?;
        Ok(relations.first().and_then(|relation| relation.requested_by))
    }

    /// A limit, lowered by the places that were kept.
    fn limit(&self, command: Command) -> Command {
        let Command::FollowLimit { uid, limit } = command else { return command };
        if self.mutation != Mutation::PlaceKept {
            return command;
        }
        let mut places = self.places.lock().expect("nobody panics while holding places");
        match limit {
            Some(limit) => places.limits.insert(uid, limit),
            None => places.limits.remove(&uid),
        };
        places.lowered(uid).unwrap_or(command)
    }

    /// What follows in vain when a request was to end by itself.
    async fn end_again(&self, receiver: Uid, sender: Uid, has_ended: bool) -> Result<()> {
        let then = match self.mutation {
            Mutation::PlaceKept if has_ended => {
                let mut places = self.places.lock().expect("nobody panics while holding places");
                *places.kept.entry(sender).or_default() += 1;
                places.lowered(sender)
            }
            Mutation::ExpiryUndoesAccept if !has_ended => {
                Some(PairCommand { op: Op::Unfollow, subject: sender, object: receiver }.into())
            }
            _ => None,
        };
        if let Some(command) = then {
            self.inner.apply(Write::of(command)).await?;
        }
        Ok(())
    }
}

impl Facts for MutantGraph {
    fn apply(&self, write: Write) -> BoxFuture<'_, Result<Applied>> {
        Box::pin(async move {
            let is_of_job =
                |command: &Command| matches!(command, Command::Pair(pair) if pair.op == Op::ApproveUnlocked);
            let mut commands = Vec::with_capacity(write.commands.len());
            for command in write.commands {
                commands.extend(self.instead(command).await?);
            }
            if self.mutation == Mutation::UnlockSkips && commands.last().is_some_and(is_of_job) {
                commands.pop();
            }
            let expired: Vec<Option<(Uid, Uid)>> = commands.iter().map(expires).collect();
            let applied = self.inner.apply(Write { commands, ..write }).await?;
            for (expired, outcome) in expired.into_iter().zip(&applied.outcomes) {
                if let Some((receiver, sender)) = expired {
                    self.end_again(receiver, sender, outcome.result() == Ok(true)).await?;
                }
            }
            Ok(applied)
        })
    }
}

/// Returns the sender and receiver of the request that a command ends when its time is over: the receiver, and the
/// sender.
const fn expires(command: &Command) -> Option<(Uid, Uid)> {
    match command {
        Command::Pair(PairCommand { op: Op::ExpireRequest, subject, object }) => Some((*subject, *object)),
        _ => None,
    }
}

impl Store for MutantGraph {
    fn view<'a>(&'a self, at_least: Option<&'a Position>) -> BoxFuture<'a, Result<Box<dyn StoreView>>> {
        self.inner.view(at_least)
    }

    fn is_applied(&self, uid: Uid, at: guanxi_model::EventAt) -> BoxFuture<'_, Result<bool>> {
        self.inner.is_applied(uid, at)
    }
}
