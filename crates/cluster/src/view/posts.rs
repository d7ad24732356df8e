//! Posts with their content, their counters, and who likes them.

use super::ClusterView;
use super::outboxes::{post_keys, post_terms};
use super::page::PageRows;
use super::sets::edge;
use crate::rows::{column, limit, number, post_column, post_id, revision_of, stamp, text_column, text_of};
use guanxi_model::post::{Post, PostStats, Revision};
use guanxi_model::{Cursor, EdgePage, Error, Page, PageStart, PostId, Reason, Result, Uid};
use guanxi_ports::UserLike;
use guanxi_postgres::{Fault, term};
use std::collections::BTreeMap;
use tokio_postgres::Row;

const REVISIONS: &str = "select t.revision, t.update_ms, t.visibility, t.audience, t.text, t.attachment_kinds, t.attachments \
    from gx.post_revision t where t.gene = $1 and t.id = $2 and t.revision < $3 order by t.revision desc limit $4";
const STATS: &str = "select t.id, t.likes, t.replies, t.reposts \
    from unnest($1::smallint[], $2::bigint[]) as k(gene, id) \
    cross join lateral (select * from gx.post_stats t where t.gene = k.gene and t.id = k.id limit 1) t";
const LIKES_BY: &str = "select t.post, t.at from gx.liked t where t.gene = $1 and t.uid = $2 and t.post > $3 and t.active \
    order by t.post limit $4";
const NAMES: &str = "select t.key, t.id from gx.post_source t where t.gene = $1 and t.author = $2 and t.key > $3 \
    order by t.key limit $4";
const DELETED: &str = "select t.deleted_ms, t.id from gx.post t where t.deleted_ms is not null \
    and (t.deleted_ms, t.id) > ($1, $2) order by t.deleted_ms, t.id limit $3";
const LIKERS: &str = "select t.uid, t.at from gx.liker t where t.gene = $1 and t.post = $2 and t.active \
    and (t.at, t.uid) < ($3, $4) order by t.at desc, t.uid desc limit $5";

const REPOSTS_OF: &str = "select t.ref from gx.post_ref t where t.gene = $1 and t.original = $2 and t.active and t.kind > 1 \
    and t.ref < $3 order by t.ref desc limit $4";

impl ClusterView {
    pub(super) async fn posts_of(&self, ids: &[PostId]) -> Result<Vec<Option<Post>>> {
        let shown = self.shown_of(None, ids).await?;
        Ok(shown.into_iter().map(|shown| shown.map(|(post, _)| post)).collect())
    }

    pub(super) async fn revisions_of(
        &self,
        id: PostId,
        below: Option<u32>,
        max: usize,
    ) -> Result<Vec<Revision>> {
        let below = below.and_then(|below| i32::try_from(below).ok()).unwrap_or(i32::MAX);
        let home = id.gene();
        let terms = vec![term(i16::from(home.0)), term(post_column(id)), term(below), term(limit(max))];
        let rows = self.ask_one(home, REVISIONS, terms).await?;
        rows.iter().map(|row| revision_of(row).map_err(Fault::told)).collect()
    }

    pub(super) async fn stats_of(&self, ids: &[PostId]) -> Result<Vec<PostStats>> {
        let mut found: BTreeMap<PostId, PostStats> = BTreeMap::new();
        let rows = self.ask_each_for(PageRows::Counters, post_keys(ids), &[STATS], post_terms).await?;
        for row in rows.iter().flatten() {
            let count = |index: usize| number(row, index);
            let stats = PostStats { likes: count(1), replies: count(2), reposts: count(3) };
            found.insert(read_post_id(row, 0)?, stats);
        }
        Ok(ids.iter().map(|id| found.get(id).copied().unwrap_or_default()).collect())
    }

    pub(super) async fn likes_of(
        &self,
        uid: Uid,
        after: Option<PostId>,
        max: usize,
    ) -> Result<Vec<UserLike>> {
        let (home, after) = (uid.gene(), after.map_or(0, post_column));
        let terms = vec![term(i16::from(home.0)), term(column(uid)), term(after), term(limit(max))];
        let rows = self.ask_one(home, LIKES_BY, terms).await?;
        rows.iter().map(|row| Ok(UserLike { id: read_post_id(row, 0)?, at: stamp(row, 1) })).collect()
    }

    pub(super) async fn names_of(
        &self,
        author: Uid,
        after: Option<&str>,
        max: usize,
    ) -> Result<Vec<(String, PostId)>> {
        let home = author.gene();
        let after = text_column(after.unwrap_or_default());
        let terms = vec![term(i16::from(home.0)), term(column(author)), term(after), term(limit(max))];
        let rows = self.ask_one(home, NAMES, terms).await?;
        rows.iter().map(|row| Ok((text_of(row.get(0)), read_post_id(row, 1)?))).collect()
    }

    pub(super) async fn deleted_of_all(
        &self,
        after: Option<(u64, PostId)>,
        max: usize,
    ) -> Result<Vec<(u64, PostId)>> {
        let (ms, id) = after.map_or((-1, 0), |(ms, id)| (ms.cast_signed(), post_column(id)));
        let rows = self.ask_all(DELETED, || vec![term(ms), term(id), term(limit(max))]).await?;
        let deleted = |row: &Row| Ok((number(row, 0), read_post_id(row, 1)?));
        let mut deleted = rows.iter().map(deleted).collect::<Result<Vec<_>>>()?;
        deleted.sort_unstable();
        deleted.truncate(max);
        Ok(deleted)
    }

    pub(super) async fn likers_of(&self, id: PostId, page: Page) -> Result<EdgePage> {
        let (at, uid) = match page.start() {
            PageStart::Offset(_) => return Err(Error::new(Reason::InvalidField { field: "offset" })),
            PageStart::Newest => (i64::MAX, i64::MAX),
            PageStart::After(Cursor(edge)) => (edge.at.raw().cast_signed(), column(edge.uid)),
        };
        let home = id.gene();
        // One beyond the page says whether the list goes on.
        let max = limit(page.size()).saturating_add(1);
        let terms = vec![term(i16::from(home.0)), term(post_column(id)), term(at), term(uid), term(max)];
        let rows = self.ask_one(home, LIKERS, terms).await?;
        let edges = rows.iter().map(|row| edge(row, 0)).collect::<Result<Vec<_>>>()?;
        Ok(EdgePage::cut(edges, page.size()))
    }

    pub(super) async fn reposts_of_post(
        &self,
        original: PostId,
        below: Option<PostId>,
        max: usize,
    ) -> Result<Vec<PostId>> {
        let (home, below) = (original.gene(), below.map_or(i64::MAX, post_column));
        let terms = vec![term(i16::from(home.0)), term(post_column(original)), term(below), term(limit(max))];
        let rows = self.ask_one(home, REPOSTS_OF, terms).await?;
        rows.iter().map(|row| read_post_id(row, 0)).collect()
    }
}

/// The post of a column.
pub(super) fn read_post_id(row: &Row, index: usize) -> Result<PostId> {
    post_id(row, index).map_err(Fault::told)
}
