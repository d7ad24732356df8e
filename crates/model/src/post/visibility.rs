//! The rules of visibility, and the further rules of home. Pure, so that the writer, every read and every backend
//! decide alike.

use super::{Kind, PostHeader, Visibility};
use crate::error::Reason;
use crate::group::GroupId;
use crate::id::Uid;
use crate::pair::MuteScope;
use crate::relation::Relation;

/// Why a header is not shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Hidden {
    /// It is deleted.
    Deleted,
    /// The viewer and the author block each other, on either side.
    Blocked,
    /// Only followers see it, and the viewer follows not.
    NotFollower,
    /// Only friends see it, and the viewer is none.
    NotFriend,
    /// Only members of a group see it, and the viewer is none.
    NotInGroup,
    /// It is a repost whose original is not there any more.
    OriginalGone,
    /// It is a repost whose original the viewer may not see.
    OriginalHidden,
    /// The viewer does not follow the author; home only.
    NotFollowed,
    /// The viewer mutes the author; home only.
    Muted,
    /// It is a plain repost, and the viewer mutes what the author shares; home only.
    RepostMuted,
    /// The viewer mutes the author of the original; home only.
    OriginalMuted,
    /// It answers somebody whom the viewer neither is nor follows; home only.
    ReplyToStranger,
}

impl Hidden {
    /// Returns the reason with which a hidden post is refused to a caller that asks for it by its id. Only a viewer
    /// that would see the post otherwise learns that it is gone. All other cases have one answer.
    pub const fn refusal(self) -> Reason {
        match self {
            Self::Deleted | Self::OriginalGone => Reason::PostDeleted,
            _ => Reason::PostForbidden,
        }
    }
}

/// Whether a viewer may see a header by itself: no block stands between the two, its visibility includes the viewer,
/// and it is there. `relation` is that of the viewer to the author, and `is_in` says whether the viewer is in a group of
/// somebody. A repost needs [`visible`] of its original, too.
///
/// # Errors
/// Why not. [`Hidden::Deleted`] comes last: who may not see a post does not learn that it is gone.
pub fn check_visibility(
    header: &PostHeader,
    viewer: Uid,
    relation: &Relation,
    is_in: impl Fn(Uid, GroupId) -> bool,
) -> Result<(), Hidden> {
    match includes(header, viewer, relation, is_in) {
        Ok(()) if header.deleted => Err(Hidden::Deleted),
        included => included,
    }
}

/// Returns whether a viewer is in the audience of a post, deleted or not.
fn includes(
    header: &PostHeader,
    viewer: Uid,
    relation: &Relation,
    is_in: impl Fn(Uid, GroupId) -> bool,
) -> Result<(), Hidden> {
    if viewer == header.author {
        return Ok(());
    }
    if relation.is_apart() {
        return Err(Hidden::Blocked);
    }
    match header.visibility {
        Visibility::Public => Ok(()),
        Visibility::Followers if relation.following_since.is_some() => Ok(()),
        Visibility::Followers => Err(Hidden::NotFollower),
        Visibility::Friends if relation.following_since.is_some() && relation.followed_by => Ok(()),
        Visibility::Friends => Err(Hidden::NotFriend),
        Visibility::Group(id) if is_in(header.author, id) => Ok(()),
        Visibility::Group(_) => Err(Hidden::NotInGroup),
    }
}

/// Whether a viewer may see a header, and for a repost its original, which is given with the viewer's relation to
/// its author. `is_in` says whether the viewer is in a group of somebody.
///
/// # Errors
/// Why not. As with [`check_visibility`], only a viewer in the audience of both posts learns what is gone.
pub fn visible(
    header: &PostHeader,
    relation: &Relation,
    original: Option<(&PostHeader, &Relation)>,
    viewer: Uid,
    is_in: impl Fn(Uid, GroupId) -> bool,
) -> Result<(), Hidden> {
    includes(header, viewer, relation, &is_in)?;
    let is_repost = matches!(header.kind, Kind::Repost { .. });
    let original = original.filter(|_| is_repost);
    if let Some((original, relation)) = original {
        includes(original, viewer, relation, &is_in).map_err(|_| Hidden::OriginalHidden)?;
    }
    if header.deleted {
        return Err(Hidden::Deleted);
    }
    if is_repost && original.is_none_or(|(original, _)| original.deleted) {
        return Err(Hidden::OriginalGone);
    }
    Ok(())
}

/// Returns what home hides beyond [`visible`]: headers of users that the viewer mutes or does not follow, reposts by and
/// of users that the viewer mutes, and replies to strangers. `follows` and `mutes` ask the viewer's own facts: `mutes`
/// the terms.
pub fn home_hides(
    header: &PostHeader,
    viewer: Uid,
    follows: impl Fn(Uid) -> bool,
    mutes: impl Fn(Uid) -> Option<MuteScope>,
) -> Option<Hidden> {
    let mutes_all = |uid| mutes(uid) == Some(MuteScope::All);
    let own = header.author == viewer;
    if !own && !follows(header.author) {
        return Some(Hidden::NotFollowed);
    }
    let of_author = if own { None } else { mutes(header.author) };
    if of_author == Some(MuteScope::All) {
        return Some(Hidden::Muted);
    }
    match header.kind {
        Kind::Post | Kind::Quote { .. } => None,
        Kind::Repost { .. } if of_author.is_some() => Some(Hidden::RepostMuted),
        Kind::Repost { author, .. } => {
            (author != viewer && mutes_all(author)).then_some(Hidden::OriginalMuted)
        }
        Kind::Reply { author, .. } => {
            (author != viewer && !follows(author)).then_some(Hidden::ReplyToStranger)
        }
    }
}
