//! Step three of a read: which candidates the viewer sees in home. All rules run here, at every read, and nowhere
//! else; they are the pure functions of [`guanxi_model::post`].

use super::hydrate::Hydrated;
use guanxi_model::post::{Hidden, Kind, home_hides, visible};
use guanxi_model::{PostHeader, Uid};
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
    // Asked once for what is asked most.
    let of_author = viewer_relations.follow(header.author);
    let follow = |uid| if uid == header.author { of_author } else { viewer_relations.follow(uid) };
    let follows = |uid| hydrated.follows(uid, follow(uid));
    if let Some(hidden) = home_hides(header, viewer, follows, |uid| viewer_relations.mutes(uid)) {
        return Err(hidden);
    }
    let original = match header.kind {
        Kind::Repost { of, .. } => hydrated.behind.originals.get(&of),
        Kind::Post | Kind::Reply { .. } | Kind::Quote { .. } => None,
    };
    let relation = |author| hydrated.relation(author, follow(author));
    let original = original.map(|original| (original, relation(original.author)));
    let original = original.as_ref().map(|(original, relation)| (*original, relation));
    visible(header, &relation(header.author), original, viewer)
}
