//! Reads of what waits, and of what ends by itself.

use super::PinnedView;
use crate::engine::{EngineResult, Snapshot};
use crate::rows;
use guanxi_memory::lists::RequestsTo;
use guanxi_model::{
    Cursor, Edge, Error, MuteScope, MuteTerms, Page, PageStart, Reason, RelationRequest, RequestDirection,
    RequestKind, Result, Stamp, Uid,
};
use guanxi_ports::{RequestPage, UserNotes};

impl PinnedView {
    pub(super) fn request_page(
        &self,
        of: Uid,
        direction: RequestDirection,
        kind: RequestKind,
        page: Page,
    ) -> Result<RequestPage> {
        let after = match page.start() {
            PageStart::Newest => None,
            PageStart::After(Cursor(edge)) => Some(edge),
            PageStart::Offset(_) => return Err(Error::new(Reason::InvalidField { field: "offset" })),
        };
        let more = page.size() + 1;
        let mut items: Vec<RelationRequest> = match direction {
            RequestDirection::Incoming => self.received_requests(of, kind, (after, more))?,
            RequestDirection::Outgoing => self.sent_requests(of, kind, after, more)?,
        };
        let has_more = items.len() == more;
        items.truncate(page.size());
        let last = items.last().filter(|_| has_more);
        let next = last.map(|request| Cursor(Edge { at: request.at, uid: other_of(request, direction) }));
        Ok(RequestPage { items, next })
    }

    /// The places of requests of a kind that a user got, newest first.
    fn received(&self, of: Uid, kind: RequestKind, part: (Option<Edge>, usize)) -> Result<Vec<Edge>> {
        let waiting = || Ok(self.counters(of)?.asked);
        let scan = |snapshot: &Snapshot, RequestsTo(of, kind), part| {
            rows::waiting::received(snapshot, of, kind, part)
        };
        self.entries(&self.shared.lists.requests, RequestsTo(of, kind), part, waiting, scan)
    }

    /// Requests that a user got, with their messages.
    fn received_requests(
        &self,
        of: Uid,
        kind: RequestKind,
        part: (Option<Edge>, usize),
    ) -> Result<Vec<RelationRequest>> {
        let missing =
            || Error::with_detail(Reason::Damaged, format_args!("a request to user {of} is missing"));
        let request =
            |place| rows::waiting::received_at(&self.view.snapshot, of, kind, place)?.ok_or_else(missing);
        self.received(of, kind, part)?.into_iter().map(request).collect()
    }

    /// What a user has asked is in memory; messages are read of the page alone.
    fn sent_requests(
        &self,
        of: Uid,
        kind: RequestKind,
        after: Option<Edge>,
        max: usize,
    ) -> Result<Vec<RelationRequest>> {
        let sender = self.user(of)?;
        let asks = sender.packed().asks();
        let asks =
            asks.filter(|(edge, asked)| *asked == kind && after.is_none_or(|after| *edge < after)).take(max);
        let found = asks.map(|(edge, _)| {
            let missing =
                || Error::with_detail(Reason::Damaged, format_args!("a request of user {of} is missing"));
            rows::waiting::request(&self.view.snapshot, of, edge.uid)?.ok_or_else(missing)
        });
        found.collect()
    }

    pub(super) fn notes_of(&self, uid: Uid) -> EngineResult<UserNotes> {
        let snapshot = &self.view.snapshot;
        let seen = rows::waiting::requests_seen(snapshot, uid)?;
        let signed_out_ms = rows::waiting::signed_out_ms(snapshot, uid)?;
        Ok(UserNotes { requests_seen: Some(seen).filter(|seen| *seen > Stamp::ZERO), signed_out_ms })
    }

    pub(super) fn count_unseen(&self, of: Uid, kind: RequestKind, cap: u32) -> Result<u32> {
        let seen = rows::waiting::requests_seen(&self.view.snapshot, of)?;
        let found = self.received(of, kind, (None, cap as usize))?;
        // At most `cap`. The mark may be the place of a request.
        Ok(u32::try_from(found.iter().filter(|place| place.at > seen).count()).unwrap_or(u32::MAX))
    }

    /// Memory knows who is muted; only terms are read.
    pub(super) fn terms_of(&self, of: Uid, others: &[Uid]) -> Result<Vec<MuteTerms>> {
        let user = self.user(of)?;
        let me = user.packed();
        let terms = |other: &Uid| match me.mutes_user(*other) {
            None => Ok(MuteTerms::default()),
            Some(MuteScope::All | MuteScope::Reposts) => {
                let row = rows::waiting::mute(&self.view.snapshot, of, *other)?;
                Ok(row.map(|(_, terms)| terms).unwrap_or_default())
            }
        };
        others.iter().map(terms).collect()
    }
}

const fn other_of(request: &RelationRequest, direction: RequestDirection) -> Uid {
    match direction {
        RequestDirection::Incoming => request.sender,
        RequestDirection::Outgoing => request.receiver,
    }
}
