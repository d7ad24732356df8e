//! Why a post is or is not in somebody's home.

use super::FeedCenter;
use super::hydrate::hydrate;
use super::rules::judge;
use crate::Viewer;
use crate::post::Originals;
use guanxi_model::post::Hidden;
use guanxi_model::{Position, PostId, Result, Stamp, Uid};

/// What holds of a post and a home.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is there.
    Shown,
    /// There is no such post.
    NotFound,
    /// It is not there, for this reason.
    Hidden(Hidden),
}

/// Why a post is or is not in a home.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// Whether it is there, or why not.
    pub verdict: Verdict,
    /// Whose post it is.
    pub author: Option<Uid>,
    /// Since when the viewer follows the author.
    pub followed_since: Option<Stamp>,
    /// Whether the viewer's inbox holds it. It tells what a read costs, never what it answers.
    pub from_inbox: bool,
    /// Where the answer stands.
    pub position: Position,
}

impl FeedCenter {
    /// Why a post is or is not in the home of `viewer`, by the same rules that make it, as far as `told` may know.
    ///
    /// # Errors
    /// Those of pinning a view.
    pub async fn explain(
        &self,
        told: Viewer,
        viewer: Uid,
        id: PostId,
        at_least: Option<Position>,
    ) -> Result<Explanation> {
        let view = self.posts.post_view(at_least.as_ref()).await?;
        let viewer_relations = view.viewer_relations(viewer).await?;
        let hydrated = hydrate(&*view, &*viewer_relations, viewer, &[id], Originals::OfReposts).await?;
        let header = hydrated.headers.first().copied().flatten();
        let verdict = match header {
            None => Verdict::NotFound,
            Some(header) => judge(&header, viewer, &*viewer_relations, &hydrated)
                .map_or_else(Verdict::Hidden, |()| Verdict::Shown),
        };
        let verdict = match (verdict, header) {
            // A block is why the viewer does not follow, if there is one.
            (Verdict::Hidden(Hidden::NotFollowed), Some(header)) => {
                let relation = view.relations(viewer, &[header.author]).await?.pop().unwrap_or_default();
                // A block ends the follow, so to whom it is hidden the other verdict is as true, and what everybody
                // hears who does not follow.
                let blocked = told.knows_block(viewer, &relation);
                Verdict::Hidden(if blocked { Hidden::Blocked } else { Hidden::NotFollowed })
            }
            (verdict, _) => verdict,
        };
        let read = self.handle(viewer).read(id.just_above(), 1).await?;
        let usable = read.slice.filter(|slice| slice.relations_version == viewer_relations.version());
        let author = header.map(|header| header.author);
        let followed_since =
            author.and_then(|author| viewer_relations.follow(author)).map(|(since, _)| since);
        // An end user hears who wrote a post only where it knows of the author.
        let knows = told == Viewer::Trusted
            || author == Some(viewer)
            || followed_since.is_some()
            || verdict == Verdict::Hidden(Hidden::Blocked);
        Ok(Explanation {
            verdict,
            author: author.filter(|_| knows),
            followed_since,
            from_inbox: usable.is_some_and(|slice| slice.ids.first() == Some(&id)),
            position: view.position().joined(at_least.as_ref()),
        })
    }
}
