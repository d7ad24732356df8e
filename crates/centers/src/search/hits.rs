//! Which of the posts that an index proposes are hits.

use super::circle::Searcher;
use crate::post::{Behind, Originals, PostAccess, access_of_authors};
use crate::turn::yield_now;
use guanxi_model::post::Kind;
use guanxi_model::{PostHeader, PostId, Result, Uid};
use guanxi_ports::StoreView;
use guanxi_text::{Query, highlights};
use std::ops::Range;

/// Which posts are searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SearchFilter {
    /// Only posts of this author.
    pub author: Option<Uid>,
    /// Only replies, or only what is none.
    pub replies: Option<bool>,
    /// Only this post and later ones: an id says when.
    pub from: Option<PostId>,
    /// Only posts before this one.
    pub until: Option<PostId>,
}

impl SearchFilter {
    /// Returns whether a post is one of these.
    pub(super) fn takes(&self, header: &PostHeader) -> bool {
        let is_reply = matches!(header.kind, Kind::Reply { .. });
        self.author.is_none_or(|author| author == header.author)
            && self.replies.is_none_or(|replies| replies == is_reply)
            && self.from.is_none_or(|from| header.id >= from)
            && self.until.is_none_or(|until| header.id < until)
    }
}

/// The request of a search.
#[derive(Clone, Copy)]
pub(super) struct PostQuery<'a> {
    pub(super) query: &'a Query,
    pub(super) viewer: Option<Uid>,
    pub(super) filter: SearchFilter,
}

/// A post that the viewer may see and whose text matches.
#[derive(Clone, Debug)]
pub(super) struct Hit {
    pub(super) header: PostHeader,
    /// The parts of its text that match.
    pub(super) highlights: Vec<Range<u32>>,
}

/// Returns the hits among some posts, in their order, with their originals and relations.
pub(super) async fn hits(
    view: &dyn StoreView,
    wanted: PostQuery<'_>,
    searcher: &Searcher,
    ids: &[PostId],
) -> Result<(Vec<Hit>, Behind)> {
    let (accesses, behind) = access_of_authors(view, wanted.viewer, ids, Originals::OfAll).await?;
    let mut seen: Vec<PostHeader> = accesses.into_iter().filter_map(PostAccess::visible).collect();
    seen.retain(|header| {
        let says_something = !matches!(header.kind, Kind::Repost { .. });
        says_something
            && wanted.filter.takes(header)
            && searcher.searches(header.visibility)
            && !searcher.mutes(header.author)
    });
    let (mut hits, mut rest) = (Vec::with_capacity(seen.len()), &seen[..]);
    while !rest.is_empty() {
        let ids: Vec<PostId> = rest.iter().map(|header| header.id).collect();
        let posts = view.posts(&ids).await?;
        // At least one is answered; a view that answers none has nothing more to say.
        let (some, others) = rest.split_at(posts.len().clamp(1, rest.len()));
        rest = others;
        hits.extend(some.iter().zip(posts).filter_map(|(header, post)| {
            // A text that matches has something to highlight: a query asks for one part at least.
            let highlights = highlights(wanted.query, &post?.body.text);
            (!highlights.is_empty()).then_some(Hit { header: *header, highlights })
        }));
        yield_now().await;
    }
    Ok((hits, behind))
}
