//! The graph as a view says it.

use super::ClusterView;
use super::relations::read_uid;
use super::requests::mute_terms;
use super::sets::edge;
use crate::rows::{column, limit, stamp};
use guanxi_model::{Edge, MuteTerms, Result, Uid};
use guanxi_ports::{ExportEdge, MarkKind};
use guanxi_postgres::term;

pub(super) const EDGES: &str = "select subject, object, at from gx.follow where active and (subject, object) > ($1, $2) \
    order by subject, object limit $3";
pub(super) const BLOCKS: &str = "select subject, object, at from gx.block where active and (subject, object) > ($1, $2) \
    order by subject, object limit $3";
pub(super) const MUTES: &str = "select subject, object, at, reposts_only, until_ms from gx.mute where active and (subject, object) > ($1, $2) \
    order by subject, object limit $3";
pub(super) const REMOVED: &str = "select subject, object, version from gx.follow where not active and (subject, object) > ($1, $2) \
    order by subject, object limit $3";

/// The first column of the terms of a pair that has some.
const TERMS_AT: usize = 3;

const LEFT_BY: &str = "select subject from gx.follow where object = $1 and not active and subject > $2 order by subject limit $3";
const BLOCKED_BY: &str =
    "select subject from gx.block where object = $1 and active and subject > $2 order by subject limit $3";
const MUTED_BY: &str =
    "select subject from gx.mute where object = $1 and active and subject > $2 order by subject limit $3";

const REMOVED_OF: &str = "select object, version from gx.follow where gene = $1 and subject = $2 and object > $3 \
    and (not active) is true order by object limit $4";

impl ClusterView {
    /// Pairs of all users in the order of both, after one.
    pub(super) async fn pairs_of_all(
        &self,
        sql: &'static str,
        after: Option<(Uid, Uid)>,
        max: usize,
    ) -> Result<Vec<ExportEdge>> {
        let (subject, object) = after.map_or((0, 0), |(subject, object)| (column(subject), column(object)));
        let limit = limit(max);
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

    pub(super) async fn marked_by_all(
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
        let (after, limit) = (after.map_or(0, column), limit(max));
        let rows = self.ask_all(sql, || vec![term(column(object)), term(after), term(limit)]).await?;
        let mut uids = rows.iter().map(|row| read_uid(row, 0)).collect::<Result<Vec<_>>>()?;
        uids.sort_unstable();
        uids.truncate(max);
        Ok(uids)
    }

    pub(super) async fn removed_follows_of(
        &self,
        subject: Uid,
        after: Option<Uid>,
        max: usize,
    ) -> Result<Vec<Edge>> {
        let home = subject.gene();
        let terms = vec![
            term(i16::from(home.0)),
            term(column(subject)),
            term(after.map_or(0, column)),
            term(limit(max)),
        ];
        self.ask_one(home, REMOVED_OF, terms).await?.iter().map(|row| edge(row, 0)).collect()
    }
}
