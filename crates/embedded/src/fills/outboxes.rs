//! Heads and newest posts of authors.

use crate::engine::{EngineResult, Snapshot};
use crate::rows;
use crate::shared::Shared;
use crate::view::View;
use guanxi_memory::cut::Cut as _;
use guanxi_memory::outboxes::{OutboxEntry, TAIL_LEN, TailAnswer};
use guanxi_model::{PostId, Uid};
use guanxi_ports::{AuthorHead, OutboxAsk, OutboxPart, Outboxes};

impl Shared {
    /// The head of each author, in order; never older than the view, which is published.
    pub(crate) fn heads(&self, authors: &[Uid], view: &View) -> EngineResult<Vec<AuthorHead>> {
        let (mut heads, missing) = self.outboxes.heads(authors, view);
        if !missing.is_empty() {
            let uids: Vec<Uid> = missing.iter().map(|index| authors[*index]).collect();
            for (index, author) in missing.into_iter().zip(self.fill_authors(&uids, load_head)?) {
                heads[index] = author.head(View::LOGS.of(authors[index]));
            }
        }
        Ok(heads)
    }

    /// At most `max` ids of each part as of a view.
    pub(crate) fn outboxes_at(&self, asks: &[OutboxAsk], max: usize, view: &View) -> EngineResult<Outboxes> {
        let (known, answers) = self.outboxes.outboxes(asks, max, view);
        if answers.iter().all(|answer| matches!(answer, TailAnswer::Added { .. })) {
            return Ok(known);
        }
        let unknown: Vec<Uid> = asks
            .iter()
            .zip(&answers)
            .filter_map(|(ask, answer)| (*answer == TailAnswer::Unknown).then_some(ask.author))
            .collect();
        let mut filled = self.fill_authors(&unknown, load_author)?.into_iter();
        let mut all = Outboxes::default();
        let mut start = 0;
        for ((ask, answer), part) in asks.iter().zip(answers).zip(&known.parts) {
            let held = &known.ids[start..part.end as usize];
            start = part.end as usize;
            let answer = match answer {
                TailAnswer::Unknown => filled
                    .next()
                    .map_or(TailAnswer::Elsewhere, |author| author.part(ask, max, view, &mut all.ids)),
                held_answer => {
                    all.ids.extend(held);
                    held_answer
                }
            };
            let more = match answer {
                TailAnswer::Added { more } => more,
                TailAnswer::Unknown | TailAnswer::Elsewhere => {
                    read_part(&view.snapshot, ask, max, &mut all.ids)?
                }
            };
            all.parts.push(OutboxPart { end: all.ids.len() as u32, more });
        }
        Ok(all)
    }

    /// Reads authors at one fresh snapshot and keeps them.
    fn fill_authors(
        &self,
        authors: &[Uid],
        load: impl Fn(&Snapshot, Uid) -> EngineResult<OutboxEntry>,
    ) -> EngineResult<Vec<OutboxEntry>> {
        if authors.is_empty() {
            return Ok(Vec::new());
        }
        let fills = self.outboxes.begin_fills(authors);
        let snapshot = self.engine.snapshot();
        let read: Vec<OutboxEntry> =
            authors.iter().map(|author| load(&snapshot, *author)).collect::<EngineResult<_>>()?;
        fills.keep(read.iter().cloned().map(Some));
        Ok(read)
    }
}

fn load_head(snapshot: &Snapshot, author: Uid) -> EngineResult<OutboxEntry> {
    Ok(OutboxEntry::new(&rows::posts::author(snapshot, author)?.head, None))
}

fn load_author(snapshot: &Snapshot, author: Uid) -> EngineResult<OutboxEntry> {
    let head = rows::posts::author(snapshot, author)?.head;
    if head.last_id.is_none() {
        return Ok(OutboxEntry::new(&head, None));
    }
    let ids: EngineResult<Vec<PostId>> =
        rows::posts::outbox(snapshot, author, None).take(TAIL_LEN + 1).collect();
    let mut ids = ids?;
    let complete = ids.len() <= TAIL_LEN;
    ids.truncate(TAIL_LEN);
    Ok(OutboxEntry::new(&head, Some((&ids, complete))))
}

/// Adds ids of a part from the table, and returns whether there are more.
fn read_part(snapshot: &Snapshot, ask: &OutboxAsk, max: usize, ids: &mut Vec<PostId>) -> EngineResult<bool> {
    let mut rows = rows::posts::outbox(snapshot, ask.author, ask.below);
    for id in rows.by_ref().take(max) {
        ids.push(id?);
    }
    Ok(rows.next().transpose()?.is_some())
}
