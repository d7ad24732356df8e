//! Step three of a read: which candidates the viewer sees in home. All rules run here, at every read, and nowhere
//! else; they are the pure functions of [`guanxi_model::post`].

use super::hydrate::Hydrated;
use guanxi_model::post::{Hidden, Kind, home_hides, visible};
use guanxi_model::{PostHeader, Relation, Uid};
use guanxi_ports::ViewerRelations;

/// Whether a candidate is shown in the viewer's home.
///
/// # Errors
/// Why not.
pub(super) fn judge(
    header: &PostHeader,
    viewer: Uid,
    viewer_relations: &dyn ViewerRelations,
    hydrated: &Hydrated,
) -> Result<(), Hidden> {
    let follows = |uid| viewer_relations.follow(uid).is_some();
    if let Some(hidden) = home_hides(header, viewer, follows, |uid| viewer_relations.mutes(uid)) {
        return Err(hidden);
    }
    let relation = relation(header.author, viewer_relations, hydrated);
    let original = match header.kind {
        Kind::Repost { of, .. } => hydrated.originals.get(&of),
        Kind::Post | Kind::Reply { .. } | Kind::Quote { .. } => None,
    };
    let original =
        original.map(|original| (original, self::relation(original.author, viewer_relations, hydrated)));
    visible(header, &relation, original.as_ref().map(|(original, relation)| (*original, relation)), viewer)
}

/// The viewer's relation to an author as far as visibility asks: a follow excludes blocks on either side, and
/// carries whether the other follows back; the others were looked up.
fn relation(author: Uid, viewer_relations: &dyn ViewerRelations, hydrated: &Hydrated) -> Relation {
    match viewer_relations.follow(author) {
        Some((since, mutual)) => {
            Relation { following_since: Some(since), followed_by: mutual, ..Relation::default() }
        }
        None => hydrated.strangers.get(&author).copied().unwrap_or_default(),
    }
}
