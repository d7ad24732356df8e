//! The users whom users have dismissed, and the users with whom they have the highest scores.

use super::ClusterView;
use super::relations::read_uid;
use super::sets::edge;
use crate::rows::{column, limit, number, uid_terms};
use guanxi_model::affinity::{Affinities, Affinity, Score};
use guanxi_model::{Edge, Result, Uid};
use guanxi_postgres::term;

const DISMISSED: &str = "select t.uid, t.at from unnest($1::smallint[], $2::bigint[]) as k(gene, uid) \
    cross join lateral (select * from gx.dismissed t where t.gene = k.gene and t.viewer = k.uid offset 0) t";
pub(super) const DISMISSED_BY: &str =
    "select viewer from gx.dismissed where uid = $1 and viewer > $2 order by viewer limit $3";
const HALF_LIFE: &str = "select t.half_life_ms from unnest($1::smallint[], $2::bigint[]) as k(gene, uid) \
    cross join lateral (select * from gx.affinity_half_life t \
    where t.gene = k.gene and t.actor = k.uid limit 1) t";
const SCORES: &str = "select t.uid, t.score from unnest($1::smallint[], $2::bigint[]) as k(gene, uid) \
    cross join lateral (select * from gx.affinity t where t.gene = k.gene and t.actor = k.uid offset 0) t";
pub(super) const SCORED_BY: &str =
    "select actor from gx.affinity where uid = $1 and actor > $2 order by actor limit $3";

impl ClusterView {
    /// At most so many that no index orders them: all of a user are asked for at once.
    pub(super) async fn dismissed_of(&self, viewer: Uid) -> Result<Vec<Edge>> {
        let home = viewer.gene();
        let rows = self.ask_one(home, DISMISSED, uid_terms(&[(home, viewer)])).await?;
        let mut edges = rows.iter().map(|row| edge(row, 0)).collect::<Result<Vec<_>>>()?;
        edges.sort_unstable_by(|a, b| b.cmp(a));
        Ok(edges)
    }

    pub(super) async fn affinities_of(&self, actor: Uid) -> Result<Affinities> {
        let answers = self.ask_each([(actor.gene(), actor)], &[HALF_LIFE, SCORES], uid_terms).await?;
        let mut affinities = Affinities::default();
        let [half_life, scores] = &answers[..] else { return Ok(affinities) };
        affinities.half_life_ms = half_life.first().map_or(0, |row| number(row, 0));
        for row in scores {
            let score = Score::from_raw(number(row, 1));
            affinities.all.push(Affinity { uid: read_uid(row, 0)?, score });
        }
        Ok(affinities.ranked())
    }

    /// Users of whom rows of all shards lead to another one, in order, after one.
    pub(super) async fn users_by(
        &self,
        sql: &'static str,
        uid: Uid,
        after: Option<Uid>,
        max: usize,
    ) -> Result<Vec<Uid>> {
        let (after, limit) = (after.map_or(0, column), limit(max));
        let rows = self.ask_all(sql, || vec![term(column(uid)), term(after), term(limit)]).await?;
        let mut users = rows.iter().map(|row| read_uid(row, 0)).collect::<Result<Vec<_>>>()?;
        users.sort_unstable();
        users.truncate(max);
        Ok(users)
    }
}
