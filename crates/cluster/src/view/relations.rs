//! What users have said about each other, as the shard of the first knows it.

use super::ClusterView;
use crate::postgres::{Term, term};
use crate::rows::{column, maybe_stamp, request_kind_of, stamp, uid};
use guanxi_model::{Counts, Gene, Relation, Result, Uid};
use std::collections::BTreeMap;
use tokio_postgres::Row;

const FOLLOWS: &str = "select k.a, k.b, t.at, t.friend_at \
    from unnest($1::smallint[], $2::bigint[], $3::bigint[]) as k(gene, a, b) \
    join {s}.follow t on t.gene = k.gene and t.subject = k.a and t.object = k.b where t.active";
const FANS: &str = "select k.a, k.b \
    from unnest($1::smallint[], $2::bigint[], $3::bigint[]) as k(gene, a, b) \
    join {s}.fan t on t.gene = k.gene and t.object = k.a and t.subject = k.b where t.active";
const BLOCKS: &str = "select k.a, k.b \
    from unnest($1::smallint[], $2::bigint[], $3::bigint[]) as k(gene, a, b) \
    join {s}.block t on t.gene = k.gene and t.subject = k.a and t.object = k.b where t.active";
const BLOCKED_BY: &str = "select k.a, k.b \
    from unnest($1::smallint[], $2::bigint[], $3::bigint[]) as k(gene, a, b) \
    join {s}.blocked_by t on t.gene = k.gene and t.object = k.a and t.subject = k.b where t.active";
const MUTES: &str = "select k.a, k.b \
    from unnest($1::smallint[], $2::bigint[], $3::bigint[]) as k(gene, a, b) \
    join {s}.mute t on t.gene = k.gene and t.subject = k.a and t.object = k.b where t.active";
const REQUESTED: &str = "select k.a, k.b, t.kind \
    from unnest($1::smallint[], $2::bigint[], $3::bigint[]) as k(gene, a, b) \
    join {s}.sent t on t.gene = k.gene and t.sender = k.a and t.receiver = k.b where t.waits";
const REQUESTED_BY: &str = "select k.a, k.b, t.kind \
    from unnest($1::smallint[], $2::bigint[], $3::bigint[]) as k(gene, a, b) \
    join {s}.request t on t.gene = k.gene and t.receiver = k.a and t.sender = k.b where t.kind is not null";

const COUNTS: &str = "select k.uid, t.following, t.followers, t.friends, t.blocks, t.mutes \
    from unnest($1::smallint[], $2::bigint[]) as k(gene, uid) \
    join {s}.user_state t on t.gene = k.gene and t.uid = k.uid";

/// The genes and the users of keys, as columns.
pub(super) fn user_terms(keys: &[(Gene, Uid)]) -> Vec<Term> {
    let (genes, uids): (Vec<i16>, Vec<i64>) =
        keys.iter().map(|(gene, uid)| (i16::from(gene.0), column(*uid))).unzip();
    vec![term(genes), term(uids)]
}

/// The genes, the first and the second users of keys, as columns.
pub(super) fn pair_terms(keys: &[(Gene, (Uid, Uid))]) -> Vec<Term> {
    let genes: Vec<i16> = keys.iter().map(|(gene, _)| gene.0.into()).collect();
    let firsts: Vec<i64> = keys.iter().map(|(_, pair)| column(pair.0)).collect();
    let seconds: Vec<i64> = keys.iter().map(|(_, pair)| column(pair.1)).collect();
    vec![term(genes), term(firsts), term(seconds)]
}

impl ClusterView {
    /// The relation of the first to the second of each pair, in order.
    pub(super) async fn relations_of(&self, pairs: &[(Uid, Uid)]) -> Result<Vec<Relation>> {
        let mut found: BTreeMap<(Uid, Uid), Relation> = BTreeMap::new();
        let two = pairs.iter().filter(|(a, b)| a != b);
        let mut keys: Vec<(Gene, (Uid, Uid))> = two.map(|pair| (pair.0.gene(), *pair)).collect();
        keys.sort_unstable_by_key(|(_, pair)| *pair);
        keys.dedup();
        let questions = [FOLLOWS, FANS, BLOCKS, BLOCKED_BY, MUTES, REQUESTED, REQUESTED_BY];
        let answers = self.ask_each(keys, &questions, pair_terms).await?;
        let set: [fn(&mut Relation, &Row); 7] = [
            |relation, row| {
                (relation.following_since, relation.friends_since) =
                    (Some(stamp(row, 2)), maybe_stamp(row, 3));
            },
            |relation, _| relation.followed_by = true,
            |relation, _| relation.blocking = true,
            |relation, _| relation.blocked_by = true,
            |relation, _| relation.muting = true,
            |relation, row| relation.requested = request_kind_of(row.get(2)),
            |relation, row| relation.requested_by = request_kind_of(row.get(2)),
        ];
        for (rows, set) in answers.iter().zip(set) {
            for row in rows {
                let pair = (read_uid(row, 0)?, read_uid(row, 1)?);
                set(found.entry(pair).or_default(), row);
            }
        }
        Ok(pairs.iter().map(|pair| found.get(pair).copied().unwrap_or_default()).collect())
    }

    /// The counters of users, in order.
    pub(super) async fn counts_of(&self, uids: &[Uid]) -> Result<Vec<Counts>> {
        let mut keys: Vec<(Gene, Uid)> = uids.iter().map(|uid| (uid.gene(), *uid)).collect();
        keys.sort_unstable();
        keys.dedup();
        let mut found: BTreeMap<Uid, Counts> = BTreeMap::new();
        for row in self.ask_each(keys, &[COUNTS], user_terms).await?.iter().flatten() {
            let count = |index: usize| row.get::<_, i32>(index).cast_unsigned();
            let counts = Counts {
                following: count(1),
                followers: row.get::<_, i64>(2).cast_unsigned(),
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
    uid(row, index).map_err(crate::postgres::Fault::told)
}
