//! Posts with all that a page shows of them. What memory tells costs no question.

use super::ClusterView;
use super::counted::{MARK_COLUMNS, Places, read_marks, user_terms};
use super::direct::ask_alone;
use super::outboxes::{post_keys, post_terms};
use super::page::PageRows;
use super::snapshot::moving;
use crate::rows::{gene, whole_post, whole_post_columns};
use crate::tail::SHOWN_POSTS;
use futures_util::future::try_join_all;
use guanxi_memory::known::posts::HeldPost;
use guanxi_model::limits::{POSTS_MAX, READ_BYTES_MAX};
use guanxi_model::post::{Post, PostMarks};
use guanxi_model::{Gene, PostId, Result, Uid};
use guanxi_ports::first_shown;
use guanxi_postgres::{Statements, Term};
use std::collections::BTreeMap;
use tokio_postgres::Row;

/// Posts that are asked for at once: as many as an answer may have bodies of the greatest length, at about that.
const AT_ONCE: usize = POSTS_MAX as usize;

/// Where the columns beside a whole post begin.
const BESIDE: usize = 19;

/// Where those begin that say where the shard of the post stands, and that of the user.
const PLACE: usize = BESIDE + MARK_COLUMNS;

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

/// A post with its counters, and what a user did with it.
type Shown = (Post, PostMarks);

impl ClusterView {
    /// Posts with their counters and what a viewer did with them, in order.
    pub(super) async fn shown_of(&self, viewer: Option<Uid>, ids: &[PostId]) -> Result<Vec<Option<Shown>>> {
        let (mut shown, mut room) = (Vec::with_capacity(ids.len().min(AT_ONCE)), READ_BYTES_MAX);
        for some in ids.chunks(AT_ONCE) {
            let found = self.shown_rows(viewer, some).await?;
            for id in some {
                let found = found.get(id).cloned();
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

    /// The same of those that there are. What memory lacks is asked of each database by one statement.
    async fn shown_rows(&self, viewer: Option<Uid>, ids: &[PostId]) -> Result<BTreeMap<PostId, Shown>> {
        let told = self.told_posts(ids).await?;
        let known: Vec<PostId> = told.keys().copied().collect();
        let counts = self.told_counts(viewer, &known).await?;
        let unread: Vec<PostId> = ids.iter().filter(|id| !told.contains_key(id)).copied().collect();
        let (map, home) = (self.shared.map(), viewer.map(Uid::gene));
        let is_at_home = |id: PostId| home.is_none_or(|home| map.database(home) == map.database(id.gene()));
        let lacks =
            |id: &PostId| !counts.stats.contains_key(id) || is_at_home(*id) && !counts.did.contains_key(id);
        let uncounted: Vec<PostId> = known.iter().filter(|id| lacks(id)).copied().collect();
        let lacking = unread.len() + uncounted.len();
        metrics::counter!(SHOWN_POSTS, "outcome" => "hit")
            .increment((ids.len() - lacking.min(ids.len())) as u64);
        metrics::counter!(SHOWN_POSTS, "outcome" => "miss").increment(lacking as u64);
        let unmarked = ids.iter().filter(|id| !counts.did.contains_key(id)).copied();
        let (mut found, counted, did) = tokio::try_join!(
            self.read_shown(viewer, &unread),
            self.counted(viewer, &uncounted),
            self.did_elsewhere(viewer, unmarked)
        )?;
        for (id, post) in told {
            let stats = counts.stats.get(&id).copied().unwrap_or_default();
            let told = PostMarks { stats, ..PostMarks::default() };
            found.insert(id, (post, counted.get(&id).copied().unwrap_or(told)));
        }
        for (id, (_, marks)) in &mut found {
            if let Some(did) = did.get(id).or_else(|| counts.did.get(id)) {
                (marks.liked, marks.reposted) = *did;
            }
        }
        Ok(found)
    }

    /// Posts that memory tells as of the cut of this view.
    async fn told_posts(&self, ids: &[PostId]) -> Result<BTreeMap<PostId, Post>> {
        if self.shared.options.memory.posts == 0 {
            return Ok(BTreeMap::new());
        }
        let Some(cut) = self.cut_of(ids.iter().map(|id| id.gene())).await? else {
            return Ok(BTreeMap::new());
        };
        let told = self.shared.memory.posts.at(ids, &cut);
        let told = ids.iter().zip(told).filter_map(|(id, held)| Some((*id, held?.post()?.clone())));
        let told: BTreeMap<PostId, Post> = told.collect();
        self.note_told([], told.keys().copied());
        Ok(told)
    }

    /// Reads posts with their counters; memory keeps both.
    async fn read_shown(&self, viewer: Option<Uid>, ids: &[PostId]) -> Result<BTreeMap<PostId, Shown>> {
        if ids.is_empty() {
            return Ok(BTreeMap::new());
        }
        let (asked, map) = (self.rows_of(ids), self.shared.map());
        let is_kept = self.page.is_some() && self.shared.options.memory.posts > 0;
        let fills = is_kept.then(|| self.shared.memory.posts.begin_fills(ids.iter().copied()));
        let counts = self.begin_counting(viewer, ids);
        let told = self.told_of(ids.iter().map(|id| id.gene()));
        let asks =
            map.by_database(post_keys(ids), |(gene, _)| *gene).into_iter().map(async |(database, keys)| {
                let terms = post_terms(&keys).into_iter().chain(user_terms(viewer)).collect();
                if asked == PageRows::Contents && self.is_told_alone(database) {
                    return self.read_at_once(database, terms).await;
                }
                let statements = Statements::one(SHOWN, terms);
                let genes = keys.iter().map(|(gene, _)| *gene).collect();
                let rows = self.ask_for(asked, database, genes, statements).await?;
                self.placed(database, rows.into_iter().flatten().collect(), PLACE)
            });
        let (mut found, mut places) = (BTreeMap::new(), Vec::new());
        for (rows, some) in try_join_all(asks).await? {
            places.push(some);
            for row in &rows {
                let (post, _) = whole_post(row)?;
                found.insert(post.header.id, (post, read_marks(row, BESIDE)));
            }
        }
        if let Some(fills) = fills {
            let seqs: BTreeMap<Gene, u64> = places.iter().flat_map(|places| places.posts.clone()).collect();
            self.catch_up_to(&seqs).await?;
            let entry = |id: &PostId| {
                let ((post, _), seq) = (found.get(id)?, seqs.get(&id.gene())?);
                let is_kept = self.may_keep_read(&told, (id.gene(), *seq), *seq);
                HeldPost::entry(*seq, post).filter(|_| is_kept)
            };
            fills.keep(ids.iter().map(entry));
        }
        let marks = found.iter().map(|(id, (_, marks))| (*id, *marks)).collect();
        self.keep_counts(counts, &marks, places.into_iter());
        Ok(found)
    }

    /// What posts say, in one round trip and without a snapshot: where their shards stood by then comes with them.
    async fn read_at_once(&self, database: usize, terms: Vec<Term>) -> Result<(Vec<Row>, Places)> {
        let rows = ask_alone(&self.shared, database, SHOWN, terms).await?;
        let (rows, places) = self.placed(database, rows, PLACE)?;
        for row in &rows {
            if !places.posts.contains_key(&gene(row, 0)?) {
                return Err(moving(&self.shared));
            }
        }
        if let Some(page) = &self.page {
            page.note_read(database, places.posts.clone(), places.user.clone());
        }
        Ok((rows, places))
    }
}
