//! Posts by themselves: that each can be read, that its author's head knows of it, and that its counters are what is counted.

use super::Checker;
use super::posts::OfPost;
use super::sides::PairedRow;
use super::tables::{TableKey, TablePages};
use crate::postgres::{Connection, Fault, Statements, term};
use crate::rows::{
    Rows, column_of, kind_columns, maybe_post_id, number, original_of, post_column, post_id, uid, uid_terms,
    whole_post, whole_post_columns,
};
use crate::store::in_shards;
use guanxi_model::post::{Post, PostStats};
use guanxi_model::{PostId, Result, Stamp, Uid};
use guanxi_ports::DifferenceKind;
use std::collections::{BTreeMap, BTreeSet};
use tokio_postgres::Row;

/// Posts of a page at most: each may be long.
const POSTS_MAX: usize = 512;

/// Where the head of the author is in a page, behind what a post is read from.
const HEAD: usize = 19;

/// A page of posts, each with the head of its author at the same moment.
const PAGE: &str = concat!(
    "select ",
    whole_post_columns!(),
    ", a.last_post, a.last_seq, a.created_from \
    from (select * from gx.post where (id, gene) > ($2, $1) order by id, gene limit $3) t \
    left join lateral (select * from gx.author a where a.uid = t.author and a.gene = t.gene limit 1) a on true order by t.id, t.gene"
);

/// Names of posts that are not there, or are of others; of a whole database.
const LOST_SOURCES: &str = "select t.author from gx.post_source t \
    left join lateral (select * from gx.post p where p.id = t.id and p.gene = t.gene limit 1) p on true \
    where p.id is null or p.author <> t.author limit $1";

/// How many of those are named.
const LOST_MAX: i64 = 1_000;

/// Heads as posts have them. `$3` is where the logs of the authors stand.
const MEND_HEADS: &str = "insert into gx.author as h (gene, uid, last_post, last_seq, changed_seq, \
    created_from) select t.gene, t.author, max(t.id), k.seq, k.seq, min(t.id) filter (where t.made_seq is not \
    null) \
    from unnest($1::smallint[], $2::bigint[], $3::bigint[]) as k(gene, uid, seq) \
    cross join lateral (select * from gx.post t where t.gene = k.gene and t.author = k.uid offset 0) t \
    group by t.gene, t.author, k.seq \
    on conflict (gene, uid) do update set last_post = excluded.last_post, last_seq = excluded.last_seq, \
    changed_seq = excluded.changed_seq, created_from = excluded.created_from";

/// What is stored of the counters of posts, and what is counted.
macro_rules! counted {
    ($posts:literal) => {
        concat!(
            "select k.gene, k.id, k.likes, k.replies, k.reposts, \
            (select count(*) from gx.liker t where t.gene = k.gene and t.post = k.id and t.active), \
            (select count(*) from gx.post_ref t where t.gene = k.gene and t.original = k.id and t.active and t.kind = 1), \
            (select count(*) from gx.post_ref t where t.gene = k.gene and t.original = k.id and t.active and t.kind > 1) \
            from ",
            $posts,
            " k order by k.gene, k.id"
        )
    };
}

const STATS: &str =
    counted!("(select * from gx.post_stats where (gene, id) > ($1, $2) order by gene, id limit $3)");
const GIVEN: &str = counted!(
    "(select g.gene, g.id, coalesce(t.likes, 0) as likes, coalesce(t.replies, 0) as replies, \
    coalesce(t.reposts, 0) as reposts from unnest($1::smallint[], $2::bigint[]) as g(gene, id) left join \
    lateral (select * from gx.post_stats t \
    where t.gene = g.gene and t.id = g.id limit 1) t on true)"
);

/// The counters of a post: as stored, and as counted.
#[derive(Clone, Copy, Debug)]
struct CountedPost {
    id: PostId,
    stored: PostStats,
    counted: PostStats,
}

impl CountedPost {
    fn of(row: &Row) -> Result<Self, Fault> {
        let number = |index: usize| number(row, index);
        let stats = |index| PostStats {
            likes: number(index),
            replies: number(index + 1),
            reposts: number(index + 2),
        };
        Ok(Self { id: post_id(row, 1)?, stored: stats(2), counted: stats(5) })
    }

    /// Returns which counters are wrong, with what is stored and what was counted.
    fn differences(&self) -> impl Iterator<Item = (DifferenceKind, u64, u64)> {
        let (stored, counted) = (self.stored, self.counted);
        let all = [
            (DifferenceKind::LikesCount, stored.likes, counted.likes),
            (DifferenceKind::RepliesCount, stored.replies, counted.replies),
            (DifferenceKind::RepostsCount, stored.reposts, counted.reposts),
        ];
        all.into_iter().filter(|(_, stored, counted)| stored != counted)
    }
}

impl Checker<'_> {
    /// A page of posts; returns where the next one begins, if there is one.
    pub(super) async fn posts(&mut self, database: usize, after: TableKey) -> Result<Option<TableKey>> {
        if after == TableKey::START {
            self.lost_sources(database).await?;
        }
        let (rows, next) = self.page_of_posts(PAGE, database, after).await?;
        let (mut references, mut behind) = (BTreeMap::new(), BTreeSet::new());
        for row in &rows {
            let Ok((post, _)) = whole_post(row) else {
                self.unreadable_row(&format!("post {}", row.get::<_, i64>(1)));
                continue;
            };
            let (header, kind) = (post.header, kind_columns(post.header.kind).0);
            self.report.posts += 1;
            if header.author.gene() != header.id.gene() {
                let detail = format!("post {} is under the gene of others", header.id);
                self.report.add(DifferenceKind::PostMissing, header.author, None, detail);
            }
            if is_behind(row, &post) {
                behind.insert(header.author);
            }
            if let Some((original, _)) = original_of(header.kind) {
                let at = Stamp::from_raw(i64::from(kind).cast_unsigned());
                let fact = PairedRow { at, version: Stamp::ZERO, active: !header.deleted };
                references.insert(OfPost::Reference(original, header.id), fact);
            }
        }
        self.report.compared += rows.len() as u64;
        self.behind(database, behind).await?;
        self.compare_of_posts(references, true).await?;
        Ok(next)
    }

    /// Rows of a page whose first columns are gene and id.
    async fn page_of_posts(
        &self,
        sql: &'static str,
        database: usize,
        after: TableKey,
    ) -> Result<(Vec<Row>, Option<TableKey>)> {
        let rows_max = self.terms.page_rows.min(POSTS_MAX);
        self.page(TablePages::of_rows(sql, (0, 1)), (database, after), rows_max).await.map_err(Fault::told)
    }

    /// Names that sources have for posts that are not there.
    async fn lost_sources(&mut self, database: usize) -> Result<()> {
        let rows = self.ask(database, LOST_SOURCES, vec![term(LOST_MAX)]).await?;
        for row in &rows {
            let detail = "a source's name of a post that is not there, or is somebody else's".to_owned();
            self.report.add_of(DifferenceKind::PostMissing, uid(row, 0).ok(), None, detail);
        }
        Ok(())
    }

    /// Heads that do not know of posts, read in the moment of these.
    async fn behind(&mut self, database: usize, mut authors: BTreeSet<Uid>) -> Result<()> {
        authors.retain(|author| self.told_heads.insert(*author));
        for author in &authors {
            let detail = "a post is newer than the head, or was created below where created posts begin";
            self.report.add(DifferenceKind::HeadBehind, *author, None, detail.to_owned());
        }
        if self.terms.mends && !authors.is_empty() {
            let mended = self.mend_heads(&self.writers[database], &authors).await;
            self.report.mended += mended?;
        }
        Ok(())
    }

    async fn mend_heads(&self, writer: &Connection, authors: &BTreeSet<Uid>) -> Result<u64, Fault> {
        let mend = async |rows: Rows| {
            let keys: Vec<_> = authors.iter().map(|uid| (uid.gene(), *uid)).collect();
            let mut terms = uid_terms(&keys);
            terms.push(column_of!(keys, (gene, _) => rows.shards.seq(*gene).cast_signed()));
            Statements::one(MEND_HEADS, terms).send(writer, "", "").await?;
            Ok((rows, authors.len() as u64))
        };
        in_shards(&self.shared, writer, authors.iter().map(|uid| uid.gene()), mend).await
    }

    /// A page of counters of posts; returns where the next one begins, if there is one.
    pub(super) async fn post_counters(
        &mut self,
        database: usize,
        after: TableKey,
    ) -> Result<Option<TableKey>> {
        let (rows, next) = self.page_of_posts(STATS, database, after).await?;
        self.judge_post_counters(database, &rows).await?;
        Ok(next)
    }

    /// Compares the counters of given posts of a database, which may have none.
    pub(super) async fn recount_posts(&mut self, database: usize, ids: BTreeSet<PostId>) -> Result<()> {
        let ids: Vec<PostId> = ids.into_iter().collect();
        for ids in ids.chunks(POSTS_MAX) {
            let rows = given(&self.readers[database], ids).await?;
            self.judge_post_counters(database, &rows).await?;
        }
        Ok(())
    }

    /// What is stored and what is counted were read in one moment, so that nothing is under way between them.
    async fn judge_post_counters(&mut self, database: usize, rows: &[Row]) -> Result<()> {
        self.report.compared += rows.len() as u64;
        let mut wrong = BTreeSet::new();
        for row in rows {
            let Ok(post) = CountedPost::of(row) else {
                self.unreadable_row(&format!("row {} of post_stats", row.get::<_, i64>(1)));
                continue;
            };
            for (kind, stored, counted) in post.differences() {
                let detail = format!("post {}: stored {stored}, expected {counted}", post.id);
                self.report.add_of(kind, None, None, detail);
                wrong.insert(post.id);
            }
        }
        if !self.terms.mends || wrong.is_empty() {
            return Ok(());
        }
        let mended = self.mend_post_counters(database, &wrong.into_iter().collect::<Vec<_>>()).await;
        self.report.mended += mended?;
        Ok(())
    }

    /// Counts anew under the locks of the shards, and stores that.
    async fn mend_post_counters(&self, database: usize, ids: &[PostId]) -> Result<u64, Fault> {
        let writer = &self.writers[database];
        let mend = async |mut rows: Rows| {
            rows.fetch_of_posts(writer, ids.iter().copied(), [], []).await?;
            let mut mended = 0;
            for row in given(writer, ids).await? {
                let post = CountedPost::of(&row)?;
                let differences = post.differences().count() as u64;
                if differences > 0 {
                    *rows.posts.stats.change(post.id)? = post.counted;
                    mended += differences;
                }
            }
            Ok((rows, mended))
        };
        in_shards(&self.shared, writer, ids.iter().map(|id| id.gene()), mend).await
    }
}

/// Returns whether the head of its author does not know of a post.
fn is_behind(row: &Row, post: &Post) -> bool {
    let head = |index| maybe_post_id(row, HEAD + index).ok().flatten();
    let (last, created) = (head(0), head(2));
    let last_seq = row.get::<_, Option<i64>>(HEAD + 1).map_or(0, i64::cast_unsigned);
    let header = &post.header;
    let is_created_below = |seq: u64| seq > last_seq || created.is_none_or(|first| header.id < first);
    last < Some(header.id) || header.event.is_some_and(|made| is_created_below(made.seq()))
}

/// The counters of given posts.
async fn given(connection: &Connection, ids: &[PostId]) -> Result<Vec<Row>, Fault> {
    let genes = column_of!(ids, id => i16::from(id.gene().0));
    let terms = vec![genes, column_of!(ids, id => post_column(*id))];
    Statements::one(GIVEN, terms).rows(connection).await
}
