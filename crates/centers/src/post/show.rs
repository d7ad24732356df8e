//! Posts as an answer shows them: with counters, what the viewer did with them, and the originals of reposts and quotes.
//!
//! An original stands at most two deep: that of a repost, and if it is a quote, what that quotes. The headers of the
//! first are known before anything is read here, and name the second; so everything is read at once.

use super::access::access;
use super::behind::{Behind, gone, groups_of, relations};
use super::size::shown_bytes;
use super::{PostAccess, PostStatus, ShownPost};
use crate::answer_room::fitting;
use guanxi_model::post::{Post, PostMarks};
use guanxi_model::{Error, PostHeader, PostId, Reason, Result, Uid};
use guanxi_ports::PostView;
use std::collections::HashMap;

/// Posts that the viewer is known to see: the first ones, as far as one answer has room for them. `behind` has the
/// originals of all of them, and the viewer's relations to the originals' authors.
pub(crate) async fn show_fitting(
    view: &dyn PostView,
    viewer: Option<Uid>,
    headers: &[PostHeader],
    behind: &Behind,
) -> Result<Vec<ShownPost>> {
    let mut shown: Vec<ShownPost> = Vec::with_capacity(headers.len());
    while shown.len() < headers.len() {
        // All of them, unless they are so large that a call does not answer them.
        shown.extend(show_first(view, viewer, &headers[shown.len()..], behind).await?);
        let fits = fitting(&shown, shown_bytes);
        if fits < shown.len() {
            shown.truncate(fits);
            break;
        }
    }
    Ok(shown)
}

/// The first posts of some, as many as one call answers the bodies of with those of their originals; at least one.
async fn show_first(
    view: &dyn PostView,
    viewer: Option<Uid>,
    headers: &[PostHeader],
    behind: &Behind,
) -> Result<Vec<ShownPost>> {
    let mut wanted = Wanted::default();
    let places: Vec<Place> = headers.iter().map(|header| wanted.add(header, viewer, behind)).collect();
    let Wanted { ids, users, .. } = wanted;
    let (posts, relations, gone) = tokio::try_join!(
        view.shown(viewer, &ids),
        relations(view, viewer, users.clone()),
        gone(view, &users)
    )?;
    let read = posts.len();
    // For whom an original two deep is shows with the post.
    let deep = places.iter().filter_map(Place::deep).filter_map(|place| posts.get(place)?.as_ref());
    let groups = deep.filter_map(|(post, _)| post.header.audience()).collect();
    let groups = groups_of(view, viewer, groups).await?;
    let deep = Behind { relations, gone, groups, ..Behind::default() };
    let one = |(post, marks): (Post, PostMarks)| {
        let PostMarks { stats, liked, reposted } = marks;
        ShownPost { post, stats, liked, reposted, original: None }
    };
    let mut found: Vec<Option<ShownPost>> = posts.into_iter().map(|shown| shown.map(one)).collect();
    let mut shown = Vec::with_capacity(headers.len());
    let whole = places.iter().take_while(|place| place.last < read).count();
    let originals: Vec<Option<PostStatus>> =
        places[..whole].iter().map(|place| place.original(&found, viewer, &deep)).collect();
    for ((header, place), original) in headers.iter().zip(&places).zip(originals) {
        // A post that is asked for twice is shown twice.
        let again = || shown.iter().find(|shown: &&ShownPost| shown.id() == header.id).cloned();
        // A view that has the header of a post has the post.
        let lost = || Error::with_detail(Reason::Internal, format_args!("post {} is missing", header.id));
        let post = found[place.post].take().or_else(again).ok_or_else(lost)?;
        shown.push(ShownPost { original, ..post });
    }
    Ok(shown)
}

/// Posts to be read, each once, in the order of the answer.
#[derive(Default)]
struct Wanted {
    ids: Vec<PostId>,
    places: HashMap<PostId, usize>,
    /// The authors of originals two deep.
    users: Vec<Uid>,
}

/// Where a post and its originals stand among those that are read.
struct Place {
    post: usize,
    original: Option<Original>,
    /// The last of them.
    last: usize,
}

/// An original as far as it is known before its content.
enum Original {
    /// The viewer sees it; with the place of it and of what it shares itself.
    Visible(usize, Option<usize>),
    Other(PostStatus),
}

impl Wanted {
    fn add(&mut self, header: &PostHeader, viewer: Option<Uid>, behind: &Behind) -> Place {
        let post = self.place(header.id);
        let original = header.kind.shared().map(|(of, _)| {
            match access(behind.originals.get(&of).copied(), viewer, behind) {
                PostAccess::Visible(original) => {
                    let place = self.place(of);
                    let deep = original.kind.shared().map(|(of, author)| {
                        self.users.push(author);
                        self.place(of)
                    });
                    Original::Visible(place, deep)
                }
                other => Original::Other(other.into()),
            }
        });
        let last = match original {
            Some(Original::Visible(place, deep)) => post.max(place).max(deep.unwrap_or(0)),
            Some(Original::Other(_)) | None => post,
        };
        Place { post, original, last }
    }

    fn place(&mut self, id: PostId) -> usize {
        *self.places.entry(id).or_insert_with(|| {
            self.ids.push(id);
            self.ids.len() - 1
        })
    }
}

impl Place {
    /// The place of what a post's original shares itself, as far as it is looked at.
    const fn deep(&self) -> Option<usize> {
        match self.original {
            Some(Original::Visible(_, deep)) => deep,
            Some(Original::Other(_)) | None => None,
        }
    }

    /// The original as the viewer gets it. `deep` has the viewer's relations to the authors of originals two deep.
    fn original(
        &self,
        found: &[Option<ShownPost>],
        viewer: Option<Uid>,
        deep: &Behind,
    ) -> Option<PostStatus> {
        let (place, below) = match self.original.as_ref()? {
            Original::Other(status) => return Some(status.clone()),
            Original::Visible(place, below) => (*place, *below),
        };
        let Some(original) = found[place].clone() else { return Some(PostStatus::NotFound) };
        let below = below.map(|below| {
            let post = found[below].as_ref();
            match (access(post.map(|shown| shown.post.header), viewer, deep), post) {
                (PostAccess::Visible(_), Some(shown)) => PostStatus::Ok(Box::new(shown.clone())),
                (other, _) => other.into(),
            }
        });
        Some(PostStatus::Ok(Box::new(ShownPost { original: below, ..original })))
    }
}
