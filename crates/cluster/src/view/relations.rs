//! What users have said about each other, as the shard of the first knows it.

use super::ClusterView;
use super::snapshot::with_place;
use crate::rows::{column, maybe_stamp, number, request_kind_of, uid, uid_terms};
use guanxi_model::{Counts, Gene, Relation, Result, Uid};
use guanxi_postgres::{Term, term};
use std::collections::BTreeMap;
use tokio_postgres::Row;

/// All that the first knows of the second, in one statement: what one costs beside its rows is more than the rows.
pub(super) const RELATIONS: &str = "select k.a, k.b, f.at, f.friend_at, n.gene is not null, b.gene is not null, y.gene is \
    not null, m.gene is not null, s.kind, r.kind \
    from unnest($1::smallint[], $2::bigint[], $3::bigint[]) as k(gene, a, b) \
    left join lateral (select * from gx.follow f \
    where f.gene = k.gene and f.subject = k.a and f.object = k.b limit 1) f on f.active \
    left join lateral (select * from gx.fan n \
    where n.gene = k.gene and n.object = k.a and n.subject = k.b limit 1) n on n.active \
    left join lateral (select * from gx.block b \
    where b.gene = k.gene and b.subject = k.a and b.object = k.b limit 1) b on b.active \
    left join lateral (select * from gx.blocked_by y \
    where y.gene = k.gene and y.object = k.a and y.subject = k.b limit 1) y on y.active \
    left join lateral (select * from gx.mute m \
    where m.gene = k.gene and m.subject = k.a and m.object = k.b limit 1) m on m.active \
    left join lateral (select * from gx.sent s \
    where s.gene = k.gene and s.sender = k.a and s.receiver = k.b limit 1) s on s.waits \
    left join lateral (select * from gx.request r \
    where r.gene = k.gene and r.receiver = k.a and r.sender = k.b limit 1) r on true";

/// What a user is to others, as its shard knows it, with where that stands: a row for each fact, with the number of its kind. Most users
/// have nothing in most of these tables: that is asked once, and not for each of the others.
pub(super) const RELATIONS_AT: &str = with_place!(
    "$1",
    "select k.uid, 1, t.at, t.friend_at, null::text from unnest($3::bigint[]) as k(uid) \
    cross join lateral (select * from gx.follow t where t.gene = $1 and t.subject = $2 and t.object = k.uid limit 1) t \
    where t.active \
    union all select k.uid, 2, null, null, null from unnest($3::bigint[]) as k(uid) \
    cross join lateral (select * from gx.fan t where t.gene = $1 and t.object = $2 and t.subject = k.uid limit 1) t \
    where t.active \
    union all select k.uid, 3, null, null, null from unnest($3::bigint[]) as k(uid) \
    cross join lateral (select * from gx.block t where t.gene = $1 and t.subject = $2 and t.object = k.uid limit 1) t \
    where t.active \
    and (select exists (select from gx.block t where t.gene = $1 and t.subject = $2 limit 1)) \
    union all select k.uid, 4, null, null, null from unnest($3::bigint[]) as k(uid) \
    cross join lateral (select * from gx.blocked_by t where t.gene = $1 and t.object = $2 and t.subject = k.uid limit 1) t \
    where t.active \
    and (select exists (select from gx.blocked_by t where t.gene = $1 and t.object = $2 limit 1)) \
    union all select k.uid, 5, null, null, null from unnest($3::bigint[]) as k(uid) \
    cross join lateral (select * from gx.mute t where t.gene = $1 and t.subject = $2 and t.object = k.uid limit 1) t \
    where t.active \
    and (select exists (select from gx.mute t where t.gene = $1 and t.subject = $2 limit 1)) \
    union all select k.uid, 6, null, null, t.kind from unnest($3::bigint[]) as k(uid) \
    cross join lateral (select * from gx.sent t where t.gene = $1 and t.sender = $2 and t.receiver = k.uid limit 1) t \
    where t.waits \
    and (select exists (select from gx.sent t where t.gene = $1 and t.sender = $2 limit 1)) \
    union all select k.uid, 7, null, null, t.kind from unnest($3::bigint[]) as k(uid) \
    cross join lateral (select * from gx.request t where t.gene = $1 and t.receiver = $2 and t.sender = k.uid limit 1) t \
    where (select exists (select from gx.request t where t.gene = $1 and t.receiver = $2 limit 1))"
);

/// Reads what a user is to others.
pub(super) fn read_facts<'a>(rows: impl Iterator<Item = &'a Row>) -> Result<BTreeMap<Uid, Relation>> {
    let mut found: BTreeMap<Uid, Relation> = BTreeMap::new();
    for row in rows {
        let kind = row.get::<_, Option<&str>>(4).and_then(request_kind_of);
        let relation = found.entry(read_uid(row, 0)?).or_default();
        match row.get::<_, i32>(1) {
            1 => {
                (relation.following_since, relation.friends_since) =
                    (maybe_stamp(row, 2), maybe_stamp(row, 3));
            }
            2 => relation.followed_by = true,
            3 => relation.blocking = true,
            4 => relation.blocked_by = true,
            5 => relation.muting = true,
            6 => relation.requested = kind,
            _ => relation.requested_by = kind,
        }
    }
    Ok(found)
}

const COUNTS: &str = "select k.uid, t.following, t.followers, t.friends, t.blocks, t.mutes \
    from unnest($1::smallint[], $2::bigint[]) as k(gene, uid) \
    cross join lateral (select * from gx.user_state t where t.gene = k.gene and t.uid = k.uid limit 1) t";

/// The genes, the first and the second users of keys, as columns.
pub(super) fn pair_terms(keys: &[(Gene, (Uid, Uid))]) -> Vec<Term> {
    let genes: Vec<i16> = keys.iter().map(|(gene, _)| gene.0.into()).collect();
    let firsts: Vec<i64> = keys.iter().map(|(_, pair)| column(pair.0)).collect();
    let seconds: Vec<i64> = keys.iter().map(|(_, pair)| column(pair.1)).collect();
    vec![term(genes), term(firsts), term(seconds)]
}

/// Reads the relation of the first to the second of each pair that has a row.
pub(super) fn read_relations<'a>(
    rows: impl Iterator<Item = &'a Row>,
) -> Result<BTreeMap<(Uid, Uid), Relation>> {
    let mut found = BTreeMap::new();
    for row in rows {
        let kind = |index: usize| row.get::<_, Option<&str>>(index).and_then(request_kind_of);
        let relation = Relation {
            following_since: maybe_stamp(row, 2),
            friends_since: maybe_stamp(row, 3),
            followed_by: row.get(4),
            blocking: row.get(5),
            blocked_by: row.get(6),
            muting: row.get(7),
            requested: kind(8),
            requested_by: kind(9),
        };
        found.insert((read_uid(row, 0)?, read_uid(row, 1)?), relation);
    }
    Ok(found)
}

impl ClusterView {
    /// The relation of the first to the second of each pair, in order.
    pub(super) async fn relations_of(&self, pairs: &[(Uid, Uid)]) -> Result<Vec<Relation>> {
        let two = pairs.iter().filter(|(a, b)| a != b);
        let mut keys: Vec<(Gene, (Uid, Uid))> = two.map(|pair| (pair.0.gene(), *pair)).collect();
        keys.sort_unstable_by_key(|(_, pair)| *pair);
        keys.dedup();
        let found = read_relations(self.ask_each(keys, &[RELATIONS], pair_terms).await?.iter().flatten())?;
        Ok(pairs.iter().map(|pair| found.get(pair).copied().unwrap_or_default()).collect())
    }

    /// The counters of users, in order.
    pub(super) async fn counts_of(&self, uids: &[Uid]) -> Result<Vec<Counts>> {
        let mut keys: Vec<(Gene, Uid)> = uids.iter().map(|uid| (uid.gene(), *uid)).collect();
        keys.sort_unstable();
        keys.dedup();
        let mut found: BTreeMap<Uid, Counts> = BTreeMap::new();
        for row in self.ask_each(keys, &[COUNTS], uid_terms).await?.iter().flatten() {
            let count = |index: usize| row.get::<_, i32>(index).cast_unsigned();
            let counts = Counts {
                following: count(1),
                followers: number(row, 2),
                friends: count(3),
                blocks: count(4),
                mutes: count(5),
            };
            found.insert(read_uid(row, 0)?, counts);
        }
        Ok(uids.iter().map(|uid| found.get(uid).copied().unwrap_or_default()).collect())
    }
}

/// The user of a column.
pub(super) fn read_uid(row: &Row, index: usize) -> Result<Uid> {
    uid(row, index).map_err(guanxi_postgres::Fault::told)
}
