//! Step three of a read: which candidates the viewer sees in home. All rules of a post run here, at every read; the skeleton
//! has left out authors who are gone. The rules are the pure functions of [`guanxi_model::post`] (`visibility.rs`).

use super::hydrate::Hydrated;
use guanxi_model::post::{Hidden, Kind, home_hides, visible};
use guanxi_model::{PostHeader, Stamp, Uid};
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
    sees(header, viewer, hydrated, follow)
}

/// Whether a candidate is shown in the timeline of a group of the viewer, with these members, by uid.
///
/// # Errors
/// Why not.
pub(super) fn judge_in_group(
    header: &PostHeader,
    viewer: Uid,
    viewer_relations: &dyn ViewerRelations,
    hydrated: &Hydrated,
    members: &[Uid],
) -> Result<(), Hidden> {
    let is_in = |uid| members.binary_search(&uid).is_ok();
    if let Some(hidden) = home_hides(header, viewer, is_in, |uid| viewer_relations.mutes(uid)) {
        return Err(hidden);
    }
    sees(header, viewer, hydrated, |uid| viewer_relations.follow(uid))
}

/// Whether the viewer may see a post behind a plain repost of it.
///
/// # Errors
/// Why not.
pub(super) fn judge_original(
    header: &PostHeader,
    viewer: Uid,
    viewer_relations: &dyn ViewerRelations,
    hydrated: &Hydrated,
) -> Result<(), Hidden> {
    sees(header, viewer, hydrated, |uid| viewer_relations.follow(uid))
}

/// Whether the viewer may see a candidate; `follow` is what its own relations say of a user.
fn sees(
    header: &PostHeader,
    viewer: Uid,
    hydrated: &Hydrated,
    follow: impl Fn(Uid) -> Option<(Stamp, bool)>,
) -> Result<(), Hidden> {
    let original = match header.kind {
        Kind::Repost { of, .. } => hydrated.behind.originals.get(&of),
        Kind::Post | Kind::Reply { .. } | Kind::Quote { .. } => None,
    };
    let relation = |author| hydrated.relation(author, follow(author));
    let original = original.map(|original| (original, relation(original.author)));
    let original = original.as_ref().map(|(original, relation)| (*original, relation));
    let is_in = |owner, id| hydrated.behind.is_in(owner, id);
    visible(header, &relation(header.author), original, viewer, is_in)
}
