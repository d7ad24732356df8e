//! Requests, the terms of mutes, and what ends by itself.

use super::pairs::PairTerms;
use super::{Planner, Planning, State};
use crate::command::{Command, FriendRequest, MuteCommand, Outcome, PairCommand};
use crate::event::PairChange;
use crate::id::Uid;
use crate::limits::{REQUEST_RESEND_MS, REQUEST_TTL_MS};
use crate::pair::{MuteTerms, Op, PairEnd, PairEndKind, PastRequest, RelationRequest, RequestKind};
use crate::stamp::Stamp;

impl<S: State> Planner<'_, S> {
    /// Plans a command about what waits.
    pub(super) fn waiting_command(&mut self, command: Command) -> Planning<Outcome, S> {
        match command {
            Command::SendFriendRequest(request) => {
                let FriendRequest { sender, receiver, message, ttl_ms } = request;
                let command = PairCommand { op: Op::SendFriendRequest, subject: sender, object: receiver };
                let terms = PairTerms { ttl_ms, message, ..PairTerms::default() };
                return self.pair(command, &terms).map(Outcome::Pair);
            }
            Command::Mute(MuteCommand { subject, object, reposts_only, duration_ms }) => {
                let until_ms = duration_ms.map(|duration| self.now_ms + duration);
                let mute = MuteTerms { reposts_only, until_ms };
                let terms = PairTerms { mute, ..PairTerms::default() };
                return self.pair(PairCommand { op: Op::Mute, subject, object }, &terms).map(Outcome::Pair);
            }
            Command::ForgetRejection { owner, other } => {
                let past = self.state.past_request(owner, other)?;
                if past.is_some_and(|past| past.until_ms() <= self.now_ms) {
                    self.set_past_request(owner, other, None)?;
                }
            }
            Command::EndUnlock { uid, since } => self.end_unlock(uid, since)?,
            Command::MarkRequestsSeen { uid, seen } => {
                if let Some(refused) = self.refused_if_deleted(uid)? {
                    return Ok(refused);
                }
                self.mark_requests_seen(uid, seen)?;
            }
            _ => {}
        }
        Ok(Outcome::Done)
    }

    /// Notes that no user waits any more since a user has unlocked itself. If the user was locked again, the note has
    /// another time and stays.
    fn end_unlock(&mut self, uid: Uid, since: Stamp) -> Planning<(), S> {
        if self.state.unlocking(uid)? == Some(since) {
            self.state.put_unlocking(uid, None);
        }
        Ok(())
    }

    fn mark_requests_seen(&mut self, uid: Uid, seen: Option<Stamp>) -> Planning<(), S> {
        // Nothing that waits is newer than now: a mark above it would hide what is to come.
        let seen = seen.filter(|seen| seen.ms() <= self.now_ms);
        let seen = seen.unwrap_or_else(|| self.state.stamp(uid, self.now_ms));
        self.state.raise_requests_seen(uid, seen)
    }

    /// Sets what a user remembers of the last request of another, for as long as that is.
    pub(super) fn set_past_request(
        &mut self,
        owner: Uid,
        other: Uid,
        past: Option<PastRequest>,
    ) -> Planning<(), S> {
        let end = PairEnd { kind: PairEndKind::Cooldown, owner, other };
        if let Some(before) = self.state.past_request(owner, other)? {
            self.state.remove_end(before.until_ms(), end);
        }
        if let Some(past) = past {
            self.state.put_end(past.until_ms(), end);
        }
        self.state.put_past_request(owner, other, past)
    }

    /// A user has rejected another no more, whether or not it had.
    pub(super) fn forget_rejection(&mut self, owner: Uid, other: Uid) -> Planning<(), S> {
        match self.state.past_request(owner, other)? {
            Some(PastRequest::Rejected { .. }) => self.set_past_request(owner, other, None),
            Some(PastRequest::TakenBack { .. }) | None => Ok(()),
        }
    }

    /// Sets a mute, or new terms of one that keeps its place.
    pub(super) fn mute(&mut self, a: Uid, b: Uid, at: Stamp, terms: MuteTerms) -> Planning<PairChange, S> {
        let stands = self.state.mute(a, b)?;
        let end = PairEnd { kind: PairEndKind::Mute, owner: a, other: b };
        if let Some(until) = stands.and_then(|(_, stands)| stands.until_ms) {
            self.state.remove_end(until, end);
        }
        if let Some(until) = terms.until_ms {
            self.state.put_end(until, end);
        }
        let at = stands.map_or(at, |(at, _)| at);
        self.state.put_mute(a, b, Some((at, terms)))?;
        Ok(PairChange::Muted { at, terms })
    }

    /// Ends a mute.
    pub(super) fn unmute(&mut self, a: Uid, b: Uid) -> Planning<PairChange, S> {
        if let Some(until) = self.state.mute(a, b)?.and_then(|(_, stands)| stands.until_ms) {
            self.state.remove_end(until, PairEnd { kind: PairEndKind::Mute, owner: a, other: b });
        }
        self.state.put_mute(a, b, None)?;
        Ok(PairChange::Unmuted)
    }

    /// The first asks the second. What it took back not long ago it asks in the same place.
    pub(super) fn ask(
        &mut self,
        (sender, receiver): (Uid, Uid),
        kind: RequestKind,
        at: Stamp,
        terms: &PairTerms,
    ) -> Planning<PairChange, S> {
        let past = self.state.past_request(receiver, sender)?;
        let at = past.and_then(|past| past.first_place(self.now_ms)).unwrap_or(at);
        let expires_ms = self.now_ms + terms.ttl_ms.unwrap_or(REQUEST_TTL_MS);
        let message = terms.message.clone();
        let request = RelationRequest { sender, receiver, kind, at, expires_ms, message };
        self.state.put_end(expires_ms, request_end(&request));
        self.state.put_request(request)?;
        Ok(PairChange::Requested { kind, expires_ms })
    }

    /// Ends a request of the actor. If the actor takes it back, its place is remembered.
    pub(super) fn end_own_request(
        &mut self,
        command: PairCommand,
        kind: RequestKind,
    ) -> Planning<PairChange, S> {
        let PairCommand { op, subject: sender, object: receiver } = command;
        let ended = self.end_request(sender, receiver)?;
        if let Some(RelationRequest { at: first, .. }) = ended.filter(|_| op.takes_back()) {
            let until_ms = self.now_ms + REQUEST_RESEND_MS;
            self.set_past_request(receiver, sender, Some(PastRequest::TakenBack { until_ms, first }))?;
        }
        Ok(PairChange::RequestEnded { kind })
    }

    /// Ends a request to the actor. Once it is granted, the next one is a new one. If it grants a request to be friends,
    /// the sender's own rejection of the actor is forgotten.
    pub(super) fn end_request_back(
        &mut self,
        command: PairCommand,
        kind: RequestKind,
    ) -> Planning<PairChange, S> {
        let PairCommand { op, subject: receiver, object: sender } = command;
        self.end_request(sender, receiver)?;
        if op.grants()
            && let Some(PastRequest::TakenBack { .. }) = self.state.past_request(receiver, sender)?
        {
            self.set_past_request(receiver, sender, None)?;
        }
        if op.grants() && kind == RequestKind::Friend {
            self.forget_rejection(sender, receiver)?;
        }
        Ok(PairChange::RequestEnded { kind })
    }

    /// A request that waits is over; the decision knows that there is one.
    fn end_request(&mut self, sender: Uid, receiver: Uid) -> Planning<Option<RelationRequest>, S> {
        let request = self.state.request(sender, receiver)?;
        if let Some(request) = &request {
            self.state.remove_end(request.expires_ms, request_end(request));
            self.state.remove_request(request)?;
        }
        Ok(request)
    }
}

const fn request_end(request: &RelationRequest) -> PairEnd {
    PairEnd { kind: PairEndKind::Request, owner: request.receiver, other: request.sender }
}
