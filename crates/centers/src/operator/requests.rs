//! Requests that wait: exported, and asked for again elsewhere.

use super::OperatorCenter;
use super::deleted::DeletedUsers;
use super::export::{Export, ExportChunk, ListedRows};
use super::import::{Imported, Sorted, check, put_back, write_of};
use guanxi_model::limits::{IMPORT_REQUESTS_MAX, PAGE_SIZE_MAX, REQUEST_TTL_MAX_MS};
use guanxi_model::{
    Command, Error, FriendRequest, ImportCursor, ImportRequest, Op, Page, PageStart, PairCommand,
    PairEndKind, PairOutcome, Position, Reason, Relation, RequestDirection, RequestKind, Result, Uid,
};
use guanxi_ports::{DueEnd, StoreView, Walk};
use std::collections::{BTreeMap, BTreeSet};

/// Requests that wait, in the order in which they expire.
pub struct WaitingRequests {
    after: Option<DueEnd>,
    deleted: DeletedUsers,
}

impl OperatorCenter {
    /// Sends again requests that wait elsewhere, in one commit. A row that is an error, or that is refused as the request
    /// would be, does not keep other rows from being written. A request that has expired, and one that waits already, change
    /// nothing. A request to follow a user that is not locked here is refused, since it would be a follow.
    ///
    /// # Errors
    /// `BATCH_TOO_LARGE`; those of the cursor; a whole-request error of the store.
    pub async fn import_requests(
        &self,
        batch: impl ExactSizeIterator<Item = Result<ImportRequest>>,
        cursor: Option<ImportCursor>,
    ) -> Result<Imported<PairOutcome>> {
        let sorted = Sorted::new(batch, IMPORT_REQUESTS_MAX)?;
        check(cursor.as_ref())?;
        let (now_ms, view) = (self.ports.clock.now_ms(), self.ports.store.view(None).await?);
        let receivers: Vec<Uid> = sorted.rows.iter().map(|row| row.receiver).collect();
        let standings = view.standings(&receivers).await?;
        drop(view);
        let (mut known, mut commands) = (Vec::with_capacity(receivers.len()), Vec::new());
        for (row, standing) in sorted.rows.into_iter().zip(standings) {
            known.push(match command(row, standing.privacy.locked, now_ms) {
                Ok(command) => {
                    commands.push(command);
                    None
                }
                Err(result) => Some(PairOutcome { result, relation: Relation::default() }),
            });
        }
        let written = self.ports.store.apply(write_of(commands, cursor)).await?;
        let position = written.position.clone();
        let mut written = written.pairs().into_iter();
        let missing = || Error::with_detail(Reason::Internal, "an imported request has no outcome");
        let outcomes = known.into_iter().map(|known| known.or_else(|| written.next()).ok_or_else(missing));
        put_back(sorted.refusals, outcomes.collect::<Result<_>>()?, position)
    }

    /// Starts an export of all waiting requests, in the order in which they expire. Requests from or to deleted users are
    /// left out, and counted. Requests from or to deactivated users are left out, since no request can be sent to such users.
    ///
    /// # Errors
    /// Those of pinning a view.
    pub async fn export_requests(&self, at_least: Option<Position>) -> Result<Export<WaitingRequests>> {
        let view = self.ports.store.view(at_least.as_ref()).await?;
        Ok(Export::new(view, WaitingRequests { after: None, deleted: DeletedUsers::default() }, u64::MAX))
    }
}

/// Returns the command that sends a request again, or the result of the row if no command is needed.
fn command(row: ImportRequest, is_locked: bool, now_ms: u64) -> Result<Command, Result<bool, Reason>> {
    let ImportRequest { sender, receiver, kind, expires_ms, message } = row;
    let ttl_ms = expires_ms.map(|at_ms| at_ms.saturating_sub(now_ms));
    match ttl_ms {
        Some(0) => return Err(Ok(false)),
        Some(ttl) if ttl > REQUEST_TTL_MAX_MS => return Err(Err(Reason::TimeOutOfRange)),
        _ => {}
    }
    match kind {
        RequestKind::Friend => {
            Ok(Command::SendFriendRequest(FriendRequest { sender, receiver, message, ttl_ms }))
        }
        RequestKind::Follow if is_locked => {
            Ok(PairCommand { op: Op::Follow, subject: sender, object: receiver }.into())
        }
        RequestKind::Follow => Err(Err(Reason::InvalidField { field: "kind" })),
    }
}

impl ListedRows for WaitingRequests {
    type Row = ImportRequest;

    async fn next(&mut self, view: &dyn StoreView, max: usize) -> Result<ExportChunk<ImportRequest>> {
        let ends = view.due_ends(u64::MAX, Walk::new(self.after, max)).await?;
        let is_last = ends.is_empty();
        self.after = ends.last().copied().or(self.after);
        let of_requests = ends.iter().filter(|due| due.end.kind == PairEndKind::Request);
        let pairs: Vec<(Uid, Uid)> = of_requests.map(|due| (due.end.other, due.end.owner)).collect();
        let users: BTreeSet<Uid> = pairs.iter().flat_map(|(sender, receiver)| [*sender, *receiver]).collect();
        self.deleted.note(view, users.iter().copied()).await?;
        let users: Vec<Uid> = users.into_iter().collect();
        let standings = view.standings(&users).await?;
        let gone = users.iter().zip(standings).filter(|(_, standing)| standing.is_gone());
        let gone: BTreeSet<Uid> = gone.map(|(uid, _)| *uid).collect();
        let is_deleted = |(a, b): &(Uid, Uid)| self.deleted.has(*a) || self.deleted.has(*b);
        let left_out = pairs.iter().filter(|pair| is_deleted(pair)).count() as u64;
        let pairs: Vec<(Uid, Uid)> =
            pairs.into_iter().filter(|(a, b)| !gone.contains(a) && !gone.contains(b)).collect();
        let mut found = requests_of(view, &pairs).await?;
        let rows = pairs.iter().filter_map(|pair| found.remove(pair)).collect();
        Ok(ExportChunk { rows, left_out, is_last })
    }
}

/// The requests of some pairs.
async fn requests_of(
    view: &dyn StoreView,
    pairs: &[(Uid, Uid)],
) -> Result<BTreeMap<(Uid, Uid), ImportRequest>> {
    let wanted: BTreeSet<(Uid, Uid)> = pairs.iter().copied().collect();
    let senders: BTreeSet<Uid> = pairs.iter().map(|(sender, _)| *sender).collect();
    let mut found = BTreeMap::new();
    for sender in senders {
        for kind in RequestKind::ALL {
            let mut start = Some(PageStart::Newest);
            while let Some(from) = start {
                let page = Page::new(from, PAGE_SIZE_MAX.cast_signed())?;
                let answer = view.requests(sender, RequestDirection::Outgoing, kind, page).await?;
                start = answer.next.map(PageStart::After);
                let items = answer.items.into_iter();
                for item in items.filter(|item| wanted.contains(&(item.sender, item.receiver))) {
                    let request = ImportRequest {
                        sender,
                        receiver: item.receiver,
                        kind,
                        expires_ms: Some(item.expires_ms),
                        message: item.message,
                    };
                    found.insert((sender, item.receiver), request);
                }
            }
        }
    }
    Ok(found)
}
