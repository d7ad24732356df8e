//! Requests, the terms of mutes, and what ends by itself.
//!
//! A request is a fact of the user who is asked; that it holds a place of the one who asks stands in that one's shard. Both
//! stand before it is answered.

use super::relations::Asked;
use super::state::{Commit, Maps, OF_DELETED, WaitingMaps};
use super::view::{MemoryView, now};
use guanxi_model::event::PairChange;
use guanxi_model::limits::REQUEST_TTL_MS;
use guanxi_model::{
    Command, Cursor, Edge, EdgePage, Error, FriendRequest, MuteCommand, MuteTerms, Op, Outcome, Page,
    PageStart, PairCommand, PairEnd, PairEndKind, Reason, RelationRequest, RequestDirection, RequestKind,
    Result, Stamp, Uid,
};
use guanxi_ports::{BoxFuture, DueEnd, RequestPage, RequestView, UserNotes};
use std::future::ready;

impl Maps {
    pub(super) fn waiting_command(&mut self, command: &Command, commit: &mut Commit<'_>) -> Outcome {
        match command {
            Command::SendFriendRequest(FriendRequest { sender, receiver, message, ttl_ms }) => {
                let command = PairCommand { op: Op::SendFriendRequest, subject: *sender, object: *receiver };
                let asked = Asked { message: message.clone(), ttl_ms: *ttl_ms, ..Asked::default() };
                return Outcome::Pair(self.command(command, &asked, commit));
            }
            Command::Mute(MuteCommand { subject, object, reposts_only, duration_ms }) => {
                let until_ms = duration_ms.map(|duration| commit.now_ms + duration);
                let mute = MuteTerms { reposts_only: *reposts_only, until_ms };
                let command = PairCommand { op: Op::Mute, subject: *subject, object: *object };
                return Outcome::Pair(self.command(command, &Asked { mute, ..Asked::default() }, commit));
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
        asked: &Asked,
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
    fn ends(&self) -> Vec<DueEnd> {
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
    fn whole_requests(
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
const fn place(request: &RelationRequest, direction: RequestDirection) -> Edge {
    let uid = match direction {
        RequestDirection::Incoming => request.sender,
        RequestDirection::Outgoing => request.receiver,
    };
    Edge { at: request.at, uid }
}

impl RequestView for MemoryView {
    fn requests(
        &self,
        of: Uid,
        direction: RequestDirection,
        kind: RequestKind,
        page: Page,
    ) -> BoxFuture<'_, Result<RequestPage>> {
        let after = match page.start() {
            PageStart::Newest => None,
            PageStart::After(Cursor(edge)) => Some(edge),
            PageStart::Offset(_) => {
                return Box::pin(ready(Err(Error::new(Reason::InvalidField { field: "offset" }))));
            }
        };
        let mut items = self.whole_requests(of, direction, kind);
        items.retain(|request| after.is_none_or(|after| place(request, direction) < after));
        let edges: Vec<Edge> = items.iter().map(|request| place(request, direction)).collect();
        let next = EdgePage::cut(edges, page.size()).next;
        items.truncate(page.size());
        now(RequestPage { items, next })
    }

    fn unseen_requests(&self, of: Uid, kind: RequestKind, cap: u32) -> BoxFuture<'_, Result<u32>> {
        let seen = self.of(of).waiting.seen.get(&of).copied().unwrap_or(Stamp::ZERO);
        let requests = self.whole_requests(of, RequestDirection::Incoming, kind);
        let unseen = requests.iter().filter(|request| request.at > seen).count() as u32;
        now(unseen.min(cap))
    }

    fn rejections(&self, of: Uid, after: Option<Uid>, max: usize) -> BoxFuture<'_, Result<Vec<(Uid, u64)>>> {
        let state = self.of(of);
        let own = state.waiting.cooldowns.iter().filter(|((owner, _), _)| *owner == of);
        let own = own.map(|((_, other), until)| (*other, *until));
        now(own.filter(|(other, _)| after.is_none_or(|after| *other > after)).take(max).collect())
    }

    fn user_notes(&self, uid: Uid) -> BoxFuture<'_, Result<UserNotes>> {
        let state = self.of(uid);
        let requests_seen = state.waiting.seen.get(&uid).copied();
        now(UserNotes { requests_seen, signed_out_ms: state.not_before_ms(uid).checked_sub(1) })
    }

    fn mute_terms<'a>(&'a self, of: Uid, others: &'a [Uid]) -> BoxFuture<'a, Result<Vec<MuteTerms>>> {
        let state = self.of(of);
        now(others.iter().map(|other| state.mute_terms((of, *other))).collect())
    }

    fn due_ends(
        &self,
        after: Option<DueEnd>,
        until_ms: u64,
        max: usize,
    ) -> BoxFuture<'_, Result<Vec<DueEnd>>> {
        let mut due: Vec<DueEnd> = Vec::new();
        for (state, is_own) in self.states() {
            due.extend(state.ends().into_iter().filter(|due| due.at_ms <= until_ms && is_own(due.end.owner)));
        }
        due.retain(|due| after.is_none_or(|after| *due > after));
        due.sort_unstable();
        due.truncate(max);
        now(due)
    }

    fn unlocking(&self, after: Option<Uid>, max: usize) -> BoxFuture<'_, Result<Vec<(Uid, Stamp)>>> {
        let mut found: Vec<(Uid, Stamp)> = Vec::new();
        for (state, is_own) in self.states() {
            let own = state.waiting.unlocking.iter().filter(|(uid, _)| is_own(**uid));
            found.extend(own.map(|(uid, since)| (*uid, *since)));
        }
        found.retain(|(uid, _)| after.is_none_or(|after| *uid > after));
        found.sort_unstable();
        found.truncate(max);
        now(found)
    }
}
