//! Step two of a read: what the rules need to know of the candidates, in batches.

use crate::post::{Behind, Originals};
use guanxi_model::{PostHeader, PostId, Relation, Result, Stamp, Uid};
use guanxi_ports::{PostView, ViewerRelations};

/// Candidates with what the rules ask about.
pub(super) struct Hydrated {
    /// The headers, in the order of the ids; `None` for what does not exist at the view.
    pub headers: Vec<Option<PostHeader>>,
    /// The originals, and the viewer's relation to their authors as far as the viewer does not follow them. With the
    /// originals of quotes it has the relations to those, too, whom the viewer follows.
    pub behind: Behind,
}

/// Looks up candidates: their headers, then at once what stands behind them.
pub(super) async fn hydrate(
    view: &dyn PostView,
    viewer_relations: &dyn ViewerRelations,
    viewer: Uid,
    ids: &[PostId],
    originals: Originals,
) -> Result<Hydrated> {
    let headers = view.headers(ids).await?;
    hydrate_headers(view, viewer_relations, viewer, headers, originals).await
}

/// Looks up what stands behind some headers.
pub(super) async fn hydrate_headers(
    view: &dyn PostView,
    viewer_relations: &dyn ViewerRelations,
    viewer: Uid,
    headers: Vec<Option<PostHeader>>,
    originals: Originals,
) -> Result<Hydrated> {
    let (mut shared, mut strangers, mut followed) = (Vec::new(), Vec::new(), Vec::new());
    for header in headers.iter().flatten() {
        if let Some((of, author)) = originals.of(header.kind) {
            shared.push(of);
            match viewer_relations.follow(author) {
                None => strangers.push(author),
                Some(follow) if originals == Originals::OfAll => {
                    followed.push((author, followed_relation(follow)));
                }
                Some(_) => {}
            }
        }
    }
    if shared.is_empty() {
        return Ok(Hydrated { headers, behind: Behind::default() });
    }
    let mut behind = Behind::read(view, Some(viewer), shared, strangers).await?;
    behind.relations.extend(followed);
    Ok(Hydrated { headers, behind })
}

/// The viewer's relation to somebody whom it follows, as far as visibility asks: a follow excludes blocks on either
/// side, and carries whether the other follows back.
pub(super) fn followed_relation((since, mutual): (Stamp, bool)) -> Relation {
    Relation { following_since: Some(since), followed_by: mutual, ..Relation::default() }
}
