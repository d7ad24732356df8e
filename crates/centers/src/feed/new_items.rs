//! Which items of others came to a home after a position, at the price of what came.
//!
//! An outbox holds live posts, which rise in the order of their events, and imported ones, which no event made, anywhere
//! between. A post that is created takes an id above all that its author had before.
//!
//! So if nothing was imported since, the new posts of an author are the head of the outbox. The first item that is not new
//! ends the walk, however long an archive lies below. If something was imported since, a live post that is not new ends the
//! walk, and so does the first imported one below all live ones. The number of items that a call looks at is bounded.

use super::hydrate::hydrate_headers;
use super::originals::strangers_originals;
use super::rules::judge;
use crate::post::{Originals, gone};
use crate::turn::yield_now;
use guanxi_model::limits::HOME_SCAN_MAX;
use guanxi_model::{MuteScope, Position, PostHeader, PostId, Result, Uid};
use guanxi_ports::{AuthorHead, OutboxAsk, PostView, ViewerRelations};
use std::collections::VecDeque;

/// Ids of an outbox read at once: most authors have one new post or two.
const STEP: usize = 8;

/// Outboxes read at once. With [`STEP`] it bounds what is looked at before others have a turn.
const OUTBOXES: usize = 32;

/// New items of a home.
pub(super) struct NewItems {
    /// The shown items, newest first.
    pub ids: Vec<PostId>,
    /// Strangers whose posts stand behind plain reposts among all that is new, hidden ones included.
    pub strangers: Vec<Uid>,
    /// There may be more: the call has looked at [`HOME_SCAN_MAX`] headers.
    pub cut: bool,
}

/// Returns the authors in the viewer's home whose outbox changed after a position. Posts of muted authors do not show there.
pub(super) async fn new_authors(
    view: &dyn PostView,
    viewer_relations: &dyn ViewerRelations,
    viewer: Uid,
    since: &Position,
) -> Result<Vec<(Uid, AuthorHead)>> {
    let followed = viewer_relations
        .following()
        .iter()
        .copied()
        .filter(|uid| viewer_relations.mutes(*uid) != Some(MuteScope::All));
    let authors: Vec<Uid> = followed.chain([viewer]).collect();
    let heads = view.heads(&authors).await?;
    Ok(authors
        .into_iter()
        .zip(heads)
        .filter(|(author, head)| head.last.is_after(since.of(*author)))
        .collect())
}

/// The shown items of some authors that came after a position; the viewer's own are not new to it. It stops when more
/// than `max` are found.
pub(super) async fn new_items(
    view: &dyn PostView,
    viewer_relations: &dyn ViewerRelations,
    viewer: Uid,
    authors: &[(Uid, AuthorHead)],
    since: &Position,
    max: usize,
) -> Result<NewItems> {
    let uids: Vec<Uid> = authors.iter().map(|(author, _)| *author).collect();
    // Posts of gone authors are not shown, so they are not read, however many there are.
    let gone = gone(view, &uids).await?;
    let others = authors.iter().filter(|(author, _)| *author != viewer && !gone.contains(author));
    let mut walks: VecDeque<NewItemsWalk> =
        others.map(|(author, head)| NewItemsWalk::new(*author, head, since)).collect();
    let (mut ids, mut strangers, mut looked_at) = (Vec::new(), Vec::new(), 0);
    while !walks.is_empty() && ids.len() <= max && looked_at < HOME_SCAN_MAX as usize {
        let round: Vec<NewItemsWalk> = walks.drain(..walks.len().min(OUTBOXES)).collect();
        let asks: Vec<OutboxAsk> = round.iter().map(|walk| walk.ask).collect();
        let read = view.outboxes(&asks, STEP).await?;
        looked_at += read.ids.len();
        let headers = view.headers(&read.ids).await?;
        let (mut start, mut new, mut among_imported) = (0, Vec::new(), Vec::new());
        for (walk, part) in round.into_iter().zip(&read.parts) {
            let range = start..part.end as usize;
            start = part.end as usize;
            let below = read.ids[range.clone()].last().copied();
            let next = NewItemsWalk { ask: OutboxAsk { below, ..walk.ask }, ..walk };
            match walk.take(since, &headers[range], &mut new) {
                Way::Ends => {}
                _ if !part.more => {}
                Way::GoesOn => walks.push_back(next),
                Way::AmongImported => among_imported.push(next),
            }
        }
        walks.extend(above_created(view, among_imported).await?);
        if !new.is_empty() {
            let hydrated = hydrate_headers(view, viewer_relations, viewer, new, Originals::OfReposts);
            // On the heap: a caller that waits for news holds little.
            let hydrated = Box::pin(hydrated).await?;
            let originals = strangers_originals(hydrated.headers.iter().flatten(), viewer_relations, viewer);
            strangers.extend(originals.map(|(_, author)| author));
            let shown = hydrated.headers.iter().flatten();
            let shown = shown.filter(|header| judge(header, viewer, viewer_relations, &hydrated).is_ok());
            ids.extend(shown.map(|header| header.id));
        }
        if !walks.is_empty() {
            yield_now().await;
        }
    }
    ids.sort_unstable_by(|a, b| b.cmp(a));
    let cut = !walks.is_empty() && ids.len() <= max;
    Ok(NewItems { ids, strangers, cut })
}

/// The way down an outbox.
struct NewItemsWalk {
    ask: OutboxAsk,
    /// Something was imported, or changed below the newest, since: new posts may lie below imported ones.
    mixed: bool,
    /// No post that the author created has a lower id: the lowest of all until it was asked, the highest for no post.
    created_from: PostId,
}

impl NewItemsWalk {
    fn new(author: Uid, head: &AuthorHead, since: &Position) -> Self {
        let ask = OutboxAsk { author, below: None };
        Self { ask, mixed: head.changed.is_after(since.of(author)), created_from: PostId::MIN }
    }

    /// Takes the new ones of some headers.
    fn take(
        &self,
        since: &Position,
        headers: &[Option<PostHeader>],
        new: &mut Vec<Option<PostHeader>>,
    ) -> Way {
        let mark = since.of(self.ask.author);
        // One that does not exist at the view came later than all that does.
        for header in headers.iter().flatten() {
            match header.event {
                Some(event) if event.is_after(mark) => new.push(Some(*header)),
                None if self.mixed => {}
                Some(_) | None => return Way::Ends,
            }
        }
        match headers.last() {
            Some(Some(PostHeader { event: None, .. })) => Way::AmongImported,
            _ => Way::GoesOn,
        }
    }
}

/// The items below a part of an outbox.
enum Way {
    /// No new post.
    Ends,
    /// There may be new ones.
    GoesOn,
    /// The same, if the author created a post below.
    AmongImported,
}

/// The walks that have not come below the posts that their author created, of those that are among imported ones.
async fn above_created(view: &dyn PostView, mut walks: Vec<NewItemsWalk>) -> Result<Vec<NewItemsWalk>> {
    let is_unknown = |walk: &NewItemsWalk| walk.created_from == PostId::MIN;
    let unknown: Vec<Uid> =
        walks.iter().filter(|walk| is_unknown(walk)).map(|walk| walk.ask.author).collect();
    if !unknown.is_empty() {
        let known = view.created_from(&unknown).await?;
        for (walk, known) in walks.iter_mut().filter(|walk| is_unknown(walk)).zip(known) {
            walk.created_from = known.unwrap_or(PostId::MAX);
        }
    }
    walks.retain(|walk| walk.ask.below.is_none_or(|below| walk.created_from < below));
    Ok(walks)
}
