//! Requests, mutes and what ends by itself: what the planner reads of them, and the rows that its changes come to.

use super::changes::{PlanRows, planned};
use crate::engine::{EngineResult, Table};
use crate::layout::{
    COOLDOWN, MUTE, REQUESTS_SEEN, SENT_REQUEST, SentValue, UNLOCKING, encode_mute, encode_past_request,
    encode_request, encode_stamp, pair_end_key, pair_key, request_key, user_key,
};
use crate::rows;
use guanxi_memory::first_pages::ListChange;
use guanxi_memory::lists::RequestsTo;
use guanxi_model::plan::WaitingRows;
use guanxi_model::{Edge, MuteTerms, PairEnd, PastRequest, RelationRequest, Stamp, Uid};

impl PlanRows<'_> {
    /// Puts the row of a mute, or removes it.
    pub(super) fn set_mute(&mut self, owner: Uid, other: Uid, mute: Option<(Stamp, MuteTerms)>) {
        let row = mute.map(|(at, terms)| encode_mute(at, terms));
        self.batch.set(Table::Records, &pair_key(MUTE, owner, other), row);
        self.waiting.mutes.insert((owner, other), mute);
    }
}

impl WaitingRows for PlanRows<'_> {
    fn mute(&mut self, owner: Uid, other: Uid) -> EngineResult<Option<(Stamp, MuteTerms)>> {
        let known = self.waiting.mutes.get(&(owner, other)).copied();
        match known {
            Some(known) => Ok(known),
            None if self.working(owner)?.mutes(other).is_none() => Ok(None),
            None => rows::waiting::mute(&self.snapshot, owner, other),
        }
    }

    fn request(&mut self, sender: Uid, receiver: Uid) -> EngineResult<Option<RelationRequest>> {
        planned(self.waiting.requests.get(&(sender, receiver)), || {
            rows::waiting::request(&self.snapshot, sender, receiver)
        })
    }

    fn put_request(&mut self, request: RelationRequest) -> EngineResult<()> {
        let RelationRequest { sender, receiver, kind, at, expires_ms, .. } = request;
        let sent = SentValue { kind, at, expires_ms };
        self.batch.put(Table::Records, &pair_key(SENT_REQUEST, sender, receiver), &sent.encode());
        let place = Edge { at, uid: sender };
        let key = request_key(receiver, kind, place);
        self.batch.put(Table::Records, &key, &encode_request(&request));
        self.lists.requests.push((RequestsTo(receiver, kind), ListChange::Added(place)));
        self.working(sender)?.set_ask(receiver, Some((at, kind)));
        self.working(receiver)?.add_asked();
        self.waiting.requests.insert((sender, receiver), Some(request));
        Ok(())
    }

    fn remove_request(&mut self, request: &RelationRequest) -> EngineResult<()> {
        let RelationRequest { sender, receiver, kind, at, .. } = *request;
        self.batch.remove(Table::Records, &pair_key(SENT_REQUEST, sender, receiver));
        let place = Edge { at, uid: sender };
        self.batch.remove(Table::Records, &request_key(receiver, kind, place));
        self.lists.requests.push((RequestsTo(receiver, kind), ListChange::Removed(place)));
        self.working(sender)?.set_ask(receiver, None);
        self.working(receiver)?.remove_asked();
        self.waiting.requests.insert((sender, receiver), None);
        Ok(())
    }

    fn sent_requests(&mut self, sender: Uid) -> EngineResult<u32> {
        Ok(self.working(sender)?.asks())
    }

    fn past_request(&mut self, owner: Uid, other: Uid) -> EngineResult<Option<PastRequest>> {
        planned(self.waiting.past.get(&(owner, other)), || {
            rows::waiting::past_request(&self.snapshot, owner, other)
        })
    }

    fn put_past_request(&mut self, owner: Uid, other: Uid, past: Option<PastRequest>) -> EngineResult<()> {
        self.batch.set(Table::Records, &pair_key(COOLDOWN, owner, other), past.map(encode_past_request));
        self.waiting.past.insert((owner, other), past);
        Ok(())
    }

    fn put_end(&mut self, at_ms: u64, end: PairEnd) {
        self.batch.put(Table::Records, &pair_end_key(at_ms, end), &[]);
    }

    fn remove_end(&mut self, at_ms: u64, end: PairEnd) {
        self.batch.remove(Table::Records, &pair_end_key(at_ms, end));
    }

    fn unlocking(&mut self, uid: Uid) -> EngineResult<Option<Stamp>> {
        planned(self.waiting.unlocking.get(&uid), || rows::waiting::unlocking_since(&self.snapshot, uid))
    }

    fn put_unlocking(&mut self, uid: Uid, since: Option<Stamp>) {
        self.batch.set(Table::Records, &user_key(UNLOCKING, uid), since.map(encode_stamp));
        self.waiting.unlocking.insert(uid, since);
    }

    fn raise_requests_seen(&mut self, uid: Uid, seen: Stamp) -> EngineResult<()> {
        let known =
            planned(self.waiting.seen.get(&uid), || rows::waiting::requests_seen(&self.snapshot, uid))?;
        if seen > known {
            self.batch.put(Table::Records, &user_key(REQUESTS_SEEN, uid), &encode_stamp(seen));
            self.waiting.seen.insert(uid, seen);
        }
        Ok(())
    }

    fn remove_requests_seen(&mut self, uid: Uid) {
        self.batch.remove(Table::Records, &user_key(REQUESTS_SEEN, uid));
        self.waiting.seen.insert(uid, Stamp::ZERO);
    }
}
