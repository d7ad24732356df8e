//! Step two of a read: what the rules need to know of the candidates, in batches.

use crate::post::{Behind, Lookups, Originals};
use guanxi_model::post::Kind;
use guanxi_model::{PostHeader, PostId, Relation, Result, Stamp, Uid};
use guanxi_ports::{PostView, ViewerRelations};

/// Candidates with what the rules ask about.
pub(super) struct Hydrated {
    /// The headers, in the order of the ids; `None` for what does not exist at the view.
    pub headers: Vec<Option<PostHeader>>,
    /// The originals, and the viewer's relation to each user about whom the viewer's own relations do not say enough. These
    /// are the authors of originals whom the viewer does not follow. Where mirrors are not exact, they are all users whose
    /// text or name is shown. With the originals of quotes, `behind` has the relation to each of their authors.
    pub behind: Behind,
    /// The viewer's own relations tell all of whom it follows.
    mirrors_are_exact: bool,
}

impl Hydrated {
    /// Returns whether the viewer follows a user whom no block separates from it. `follow` is what the viewer's own relations
    /// say of that user.
    pub(super) fn follows(&self, uid: Uid, follow: Option<(Stamp, bool)>) -> bool {
        follow.is_some() && (self.mirrors_are_exact || !self.behind.relation(uid).is_apart())
    }

    /// The viewer's relation to an author, as far as visibility asks; `follow` as above.
    pub(super) fn relation(&self, author: Uid, follow: Option<(Stamp, bool)>) -> Relation {
        match follow {
            Some(follow) if self.mirrors_are_exact => followed_relation(follow),
            _ => self.behind.relation(author),
        }
    }
}

/// Looks up candidates: their headers, then in one step the originals and relations that belong to them.
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

/// Looks up the originals and relations that belong to some headers.
pub(super) async fn hydrate_headers(
    view: &dyn PostView,
    viewer_relations: &dyn ViewerRelations,
    viewer: Uid,
    headers: Vec<Option<PostHeader>>,
    originals: Originals,
) -> Result<Hydrated> {
    let mirrors_are_exact = view.mirrors_are_exact();
    let (mut asked, mut followed) = (Lookups::default(), Vec::new());
    let all_are_there = view.all_stand_by_default();
    for header in headers.iter().flatten() {
        if !all_are_there {
            asked.authors.push(header.author);
            asked.authors.extend(originals.of(header.kind).map(|(_, author)| author));
        }
        if !mirrors_are_exact {
            asked.users.push(header.author);
            if let Kind::Reply { author, .. } = header.kind {
                asked.users.push(author);
            }
        }
        asked.groups.extend(header.audience());
        if let Some((of, author)) = originals.of(header.kind) {
            asked.originals.push(of);
            match viewer_relations.follow(author) {
                Some(follow) if mirrors_are_exact => {
                    if originals == Originals::OfAll {
                        followed.push((author, followed_relation(follow)));
                    }
                }
                _ => asked.users.push(author),
            }
        }
    }
    if asked.is_empty() {
        return Ok(Hydrated { headers, behind: Behind::default(), mirrors_are_exact });
    }
    let mut behind = Behind::read(view, Some(viewer), asked).await?;
    behind.relations.extend(followed);
    let headers = headers.into_iter().map(|header| header.map(|header| behind.as_found(header))).collect();
    Ok(Hydrated { headers, behind, mirrors_are_exact })
}

/// The viewer's relation to somebody whom it follows, as far as visibility asks: a follow excludes blocks on either
/// side, and carries whether the other follows back.
fn followed_relation((since, mutual): (Stamp, bool)) -> Relation {
    Relation { following_since: Some(since), followed_by: mutual, ..Relation::default() }
}
