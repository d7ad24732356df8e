//! What a viewer may see of some posts, decided in three batches: headers, originals, relations.

use guanxi_model::post::{Hidden, Kind, check_visibility, visible};
use guanxi_model::{PostHeader, PostId, Relation, Result, Uid};
use guanxi_ports::PostView;
use std::collections::{BTreeSet, HashMap};

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

/// Decides for each id, in order. Without a viewer everything is seen that is not deleted; a plain repost needs its
/// original all the same.
pub(crate) async fn post_access(
    view: &dyn PostView,
    viewer: Option<Uid>,
    ids: &[PostId],
) -> Result<Vec<PostAccess>> {
    let headers = view.headers(ids).await?;
    let originals = originals(view, &headers).await?;
    let relations = relations(view, viewer, headers.iter().flatten().chain(originals.values())).await?;
    let relation = |author: Uid| relations.get(&author).copied().unwrap_or_default();
    Ok(headers
        .into_iter()
        .map(|header| {
            let Some(header) = header else { return PostAccess::Missing };
            let original = match header.kind {
                Kind::Repost { of, .. } => originals.get(&of),
                Kind::Post | Kind::Reply { .. } | Kind::Quote { .. } => None,
            };
            let verdict = match viewer {
                Some(viewer) => {
                    let original = original.map(|original| (original, relation(original.author)));
                    let original = original.as_ref().map(|(original, relation)| (*original, relation));
                    visible(&header, &relation(header.author), original, viewer)
                }
                None => unrestricted(&header, original),
            };
            verdict.map_or_else(|hidden| PostAccess::Hidden(header, hidden), |()| PostAccess::Visible(header))
        })
        .collect())
}

/// What a service sees that acts for nobody.
fn unrestricted(header: &PostHeader, original: Option<&PostHeader>) -> Result<(), Hidden> {
    let own = Relation::default();
    check_visibility(header, header.author, &own)?;
    match (header.kind, original) {
        (Kind::Repost { .. }, None) => Err(Hidden::OriginalGone),
        (Kind::Repost { .. }, Some(original)) => {
            check_visibility(original, original.author, &own).map_err(|_| Hidden::OriginalGone)
        }
        _ => Ok(()),
    }
}

/// The originals of the plain reposts among some headers.
async fn originals(
    view: &dyn PostView,
    headers: &[Option<PostHeader>],
) -> Result<HashMap<PostId, PostHeader>> {
    let ids: BTreeSet<PostId> = headers
        .iter()
        .flatten()
        .filter_map(|header| match header.kind {
            Kind::Repost { of, .. } => Some(of),
            Kind::Post | Kind::Reply { .. } | Kind::Quote { .. } => None,
        })
        .collect();
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let ids: Vec<PostId> = ids.into_iter().collect();
    let headers = view.headers(&ids).await?;
    Ok(ids.into_iter().zip(headers).filter_map(|(id, header)| Some((id, header?))).collect())
}

/// The viewer's relation to each author.
async fn relations(
    view: &dyn PostView,
    viewer: Option<Uid>,
    headers: impl Iterator<Item = &PostHeader>,
) -> Result<HashMap<Uid, Relation>> {
    let Some(viewer) = viewer else { return Ok(HashMap::new()) };
    let authors: BTreeSet<Uid> = headers.map(|header| header.author).collect();
    let authors: Vec<Uid> = authors.into_iter().collect();
    let relations = view.relations(viewer, &authors).await?;
    Ok(authors.into_iter().zip(relations).collect())
}
