//! Views of posts, and whether what a user did stands wherever it belongs.

use super::log::heads;
use super::{ClusterCore, ClusterStore};
use crate::derive::{Marks, marks, read_marks};
use crate::view::{ClusterView, list, relations};
use guanxi_model::{EventAt, Gene, Position, Relation, Result, Uid};
use guanxi_ports::{BoxFuture, ListAnswer, ListAsk, Store, StoreView};
use guanxi_postgres::{Statements, term};
use guanxi_shard::apply::Targets;
use std::sync::Arc;

const CONCERNS: &str = "select exists (select from unnest($2::smallint[]) as p(peer) \
    cross join lateral (select from gx.log t where t.gene = $1 and t.peer = p.peer and t.seq > $3 and t.seq <= $4 \
    and t.origin is null limit 1) e)";

impl Store for ClusterStore {
    fn view<'a>(&'a self, at_least: Option<&'a Position>) -> BoxFuture<'a, Result<Box<dyn StoreView>>> {
        Box::pin(async move {
            let view = ClusterView::open(&self.shared, at_least).await?;
            Ok(Box::new(view) as Box<dyn StoreView>)
        })
    }

    fn page_view<'a>(&'a self, at_least: Option<&'a Position>) -> BoxFuture<'a, Result<Box<dyn StoreView>>> {
        Box::pin(async move {
            let view = ClusterView::open_for_page(&self.shared, at_least).await?;
            Ok(Box::new(view) as Box<dyn StoreView>)
        })
    }

    fn relations<'a>(
        &'a self,
        subject: Uid,
        objects: &'a [Uid],
        at_least: Option<&'a Position>,
    ) -> BoxFuture<'a, Result<(Vec<Relation>, Position)>> {
        Box::pin(relations(&self.shared, subject, objects, at_least))
    }

    fn list<'a>(&'a self, ask: ListAsk, at_least: Option<&'a Position>) -> BoxFuture<'a, Result<ListAnswer>> {
        Box::pin(async move {
            match list(&self.shared, ask, at_least).await? {
                Some(answer) => Ok(answer),
                None => ask.in_view(&*self.view(at_least).await?).await,
            }
        })
    }

    fn is_applied(&self, uid: Uid, at: EventAt) -> BoxFuture<'_, Result<bool>> {
        Box::pin(async move { self.is_applied_everywhere(uid.gene(), at.seq()).await })
    }
}

impl ClusterStore {
    async fn is_applied_everywhere(&self, source: Gene, seq: u64) -> Result<bool> {
        let appliers = self.shared.appliers()?;
        for (index, database) in self.shared.served.iter().enumerate() {
            if appliers.applied(index).get(source) >= seq {
                continue;
            }
            let mut marks = read_marks(&database.asks.rows(&marks([&source])).await?)?;
            let mark = marks.remove(&source).unwrap_or_default();
            let whole = mark.whole();
            appliers.applied(index).note(source, mark);
            if whole < seq && self.concerns(index, source, (whole, seq)).await? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns whether events of a log after one and up to another concern shards of a database.
    async fn concerns(&self, database: usize, source: Gene, (after, upto): (u64, u64)) -> Result<bool> {
        let map = self.shared.map();
        let peers: Vec<i16> = map.genes(database).map(|gene| gene.0.into()).collect();
        let terms =
            vec![term(i16::from(source.0)), term(peers), term(after.cast_signed()), term(upto.cast_signed())];
        let asked = Statements::one(CONCERNS, terms);
        let from = &self.shared.served[map.database(source)];
        let rows = from.asks.rows(&asked).await?;
        Ok(rows.iter().any(|row| row.get(0)))
    }

    /// Applies everything that the logs have now to every database.
    ///
    /// # Errors
    /// When a database cannot be asked.
    pub async fn settle(&self) -> Result<()> {
        settle(&self.shared).await.map(drop)
    }
}

/// Applies everything that the logs have now to every database; returns where they stood.
pub(crate) async fn settle(shared: &Arc<ClusterCore>) -> Result<Position> {
    let heads = heads(shared).await?;
    let marks: Marks = heads.marks().map(|(log, mark)| (Gene(log.0), mark.seen)).collect();
    let appliers = shared.appliers()?;
    let reach = |database| appliers.reach(database, marks.clone(), Targets::All);
    let all = futures_util::future::join_all((0..shared.served.len()).map(reach)).await;
    all.into_iter().collect::<Result<()>>()?;
    Ok(heads)
}
