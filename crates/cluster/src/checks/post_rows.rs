//! Posts by themselves: that each can be read, that its author's head knows of it, and that its counters are what is counted.

use super::Checker;
use super::heads::tell_mended;
use super::posts::{OfPost, authors_of};
use super::sides::PairedRow;
use super::tables::{TableKey, TablePages};
use crate::rows::{
    Rows, column, column_of, fetch_stats, gene_column, kind_columns, maybe_post_id, not_fetched, number,
    original_of, post_column, post_id, text_column, uid, whole_post, whole_post_columns,
};
use crate::store::in_shards;
use guanxi_model::post::{Post, PostStats};
use guanxi_model::{PostHeader, PostId, Result, Stamp, Uid};
use guanxi_ports::DifferenceKind;
use guanxi_postgres::{Connection, Fault, Statements, term};
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
    ", a.last_post, a.last_seq, a.created_from, t.source_key is not null and n.id is null \
    from (select * from gx.post where (id, gene) > ($2, $1) order by id, gene limit $3) t \
    left join lateral (select * from gx.author a where a.uid = t.author and a.gene = t.gene limit 1) a on true \
    left join lateral (select * from gx.post_source n \
    where n.gene = t.gene and n.author = t.author and n.key = t.source_key limit 1) n on n.id = t.id \
    order by t.id, t.gene"
);

/// Names of posts that are not there, or are of others; of a whole database.
const LOST_SOURCES: &str = "select t.author, t.gene from gx.post_source t \
    left join lateral (select * from gx.post p where p.id = t.id and p.gene = t.gene limit 1) p on true \
    where p.id is null or p.author <> t.author limit $1";

/// Names of posts.
const MEND_NAMES: &str = "insert into gx.post_source (gene, author, key, id) \
    select * from unnest($1::smallint[], $2::bigint[], $3::text[], $4::bigint[]) on conflict do nothing returning id";

/// How many of those are named.
const LOST_MAX: i64 = 1_000;

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
        let (rows, next) = self.page_of_posts("post", PAGE, database, after).await?;
        let (mut references, mut behind, mut unnamed) = (BTreeMap::new(), BTreeSet::new(), BTreeMap::new());
        for row in &rows {
            let post = whole_post(row).ok().filter(|(post, _)| names_its_original(&post.header));
            let Some((post, name)) = post else {
                self.unreadable_row(&format!("post {}", row.get::<_, i64>(1)));
                continue;
            };
            let (header, kind) = (post.header, kind_columns(post.header.kind).0);
            self.report.posts += 1;
            // No shard has the head of such an author beside the post.
            if header.author.gene() != header.id.gene() || gene_column(header.author) != row.get::<_, i16>(0)
            {
                let detail = format!("post {} is under the gene of others", header.id);
                self.report.add(DifferenceKind::PostMissing, header.author, None, detail);
            } else {
                behind.extend(is_behind(row, &post).then_some(header.author));
                let name = name.filter(|_| row.get(HEAD + 3));
                unnamed.extend(name.map(|name| (header.id, (header.author, name))));
            }
            if let Some((original, _)) = original_of(header.kind) {
                let at = Stamp::from_raw(i64::from(kind).cast_unsigned());
                let fact = PairedRow { at, version: Stamp::ZERO, active: !header.deleted };
                references.insert(OfPost::Reference(original, header.id), fact);
            }
        }
        self.report.compared += rows.len() as u64;
        let detail = "a post is newer than the head, or was created below where created posts begin";
        self.wrong_heads(behind, detail).await?;
        self.unnamed(unnamed).await?;
        self.compare_of_posts(references, true).await?;
        Ok(next)
    }

    /// Rows of a page whose first columns are gene and id.
    async fn page_of_posts(
        &mut self,
        name: &str,
        sql: &'static str,
        database: usize,
        after: TableKey,
    ) -> Result<(Vec<Row>, Option<TableKey>)> {
        let rows_max = self.terms.page_rows.min(POSTS_MAX);
        let pages = TablePages::of_rows(sql, (0, 1));
        self.page(name, pages, (database, after), rows_max).await.map_err(Fault::told)
    }

    /// Names that sources have for posts that are not there.
    async fn lost_sources(&mut self, database: usize) -> Result<()> {
        let rows = self.ask(database, LOST_SOURCES, vec![term(LOST_MAX)]).await?;
        for row in &rows {
            let (gene, author) = (row.get::<_, i16>(1), row.get::<_, i64>(0));
            let detail = format!(
                "row {gene} {author}: a source's name of a post that is not there, or is somebody else's"
            );
            self.report.add_of(DifferenceKind::PostMissing, uid(row, 0).ok(), None, detail);
        }
        Ok(())
    }

    /// Enters imported posts under the names that their sources have for them, unless another post has the name.
    async fn unnamed(&mut self, posts: BTreeMap<PostId, (Uid, String)>) -> Result<()> {
        for (id, (author, _)) in &posts {
            let detail =
                format!("post {id}: its source's name does not lead to it: an import would make it again");
            self.report.add(DifferenceKind::PostMissing, *author, None, detail);
        }
        if self.terms.mends && !posts.is_empty() {
            let mend = |database, ids| self.mend_names(database, ids, &posts);
            self.report.mended += self.mend_each(posts.keys().copied(), |id| id.gene(), mend).await?;
        }
        Ok(())
    }

    async fn mend_names(
        &self,
        database: usize,
        ids: Vec<PostId>,
        posts: &BTreeMap<PostId, (Uid, String)>,
    ) -> Result<u64, Fault> {
        let writer = &self.writers[database];
        let named: Vec<_> =
            ids.iter().filter_map(|id| posts.get(id).map(|(author, key)| (id, author, key))).collect();
        let mend = async |rows: Rows| {
            let terms = vec![
                column_of!(named, (id, ..) => i16::from(id.gene().0)),
                column_of!(named, (_, author, _) => column(**author)),
                column_of!(named, (.., key) => text_column(key)),
                column_of!(named, (id, ..) => post_column(**id)),
            ];
            let made = Statements::one(MEND_NAMES, terms).rows(writer).await?;
            Ok((rows, made.len() as u64))
        };
        in_shards(&self.shared, writer, ids.iter().map(|id| id.gene()), mend).await
    }

    /// A page of counters of posts; returns where the next one begins, if there is one.
    pub(super) async fn post_counters(
        &mut self,
        database: usize,
        after: TableKey,
    ) -> Result<Option<TableKey>> {
        let (rows, next) = self.page_of_posts("post_stats", STATS, database, after).await?;
        self.judge_post_counters(&rows).await?;
        Ok(next)
    }

    /// Compares the counters of given posts of a database, which may have none.
    pub(super) async fn recount_posts(&mut self, database: usize, ids: BTreeSet<PostId>) -> Result<()> {
        let ids: Vec<PostId> = ids.into_iter().collect();
        for ids in ids.chunks(POSTS_MAX) {
            let rows = given(&self.readers[database], ids).await?;
            self.judge_post_counters(&rows).await?;
        }
        Ok(())
    }

    /// What is stored and what is counted were read in one moment, so that nothing is under way between them.
    async fn judge_post_counters(&mut self, rows: &[Row]) -> Result<()> {
        self.report.compared += rows.len() as u64;
        let mut wrong = BTreeSet::new();
        for row in rows {
            let post = CountedPost::of(row);
            let Some(post) = post.ok().filter(|post| i16::from(post.id.gene().0) == row.get::<_, i16>(0))
            else {
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
        let mend = |database, ids| self.mend_post_counters(database, ids);
        self.report.mended += self.mend_each(wrong, |id| id.gene(), mend).await?;
        Ok(())
    }

    /// Counts anew under the locks of the shards, and stores that.
    async fn mend_post_counters(&self, database: usize, ids: Vec<PostId>) -> Result<u64, Fault> {
        let (writer, ids) = (&self.writers[database], &ids);
        let mend = async |mut rows: Rows| {
            fetch_stats(writer, &mut rows, ids.iter().copied()).await?;
            let authors = authors_of(writer, ids.iter().copied()).await?;
            let mut mended = 0;
            for row in given(writer, ids).await? {
                let post = CountedPost::of(&row)?;
                let differences = post.differences().count() as u64;
                if differences > 0 {
                    *rows.posts.stats.change(post.id).map_err(not_fetched)? = post.counted;
                    if let Some(author) = authors.get(&post.id) {
                        tell_mended(&mut rows, *author, post.id, self.shared.clock.now_ms());
                    }
                    mended += differences;
                }
            }
            Ok((rows, mended))
        };
        in_shards(&self.shared, writer, ids.iter().map(|id| id.gene()), mend).await
    }
}

/// Returns whether a post that answers or shares another names the author by whose gene that one is stored.
fn names_its_original(header: &PostHeader) -> bool {
    original_of(header.kind).is_none_or(|(original, author)| original.gene() == author.gene())
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
