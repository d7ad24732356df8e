//! Questions about what waits.

use super::MeteredView;
use super::graph::Call;
use crate::{BoxFuture, DueEnd, RequestPage, RequestView, UserNotes};
use guanxi_model::{MuteTerms, Page, RequestDirection, RequestKind, Result, Stamp, Uid};

impl RequestView for MeteredView {
    fn requests(
        &self,
        of: Uid,
        direction: RequestDirection,
        kind: RequestKind,
        page: Page,
    ) -> BoxFuture<'_, Result<RequestPage>> {
        self.time(Call::Requests, self.inner.requests(of, direction, kind, page))
    }

    fn unseen_requests(&self, of: Uid, kind: RequestKind, cap: u32) -> BoxFuture<'_, Result<u32>> {
        self.time(Call::UnseenRequests, self.inner.unseen_requests(of, kind, cap))
    }

    fn rejections(&self, of: Uid, after: Option<Uid>, max: usize) -> BoxFuture<'_, Result<Vec<(Uid, u64)>>> {
        self.time(Call::Rejections, self.inner.rejections(of, after, max))
    }

    fn user_notes(&self, uid: Uid) -> BoxFuture<'_, Result<UserNotes>> {
        self.time(Call::UserNotes, self.inner.user_notes(uid))
    }

    fn mute_terms<'a>(&'a self, of: Uid, others: &'a [Uid]) -> BoxFuture<'a, Result<Vec<MuteTerms>>> {
        self.time(Call::MuteTerms, self.inner.mute_terms(of, others))
    }

    fn due_ends(
        &self,
        after: Option<DueEnd>,
        until_ms: u64,
        max: usize,
    ) -> BoxFuture<'_, Result<Vec<DueEnd>>> {
        self.time(Call::DueEnds, self.inner.due_ends(after, until_ms, max))
    }

    fn unlocking(&self, after: Option<Uid>, max: usize) -> BoxFuture<'_, Result<Vec<(Uid, Stamp)>>> {
        self.time(Call::Unlocking, self.inner.unlocking(after, max))
    }
}
