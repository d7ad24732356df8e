//! What a viewer has said about others, all of it, as its shard knows: from memory where that has the viewer.
//!
//! A view for a page is told by memory as of its cut: events that change any of this have the viewer forgotten. Any other view asks the
//! row of the user for the number of the last such event. No number is of two states, so what was read beside a number is right wherever
//! the row still has it.

use super::ClusterView;
use super::relations::read_uid;
use crate::rows::{maybe_stamp, number, stamp, uid_terms};
use guanxi_memory::cut::Cut as _;
use guanxi_memory::relations::RelationsEntry;
use guanxi_memory::user_relations::{Follow, UserRelations};
use guanxi_memory::viewer_relations::HeldViewerRelations;
use guanxi_model::{Edge, Logs, MuteTerms, Result, Uid};
use guanxi_ports::ViewerRelations;

const FOLLOWS: &str = "select t.object, t.at, t.friend_at \
    from unnest($1::smallint[], $2::bigint[]) as k(gene, uid) \
    cross join lateral (select * from gx.follow t \
    where t.gene = k.gene and t.subject = k.uid and t.active offset 0) t";
const MUTES: &str = "select t.object, t.at, t.reposts_only, t.until_ms \
    from unnest($1::smallint[], $2::bigint[]) as k(gene, uid) \
    cross join lateral (select * from gx.mute t \
    where t.gene = k.gene and t.subject = k.uid and t.active offset 0) t";
const BLOCKS: &str = "select t.object, t.at from unnest($1::smallint[], $2::bigint[]) as k(gene, uid) \
    cross join lateral (select * from gx.block t \
    where t.gene = k.gene and t.subject = k.uid and t.active offset 0) t";
const CHANGED: &str = "select t.audience_seq from unnest($1::smallint[], $2::bigint[]) as k(gene, uid) \
    cross join lateral (select * from gx.user_state t where t.gene = k.gene and t.uid = k.uid limit 1) t";

/// Reads what a viewer has said about others.
pub(super) async fn read_viewer_relations(
    view: &ClusterView,
    viewer: Uid,
) -> Result<Box<dyn ViewerRelations>> {
    let (shared, log) = (view.shared(), Logs::PerGene.of(viewer));
    let viewers = &shared.memory.viewers;
    if let Some(cut) = view.cut_of([viewer.gene()]).await?
        && let Some(user) = viewers.latest(viewer).filter(|user| user.as_of() <= cut.seq(log))
    {
        view.note_told([viewer], []);
        return Ok(Box::new(HeldViewerRelations::new(user, log)));
    }
    let rows = view.ask_each([(viewer.gene(), viewer)], &[CHANGED], uid_terms).await?;
    let changed = rows.iter().flatten().next().map_or(0, |row| number(row, 0));
    // A friendship that the viewer has granted stands under the number of the next event, which may be of another change.
    let is_counted = view.seq_of(viewer.gene()).is_some_and(|seq| changed <= seq);
    if is_counted && let Some(user) = viewers.latest(viewer).filter(|user| user.version() == changed) {
        return Ok(Box::new(HeldViewerRelations::new(user, log)));
    }
    let (fill, told) = (viewers.begin_fill(viewer), view.told_of([viewer.gene()]));
    let facts = read(view, viewer).await?;
    view.catch_up(&told).await?;
    // Its counters change without a new number: they are not told from here.
    let user = RelationsEntry::new(changed, changed, (0, 0), &facts);
    let is_kept = shared.options.memory.viewers > 0 && view.may_keep(&told, viewer.gene(), changed);
    fill.keep([is_kept.then(|| user.clone())]);
    Ok(Box::new(HeldViewerRelations::new(user, log)))
}

/// Asks for it, in the snapshot that has told the number of the last change.
async fn read(view: &ClusterView, viewer: Uid) -> Result<UserRelations> {
    let key = [(viewer.gene(), viewer)];
    let answers = view.ask_each(key, &[FOLLOWS, MUTES, BLOCKS], uid_terms).await?;
    let of = |place: usize| answers.get(place).into_iter().flatten();
    let mut facts = UserRelations::default();
    for row in of(0) {
        let (uid, friends_since) = (read_uid(row, 0)?, maybe_stamp(row, 2));
        facts.following.push(Follow { uid, at: stamp(row, 1), friends_since });
    }
    facts.following.sort_unstable_by_key(|follow| follow.uid);
    for row in of(1) {
        let until_ms = row.get::<_, Option<i64>>(3).map(i64::cast_unsigned);
        let terms = MuteTerms { reposts_only: row.get(2), until_ms };
        facts.set_mute(read_uid(row, 0)?, Some((stamp(row, 1), terms.scope())));
    }
    for row in of(2) {
        facts.blocks.push(Edge { at: stamp(row, 1), uid: read_uid(row, 0)? });
    }
    facts.blocks.sort_unstable_by_key(|edge| edge.uid);
    Ok(facts)
}
