//! Step three of a read: which candidates the viewer sees in home. All rules run here, at every read, and nowhere
//! else; they are the pure functions of [`guanxi_model::post`].

use super::hydrate::Hydrated;
use guanxi_model::post::{Hidden, Kind, home_hides, visible};
use guanxi_model::{Item, Relation, Uid};
use guanxi_ports::Audience;

/// Whether a candidate is shown in the viewer's home.
///
/// # Errors
/// Why not.
pub(super) fn judge(
    item: &Item,
    viewer: Uid,
    audience: &dyn Audience,
    hydrated: &Hydrated,
) -> Result<(), Hidden> {
    if item.deleted {
        return Err(Hidden::Deleted);
    }
    let follows = |uid| audience.follow(uid).is_some();
    if let Some(hidden) = home_hides(item, viewer, follows, |uid| audience.mutes(uid)) {
        return Err(hidden);
    }
    let relation = relation(item.author, audience, hydrated);
    let original = match item.kind {
        Kind::Repost { of, .. } => hydrated.originals.get(&of),
        Kind::Post | Kind::Reply { .. } => None,
    };
    let original = original.map(|original| (original, self::relation(original.author, audience, hydrated)));
    visible(item, &relation, original.as_ref().map(|(original, relation)| (*original, relation)), viewer)
}

/// The viewer's relation to an author as far as visibility asks: a follow excludes blocks on either side, and
/// carries whether the other follows back; the others were looked up.
fn relation(author: Uid, audience: &dyn Audience, hydrated: &Hydrated) -> Relation {
    match audience.follow(author) {
        Some((since, mutual)) => {
            Relation { following_since: Some(since), followed_by: mutual, ..Relation::default() }
        }
        None => hydrated.strangers.get(&author).copied().unwrap_or_default(),
    }
}
