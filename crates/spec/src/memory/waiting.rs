//! Requests, the terms of mutes, and what ends by itself.
//!
//! A request is a fact of its receiver; the place that it holds is in the shard of its sender. Both are stored before it is
//! answered.

use super::relations::AskedRelation;
use super::state::{Commit, Maps, OF_DELETED, WaitingMaps};
use super::view::MemoryView;
use guanxi_model::event::PairChange;
use guanxi_model::limits::REQUEST_TTL_MS;
use guanxi_model::{
    Command, Edge, FriendRequest, MuteCommand, MuteTerms, Op, Outcome, PairCommand, PairEnd, PairEndKind,
    RelationRequest, RequestDirection, RequestKind, Stamp, Uid,
};
use guanxi_ports::DueEnd;

impl Maps {
    pub(super) fn waiting_command(&mut self, command: &Command, commit: &mut Commit<'_>) -> Outcome {
        match command {
            Command::SendFriendRequest(FriendRequest { sender, receiver, message, ttl_ms }) => {
                let command = PairCommand { op: Op::SendFriendRequest, subject: *sender, object: *receiver };
                let asked =
                    AskedRelation { message: message.clone(), ttl_ms: *ttl_ms, ..AskedRelation::default() };
                return Outcome::Pair(self.command(command, &asked, commit));
            }
            Command::Mute(MuteCommand { subject, object, reposts_only, duration_ms }) => {
                let until_ms = duration_ms.map(|duration| commit.now_ms + duration);
                let mute = MuteTerms { reposts_only: *reposts_only, until_ms };
                let command = PairCommand { op: Op::Mute, subject: *subject, object: *object };
                return Outcome::Pair(self.command(
                    command,
                    &AskedRelation { mute, ..AskedRelation::default() },
                    commit,
                ));
            }
            Command::ForgetRejection { owner, other } => {
                let now_ms = commit.now_ms;
                let WaitingMaps { cooldowns, taken_back, .. } = &mut self.waiting;
                cooldowns.retain(|pair, until| *pair != (*owner, *other) || *until > now_ms);
                taken_back.retain(|pair, (_, until)| *pair != (*owner, *other) || *until > now_ms);
            }
            Command::EndUnlock { uid, since } => {
                self.waiting.unlocking.retain(|known, at| (known, &*at) != (uid, since));
            }
            Command::MarkRequestsSeen { uid, .. } if self.is_deleted(*uid) => return OF_DELETED,
            Command::MarkRequestsSeen { uid, seen } => {
                let seen = seen.filter(|seen| seen.ms() <= commit.now_ms);
                let seen = seen.unwrap_or_else(|| self.hlc.tick(commit.now_ms));
                let known = self.waiting.seen.entry(*uid).or_insert(seen);
                *known = seen.max(*known);
            }
            _ => {}
        }
        Outcome::Done
    }

    /// On which terms a user mutes another; the default if it does not.
    pub(super) fn mute_terms(&self, pair: (Uid, Uid)) -> MuteTerms {
        self.waiting.mute_terms.get(&pair).copied().unwrap_or_default()
    }

    /// Sets a mute; one that stands keeps its place.
    pub(super) fn mute(&mut self, pair: (Uid, Uid), at: Stamp, terms: MuteTerms) -> PairChange {
        let stands = self.mutes.get(&pair).copied();
        if stands.is_none() {
            self.count(pair.0).mutes += 1;
        }
        let at = stands.unwrap_or(at);
        self.mutes.insert(pair, at);
        self.waiting.mute_terms.remove(&pair);
        if terms != MuteTerms::default() {
            self.waiting.mute_terms.insert(pair, terms);
        }
        PairChange::Muted { at, terms }
    }

    pub(super) fn ask(
        &mut self,
        (sender, receiver): (Uid, Uid),
        kind: RequestKind,
        at: Stamp,
        asked: &AskedRelation,
        now_ms: u64,
    ) -> PairChange {
        let kept = self.waiting.taken_back.get(&(receiver, sender));
        let at = kept.filter(|(_, until)| now_ms < *until).map_or(at, |(first, _)| *first);
        let expires_ms = now_ms + asked.ttl_ms.unwrap_or(REQUEST_TTL_MS);
        let message = asked.message.clone();
        let request = RelationRequest { sender, receiver, kind, at, expires_ms, message };
        self.waiting.requests.insert((receiver, sender), request);
        PairChange::Requested { kind, expires_ms }
    }

    /// Everything that ends by itself, with when.
    pub(super) fn ends(&self) -> Vec<DueEnd> {
        let end =
            |kind, (owner, other): (Uid, Uid), at_ms| DueEnd { at_ms, end: PairEnd { kind, owner, other } };
        let WaitingMaps { requests, cooldowns, taken_back, mute_terms, .. } = &self.waiting;
        let requests =
            requests.iter().map(|(pair, request)| end(PairEndKind::Request, *pair, request.expires_ms));
        let cooldowns = cooldowns.iter().map(|(pair, until)| end(PairEndKind::Cooldown, *pair, *until));
        let taken_back =
            taken_back.iter().map(|(pair, (_, until))| end(PairEndKind::Cooldown, *pair, *until));
        let mutes = mute_terms
            .iter()
            .filter_map(|(pair, terms)| Some(end(PairEndKind::Mute, *pair, terms.until_ms?)));
        requests.chain(cooldowns).chain(taken_back).chain(mutes).collect()
    }
}

impl MemoryView {
    /// The requests of a kind that a user got or sent, newest first.
    pub(super) fn whole_requests(
        &self,
        of: Uid,
        direction: RequestDirection,
        kind: RequestKind,
    ) -> Vec<RelationRequest> {
        let state = &*self.of(of);
        let mut found: Vec<RelationRequest> = match direction {
            RequestDirection::Incoming => {
                let own = state.waiting.requests.range((of, Uid::MIN)..=(of, Uid::MAX));
                own.map(|(_, request)| request.clone()).collect()
            }
            RequestDirection::Outgoing => {
                let there = |receiver| self.of(receiver).waiting.requests.get(&(receiver, of)).cloned();
                state.waiting.sent_by(of).filter_map(there).collect()
            }
        };
        found.retain(|request| request.kind == kind);
        found.sort_unstable_by_key(|request| std::cmp::Reverse(place(request, direction)));
        found
    }
}

/// The place of a request in a list: its time, and the other user.
pub(super) const fn place(request: &RelationRequest, direction: RequestDirection) -> Edge {
    let uid = match direction {
        RequestDirection::Incoming => request.sender,
        RequestDirection::Outgoing => request.receiver,
    };
    Edge { at: request.at, uid }
}
