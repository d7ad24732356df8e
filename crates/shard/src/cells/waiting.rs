//! Requests and cooldowns as rows: facts in the shard of the receiver, and their effects in that of the sender.
//!
//! A plan in the sender's shard only reserves: it puts a row that holds a place and does not wait yet, under a mark of its
//! own, and returns the question for the other shard. Facts that end by themselves have no table: requests, cooldowns and
//! mutes are found by their times.

use super::relations::step;
use super::{NotFetched, Pair, Rows};
use guanxi_model::event::PairChange;
use guanxi_model::limits::REQUEST_RESEND_MS;
use guanxi_model::plan::{EventRows as _, WaitingRows};
use guanxi_model::{
    Change, MuteTerms, Op, PairEnd, PastRequest, PostId, RelationRequest, RequestKind, Stamp, Uid,
};

/// A request that is not over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskedRow {
    /// For what.
    pub kind: RequestKind,
    /// Its place in lists.
    pub at: Stamp,
    /// The name that the sender's shard has given to it.
    pub mark: Stamp,
    /// When it ends by itself, in Unix milliseconds.
    pub expires_ms: u64,
    /// What the sender says.
    pub message: String,
}

impl AskedRow {
    /// A request whose mark is its place in lists, as of the plan that made it.
    fn of(request: RelationRequest) -> Self {
        let RelationRequest { kind, at, expires_ms, message, .. } = request;
        Self { kind, at, mark: at, expires_ms, message }
    }

    fn between(&self, sender: Uid, receiver: Uid) -> RelationRequest {
        let Self { kind, at, expires_ms, ref message, .. } = *self;
        RelationRequest { sender, receiver, kind, at, expires_ms, message: message.clone() }
    }
}

/// What the first is asked by the second: a fact.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RequestRow {
    /// What waits.
    pub asked: Option<AskedRow>,
    /// What is remembered of the last one.
    pub past: Option<PastRow>,
}

/// What the first remembers of the last request of the second, which is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PastRow {
    /// What.
    pub past: PastRequest,
    /// The version of a rejection; 0 of one that was loaded, which is before everything.
    pub rejected_at: Stamp,
}

impl RequestRow {
    /// Returns until when the second may not ask again, in Unix milliseconds.
    pub fn rejected_until_ms(&self) -> Option<u64> {
        self.past.and_then(|row| row.past.rejected_until_ms())
    }

    /// The second comes to follow the first, in a version: what was rejected before is forgotten.
    pub fn forget_rejection(&mut self, version: Stamp) {
        if self.rejected_until_ms().is_some() {
            self.past = self.past.filter(|row| row.rejected_at >= version);
        }
    }
}

/// What the first has asked of the second.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SentRow {
    /// What is not over.
    pub asked: Option<AskedRow>,
    /// Whether the other shard has said that it waits.
    pub waits: bool,
    /// Until when the first may not ask again, in Unix milliseconds.
    pub cooling_ms: Option<u64>,
}

impl SentRow {
    /// Returns what waits.
    pub fn waiting(&self) -> Option<RequestKind> {
        self.asked.as_ref().filter(|_| self.waits).map(|asked| asked.kind)
    }
}

/// What a plan has reserved a place for, and is to be asked in the shard of the receiver.
#[derive(Clone, Debug)]
pub struct Asking {
    /// What is asked; its place in lists is the mark, and the version if that is newer than everything there.
    pub request: RelationRequest,
    /// The version that was minted for the end of another request of the sender.
    pub end_version: Option<Stamp>,
}

impl Asking {
    /// Returns what asks for it.
    pub const fn cause(&self) -> Op {
        match self.request.kind {
            RequestKind::Follow => Op::Follow,
            RequestKind::Friend => Op::SendFriendRequest,
        }
    }
}

/// What an event tells beside itself: the shard of the other user, or the memory of processes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// The mark of the request that it is about.
    pub request: Option<Stamp>,
    /// The place in lists of a request that waits in an earlier one.
    pub place: Option<Stamp>,
    /// Until when may not be asked again, in Unix milliseconds.
    pub cooling_ms: Option<u64>,
    /// The version that the plan has minted for the change of the other's follow.
    pub edge: Option<Stamp>,
    /// The version that the plan has minted for the end of a request to the other.
    pub end: Option<Stamp>,
    /// The post that the post of the event answers or shares.
    pub original: Option<PostId>,
}

impl Rows {
    /// Notes the version that was minted for a change of a user of another shard.
    pub(super) fn note_minted(&mut self, version: Stamp, subject: Uid, change: &Change) {
        let Change::Pair { object, kind, .. } = *change else { return };
        let told = self.minted_for.entry((object, subject)).or_default();
        match kind {
            PairChange::Followed { .. } | PairChange::Unfollowed => told.edge = Some(version),
            PairChange::RequestEnded { .. } => told.end = Some(version),
            _ => {}
        }
        self.take_spare();
    }

    /// Has the events of a plan, from one on, tell what was minted for the other shards. Returns what is to be asked in these.
    pub fn told(&mut self, from: usize) -> Vec<Asking> {
        self.return_spare();
        let minted = std::mem::take(&mut self.minted_for);
        let of_pair = |subject: Uid, object: Uid| minted.get(&(subject, object)).copied().unwrap_or_default();
        self.shards.tell_pairs(from, |subject, object, told| {
            let minted = of_pair(subject, object);
            (told.edge, told.end) = (minted.edge, minted.end);
        });
        let mut asking = std::mem::take(&mut self.asking);
        for asking in &mut asking {
            asking.end_version = of_pair(asking.request.sender, asking.request.receiver).end;
        }
        asking
    }

    /// Changes what a user of the shard has asked, and its counters.
    pub fn change_sent(&mut self, pair: Pair, change: impl FnOnce(&mut SentRow)) -> Result<(), NotFetched> {
        let follows = self.follows.get(pair)?.active;
        let row = self.sent.change(pair)?;
        let before = row.asked.is_some();
        change(row);
        let after = row.asked.is_some();
        row.waits &= after;
        let user = self.users.change(pair.0)?;
        step(&mut user.sent, before, after);
        step(&mut user.asking, before && !follows, after && !follows);
        Ok(())
    }

    /// Ends a request to a user of the shard, if it waits, and tells of it in the log.
    pub fn end_asked(
        &mut self,
        pair: Pair,
        by: impl FnOnce(&mut Self) -> (Stamp, Op),
    ) -> Result<(), NotFetched> {
        let Some(asked) = self.requests.get(pair)?.asked.clone() else { return Ok(()) };
        let (version, cause) = by(self);
        self.requests.change(pair)?.asked = None;
        let kind = PairChange::RequestEnded { kind: asked.kind };
        self.request_mark = Some(asked.mark);
        self.log(version, pair.0, Change::Pair { object: pair.1, kind, cause });
        Ok(())
    }

    /// Who has asked a user of the shard takes that back: the place is remembered for a time.
    pub fn take_back_asked(&mut self, pair: Pair, by: (Stamp, Op), now_ms: u64) -> Result<(), NotFetched> {
        let first = self.requests.get(pair)?.asked.as_ref().map(|asked| asked.at);
        self.end_asked(pair, |_| by)?;
        if let Some(first) = first {
            let past = PastRequest::TakenBack { until_ms: now_ms + REQUEST_RESEND_MS, first };
            self.requests.change(pair)?.past = Some(PastRow { past, rejected_at: Stamp::ZERO });
        }
        Ok(())
    }

    /// Puts a request to a user of the shard, and tells of it in the log.
    pub fn put_asked(
        &mut self,
        pair: Pair,
        asked: AskedRow,
        (version, cause): (Stamp, Op),
    ) -> Result<(), NotFetched> {
        let kind = PairChange::Requested { kind: asked.kind, expires_ms: asked.expires_ms };
        self.request_mark = Some(asked.mark);
        let place = Some(asked.at).filter(|at| *at != version);
        self.requests.change(pair)?.asked = Some(asked);
        self.log(version, pair.0, Change::Pair { object: pair.1, kind, cause });
        self.shards.tell_place(place);
        Ok(())
    }

    /// Returns whether a request between two users of whom one is of the shard is not over.
    pub fn has_request(&self, home: Uid, other: Uid) -> Result<bool, NotFetched> {
        let pair = (home, other);
        Ok(self.sent.get(pair)?.asked.is_some() || self.requests.get(pair)?.asked.is_some())
    }
}

impl WaitingRows for Rows {
    fn mute(&mut self, owner: Uid, other: Uid) -> Result<Option<(Stamp, MuteTerms)>, NotFetched> {
        let row = self.mutes.get((owner, other))?;
        Ok(row.active.then_some((row.at, row.terms)))
    }

    fn request(&mut self, sender: Uid, receiver: Uid) -> Result<Option<RelationRequest>, NotFetched> {
        let asked = if self.is_home(receiver) {
            &self.requests.get((receiver, sender))?.asked
        } else {
            &self.sent.get((sender, receiver))?.asked
        };
        Ok(asked.as_ref().map(|asked| asked.between(sender, receiver)))
    }

    /// Of a user of another shard only a place is reserved for it, unless one of the kind is under way already, which goes on.
    fn put_request(&mut self, request: RelationRequest) -> Result<(), NotFetched> {
        let (sender, receiver) = (request.sender, request.receiver);
        let asked = AskedRow::of(request);
        if self.is_home(receiver) {
            self.request_mark = Some(asked.mark);
            self.requests.change((receiver, sender))?.asked = Some(asked.clone());
            if self.is_home(sender) {
                self.change_sent((sender, receiver), |row| (row.asked, row.waits) = (Some(asked), true))?;
            }
            return Ok(());
        }
        let under_way = self.sent.get((sender, receiver))?.asked.clone();
        let asked = under_way.filter(|known| known.kind == asked.kind).unwrap_or(asked);
        let request = RelationRequest { at: asked.mark, ..asked.between(sender, receiver) };
        self.asking.push(Asking { request, end_version: None });
        self.change_sent((sender, receiver), |row| (row.asked, row.waits) = (Some(asked), false))
    }

    /// Of a user of another shard the place is given back at once: that shard ends the request when it learns why.
    fn remove_request(&mut self, request: &RelationRequest) -> Result<(), NotFetched> {
        let (sender, receiver) = (request.sender, request.receiver);
        if self.is_home(receiver) {
            let asked = self.requests.change((receiver, sender))?.asked.take();
            self.request_mark = asked.map(|asked| asked.mark);
        }
        if self.is_home(sender) {
            self.change_sent((sender, receiver), |row| row.asked = None)?;
        }
        Ok(())
    }

    fn sent_requests(&mut self, sender: Uid) -> Result<u32, NotFetched> {
        if !self.is_home(sender) {
            return Ok(0);
        }
        Ok(self.users.get(sender)?.sent)
    }

    /// Of what a user of another shard remembers only rejections are known.
    fn past_request(&mut self, owner: Uid, other: Uid) -> Result<Option<PastRequest>, NotFetched> {
        if self.is_home(owner) {
            return Ok(self.requests.get((owner, other))?.past.map(|row| row.past));
        }
        let until_ms = self.sent.get((other, owner))?.cooling_ms;
        Ok(until_ms.map(|until_ms| PastRequest::Rejected { until_ms }))
    }

    /// The other's shard is told by the event of the rejection, unless it is this one.
    fn put_past_request(
        &mut self,
        owner: Uid,
        other: Uid,
        past: Option<PastRequest>,
    ) -> Result<(), NotFetched> {
        let until_ms = past.and_then(PastRequest::rejected_until_ms);
        if self.is_home(owner) {
            let rejected_at = if until_ms.is_some() { self.minted } else { Stamp::ZERO };
            self.requests.change((owner, other))?.past = past.map(|past| PastRow { past, rejected_at });
            self.shards.tell_cooling(owner, other, until_ms);
        }
        if self.is_home(other) {
            self.sent.change((other, owner))?.cooling_ms = until_ms;
        }
        Ok(())
    }

    fn put_end(&mut self, _at_ms: u64, _end: PairEnd) {}

    fn remove_end(&mut self, _at_ms: u64, _end: PairEnd) {}

    fn unlocking(&mut self, uid: Uid) -> Result<Option<Stamp>, NotFetched> {
        self.unlocking.get(uid).copied()
    }

    fn put_unlocking(&mut self, uid: Uid, since: Option<Stamp>) {
        if self.is_home(uid) {
            self.unlocking.put(uid, since);
        }
    }

    fn raise_requests_seen(&mut self, uid: Uid, seen: Stamp) -> Result<(), NotFetched> {
        if self.users.get(uid)?.requests_seen < seen {
            self.users.change(uid)?.requests_seen = seen;
        }
        Ok(())
    }

    fn remove_requests_seen(&mut self, uid: Uid) {
        // An erasure of a user has the user's row.
        if let Ok(user) = self.users.change(uid) {
            user.requests_seen = Stamp::ZERO;
        }
    }
}
