//! Counters of posts, and what a viewer did with them, of posts that memory tells.

use super::ClusterView;
use super::direct::ask_alone;
use super::outboxes::{post_keys, post_terms};
use super::page::PageRows;
use super::posts::read_post_id;
use crate::postgres::{Statements, Term, term};
use crate::rows::{column, number};
use futures_util::future::try_join_all;
use guanxi_model::post::{PostMarks, PostStats};
use guanxi_model::{Gene, PostId, Result, Uid};
use std::collections::{BTreeMap, BTreeSet};
use tokio_postgres::Row;

/// The columns of marks.
pub(super) const MARK_COLUMNS: usize = 5;

/// The counters of posts, and what a user did with each as far as the database knows it. Nothing if one of the shards is not of the
/// epoch that the map says.
const COUNTED: &str = "select k.id, coalesce(c.likes, 0), coalesce(c.replies, 0), coalesce(c.reposts, 0), \
    l.active is true, r.is_there is true \
    from unnest($1::smallint[], $2::bigint[]) as k(gene, id) \
    left join lateral (select * from gx.post_stats c where c.gene = k.gene and c.id = k.id limit 1) c on true \
    left join lateral (select l.active from gx.liked l where l.gene = $3 and l.uid = $4 and l.post = k.id limit 1) l on true \
    left join lateral (select true as is_there from gx.post r \
    where r.gene = $3 and r.author = $4 and r.ref = k.id and r.kind = 2 and not r.deleted limit 1) r on true \
    where (select count(*) from gx.shard s where s.gene = any($5) \
    and s.epoch = ($6::bigint[])[array_position($5, s.gene)]) = cardinality($5)";

impl ClusterView {
    /// The counters of posts and what a viewer did with them, as they are now. A post is missing if its shard is not where the map
    /// says.
    pub(super) async fn counted(
        &self,
        viewer: Option<Uid>,
        ids: &[PostId],
    ) -> Result<BTreeMap<PostId, PostMarks>> {
        let asks = self.shared.map().by_database(post_keys(ids), |(gene, _)| *gene).into_iter();
        let asks = asks.map(async |(database, keys)| {
            let (genes, terms) = self.counted_terms(viewer, &keys);
            if self.is_told_alone(database) {
                return ask_alone(&self.shared, database, COUNTED, terms).await;
            }
            let statements = Statements::one(COUNTED, terms);
            let rows = self.ask_for(PageRows::Counters, database, genes, statements).await?;
            Ok(rows.into_iter().flatten().collect())
        });
        let rows: Vec<Vec<Row>> = try_join_all(asks).await?;
        rows.iter().flatten().map(|row| Ok((read_post_id(row, 0)?, read_marks(row, 1)))).collect()
    }

    /// The shards of posts, and the terms of [`COUNTED`].
    fn counted_terms(&self, viewer: Option<Uid>, keys: &[(Gene, PostId)]) -> (BTreeSet<Gene>, Vec<Term>) {
        let genes: BTreeSet<Gene> = keys.iter().map(|(gene, _)| *gene).collect();
        let map = self.shared.map();
        let epochs: Vec<i64> = genes.iter().map(|gene| map.epoch(*gene)).collect();
        let mut terms = post_terms(keys);
        terms.extend(user_terms(viewer));
        terms.push(term(genes.iter().map(|gene| i16::from(gene.0)).collect::<Vec<_>>()));
        terms.push(term(epochs));
        (genes, terms)
    }
}

/// The gene and the column of a user who may not be given. There is no user 0.
pub(super) fn user_terms(viewer: Option<Uid>) -> [Term; 2] {
    let (home, uid) = viewer.map_or((-1, 0), |viewer| (i16::from(viewer.gene().0), column(viewer)));
    [term(home), term(uid)]
}

/// Reads the columns of marks, from the given one on.
pub(super) fn read_marks(row: &Row, from: usize) -> PostMarks {
    let count = |nth: usize| number(row, from + nth);
    let stats = PostStats { likes: count(0), replies: count(1), reposts: count(2) };
    PostMarks { stats, liked: row.get(from + 3), reposted: row.get(from + 4) }
}
