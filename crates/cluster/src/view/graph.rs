//! The graph as a view says it.

use super::ClusterView;
use super::relations::read_uid;
use super::requests::mute_terms;
use super::sets::edge;
use crate::postgres::term;
use crate::rows::{column, stamp};
use guanxi_model::user::Standing;
use guanxi_model::{
    Counts, Edge, EdgePage, List, MuteTerms, Page, Position, Relation, RestrictionKind, Result, Uid,
};
use guanxi_ports::{BoxFuture, ExportEdge, FollowedCounts, FollowsAsk, GraphView, KnownFollowers, MarkKind};

const EDGES: &str = "select subject, object, at from gx.follow where active and (subject, object) > ($1, $2) \
    order by subject, object limit $3";
const BLOCKS: &str = "select subject, object, at from gx.block where active and (subject, object) > ($1, $2) \
    order by subject, object limit $3";
const MUTES: &str = "select subject, object, at, reposts_only, until_ms from gx.mute where active and (subject, object) > ($1, $2) \
    order by subject, object limit $3";
const REMOVED: &str = "select subject, object, version from gx.follow where not active and (subject, object) > ($1, $2) \
    order by subject, object limit $3";

/// The first column of the terms of a pair that has some.
const TERMS_AT: usize = 3;

const LEFT_BY: &str = "select subject from gx.follow where object = $1 and not active and subject > $2 order by subject limit $3";
const BLOCKED_BY: &str =
    "select subject from gx.block where object = $1 and active and subject > $2 order by subject limit $3";
const MUTED_BY: &str =
    "select subject from gx.mute where object = $1 and active and subject > $2 order by subject limit $3";

const REMOVED_OF: &str = "select object, version from {s}.follow where gene = $1 and subject = $2 and object > $3 and not active \
    order by object limit $4";

impl ClusterView {
    /// Pairs of all users in the order of both, after one.
    async fn pairs_of_all(
        &self,
        sql: &'static str,
        after: Option<(Uid, Uid)>,
        max: usize,
    ) -> Result<Vec<ExportEdge>> {
        let (subject, object) = after.map_or((0, 0), |(subject, object)| (column(subject), column(object)));
        let limit = i64::try_from(max).unwrap_or(i64::MAX);
        let rows = self.ask_all(sql, || vec![term(subject), term(object), term(limit)]).await?;
        let edge = |row: &tokio_postgres::Row| {
            let (subject, object) = (read_uid(row, 0)?, read_uid(row, 1)?);
            let terms = if row.len() > TERMS_AT { mute_terms(row, TERMS_AT) } else { MuteTerms::default() };
            Ok(ExportEdge { subject, object, at: stamp(row, 2), terms })
        };
        let mut edges = rows.iter().map(edge).collect::<Result<Vec<_>>>()?;
        edges.sort_unstable();
        edges.truncate(max);
        Ok(edges)
    }

    async fn marked_by_all(
        &self,
        object: Uid,
        kind: MarkKind,
        after: Option<Uid>,
        max: usize,
    ) -> Result<Vec<Uid>> {
        let sql = match kind {
            MarkKind::Block => BLOCKED_BY,
            MarkKind::Mute => MUTED_BY,
            MarkKind::RemovedFollow => LEFT_BY,
        };
        let (after, limit) = (after.map_or(0, column), i64::try_from(max).unwrap_or(i64::MAX));
        let rows = self.ask_all(sql, || vec![term(column(object)), term(after), term(limit)]).await?;
        let mut uids = rows.iter().map(|row| read_uid(row, 0)).collect::<Result<Vec<_>>>()?;
        uids.sort_unstable();
        uids.truncate(max);
        Ok(uids)
    }

    async fn removed_follows_of(&self, subject: Uid, after: Option<Uid>, max: usize) -> Result<Vec<Edge>> {
        let home = subject.gene();
        let terms = vec![
            term(i16::from(home.0)),
            term(column(subject)),
            term(after.map_or(0, column)),
            term(i64::try_from(max).unwrap_or(i64::MAX)),
        ];
        self.ask_one(home, REMOVED_OF, terms).await?.iter().map(|row| edge(row, 0)).collect()
    }
}

impl GraphView for ClusterView {
    fn position(&self) -> Position {
        self.stands_at()
    }

    fn relations<'a>(&'a self, subject: Uid, objects: &'a [Uid]) -> BoxFuture<'a, Result<Vec<Relation>>> {
        Box::pin(async move {
            let pairs: Vec<(Uid, Uid)> = objects.iter().map(|object| (subject, *object)).collect();
            self.relations_of(&pairs).await
        })
    }

    fn pairs<'a>(&'a self, pairs: &'a [(Uid, Uid)]) -> BoxFuture<'a, Result<Vec<Relation>>> {
        Box::pin(self.relations_of(pairs))
    }

    fn list(&self, of: Uid, list: List, page: Page) -> BoxFuture<'_, Result<EdgePage>> {
        Box::pin(self.list_of(of, list, page))
    }

    fn counts<'a>(&'a self, uids: &'a [Uid]) -> BoxFuture<'a, Result<Vec<Counts>>> {
        Box::pin(self.counts_of(uids))
    }

    fn known_followers(
        &self,
        viewer: Uid,
        target: Uid,
        page: Page,
        told: Option<Uid>,
    ) -> BoxFuture<'_, Result<KnownFollowers>> {
        Box::pin(self.known_followers_of((viewer, target), page, told))
    }

    fn mutual_following(
        &self,
        a: Uid,
        b: Uid,
        page: Page,
        told: Option<Uid>,
    ) -> BoxFuture<'_, Result<KnownFollowers>> {
        Box::pin(self.mutual_following_of((a, b), page, told))
    }

    fn count_followed<'a>(
        &'a self,
        ask: FollowsAsk<'a>,
        follows_max: usize,
    ) -> BoxFuture<'a, Result<FollowedCounts>> {
        Box::pin(self.count_followed_of(ask, follows_max))
    }

    fn who_follows<'a>(
        &'a self,
        ask: FollowsAsk<'a>,
        objects: &'a [Uid],
    ) -> BoxFuture<'a, Result<Vec<Vec<u32>>>> {
        Box::pin(self.who_follows_of(ask, objects))
    }

    fn standings<'a>(&'a self, uids: &'a [Uid]) -> BoxFuture<'a, Result<Vec<Standing>>> {
        Box::pin(self.standings_of(uids))
    }

    fn all_stand_by_default(&self) -> bool {
        false
    }

    fn edges(&self, after: Option<(Uid, Uid)>, max: usize) -> BoxFuture<'_, Result<Vec<ExportEdge>>> {
        Box::pin(self.pairs_of_all(EDGES, after, max))
    }

    fn restrictions(
        &self,
        kind: RestrictionKind,
        after: Option<(Uid, Uid)>,
        max: usize,
    ) -> BoxFuture<'_, Result<Vec<ExportEdge>>> {
        let sql = match kind {
            RestrictionKind::Block => BLOCKS,
            RestrictionKind::Mute => MUTES,
        };
        Box::pin(self.pairs_of_all(sql, after, max))
    }

    fn marked_by(
        &self,
        object: Uid,
        kind: MarkKind,
        after: Option<Uid>,
        max: usize,
    ) -> BoxFuture<'_, Result<Vec<Uid>>> {
        Box::pin(self.marked_by_all(object, kind, after, max))
    }

    fn removed_follows(
        &self,
        subject: Uid,
        after: Option<Uid>,
        max: usize,
    ) -> BoxFuture<'_, Result<Vec<Edge>>> {
        Box::pin(self.removed_follows_of(subject, after, max))
    }

    fn all_removed_follows(
        &self,
        after: Option<(Uid, Uid)>,
        max: usize,
    ) -> BoxFuture<'_, Result<Vec<ExportEdge>>> {
        Box::pin(self.pairs_of_all(REMOVED, after, max))
    }
}
