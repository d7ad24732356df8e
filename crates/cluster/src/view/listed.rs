//! A page of a list from memory, with how its users stand.
//!
//! The edges are as of the last look at the database of the list, and how a user stands is as of the last look at the database of that
//! user. A list needs no database but its own: where a look at another one is too old, the database of the list is asked, which has
//! a copy of how every user stands.

use super::direct::{acted_marks, ask_alone, looked_since, may_keep_answer, told_up_to};
use super::relations::read_uid;
use super::snapshot::places_of;
use crate::rows::{read_standing, standing_columns, uid_terms};
use crate::store::ClusterCore;
use futures_util::future::try_join_all;
use guanxi_memory::cut::{CutPlace, GeneCut};
use guanxi_memory::first_pages::Held;
use guanxi_memory::known::KnownEntry;
use guanxi_model::user::Standing;
use guanxi_model::{Edge, EdgePage, Error, Gene, List, LogId, Logs, Page, PageStart, Position, Result, Uid};
use guanxi_postgres::Fault;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, timeout};

/// How users stand, each as its own shard says, with where that shard is.
const STANDINGS_AT: &str = concat!(
    "select s.gene, s.seq, s.epoch, k.uid, t.uid is not null, ",
    standing_columns!(),
    " from unnest($1::smallint[], $2::bigint[]) as k(gene, uid) \
    cross join lateral (select * from gx.shard s where s.gene = k.gene limit 1) s \
    left join lateral (select * from gx.account t where t.gene = k.gene and t.uid = k.uid limit 1) t on true"
);

/// How long other databases are waited for: the database of the list knows it, too.
const STANDINGS_WAIT: Duration = Duration::from_millis(200);

/// The columns of [`STANDINGS_AT`]: the user, and whether the user has an account; how that stands follows.
const UID_AT: usize = 3;
const IS_TOLD_AT: usize = 4;

/// A page of a list, and how each of its users stands.
pub(super) struct ListedPage {
    pub(super) page: EdgePage,
    pub(super) standings: Vec<Standing>,
    /// The last event of the log of the list that it includes.
    pub(super) seq: u64,
}

/// Tells a page from memory. None if memory lacks it, or looks at other databases are too old.
pub(super) async fn in_memory(
    shared: &Arc<ClusterCore>,
    (of, list, page): (Uid, List, Page),
    at_least: Option<&Position>,
) -> Result<Option<ListedPage>> {
    let Some((edges, seq)) = edges(shared, (of, list, page), at_least).await? else { return Ok(None) };
    let page = EdgePage::cut(edges, page.size());
    let uids: Vec<Uid> = page.items.iter().map(|edge| edge.uid).collect();
    let standings = standings(shared, &uids).await?;
    Ok(standings.map(|standings| ListedPage { page, standings, seq }))
}

/// The edges of a page and one more if the list goes on, and the last event of its log that they include.
async fn edges(
    shared: &Arc<ClusterCore>,
    (of, list, page): (Uid, List, Page),
    at_least: Option<&Position>,
) -> Result<Option<(Vec<Edge>, u64)>> {
    let after = match page.start() {
        PageStart::Newest => None,
        PageStart::After(cursor) => Some(cursor.0),
        PageStart::Offset(_) => return Ok(None),
    };
    let Some(pages) = shared.memory.lists.of(list).filter(|_| shared.options.memory.lists > 0) else {
        return Ok(None);
    };
    let (gene, database) = (of.gene(), shared.map().database(of.gene()));
    let now = Instant::now();
    // What follows from acts of the caller is applied by now: a look that begins now brings it.
    let since = if acted_marks(at_least).is_empty() { oldest(shared, now) } else { now };
    let Some(seq) = looked_since(shared, database, gene, since).await? else { return Ok(None) };
    let cut = GeneCut::default().with(&[(Logs::PerGene.of_gene(gene), CutPlace { seq, ids_high: 0 })]);
    Ok(match pages.page(of, &cut, after, page.size() + 1) {
        Held::All(edges) => Some((edges, seq)),
        Held::Floor(_) => None,
    })
}

/// When a look must have begun for a caller who names nothing.
fn oldest(shared: &ClusterCore, now: Instant) -> Instant {
    now.checked_sub(shared.options.staleness).unwrap_or(now)
}

/// How users stand, each as its own shard says. None where the last look at one of their databases is too old, or a database cannot be
/// asked about the users that memory lacks.
async fn standings(shared: &Arc<ClusterCore>, uids: &[Uid]) -> Result<Option<Vec<Standing>>> {
    let Some(cut) = cut(shared, uids) else { return Ok(None) };
    let told = shared.memory.standings.at(uids, &cut);
    let missing: Vec<Uid> =
        uids.iter().zip(&told).filter(|(_, told)| told.is_none()).map(|(uid, _)| *uid).collect();
    let read = if missing.is_empty() {
        BTreeMap::new()
    } else {
        // It goes on when it is not waited for any more: a question that is given up ends its connection, which others share.
        let asked = tokio::spawn(read_standings(shared.clone(), missing));
        let Ok(Ok(Ok(read))) = timeout(STANDINGS_WAIT, asked).await else { return Ok(None) };
        read
    };
    let standing = |(uid, told): (&Uid, Option<Standing>)| told.or_else(|| read.get(uid).copied());
    Ok(uids.iter().zip(told).map(standing).collect())
}

/// Where the logs of users stood at the last looks, if these are new enough and have all that this process knows to be there.
fn cut(shared: &ClusterCore, uids: &[Uid]) -> Option<GeneCut> {
    let (map, since) = (shared.map(), oldest(shared, Instant::now()));
    let genes: BTreeSet<Gene> = uids.iter().map(|uid| uid.gene()).collect();
    let mut places: Vec<(LogId, CutPlace)> = Vec::new();
    for (database, genes) in map.by_database(genes, |gene| *gene) {
        let logs = genes.iter().map(|gene| (*gene, map.epoch(*gene)));
        places.extend(shared.tails[database].places_since(logs, since)?);
    }
    let has_all = |(log, place): &(LogId, CutPlace)| place.seq >= shared.head(Gene(log.0));
    places.iter().all(has_all).then(|| GeneCut::default().with(&places))
}

/// Asks the shards of users how these stand, and keeps it. A user whose shard is moving is left out.
async fn read_standings(shared: Arc<ClusterCore>, uids: Vec<Uid>) -> Result<BTreeMap<Uid, Standing>> {
    let shared = &shared;
    let map = shared.map();
    let asks = map.by_database(uids, |uid| uid.gene()).into_iter();
    let answers = asks.map(async |(database, uids)| {
        let fills = shared.memory.standings.begin_fills(uids.iter().copied());
        let keys: Vec<(Gene, Uid)> = uids.iter().map(|uid| (uid.gene(), *uid)).collect();
        let told: BTreeMap<Gene, Option<u64>> =
            keys.iter().map(|(gene, _)| (*gene, told_up_to(shared, *gene))).collect();
        let rows = ask_alone(shared, database, STANDINGS_AT, uid_terms(&keys)).await?;
        let places = places_of(shared, database, &rows, 0)?;
        places.iter().for_each(|(gene, seq)| shared.note_read(*gene, *seq));
        let mut found = BTreeMap::new();
        for row in &rows {
            let is_told: bool = row.get(IS_TOLD_AT);
            let standing =
                if is_told { Some(read_standing(row, IS_TOLD_AT + 1).map_err(Fault::told)?.1) } else { None };
            found.insert(read_uid(row, UID_AT)?, standing.unwrap_or_default());
        }
        found.retain(|uid, _| places.contains_key(&uid.gene()));
        let kept = |uid: &Uid| {
            let (gene, seq) = (uid.gene(), *places.get(&uid.gene())?);
            let is_kept = may_keep_answer(shared, gene, told.get(&gene).copied().flatten(), seq);
            is_kept.then_some(KnownEntry::new(seq, *found.get(uid)?))
        };
        fills.keep(uids.iter().map(kept));
        Ok::<_, Error>(found)
    });
    Ok(try_join_all(answers).await?.into_iter().flatten().collect())
}
