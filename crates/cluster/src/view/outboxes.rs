//! The authors of posts, without content, and the relations between viewers and authors.

use super::ClusterView;
use super::relations::read_uid;
use crate::postgres::{Fault, Statements, Term, discard, term};
use crate::rows::{
    OutboxHead, column, limit, maybe_post_id, number, post_column, post_columns, post_header, post_id,
    uid_terms,
};
use guanxi_model::post::{AuthorRow, PostHeader};
use guanxi_model::{Gene, PostId, Relation, Result, Uid};
use guanxi_ports::{OutboxAsk, OutboxPart, Outboxes};
use std::collections::{BTreeMap, BTreeSet};

const AUTHORS: &str = "select t.uid, t.last_post, t.last_seq, t.changed_seq, t.created_from \
    from unnest($1::smallint[], $2::bigint[]) as k(gene, uid) \
    cross join lateral (select * from gx.author t where t.gene = k.gene and t.uid = k.uid limit 1) t";

const OUTBOXES: &str = "select k.place, p.id \
    from unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::bigint[]) as k(gene, place, author, below) \
    cross join lateral (select t.id from gx.post t where t.gene = k.gene and t.author = k.author and t.id < k.below \
    order by t.id desc limit $5) p";

const HEADERS: &str = concat!(
    "select ",
    post_columns!(),
    " from unnest($1::smallint[], $2::bigint[]) as k(gene, id) \
    cross join lateral (select * from gx.post t where t.gene = k.gene and t.id = k.id limit 1) t"
);

const STORED: &str = concat!(
    "select ",
    post_columns!(),
    " from gx.post t where t.gene = $1 and t.author = $2 and t.id < $3 order by t.id desc limit $4"
);

const BLOCKED_BY: &str = "select t.subject from unnest($3::bigint[]) as k(subject) \
    cross join lateral (select * from gx.blocked_by t \
    where t.gene = $1 and t.object = $2 and t.subject = k.subject limit 1) t where t.active";

/// Where the relations of a user last changed, and who blocks it.
const CHANGED: &str =
    "select t.audience_seq, t.blocked_seq from gx.user_state t where t.gene = $1 and t.uid = $2";

/// The genes and the ids of posts, as columns.
pub(super) fn post_terms(keys: &[(Gene, PostId)]) -> Vec<Term> {
    let (genes, ids): (Vec<i16>, Vec<i64>) =
        keys.iter().map(|(gene, id)| (i16::from(gene.0), post_column(*id))).unzip();
    vec![term(genes), term(ids)]
}

/// Posts with their genes, each once.
pub(super) fn post_keys(ids: &[PostId]) -> BTreeSet<(Gene, PostId)> {
    ids.iter().map(|id| (id.gene(), *id)).collect()
}

impl ClusterView {
    pub(super) async fn author_rows(&self, authors: &[Uid]) -> Result<Vec<AuthorRow>> {
        let keys: BTreeSet<(Gene, Uid)> = authors.iter().map(|uid| (uid.gene(), *uid)).collect();
        let mut found: BTreeMap<Uid, OutboxHead> = BTreeMap::new();
        for row in self.ask_each(keys, &[AUTHORS], uid_terms).await?.iter().flatten() {
            let seq = |index: usize| number(row, index);
            let head = OutboxHead {
                last_id: maybe_post_id(row, 1)?,
                last_seq: seq(2),
                changed_seq: seq(3),
                created_from: maybe_post_id(row, 4)?,
            };
            found.insert(read_uid(row, 0)?, head);
        }
        Ok(authors.iter().map(|uid| found.get(uid).copied().unwrap_or_default().of(*uid)).collect())
    }

    pub(super) async fn outboxes_of(&self, asks: &[OutboxAsk], max: usize) -> Result<Outboxes> {
        let mut parts: Vec<Vec<PostId>> = asks.iter().map(|_| Vec::new()).collect();
        let keys = asks.iter().enumerate().map(|(place, ask)| (ask.author.gene(), (place, *ask)));
        // One beyond says whether the outbox goes on.
        let max_and_one = limit(max).saturating_add(1);
        let terms = |keys: &[(Gene, (usize, OutboxAsk))]| {
            let below = |ask: &OutboxAsk| ask.below.map_or(i64::MAX, post_column);
            vec![
                term(keys.iter().map(|(gene, _)| i16::from(gene.0)).collect::<Vec<_>>()),
                term(keys.iter().map(|(_, (place, _))| limit(*place)).collect::<Vec<_>>()),
                term(keys.iter().map(|(_, (_, ask))| column(ask.author)).collect::<Vec<_>>()),
                term(keys.iter().map(|(_, (_, ask))| below(ask)).collect::<Vec<_>>()),
                term(max_and_one),
            ]
        };
        for row in self.ask_each(keys, &[OUTBOXES], terms).await?.iter().flatten() {
            let place = usize::try_from(row.get::<_, i64>(0)).unwrap_or(usize::MAX);
            if let Some(part) = parts.get_mut(place) {
                part.push(post_id(row, 1)?);
            }
        }
        let mut outboxes = Outboxes::default();
        for mut part in parts {
            part.sort_unstable_by(|a, b| b.cmp(a));
            let more = part.len() > max;
            part.truncate(max);
            outboxes.ids.extend(part);
            let end = u32::try_from(outboxes.ids.len()).unwrap_or(u32::MAX);
            outboxes.parts.push(OutboxPart { end, more });
        }
        Ok(outboxes)
    }

    /// Posts without their content, in order.
    pub(super) async fn headers_of(&self, ids: &[PostId]) -> Result<Vec<Option<PostHeader>>> {
        let mut found: BTreeMap<PostId, PostHeader> = BTreeMap::new();
        for row in self.ask_each(post_keys(ids), &[HEADERS], post_terms).await?.iter().flatten() {
            let header = post_header(row)?;
            found.insert(header.id, header);
        }
        Ok(ids.iter().map(|id| found.get(id).copied()).collect())
    }

    /// Returns whether each subject follows a user. The whole relation is asked for, since memory keeps that for the next page.
    pub(super) async fn who_of_follow(&self, subjects: &[Uid], object: Uid) -> Result<Vec<bool>> {
        let pairs: Vec<(Uid, Uid)> = subjects.iter().map(|subject| (*subject, object)).collect();
        let relations = self.relations_in(&pairs).await?;
        Ok(relations.iter().map(|relation| relation.following_since.is_some()).collect())
    }

    /// Returns whether each author blocks a viewer, as the viewer's shard knows. A page asks for the viewer's relations at the same time,
    /// so what memory lacks is not asked for twice.
    pub(super) async fn who_of_block(&self, viewer: Uid, authors: &[Uid]) -> Result<Vec<bool>> {
        let pairs: Vec<(Uid, Uid)> = authors.iter().map(|author| (viewer, *author)).collect();
        let told: Option<Vec<Relation>> = self.told_in(&pairs).into_iter().collect();
        if let Some(told) = told {
            return Ok(told.iter().map(|relation| relation.blocked_by).collect());
        }
        let home = viewer.gene();
        let uids: Vec<i64> = authors.iter().map(|uid| column(*uid)).collect();
        let terms = vec![term(i16::from(home.0)), term(column(viewer)), term(uids)];
        let rows = self.ask_one(home, BLOCKED_BY, terms).await?;
        let block = rows.iter().map(|row| read_uid(row, 0)).collect::<Result<BTreeSet<Uid>>>()?;
        Ok(authors.iter().map(|author| block.contains(author)).collect())
    }

    /// Returns whether what this view said of a user's relations is what holds now. Of a user of whom it said nothing
    /// it is. A view of one database is of one moment, so all that it said agrees.
    pub(super) async fn holds_still(&self, viewer: Uid) -> Result<bool> {
        let (home, shared) = (viewer.gene(), self.shared());
        let database = shared.map().database(home);
        if self.is_of_one_moment() || !self.has_asked(database, home) {
            return Ok(true);
        }
        let terms = || vec![term(i16::from(home.0)), term(column(viewer))];
        let now = async {
            let asked = Statements::one(CHANGED, terms());
            let _waits = shared.served[database].stalls.enter()?;
            let connection = shared.served[database].asks.take().await?;
            let rows = asked.send(&connection, "", "").await;
            if rows.is_err() {
                discard(connection);
            }
            rows
        };
        let now = now.await?.into_iter().next().unwrap_or_default();
        let then = self.ask_one(home, CHANGED, terms()).await?;
        let changed = |rows: &[tokio_postgres::Row]| -> (i64, i64) {
            rows.first().map_or((0, 0), |row| (row.get(0), row.get(1)))
        };
        Ok(changed(&now) == changed(&then))
    }

    pub(super) async fn stored_headers_of(&self, ask: OutboxAsk, max: usize) -> Result<Vec<PostHeader>> {
        let home = ask.author.gene();
        let below = ask.below.map_or(i64::MAX, post_column);
        let terms = vec![term(i16::from(home.0)), term(column(ask.author)), term(below), term(limit(max))];
        let rows = self.ask_one(home, STORED, terms).await?;
        rows.iter().map(|row| post_header(row).map_err(Fault::told)).collect()
    }
}
