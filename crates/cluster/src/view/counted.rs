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
use guanxi_model::{PostId, Result, Uid};
use std::collections::BTreeMap;
use tokio_postgres::Row;

/// The columns of marks.
pub(super) const MARK_COLUMNS: usize = 5;

/// The counters of posts, and what a user did with each as far as the database knows it. It does not ask of which epoch the shards
/// are: that the cut of the view tells of them says that a look has found them here, and counters decide nothing.
const COUNTED: &str = "select k.id, coalesce(c.likes, 0), coalesce(c.replies, 0), coalesce(c.reposts, 0), \
    l.active is true, r.is_there is true \
    from unnest($1::smallint[], $2::bigint[]) as k(gene, id) \
    left join lateral (select * from gx.post_stats c where c.gene = k.gene and c.id = k.id limit 1) c on true \
    left join lateral (select l.active from gx.liked l where l.gene = $3 and l.uid = $4 and l.post = k.id limit 1) l on true \
    left join lateral (select true as is_there from gx.post r \
    where r.gene = $3 and r.author = $4 and r.ref = k.id and r.kind = 2 and not r.deleted limit 1) r on true";

impl ClusterView {
    /// The counters of posts that memory tells, and what a viewer did with them, as they are now.
    pub(super) async fn counted(
        &self,
        viewer: Option<Uid>,
        ids: &[PostId],
    ) -> Result<BTreeMap<PostId, PostMarks>> {
        let asks = self.shared.map().by_database(post_keys(ids), |(gene, _)| *gene).into_iter();
        let asks = asks.map(async |(database, keys)| {
            let terms = post_terms(&keys).into_iter().chain(user_terms(viewer)).collect();
            if self.is_told_alone(database) {
                return ask_alone(&self.shared, database, COUNTED, terms).await;
            }
            let genes = keys.iter().map(|(gene, _)| *gene).collect();
            let statements = Statements::one(COUNTED, terms);
            let rows = self.ask_for(PageRows::Counters, database, genes, statements).await?;
            Ok(rows.into_iter().flatten().collect())
        });
        let rows: Vec<Vec<Row>> = try_join_all(asks).await?;
        rows.iter().flatten().map(|row| Ok((read_post_id(row, 0)?, read_marks(row, 1)))).collect()
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
