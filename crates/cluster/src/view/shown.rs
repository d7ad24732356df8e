//! Posts with all that a page shows of them: what memory tells of them costs no question but for their counters.

use super::ClusterView;
use super::counted::{MARK_COLUMNS, read_marks, user_terms};
use super::direct::ask_alone;
use super::outboxes::{post_keys, post_terms};
use super::page::PageRows;
use super::posts::read_post_id;
use super::snapshot::{PLACE_COLUMNS, moving, places_of};
use crate::postgres::{Statements, Term, term};
use crate::rows::{column, gene, post_column, whole_post, whole_post_columns};
use futures_util::future::try_join_all;
use guanxi_memory::known::posts::HeldPost;
use guanxi_model::limits::{POSTS_MAX, READ_BYTES_MAX};
use guanxi_model::post::{Post, PostMarks};
use guanxi_model::{Gene, PostId, Result, Uid};
use guanxi_ports::first_shown;
use std::collections::BTreeMap;
use tokio_postgres::Row;

/// Posts that are asked for at once: as many as an answer may have bodies of the greatest length, at about that.
const AT_ONCE: usize = POSTS_MAX as usize;

/// Where the columns beside a whole post begin.
const BESIDE: usize = 19;

/// Where those begin that say where the shard of the post stands, and that of the user.
const PLACE: usize = BESIDE + MARK_COLUMNS;
const PLACE_OF_USER: usize = PLACE + PLACE_COLUMNS;

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

/// A post with its counters, and what a user did with it.
type Shown = (Post, PostMarks);

impl ClusterView {
    /// Posts with their counters and what a viewer did with them, in order.
    pub(super) async fn shown_of(&self, viewer: Option<Uid>, ids: &[PostId]) -> Result<Vec<Option<Shown>>> {
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

    /// The same of those that there are, but for what a viewer of another database did with them.
    async fn shown_rows(&self, viewer: Option<Uid>, ids: &[PostId]) -> Result<BTreeMap<PostId, Shown>> {
        let told = self.told_posts(ids).await?;
        let is_unread = |id: &&PostId| !told.contains_key(id);
        let unread: Vec<PostId> = ids.iter().filter(is_unread).copied().collect();
        let known: Vec<PostId> = told.keys().copied().collect();
        let (mut found, counted) =
            tokio::try_join!(self.read_shown(viewer, &unread), self.counted(viewer, &known))?;
        for (id, post) in told {
            let marks = counted.get(&id).copied().unwrap_or_default();
            found.insert(id, (post, marks));
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

    /// Reads posts with their counters; memory keeps what they say.
    async fn read_shown(&self, viewer: Option<Uid>, ids: &[PostId]) -> Result<BTreeMap<PostId, Shown>> {
        if ids.is_empty() {
            return Ok(BTreeMap::new());
        }
        let (asked, map) = (self.rows_of(ids), self.shared.map());
        let is_kept = self.page.is_some() && self.shared.options.memory.posts > 0;
        let fills = is_kept.then(|| self.shared.memory.posts.begin_fills(ids.iter().copied()));
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
                Ok(rows.into_iter().flatten().collect())
            });
        let (mut found, mut seqs) = (BTreeMap::new(), BTreeMap::new());
        for row in try_join_all(asks).await?.iter().flatten() {
            let (post, _) = whole_post(row)?;
            let seq = row.get::<_, Option<i64>>(PLACE + 1).map(i64::cast_unsigned);
            seqs.extend(seq.map(|seq| (post.header.id.gene(), seq)));
            found.insert(post.header.id, (post, read_marks(row, BESIDE)));
        }
        if let Some(fills) = fills {
            self.catch_up_to(&seqs).await?;
            let entry = |id: &PostId| {
                let ((post, _), seq) = (found.get(id)?, seqs.get(&id.gene())?);
                let is_kept = self.may_keep_read(&told, (id.gene(), *seq), *seq);
                HeldPost::entry(*seq, post).filter(|_| is_kept)
            };
            fills.keep(ids.iter().map(entry));
        }
        Ok(found)
    }

    /// What posts say, in one round trip and without a snapshot: where their shards stood by then comes with them.
    async fn read_at_once(&self, database: usize, terms: Vec<Term>) -> Result<Vec<Row>> {
        let rows = ask_alone(&self.shared, database, SHOWN, terms).await?;
        let of_posts = places_of(&self.shared, database, &rows, PLACE)?;
        let of_viewer = places_of(&self.shared, database, &rows, PLACE_OF_USER)?;
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
