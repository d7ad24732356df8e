//! One pass over outboxes and their heads, author by author.

use crate::engine::{EngineError, Table};
use crate::layout::{decode_header, post_key};
use crate::progress::ProgressMeter;
use crate::upkeep::verify::cells::Cells;
use crate::upkeep::verify::findings::Findings;
use crate::upkeep::verify::source;
use crate::view::View;
use guanxi_model::PostId;
use guanxi_ports::{AuthorHead, DifferenceKind};

/// Compares each head with the newest post of the outbox, and folds the outboxes.
pub(super) fn compare(
    view: &View,
    folded: &mut Cells,
    meter: &mut ProgressMeter<'_>,
) -> Result<Findings, EngineError> {
    let mut outboxes = source::outboxes(&view.snapshot)?;
    let mut heads = source::heads(&view.snapshot)?;
    let mut findings = Findings::default();
    while let Some(author) = [outboxes.of(), heads.of()].into_iter().flatten().min() {
        let mut newest = None;
        while let Some(id) = outboxes.next_of(author)? {
            meter.row();
            folded.reverse(author, id.get(), 0);
            newest = newest.or(Some(id));
        }
        match (heads.next_of(author)?, newest) {
            (Some(None), _) => findings.add(DifferenceKind::Undecodable, Some(author), None, || {
                "the head of the outbox cannot be decoded".into()
            }),
            (Some(Some(head)), Some(newest)) => check(view, author, &head, newest, &mut findings)?,
            (None, Some(newest)) => check(view, author, &AuthorHead::default(), newest, &mut findings)?,
            (_, None) => {}
        }
    }
    findings.append(outboxes.into_undecodable());
    findings.append(heads.into_undecodable());
    Ok(findings)
}

/// A head knows of the newest post. A place in the outbox without a post is named for itself.
fn check(
    view: &View,
    author: u64,
    head: &AuthorHead,
    newest: PostId,
    findings: &mut Findings,
) -> Result<(), EngineError> {
    let row = view.snapshot.get(Table::Posts, &post_key(newest))?;
    let Some((header, _)) = row.and_then(|bytes| decode_header(newest, &bytes)) else { return Ok(()) };
    if header.author.get() == author
        && (head.last_id < Some(newest) || header.event.is_some_and(|made| made.is_after(head.last)))
    {
        findings.add(DifferenceKind::HeadBehind, Some(author), None, || {
            format!("post {newest} of event {:?} is newer than the head, {head:?}", header.event)
        });
    }
    Ok(())
}
