//! Posts with all that a page shows of them.

use super::ClusterView;
use super::direct::ask_alone;
use super::outboxes::{post_keys, post_terms};
use super::page::PageRows;
use super::posts::read_post_id;
use super::snapshot::{moving, places_of};
use crate::postgres::{Statements, Term, term};
use crate::rows::{column, gene, number, post_column, whole_post, whole_post_columns};
use futures_util::future::try_join_all;
use guanxi_model::limits::{POSTS_MAX, READ_BYTES_MAX};
use guanxi_model::post::{Post, PostMarks, PostStats};
use guanxi_model::{Gene, PostId, Result, Uid};
use guanxi_ports::first_shown;
use std::collections::BTreeMap;
use tokio_postgres::Row;

/// Posts that are asked for at once: as many as an answer may have bodies of the greatest length, at about that.
const AT_ONCE: usize = POSTS_MAX as usize;

/// Where the columns beside a whole post begin.
const BESIDE: usize = 19;

/// Posts with their counters, what a user did with each as far as the database knows it, and where the shard of the post and that of
/// the user stand.
const SHOWN: &str = concat!(
    "select ",
    whole_post_columns!(),
    ", coalesce(c.likes, 0), coalesce(c.replies, 0), coalesce(c.reposts, 0), l.active is true, r.is_there is true, \
    s.gene, s.seq, s.epoch, v.gene, v.seq, v.epoch \
    from unnest($1::smallint[], $2::bigint[]) as k(gene, id) \
    cross join lateral (select * from gx.post t where t.gene = k.gene and t.id = k.id limit 1) t \
    left join lateral (select * from gx.post_stats c where c.gene = k.gene and c.id = k.id limit 1) c on true \
    left join lateral (select l.active from gx.liked l where l.gene = $3 and l.uid = $4 and l.post = k.id limit 1) l on true \
    left join lateral (select true as is_there from gx.post r \
    where r.gene = $3 and r.author = $4 and r.ref = k.id and r.kind = 2 and not r.deleted limit 1) r on true \
    left join lateral (select * from gx.shard s where s.gene = k.gene limit 1) s on true \
    left join lateral (select * from gx.shard v where v.gene = $3 limit 1) v on true"
);

/// What a user did with posts of other databases.
const MARKS: &str = "select k.post, l.active is true, r.is_there is true from unnest($3::bigint[]) as k(post) \
    left join lateral (select l.active from gx.liked l where l.gene = $1 and l.uid = $2 and l.post = k.post limit 1) l on true \
    left join lateral (select true as is_there from gx.post r \
    where r.gene = $1 and r.author = $2 and r.ref = k.post and r.kind = 2 and not r.deleted limit 1) r on true";

/// Whether a user likes a post, and reposts it.
type Did = (bool, bool);

impl ClusterView {
    /// Posts with their counters and what a viewer did with them, in order.
    pub(super) async fn shown_of(
        &self,
        viewer: Option<Uid>,
        ids: &[PostId],
    ) -> Result<Vec<Option<(Post, PostMarks)>>> {
        let (mut shown, mut room) = (Vec::with_capacity(ids.len().min(AT_ONCE)), READ_BYTES_MAX);
        for some in ids.chunks(AT_ONCE) {
            let (found, did) =
                tokio::try_join!(self.shown_rows(viewer, some), self.did_elsewhere(viewer, some))?;
            for id in some {
                let found = found.get(id).cloned().map(|(post, marks)| {
                    let (liked, reposted) = did.get(id).copied().unwrap_or((marks.liked, marks.reposted));
                    (post, PostMarks { liked, reposted, ..marks })
                });
                room = room.saturating_sub(found.as_ref().map_or(0, |(post, _)| post.body.bytes()));
                shown.push(Ok(found));
                if room == 0 {
                    return first_shown(shown.into_iter());
                }
            }
        }
        first_shown(shown.into_iter())
    }

    /// What rows are that have these posts: their contents alone, if memory has told their headers.
    pub(super) fn rows_of(&self, ids: &[PostId]) -> PageRows {
        let has_headers = self.page.as_ref().is_some_and(|page| page.has_told(ids));
        if has_headers { PageRows::Contents } else { PageRows::Facts }
    }

    async fn shown_rows(
        &self,
        viewer: Option<Uid>,
        ids: &[PostId],
    ) -> Result<BTreeMap<PostId, (Post, PostMarks)>> {
        let (asked, map) = (self.rows_of(ids), self.shared.map());
        let asks =
            map.by_database(post_keys(ids), |(gene, _)| *gene).into_iter().map(async |(database, keys)| {
                let terms = shown_terms(viewer, &keys);
                if asked == PageRows::Contents && self.is_told_alone(database) {
                    return self.read_at_once(database, terms).await;
                }
                let statements = Statements::one(SHOWN, terms);
                let genes = keys.iter().map(|(gene, _)| *gene).collect();
                let rows = self.ask_for(asked, database, genes, statements).await?;
                Ok(rows.into_iter().flatten().collect())
            });
        let mut found = BTreeMap::new();
        for row in try_join_all(asks).await?.iter().flatten() {
            let (post, _) = whole_post(row)?;
            let count = |nth: usize| number(row, BESIDE + nth);
            let stats = PostStats { likes: count(0), replies: count(1), reposts: count(2) };
            let marks = PostMarks { stats, liked: row.get(BESIDE + 3), reposted: row.get(BESIDE + 4) };
            found.insert(post.header.id, (post, marks));
        }
        Ok(found)
    }

    /// What posts say, in one round trip and without a snapshot: where their shards stood by then comes with them.
    async fn read_at_once(&self, database: usize, terms: Vec<Term>) -> Result<Vec<Row>> {
        let rows = ask_alone(&self.shared, database, SHOWN, terms).await?;
        let of_posts = places_of(&self.shared, database, &rows, BESIDE + 5)?;
        let of_viewer = places_of(&self.shared, database, &rows, BESIDE + 8)?;
        for row in &rows {
            if !of_posts.contains_key(&gene(row, 0)?) {
                return Err(moving(&self.shared));
            }
        }
        if let Some(page) = &self.page {
            page.note_read(database, of_posts, of_viewer);
        }
        Ok(rows)
    }

    /// What a viewer did with posts of databases that do not have the viewer: its own says it.
    async fn did_elsewhere(&self, viewer: Option<Uid>, ids: &[PostId]) -> Result<BTreeMap<PostId, Did>> {
        let Some(viewer) = viewer else { return Ok(BTreeMap::new()) };
        let (map, home) = (self.shared.map(), viewer.gene());
        let is_elsewhere = |id: &&PostId| map.database(id.gene()) != map.database(home);
        let posts: Vec<i64> = ids.iter().filter(is_elsewhere).map(|id| post_column(*id)).collect();
        if posts.is_empty() {
            return Ok(BTreeMap::new());
        }
        let terms = |_: &[(Gene, ())]| -> Vec<Term> {
            vec![term(i16::from(home.0)), term(column(viewer)), term(posts.clone())]
        };
        let rows = self.ask_each_for(PageRows::Counters, [(home, ())], &[MARKS], terms).await?;
        let did = |row: &Row| Ok((read_post_id(row, 0)?, (row.get(1), row.get(2))));
        rows.iter().flatten().map(did).collect()
    }
}

/// The terms of [`SHOWN`]. There is no user 0.
fn shown_terms(viewer: Option<Uid>, keys: &[(Gene, PostId)]) -> Vec<Term> {
    let (home, uid) = viewer.map_or((-1, 0), |viewer| (i16::from(viewer.gene().0), column(viewer)));
    let mut terms = post_terms(keys);
    terms.extend([term(home), term(uid)]);
    terms
}
