//! The authors of posts, without content, and the relations between viewers and authors.

use super::ClusterView;
use super::relations::read_uid;
use crate::rows::{
    OutboxHead, column, limit, maybe_post_id, number, post_column, post_columns, post_header, post_id,
    uid_terms,
};
use guanxi_memory::cut::Cut as _;
use guanxi_memory::headers::KnownHeaders;
use guanxi_memory::outboxes::{OutboxEntry, TAIL_LEN, TailAnswer};
use guanxi_model::post::{AuthorHead, AuthorRow, PostHeader};
use guanxi_model::{Gene, Logs, PostId, Relation, Result, Uid};
use guanxi_ports::{OutboxAsk, OutboxPart, Outboxes};
use guanxi_postgres::{Fault, Term, term};
use std::collections::{BTreeMap, BTreeSet};

const AUTHORS: &str = "select t.uid, t.last_post, t.last_seq, t.changed_seq, t.created_from \
    from unnest($1::smallint[], $2::bigint[]) as k(gene, uid) \
    cross join lateral (select * from gx.author t where t.gene = k.gene and t.uid = k.uid limit 1) t";

const OUTBOXES: &str = "select k.place, p.id \
    from unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::bigint[]) as k(gene, place, author, below) \
    cross join lateral (select t.id from gx.post t where t.gene = k.gene and t.author = k.author and t.id < k.below \
    order by t.id desc limit $5) p";

const HEADERS: &str = concat!(
    "select ",
    post_columns!(),
    " from unnest($1::smallint[], $2::bigint[]) as k(gene, id) \
    cross join lateral (select * from gx.post t where t.gene = k.gene and t.id = k.id limit 1) t"
);

const STORED: &str = concat!(
    "select ",
    post_columns!(),
    " from gx.post t where t.gene = $1 and t.author = $2 and t.id < $3 order by t.id desc limit $4"
);

const BLOCKED_BY: &str = "select t.subject from unnest($3::bigint[]) as k(subject) \
    cross join lateral (select * from gx.blocked_by t \
    where t.gene = $1 and t.object = $2 and t.subject = k.subject limit 1) t where t.active";

/// The genes and the ids of posts, as columns.
pub(super) fn post_terms(keys: &[(Gene, PostId)]) -> Vec<Term> {
    let (genes, ids): (Vec<i16>, Vec<i64>) =
        keys.iter().map(|(gene, id)| (i16::from(gene.0), post_column(*id))).unzip();
    vec![term(genes), term(ids)]
}

/// Posts with their genes, each once.
pub(super) fn post_keys(ids: &[PostId]) -> BTreeSet<(Gene, PostId)> {
    ids.iter().map(|id| (id.gene(), *id)).collect()
}

impl ClusterView {
    pub(super) async fn author_rows(&self, authors: &[Uid]) -> Result<Vec<AuthorRow>> {
        let keys: BTreeSet<(Gene, Uid)> = authors.iter().map(|uid| (uid.gene(), *uid)).collect();
        let mut found: BTreeMap<Uid, OutboxHead> = BTreeMap::new();
        for row in self.ask_each(keys, &[AUTHORS], uid_terms).await?.iter().flatten() {
            let seq = |index: usize| number(row, index);
            let head = OutboxHead {
                last_id: maybe_post_id(row, 1)?,
                last_seq: seq(2),
                changed_seq: seq(3),
                created_from: maybe_post_id(row, 4)?,
            };
            found.insert(read_uid(row, 0)?, head);
        }
        Ok(authors.iter().map(|uid| found.get(uid).copied().unwrap_or_default().of(*uid)).collect())
    }

    /// Heads of outboxes, in order: from memory where that has them.
    pub(super) async fn heads_of(&self, authors: &[Uid]) -> Result<Vec<AuthorHead>> {
        let Some(cut) = self.cut_of(authors.iter().map(|author| author.gene())).await? else {
            return Ok(self.author_rows(authors).await?.into_iter().map(|row| row.head).collect());
        };
        let pool = &self.shared().memory.outboxes;
        let (mut heads, missing) = pool.heads(authors, &cut);
        let unknown: Vec<Uid> = missing.iter().map(|place| authors[*place]).collect();
        // The places are in order: a viewer may follow many.
        let mut left = missing.iter().copied().peekable();
        let known = authors.iter().enumerate().filter(|(place, _)| left.next_if_eq(place).is_none());
        self.note_told(known.map(|(_, author)| *author), []);
        if unknown.is_empty() {
            return Ok(heads);
        }
        let fills = pool.begin_fills(&unknown);
        let told = self.told_of(unknown.iter().map(|author| author.gene()));
        let read: Vec<AuthorHead> =
            self.author_rows(&unknown).await?.into_iter().map(|row| row.head).collect();
        self.catch_up(&told).await?;
        fills.keep(
            unknown.iter().zip(&read).map(|(author, head)| self.kept_author(&told, *author, head, None)),
        );
        missing.into_iter().zip(read).for_each(|(place, head)| heads[place] = head);
        Ok(heads)
    }

    /// What memory keeps of an author.
    fn kept_author(
        &self,
        told: &BTreeMap<Gene, u64>,
        author: Uid,
        head: &AuthorHead,
        ids: Option<(&[PostId], bool)>,
    ) -> Option<OutboxEntry> {
        self.may_keep(told, author.gene(), head.last.seq()).then(|| OutboxEntry::new(head, ids))
    }

    /// Parts of outboxes, in order: from memory where that has them.
    pub(super) async fn outboxes_of(&self, asks: &[OutboxAsk], max: usize) -> Result<Outboxes> {
        let Some(cut) = self.cut_of(asks.iter().map(|ask| ask.author.gene())).await? else {
            return Ok(joined(self.outbox_rows(asks, max).await?, max));
        };
        let (told, answers) = self.shared().memory.outboxes.outboxes(asks, max, &cut);
        let is_told = |answer: &TailAnswer| matches!(answer, TailAnswer::Added { .. });
        if answers.iter().all(is_told) {
            self.note_told(asks.iter().map(|ask| ask.author), []);
            return Ok(told);
        }
        let known = asks.iter().zip(&answers).filter(|(_, answer)| is_told(answer));
        self.note_told(known.map(|(ask, _)| ask.author), []);
        let missing: Vec<OutboxAsk> =
            asks.iter().zip(&answers).filter(|(_, answer)| !is_told(answer)).map(|(ask, _)| *ask).collect();
        let unknown = asks.iter().zip(&answers).filter(|(_, answer)| **answer == TailAnswer::Unknown);
        let unknown: Vec<Uid> = unknown.map(|(ask, _)| ask.author).collect();
        let (rows, ()) = tokio::try_join!(self.outbox_rows(&missing, max), self.fill_outboxes(&unknown))?;
        let (mut rows, mut start) = (rows.into_iter(), 0);
        let parts = told.parts.iter().zip(&answers).map(|(part, answer)| {
            let end = usize::try_from(part.end).unwrap_or(usize::MAX);
            let ids = &told.ids[start..end];
            start = end;
            if !is_told(answer) {
                return rows.next().unwrap_or_default();
            }
            OutboxRows { ids: ids.to_vec(), more: part.more }
        });
        Ok(joined(parts.collect(), max))
    }

    /// Has memory keep the newest posts of some authors.
    async fn fill_outboxes(&self, authors: &[Uid]) -> Result<()> {
        if authors.is_empty() {
            return Ok(());
        }
        let fills = self.shared().memory.outboxes.begin_fills(authors);
        let told = self.told_of(authors.iter().map(|author| author.gene()));
        let asks: Vec<OutboxAsk> =
            authors.iter().map(|author| OutboxAsk { author: *author, below: None }).collect();
        let (heads, newest) = tokio::try_join!(self.author_rows(authors), self.outbox_rows(&asks, TAIL_LEN))?;
        self.catch_up(&told).await?;
        let entry = |(row, newest): (&AuthorRow, &OutboxRows)| (row.head, newest.ids.clone(), !newest.more);
        let read: Vec<_> = heads.iter().zip(&newest).map(entry).collect();
        fills.keep(authors.iter().zip(&read).map(|(author, (head, ids, complete))| {
            self.kept_author(&told, *author, head, Some((ids, *complete)))
        }));
        Ok(())
    }

    /// Parts of outboxes as rows tell them, in order, each at most so long.
    async fn outbox_rows(&self, asks: &[OutboxAsk], max: usize) -> Result<Vec<OutboxRows>> {
        let mut parts: Vec<OutboxRows> = asks.iter().map(|_| OutboxRows::default()).collect();
        let keys = asks.iter().enumerate().map(|(place, ask)| (ask.author.gene(), (place, *ask)));
        // One beyond says whether the outbox goes on.
        let max_and_one = limit(max).saturating_add(1);
        let terms = |keys: &[(Gene, (usize, OutboxAsk))]| {
            let below = |ask: &OutboxAsk| ask.below.map_or(i64::MAX, post_column);
            vec![
                term(keys.iter().map(|(gene, _)| i16::from(gene.0)).collect::<Vec<_>>()),
                term(keys.iter().map(|(_, (place, _))| limit(*place)).collect::<Vec<_>>()),
                term(keys.iter().map(|(_, (_, ask))| column(ask.author)).collect::<Vec<_>>()),
                term(keys.iter().map(|(_, (_, ask))| below(ask)).collect::<Vec<_>>()),
                term(max_and_one),
            ]
        };
        for row in self.ask_each(keys, &[OUTBOXES], terms).await?.iter().flatten() {
            let place = usize::try_from(row.get::<_, i64>(0)).unwrap_or(usize::MAX);
            if let Some(part) = parts.get_mut(place) {
                part.ids.push(post_id(row, 1)?);
            }
        }
        for part in &mut parts {
            part.ids.sort_unstable_by(|a, b| b.cmp(a));
            part.more = part.ids.len() > max;
            part.ids.truncate(max);
        }
        Ok(parts)
    }

    /// Posts without their content, in order: from memory where that has them.
    pub(super) async fn headers_of(&self, ids: &[PostId]) -> Result<Vec<Option<PostHeader>>> {
        let Some(cut) = self.cut_of(ids.iter().map(|id| id.gene())).await? else {
            return self.header_rows(ids).await;
        };
        let pool = &self.shared().memory.headers;
        let KnownHeaders { mut headers, unknown, newer } = pool.at(ids, &cut);
        // A caller may name a post that came after the cut: rows tell it, and the page is made again.
        let is_new = |id: &PostId| id.get() > cut.ids_high(Logs::PerGene.of_gene(id.gene()));
        let new = ids.iter().enumerate().filter(|(_, id)| is_new(id)).map(|(place, _)| place);
        let missing: BTreeSet<usize> = unknown.iter().chain(&newer).copied().chain(new).collect();
        let known = ids.iter().enumerate().filter(|(place, _)| !missing.contains(place));
        self.note_told([], known.map(|(_, id)| *id));
        if missing.is_empty() {
            return Ok(headers);
        }
        let asked: Vec<PostId> = missing.iter().map(|place| ids[*place]).collect();
        let fills = pool.begin_fills(&asked);
        let told = self.told_of(asked.iter().map(|id| id.gene()));
        let read = self.header_rows(&asked).await?;
        self.catch_up(&told).await?;
        let kept = |(id, header): (&PostId, &Option<PostHeader>)| {
            let seq = self.seq_of(id.gene())?;
            header.filter(|_| self.may_keep(&told, id.gene(), seq)).map(|header| (header, seq))
        };
        fills.keep(&asked.iter().zip(&read).map(kept).collect::<Vec<_>>());
        missing.into_iter().zip(read).for_each(|(place, header)| headers[place] = header);
        Ok(headers)
    }

    /// The same as rows tell it.
    async fn header_rows(&self, ids: &[PostId]) -> Result<Vec<Option<PostHeader>>> {
        let mut found: BTreeMap<PostId, PostHeader> = BTreeMap::new();
        for row in self.ask_each(post_keys(ids), &[HEADERS], post_terms).await?.iter().flatten() {
            let header = post_header(row)?;
            found.insert(header.id, header);
        }
        Ok(ids.iter().map(|id| found.get(id).copied()).collect())
    }

    /// Returns whether each subject follows a user. The whole relation is asked for, since memory keeps that for the next page.
    pub(super) async fn who_of_follow(&self, subjects: &[Uid], object: Uid) -> Result<Vec<bool>> {
        let pairs: Vec<(Uid, Uid)> = subjects.iter().map(|subject| (*subject, object)).collect();
        let relations = self.relations_in(&pairs).await?;
        Ok(relations.iter().map(|relation| relation.following_since.is_some()).collect())
    }

    /// Returns whether each author blocks a viewer, as the viewer's shard knows. A page asks for the viewer's relations at the same time,
    /// so what memory lacks is not asked for twice.
    pub(super) async fn who_of_block(&self, viewer: Uid, authors: &[Uid]) -> Result<Vec<bool>> {
        let pairs: Vec<(Uid, Uid)> = authors.iter().map(|author| (viewer, *author)).collect();
        let told: Option<Vec<Relation>> = self.told_in(&pairs).await?.into_iter().collect();
        if let Some(told) = told {
            return Ok(told.iter().map(|relation| relation.blocked_by).collect());
        }
        let home = viewer.gene();
        let uids: Vec<i64> = authors.iter().map(|uid| column(*uid)).collect();
        let terms = vec![term(i16::from(home.0)), term(column(viewer)), term(uids)];
        let rows = self.ask_one(home, BLOCKED_BY, terms).await?;
        let block = rows.iter().map(|row| read_uid(row, 0)).collect::<Result<BTreeSet<Uid>>>()?;
        Ok(authors.iter().map(|author| block.contains(author)).collect())
    }

    pub(super) async fn stored_headers_of(&self, ask: OutboxAsk, max: usize) -> Result<Vec<PostHeader>> {
        let home = ask.author.gene();
        let below = ask.below.map_or(i64::MAX, post_column);
        let terms = vec![term(i16::from(home.0)), term(column(ask.author)), term(below), term(limit(max))];
        let rows = self.ask_one(home, STORED, terms).await?;
        rows.iter().map(|row| post_header(row).map_err(Fault::told)).collect()
    }
}

/// A part of an outbox, newest first, and whether that goes on.
#[derive(Debug, Default)]
struct OutboxRows {
    ids: Vec<PostId>,
    more: bool,
}

/// Parts of outboxes one after the other, each of at most so many ids.
fn joined(parts: Vec<OutboxRows>, max: usize) -> Outboxes {
    let mut outboxes =
        Outboxes { ids: Vec::with_capacity(parts.len() * max), parts: Vec::with_capacity(parts.len()) };
    for OutboxRows { ids, more } in parts {
        outboxes.ids.extend(ids);
        let end = u32::try_from(outboxes.ids.len()).unwrap_or(u32::MAX);
        outboxes.parts.push(OutboxPart { end, more });
    }
    outboxes
}
