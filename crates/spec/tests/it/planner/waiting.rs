//! Requests, mutes and what ends by itself, as rows that were fetched.

use super::rows::{NotFetched, Rows, Selected};
use guanxi_model::plan::{RowKey, WaitingRows};
use guanxi_model::{MuteTerms, PairEnd, PastRequest, RelationRequest, Stamp, Uid};
use guanxi_ports::DueEnd;
use std::collections::{BTreeMap, BTreeSet};

/// What waits.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct WaitingTables {
    /// Every mute that ever was.
    pub(super) mutes: BTreeMap<(Uid, Uid), Option<(Stamp, MuteTerms)>>,
    requests: BTreeMap<(Uid, Uid), RelationRequest>,
    past: BTreeMap<(Uid, Uid), PastRequest>,
    ends: BTreeSet<DueEnd>,
    unlocking: BTreeMap<Uid, Stamp>,
    seen: BTreeMap<Uid, Stamp>,
}

impl WaitingTables {
    /// Everything that ends, the earliest first.
    pub(super) fn ends(&self) -> Vec<DueEnd> {
        self.ends.iter().copied().collect()
    }

    /// Returns the users who have unlocked themselves.
    pub(super) fn unlocking(&self) -> Vec<(Uid, Stamp)> {
        self.unlocking.iter().map(|(uid, since)| (*uid, *since)).collect()
    }

    /// Returns every request, by receiver.
    pub(super) fn requests_to(&self, receiver: Uid) -> Vec<RelationRequest> {
        self.requests.values().filter(|request| request.receiver == receiver).cloned().collect()
    }
}

impl WaitingRows for Selected<'_, &mut Rows> {
    fn mute(&mut self, owner: Uid, other: Uid) -> Result<Option<(Stamp, MuteTerms)>, NotFetched> {
        self.check(RowKey::Mute(owner, other))?;
        Ok(self.rows().waiting.mutes.get(&(owner, other)).copied().flatten())
    }

    fn request(&mut self, sender: Uid, receiver: Uid) -> Result<Option<RelationRequest>, NotFetched> {
        let known = self.rows().waiting.requests.get(&(sender, receiver)).cloned();
        // One that this batch has made need not be fetched.
        if known.is_none() {
            self.check(RowKey::Request(sender, receiver))?;
        }
        Ok(known)
    }

    fn put_request(&mut self, request: RelationRequest) -> Result<(), NotFetched> {
        let (sender, receiver) = (request.sender, request.receiver);
        let kind = request.kind;
        self.rows().waiting.requests.insert((sender, receiver), request);
        self.change(sender, receiver, |row| row.said.asks = Some(kind))
    }

    fn remove_request(&mut self, request: &RelationRequest) -> Result<(), NotFetched> {
        let (sender, receiver) = (request.sender, request.receiver);
        self.rows().waiting.requests.remove(&(sender, receiver));
        self.change(sender, receiver, |row| row.said.asks = None)
    }

    fn sent_requests(&mut self, sender: Uid) -> Result<u32, NotFetched> {
        self.check(RowKey::User(sender))?;
        Ok(self.rows().waiting.requests.keys().filter(|(of, _)| *of == sender).count() as u32)
    }

    fn past_request(&mut self, owner: Uid, other: Uid) -> Result<Option<PastRequest>, NotFetched> {
        self.check(RowKey::Cooldown(owner, other))?;
        Ok(self.rows().waiting.past.get(&(owner, other)).copied())
    }

    fn put_past_request(
        &mut self,
        owner: Uid,
        other: Uid,
        past: Option<PastRequest>,
    ) -> Result<(), NotFetched> {
        self.check(RowKey::Cooldown(owner, other))?;
        let known = &mut self.rows().waiting.past;
        known.remove(&(owner, other));
        known.extend(past.map(|past| ((owner, other), past)));
        Ok(())
    }

    fn put_end(&mut self, at_ms: u64, end: PairEnd) {
        self.rows().waiting.ends.insert(DueEnd { at_ms, end });
    }

    fn remove_end(&mut self, at_ms: u64, end: PairEnd) {
        self.rows().waiting.ends.remove(&DueEnd { at_ms, end });
    }

    fn unlocking(&mut self, uid: Uid) -> Result<Option<Stamp>, NotFetched> {
        self.check(RowKey::Unlocking(uid))?;
        Ok(self.rows().waiting.unlocking.get(&uid).copied())
    }

    fn put_unlocking(&mut self, uid: Uid, since: Option<Stamp>) {
        let unlocking = &mut self.rows().waiting.unlocking;
        unlocking.remove(&uid);
        unlocking.extend(since.map(|since| (uid, since)));
    }

    fn raise_requests_seen(&mut self, uid: Uid, seen: Stamp) -> Result<(), NotFetched> {
        self.check(RowKey::RequestsSeen(uid))?;
        let known = self.rows().waiting.seen.entry(uid).or_insert(seen);
        *known = seen.max(*known);
        Ok(())
    }

    fn remove_requests_seen(&mut self, uid: Uid) {
        self.rows().waiting.seen.remove(&uid);
    }
}
