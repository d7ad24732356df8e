//! What a viewer has said about others, all of it, as its shard knows.

use super::ClusterView;
use super::relations::read_uid;
use crate::rows::{maybe_stamp, number, stamp, uid_terms};
use guanxi_model::{EventAt, Logs, MuteScope, MuteTerms, Result, Stamp, Uid};
use guanxi_ports::{RelationsVersion, ViewerRelations};
use std::collections::{BTreeMap, BTreeSet};

const FOLLOWS: &str = "select t.object, t.at, t.friend_at \
    from unnest($1::smallint[], $2::bigint[]) as k(gene, uid) \
    cross join lateral (select * from gx.follow t \
    where t.gene = k.gene and t.subject = k.uid and t.active offset 0) t";
const MUTES: &str = "select t.object, t.reposts_only, t.until_ms \
    from unnest($1::smallint[], $2::bigint[]) as k(gene, uid) \
    cross join lateral (select * from gx.mute t \
    where t.gene = k.gene and t.subject = k.uid and t.active offset 0) t";
const BLOCKS: &str = "select t.object from unnest($1::smallint[], $2::bigint[]) as k(gene, uid) \
    cross join lateral (select * from gx.block t \
    where t.gene = k.gene and t.subject = k.uid and t.active offset 0) t";
const CHANGED: &str = "select t.audience_seq from unnest($1::smallint[], $2::bigint[]) as k(gene, uid) \
    cross join lateral (select * from gx.user_state t where t.gene = k.gene and t.uid = k.uid limit 1) t";

/// What a viewer has said about others.
struct ReadRelations {
    changed: EventAt,
    following: Vec<Uid>,
    /// Since when each is followed, and whether it follows back.
    follows: BTreeMap<Uid, (Stamp, bool)>,
    mutes: BTreeMap<Uid, MuteScope>,
    blocks: BTreeSet<Uid>,
}

/// Reads what a viewer has said about others.
pub(super) async fn read_viewer_relations(
    view: &ClusterView,
    viewer: Uid,
) -> Result<Box<dyn ViewerRelations>> {
    let key = [(viewer.gene(), viewer)];
    let answers = view.ask_each(key, &[FOLLOWS, MUTES, BLOCKS, CHANGED], uid_terms).await?;
    let of = |place: usize| answers.get(place).into_iter().flatten();
    let mut follows = BTreeMap::new();
    for row in of(0) {
        follows.insert(read_uid(row, 0)?, (stamp(row, 1), maybe_stamp(row, 2).is_some()));
    }
    let mut mutes = BTreeMap::new();
    for row in of(1) {
        let until_ms = row.get::<_, Option<i64>>(2).map(i64::cast_unsigned);
        let terms = MuteTerms { reposts_only: row.get(1), until_ms };
        mutes.insert(read_uid(row, 0)?, terms.scope());
    }
    let blocks = of(2).map(|row| read_uid(row, 0)).collect::<Result<BTreeSet<Uid>>>()?;
    let changed = of(3).next().map_or(0, |row| number(row, 0));
    Ok(Box::new(ReadRelations {
        changed: EventAt::new(Logs::PerGene.of(viewer), changed),
        following: follows.keys().copied().collect(),
        follows,
        mutes,
        blocks,
    }))
}

impl ViewerRelations for ReadRelations {
    fn version(&self) -> RelationsVersion {
        RelationsVersion(self.changed.seq())
    }

    fn changed(&self) -> EventAt {
        self.changed
    }

    fn following(&self) -> &[Uid] {
        &self.following
    }

    fn follow(&self, uid: Uid) -> Option<(Stamp, bool)> {
        self.follows.get(&uid).copied()
    }

    fn mutes(&self, uid: Uid) -> Option<MuteScope> {
        self.mutes.get(&uid).copied()
    }

    fn blocks(&self, uid: Uid) -> bool {
        self.blocks.contains(&uid)
    }
}
