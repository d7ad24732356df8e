//! Counters of posts, and what a viewer did with them: from memory as of the cut of a page, else from rows as they are now.
//!
//! They decide nothing, so that a page goes on with those that are of a later moment than the rest of it.

use super::ClusterView;
use super::direct::ask_alone;
use super::outboxes::{post_keys, post_terms};
use super::page::PageRows;
use super::posts::read_post_id;
use super::snapshot::{PLACE_COLUMNS, places_of};
use crate::rows::{column, number, post_column};
use futures_util::future::try_join_all;
use guanxi_memory::cache::Fills;
use guanxi_memory::known::KnownEntry;
use guanxi_memory::known::counters::{HeldMarks, MarkKey};
use guanxi_model::post::{PostMarks, PostStats};
use guanxi_model::{Gene, PostId, Result, Uid};
use guanxi_postgres::{Statements, Term, term};
use std::collections::{BTreeMap, BTreeSet};
use tokio_postgres::Row;

/// The columns of marks, behind which is where the shard of the post stands, and where that of the user does.
pub(super) const MARK_COLUMNS: usize = 5;

/// The columns of counted posts before these.
const COUNTED_COLUMNS: usize = 1;

/// The same of what a user did.
const DID_COLUMNS: usize = 3;

/// The counters of posts, and what a user did with each as far as the database knows it.
const COUNTED: &str = "select k.id, coalesce(c.likes, 0), coalesce(c.replies, 0), coalesce(c.reposts, 0), \
    l.active is true, r.is_there is true, s.gene, s.seq, s.epoch, v.gene, v.seq, v.epoch \
    from unnest($1::smallint[], $2::bigint[]) as k(gene, id) \
    left join lateral (select * from gx.post_stats c where c.gene = k.gene and c.id = k.id limit 1) c on true \
    left join lateral (select l.active from gx.liked l where l.gene = $3 and l.uid = $4 and l.post = k.id limit 1) l on true \
    left join lateral (select true as is_there from gx.post r \
    where r.gene = $3 and r.author = $4 and r.ref = k.id and r.kind = 2 and not r.deleted limit 1) r on true \
    left join lateral (select * from gx.shard s where s.gene = k.gene limit 1) s on true \
    left join lateral (select * from gx.shard v where v.gene = $3 limit 1) v on true";

/// What a user did with posts of other databases.
const DID: &str = "select k.post, l.active is true, r.is_there is true, v.gene, v.seq, v.epoch \
    from unnest($3::bigint[]) as k(post) \
    left join lateral (select l.active from gx.liked l where l.gene = $1 and l.uid = $2 and l.post = k.post limit 1) l on true \
    left join lateral (select true as is_there from gx.post r \
    where r.gene = $1 and r.author = $2 and r.ref = k.post and r.kind = 2 and not r.deleted limit 1) r on true \
    left join lateral (select * from gx.shard v where v.gene = $1 limit 1) v on true";

/// Whether a user likes a post, and reposts it.
pub(super) type Did = (bool, bool);

/// What memory tells of counters and marks, of some posts each.
#[derive(Debug, Default)]
pub(super) struct ToldCounts {
    pub stats: BTreeMap<PostId, PostStats>,
    pub did: BTreeMap<PostId, Did>,
}

/// Registered fills of the counters of posts, and of what a viewer did with them.
pub(super) struct CountFills<'c> {
    viewer: Option<Uid>,
    ids: Vec<PostId>,
    stats: Fills<'c, KnownEntry<PostStats>>,
    /// Of the posts of the viewer's database.
    marks: (Vec<PostId>, Fills<'c, KnownEntry<HeldMarks>>),
    /// Up to where memory was told of the logs.
    told: BTreeMap<Gene, u64>,
}

impl ClusterView {
    /// What memory tells of posts as of the cut of this view: counters, and what a viewer did with them.
    pub(super) async fn told_counts(&self, viewer: Option<Uid>, ids: &[PostId]) -> Result<ToldCounts> {
        let mut told = ToldCounts::default();
        let Some(viewer) = viewer else {
            told.did = ids.iter().map(|id| (*id, Did::default())).collect();
            return self.told_stats(told, ids).await;
        };
        let memory = &self.shared().memory;
        if self.shared().options.memory.marks > 0
            && let Some(cut) = self.cut_of([viewer.gene()]).await?
        {
            let keys: Vec<MarkKey> = ids.iter().map(|id| MarkKey::new(viewer, *id)).collect();
            let held = memory.marks.at(&keys, &cut);
            let did = ids.iter().zip(held).filter_map(|(id, held)| Some((*id, held?.of(viewer, *id)?)));
            told.did = did.collect();
        }
        self.told_stats(told, ids).await
    }

    async fn told_stats(&self, mut told: ToldCounts, ids: &[PostId]) -> Result<ToldCounts> {
        if self.shared().options.memory.counters > 0
            && let Some(cut) = self.cut_of(ids.iter().map(|id| id.gene())).await?
        {
            let held = self.shared().memory.counters.at(ids, &cut);
            told.stats = ids.iter().zip(held).filter_map(|(id, stats)| Some((*id, stats?))).collect();
        }
        Ok(told)
    }

    /// The counters of posts and what a viewer did with them, as they are now; of posts of other databases than the viewer's without
    /// the latter. Memory keeps them.
    pub(super) async fn counted(
        &self,
        viewer: Option<Uid>,
        ids: &[PostId],
    ) -> Result<BTreeMap<PostId, PostMarks>> {
        let fills = self.begin_counting(viewer, ids);
        let asks = self.shared.map().by_database(post_keys(ids), |(gene, _)| *gene).into_iter();
        let asks = asks.map(async |(database, keys)| {
            let terms = post_terms(&keys).into_iter().chain(user_terms(viewer)).collect();
            let genes = keys.iter().map(|(gene, _)| *gene).collect();
            let rows = self.ask_counters(database, genes, COUNTED, terms).await?;
            self.placed(database, rows, COUNTED_COLUMNS + MARK_COLUMNS)
        });
        let asked: Vec<(Vec<Row>, Places)> = try_join_all(asks).await?;
        let rows = asked.iter().flat_map(|(rows, _)| rows);
        let found = rows.map(|row| Ok((read_post_id(row, 0)?, read_marks(row, COUNTED_COLUMNS))));
        let found = found.collect::<Result<BTreeMap<PostId, PostMarks>>>()?;
        self.keep_counts(fills, &found, asked.into_iter().map(|(_, places)| places));
        Ok(found)
    }

    /// What a viewer did with posts, of those that are in other databases than the viewer and that memory does not tell: its own
    /// database says it.
    pub(super) async fn did_elsewhere(
        &self,
        viewer: Option<Uid>,
        ids: impl Iterator<Item = PostId>,
    ) -> Result<BTreeMap<PostId, Did>> {
        let Some(viewer) = viewer else { return Ok(BTreeMap::new()) };
        let (map, home) = (self.shared.map(), viewer.gene());
        let database = map.database(home);
        let ids: Vec<PostId> = ids.filter(|id| map.database(id.gene()) != database).collect();
        if ids.is_empty() {
            return Ok(BTreeMap::new());
        }
        let fills = self.keeps_counts().then(|| {
            let keys = ids.iter().map(|id| MarkKey::new(viewer, *id));
            self.shared.memory.marks.begin_fills(keys)
        });
        let told = self.told_of([home]);
        let posts: Vec<i64> = ids.iter().map(|id| post_column(*id)).collect();
        let terms = vec![term(i16::from(home.0)), term(column(viewer)), term(posts)];
        let rows = self.ask_counters(database, BTreeSet::from([home]), DID, terms).await?;
        let seq = places_of(&self.shared, database, &rows, DID_COLUMNS)?.get(&home).copied();
        let did = rows.iter().map(|row| Ok((read_post_id(row, 0)?, (row.get(1), row.get(2)))));
        let did = did.collect::<Result<BTreeMap<PostId, Did>>>()?;
        if let Some(fills) = fills {
            let seq = seq.filter(|seq| self.may_keep_read(&told, (home, *seq), *seq));
            let entry = |id: &PostId| Some(HeldMarks::entry(seq?, (viewer, *id), *did.get(id)?));
            fills.keep(ids.iter().map(entry));
        }
        Ok(did)
    }

    /// Asks a database for counters or marks: without a snapshot, if memory has told all else of it.
    async fn ask_counters(
        &self,
        database: usize,
        genes: BTreeSet<Gene>,
        sql: &'static str,
        terms: Vec<Term>,
    ) -> Result<Vec<Row>> {
        if self.is_told_alone(database) {
            return ask_alone(&self.shared, database, sql, terms).await;
        }
        let rows = self.ask_for(PageRows::Counters, database, genes, Statements::one(sql, terms)).await?;
        Ok(rows.into_iter().flatten().collect())
    }

    /// Whether memory keeps counters and marks that this view reads.
    fn keeps_counts(&self) -> bool {
        let memory = &self.shared().options.memory;
        self.page.is_some() && memory.counters > 0 && memory.marks > 0
    }

    /// Registers fills of what is about to be read of posts. None if nothing of it is to be kept.
    pub(super) fn begin_counting(&self, viewer: Option<Uid>, ids: &[PostId]) -> Option<CountFills<'_>> {
        if !self.keeps_counts() || ids.is_empty() {
            return None;
        }
        let (map, memory) = (self.shared().map(), &self.shared().memory);
        let home = viewer.map(|viewer| map.database(viewer.gene()));
        let is_at_home = |id: &&PostId| Some(map.database(id.gene())) == home;
        let own: Vec<PostId> = ids.iter().filter(is_at_home).copied().collect();
        let keys = viewer.into_iter().flat_map(|viewer| own.iter().map(move |id| MarkKey::new(viewer, *id)));
        let marks = memory.marks.begin_fills(keys);
        let stats = memory.counters.begin_fills(ids.iter().copied());
        let genes = ids.iter().map(|id| id.gene()).chain(viewer.map(Uid::gene));
        let told = self.told_of(genes);
        Some(CountFills { viewer, ids: ids.to_vec(), stats, marks: (own, marks), told })
    }

    /// Where the shards of posts and that of a user stood when rows of a database were read, by their columns from the given one on.
    pub(super) fn placed(&self, database: usize, rows: Vec<Row>, from: usize) -> Result<(Vec<Row>, Places)> {
        let posts = places_of(&self.shared, database, &rows, from)?;
        let user = places_of(&self.shared, database, &rows, from + PLACE_COLUMNS)?;
        Ok((rows, Places { posts, user }))
    }

    /// Has memory keep what was read of posts. What was read beyond the last look is not kept, as the next reader's is.
    pub(super) fn keep_counts(
        &self,
        fills: Option<CountFills<'_>>,
        found: &BTreeMap<PostId, PostMarks>,
        places: impl Iterator<Item = Places>,
    ) {
        let Some(CountFills { viewer, ids, stats, marks: (own, marks), told }) = fills else { return };
        let mut all = Places::default();
        places.for_each(|some| {
            all.posts.extend(some.posts);
            all.user.extend(some.user);
        });
        let kept = |places: &BTreeMap<Gene, u64>, gene: Gene| {
            places.get(&gene).copied().filter(|seq| self.may_keep_read(&told, (gene, *seq), *seq))
        };
        stats.keep(
            ids.iter().map(|id| Some(KnownEntry::new(kept(&all.posts, id.gene())?, found.get(id)?.stats))),
        );
        let seq = viewer.and_then(|viewer| kept(&all.user, viewer.gene()));
        marks.keep(own.iter().map(|id| {
            let PostMarks { liked, reposted, .. } = *found.get(id)?;
            Some(HeldMarks::entry(seq?, (viewer?, *id), (liked, reposted)))
        }));
    }
}

/// Where the shards of posts stood, and that of a user.
#[derive(Debug, Default)]
pub(super) struct Places {
    pub posts: BTreeMap<Gene, u64>,
    pub user: BTreeMap<Gene, u64>,
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
