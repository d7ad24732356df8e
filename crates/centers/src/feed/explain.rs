//! Why a post is or is not in a viewer's home.

use super::FeedCenter;
use super::hydrate::hydrate;
use super::rules::judge;
use crate::Viewer;
use crate::confirm::confirmed;
use crate::post::{Originals, relations};
use guanxi_model::post::Hidden;
use guanxi_model::{Position, PostId, Result, Stamp, Uid};

/// The verdict on a post and a home.
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
    /// The author of the post.
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
        let at_least = at_least.as_ref();
        confirmed(|| async {
            let view = self.store.view(at_least).await?;
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
                    let relations = relations(&*view, Some(viewer), vec![header.author]).await?;
                    // A block ends the follow. So the other verdict is as true for a viewer from whom the block is hidden: it is
                    // what every viewer is told who does not follow.
                    let blocked = relations.values().any(|relation| told.knows_block(viewer, relation));
                    Verdict::Hidden(if blocked { Hidden::Blocked } else { Hidden::NotFollowed })
                }
                (verdict, _) => verdict,
            };
            let read = self.handle(viewer).read(id.just_above(), 1).await?;
            let usable = read.slice.filter(|slice| slice.relations_version == viewer_relations.version());
            let author = header.map(|header| header.author);
            let followed =
                author.filter(|author| hydrated.follows(*author, viewer_relations.follow(*author)));
            let followed_since = followed.and_then(|author| viewer_relations.follow(author));
            // An end user hears who wrote a post only where it knows of the author.
            let knows = told == Viewer::Trusted
                || author == Some(viewer)
                || followed_since.is_some()
                || verdict == Verdict::Hidden(Hidden::Blocked);
            let explanation = Explanation {
                verdict,
                author: author.filter(|_| knows),
                followed_since: followed_since.map(|(since, _)| since),
                from_inbox: usable.is_some_and(|slice| slice.ids.first() == Some(&id)),
                position: view.position().joined(at_least),
            };
            Ok(view.confirm(viewer).await?.then_some(explanation))
        })
        .await
    }
}
