//! The parts of some posts that a viewer may see. The headers are read first, then in one step the originals and relations.

use super::behind::{Behind, Lookups, Originals};
use guanxi_model::post::{Hidden, Kind, check_visibility, visible};
use guanxi_model::{PostHeader, PostId, Relation, Result, Uid};
use guanxi_ports::PostView;

/// A post as a viewer may see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PostAccess {
    /// There is no such post.
    Missing,
    /// There is, and the viewer does not see it.
    Hidden(PostHeader, Hidden),
    /// The viewer sees it.
    Visible(PostHeader),
}

impl PostAccess {
    /// The header, if the viewer sees it.
    pub(crate) const fn visible(self) -> Option<PostHeader> {
        match self {
            Self::Visible(header) => Some(header),
            Self::Missing | Self::Hidden(..) => None,
        }
    }
}

/// Decides for each id, in order, and returns what that was decided by. Without a viewer everything is seen that is not
/// deleted; a plain repost needs its original all the same.
pub(crate) async fn post_access(
    view: &dyn PostView,
    viewer: Option<Uid>,
    ids: &[PostId],
    originals: Originals,
) -> Result<(Vec<PostAccess>, Behind)> {
    let (headers, behind) = found(view, viewer, ids, originals).await?;
    Ok((headers.into_iter().map(|header| access(header, viewer, &behind)).collect(), behind))
}

/// The same, where authors see what is taken down of their own.
pub(crate) async fn access_of_authors(
    view: &dyn PostView,
    viewer: Option<Uid>,
    ids: &[PostId],
    originals: Originals,
) -> Result<(Vec<PostAccess>, Behind)> {
    let (headers, behind) = found(view, viewer, ids, originals).await?;
    let one = |header: Option<PostHeader>| match header.filter(|header| header.taken_down) {
        Some(own) if viewer == Some(own.author) => {
            // What it shares must be there all the same.
            let standing = PostHeader { deleted: false, taken_down: false, ..own };
            match access(Some(standing), viewer, &behind) {
                PostAccess::Visible(_) => PostAccess::Visible(own),
                other => other,
            }
        }
        _ => access(header, viewer, &behind),
    };
    Ok((headers.into_iter().map(one).collect(), behind))
}

/// Headers, and what they are judged by.
async fn found(
    view: &dyn PostView,
    viewer: Option<Uid>,
    ids: &[PostId],
    originals: Originals,
) -> Result<(Vec<Option<PostHeader>>, Behind)> {
    let headers = view.headers(ids).await?;
    let mut asked = Lookups::default();
    for header in headers.iter().flatten() {
        asked.users.push(header.author);
        asked.groups.extend(header.audience());
        if let Some((of, author)) = originals.of(header.kind) {
            asked.originals.push(of);
            asked.users.push(author);
        }
    }
    asked.authors.clone_from(&asked.users);
    let behind = Behind::read(view, viewer, asked).await?;
    Ok((headers, behind))
}

/// Decides for one post by what is known to stand behind it.
pub(crate) fn access(header: Option<PostHeader>, viewer: Option<Uid>, behind: &Behind) -> PostAccess {
    let Some(header) = header.map(|header| behind.as_found(header)) else { return PostAccess::Missing };
    let original = match header.kind {
        Kind::Repost { of, .. } => behind.originals.get(&of),
        Kind::Post | Kind::Reply { .. } | Kind::Quote { .. } => None,
    };
    let verdict = match viewer {
        Some(viewer) => {
            let original = original.map(|original| (original, behind.relation(original.author)));
            let original = original.as_ref().map(|(original, relation)| (*original, relation));
            let is_in = |owner, id| behind.is_in(owner, id);
            visible(&header, &behind.relation(header.author), original, viewer, is_in)
        }
        None => unrestricted(&header, original),
    };
    verdict.map_or_else(|hidden| PostAccess::Hidden(header, hidden), |()| PostAccess::Visible(header))
}

/// Decides what a service sees that acts for no user.
fn unrestricted(header: &PostHeader, original: Option<&PostHeader>) -> Result<(), Hidden> {
    let own = Relation::default();
    // An author sees its own posts, for any group.
    let nowhere = |_, _| false;
    check_visibility(header, header.author, &own, nowhere)?;
    match (header.kind, original) {
        (Kind::Repost { .. }, None) => Err(Hidden::OriginalGone),
        (Kind::Repost { .. }, Some(original)) => {
            check_visibility(original, original.author, &own, nowhere).map_err(|_| Hidden::OriginalGone)
        }
        _ => Ok(()),
    }
}
