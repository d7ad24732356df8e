//! One pass over outboxes and what is kept of their authors, author by author.

use crate::engine::{EngineResult, Table};
use crate::layout::{decode_header, post_key};
use crate::progress::ProgressMeter;
use crate::upkeep::verify::cells::ComparedCells;
use crate::upkeep::verify::findings::Findings;
use crate::upkeep::verify::source;
use crate::view::View;
use guanxi_model::post::{AuthorHead, AuthorRow};
use guanxi_model::{PostHeader, PostId};
use guanxi_ports::DifferenceKind;

/// Compares what is kept of each author with the posts of the outbox, and folds the outboxes.
pub(super) fn compare(
    view: &View,
    folded: &mut ComparedCells,
    meter: &mut ProgressMeter<'_>,
) -> EngineResult<Findings> {
    let mut outboxes = source::outboxes(&view.snapshot)?;
    let mut authors = source::authors(&view.snapshot)?;
    let mut findings = Findings::default();
    while let Some(author) = [outboxes.of(), authors.of()].into_iter().flatten().min() {
        let row = authors.next_of(author)?;
        if row == Some(None) {
            findings.add(DifferenceKind::Undecodable, Some(author), None, || {
                "the head of the outbox cannot be decoded".into()
            });
        }
        // Without a row, as of an author without posts.
        let row = row.unwrap_or(Some(AuthorRow::default()));
        let mut newest = None;
        while let Some(id) = outboxes.next_of(author)? {
            meter.row();
            folded.reverse(author, id.get(), 0);
            if let Some(row) = &row {
                if newest.is_none() {
                    check_head(view, author, &row.head, id, &mut findings)?;
                }
                check_start(view, author, row.created_from, id, &mut findings)?;
            }
            newest = newest.or(Some(id));
        }
    }
    findings.append(outboxes.into_undecodable());
    findings.append(authors.into_undecodable());
    Ok(findings)
}

/// A head knows of the newest post. A place in the outbox without a post is named for itself.
fn check_head(
    view: &View,
    author: u64,
    head: &AuthorHead,
    newest: PostId,
    findings: &mut Findings,
) -> EngineResult<()> {
    let Some(header) = own_header(view, author, newest)? else { return Ok(()) };
    if head.last_id < Some(newest) || header.event.is_some_and(|made| made.is_after(head.last)) {
        findings.add(DifferenceKind::HeadBehind, Some(author), None, || {
            format!("post {newest} of event {:?} is newer than the head, {head:?}", header.event)
        });
    }
    Ok(())
}

/// What lies below where an author's created posts begin was imported: readers of what is new do not look there.
fn check_start(
    view: &View,
    author: u64,
    created_from: Option<PostId>,
    id: PostId,
    findings: &mut Findings,
) -> EngineResult<()> {
    if created_from.is_none_or(|first| id < first)
        && own_header(view, author, id)?.is_some_and(|header| header.event.is_some())
    {
        findings.add(DifferenceKind::HeadBehind, Some(author), None, || {
            format!("post {id} was created below {created_from:?}, where created posts begin")
        });
    }
    Ok(())
}

/// A post that can be decoded and is by the author whose outbox has it; others are named for themselves.
fn own_header(view: &View, author: u64, id: PostId) -> EngineResult<Option<PostHeader>> {
    let row = view.snapshot.get(Table::Posts, &post_key(id))?;
    let header = row.and_then(|bytes| decode_header(id, &bytes)).map(|(header, _)| header);
    Ok(header.filter(|header| header.author.get() == author))
}
