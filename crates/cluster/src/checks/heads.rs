//! Heads of outboxes, against the posts of their authors and the logs.

use super::Checker;
use super::tables::{TableKey, TablePages};
use crate::rows::{Rows, column_of, gene_column, maybe_post_id, uid, uid_terms};
use crate::store::in_shards;
use guanxi_model::event::PostChange;
use guanxi_model::{Change, Event, EventAt, Logs, PostId, Result, Uid};
use guanxi_ports::DifferenceKind;
use guanxi_postgres::{Fault, Statements};
use std::collections::BTreeSet;

/// A page of heads, and whether each names a post that is newer than all, or events that the log has not. A post that was purged
/// leaves a row.
const PAGE: &str = "select t.gene, t.uid, \
    (t.last_post > p.last or t.last_post is not null and p.last is null \
    or t.last_seq > s.seq or t.changed_seq > s.seq or t.last_seq < 0 or t.changed_seq < 0) is true \
    from (select * from gx.author where (gene, uid) > ($1, $2) order by gene, uid limit $3) t \
    left join lateral (select * from gx.shard s where s.gene = t.gene limit 1) s on true \
    cross join lateral (select max(id) as last from gx.post p where p.gene = t.gene and p.author = t.uid) p \
    order by t.gene, t.uid";

/// Heads as posts have them. `$3` is where the logs of the authors stand.
const MEND: &str = "insert into gx.author as h (gene, uid, last_post, last_seq, changed_seq, created_from) \
    select k.gene, k.uid, max(t.id), k.seq, k.seq, min(t.id) filter (where t.made_seq is not null) \
    from unnest($1::smallint[], $2::bigint[], $3::bigint[]) as k(gene, uid, seq) \
    left join lateral (select * from gx.post t where t.gene = k.gene and t.author = k.uid offset 0) t on true \
    group by k.gene, k.uid, k.seq \
    on conflict (gene, uid) do update set last_post = excluded.last_post, last_seq = excluded.last_seq, \
    changed_seq = excluded.changed_seq, created_from = excluded.created_from returning h.uid, h.last_post";

impl Checker<'_> {
    /// A page of heads; returns where the next one begins, if there is one.
    pub(super) async fn heads(&mut self, database: usize, after: TableKey) -> Result<Option<TableKey>> {
        let pages = TablePages::of_rows(PAGE, (0, 1));
        let (rows, next) = self.page("author", pages, (database, after), self.terms.page_rows).await?;
        self.report.compared += rows.len() as u64;
        let mut ahead = BTreeSet::new();
        for row in &rows {
            match uid(row, 1) {
                Ok(author) if gene_column(author) == row.get::<_, i16>(0) => {
                    ahead.extend(row.get::<_, bool>(2).then_some(author));
                }
                _ => self.unreadable_row(&pages.key_of(row).named("author")),
            }
        }
        self.wrong_heads(
            ahead,
            "the head names a post that is not there, or an event beyond the end of the log",
        )
        .await?;
        Ok(next)
    }

    /// Reports heads that are wrong, each once, and makes them anew.
    pub(super) async fn wrong_heads(&mut self, mut authors: BTreeSet<Uid>, detail: &str) -> Result<()> {
        authors.retain(|author| self.told_heads.insert(*author));
        for author in &authors {
            self.report.add(DifferenceKind::HeadBehind, *author, None, detail.to_owned());
        }
        if self.terms.mends && !authors.is_empty() {
            let mend = |database, authors| self.mend_heads(database, authors);
            self.report.mended += self.mend_each(authors, |author| author.gene(), mend).await?;
        }
        Ok(())
    }

    async fn mend_heads(&self, database: usize, authors: Vec<Uid>) -> Result<u64, Fault> {
        let (writer, authors) = (&self.writers[database], &authors);
        let mend = async |mut rows: Rows| {
            let keys: Vec<_> = authors.iter().map(|uid| (uid.gene(), *uid)).collect();
            let mut terms = uid_terms(&keys);
            terms.push(column_of!(keys, (gene, _) => rows.shards.seq(*gene).cast_signed()));
            let mended = Statements::one(MEND, terms).send(writer, "", "").await?;
            for row in mended.iter().flatten() {
                if let Some(newest) = maybe_post_id(row, 1)? {
                    tell_mended(&mut rows, uid(row, 0)?, newest, self.shared.clock.now_ms());
                }
            }
            Ok((rows, authors.len() as u64))
        };
        in_shards(&self.shared, writer, authors.iter().map(|uid| uid.gene()), mend).await
    }
}

/// Tells of a mend in the log of an author, so that no memory keeps the author's head, and a post and its counters, as they were. It
/// names its own place, as mends do. Of a mended head the post is the newest one, of which nothing has changed.
pub(super) fn tell_mended(rows: &mut Rows, author: Uid, id: PostId, now_ms: u64) {
    let (gene, version) = (author.gene(), rows.shards.mint(author.gene(), now_ms));
    let at = EventAt::new(Logs::PerGene.of_gene(gene), rows.shards.seq(gene) + 1);
    let change = Change::Post { id, kind: PostChange::Edited };
    rows.shards.log(gene, Event { at, version, subject: author, change, echo: Some(at) }, None);
}
