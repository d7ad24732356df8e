//! Which posts of followed authors changed lately, so that a home starts over for what its reader could see alone.
//!
//! The head of an outbox says when anything below its newest post last changed, for any audience of that post. A reader who
//! was told of each such change would learn when posts are written for others. So this module keeps the newest changes in
//! memory, in the order in which they are read from the logs. A poll judges the posts that the changes name: as they are now,
//! and as they were.

use super::FeedCenter;
use super::hydrate::hydrate_headers;
use super::rules::{judge, judge_original};
use crate::post::Originals;
use guanxi_model::event::{Change, Event, PostChange};
use guanxi_model::post::Hidden;
use guanxi_model::{EventAt, Position, PostHeader, PostId, Result, Uid};
use guanxi_ports::{AuthorHead, PostView, ViewerRelations};
use std::collections::{HashMap, VecDeque};

/// Changes that are kept, of all authors: some megabytes.
const CHANGES_MAX: usize = 65_536;

/// Changed posts of an author that are told apart; of more, all may have changed.
const POSTS_MAX: usize = 16;

/// Changed posts of all authors that one poll judges; where more have changed, homes start over, as for who was away for long.
const JUDGED_MAX: usize = 64;

/// Earlier revisions of a post that are looked at; one with more may have had any audience.
const REVISIONS_MAX: usize = 16;

/// The changes of one author.
#[derive(Default)]
struct Changed {
    /// The last change of each post, the oldest first.
    posts: Vec<(EventAt, PostId)>,
    /// When anything changed that no post tells.
    whole: Option<EventAt>,
}

/// The changes of all authors after a position.
pub(super) struct AuthorChanges {
    from: Position,
    authors: HashMap<Uid, Changed>,
    order: VecDeque<(EventAt, Uid)>,
}

impl AuthorChanges {
    pub(super) fn new(from: Position) -> Self {
        Self { from, authors: HashMap::new(), order: VecDeque::new() }
    }

    /// Takes an event in, if it is one that starts homes over.
    pub(super) fn note(&mut self, event: &Event) {
        let post = match event.change {
            _ if event.echo.is_some() => return,
            // A purged post has no revision that still says what its audience was.
            Change::Post { kind: PostChange::Purged, .. } => None,
            Change::Post { id, kind } if kind.resets() => Some(id),
            Change::User(kind) if kind.resets() => None,
            Change::Group { kind, .. } if kind.resets() => None,
            _ => return,
        };
        let (at, changed) = (event.at, self.authors.entry(event.subject).or_default());
        match post {
            Some(id) => {
                changed.posts.retain(|(_, known)| *known != id);
                changed.posts.push((at, id));
                if changed.posts.len() > POSTS_MAX {
                    let (oldest, _) = changed.posts.remove(0);
                    // What was known to have changed later still has.
                    changed.whole = changed.whole.filter(|known| known.is_after(oldest)).or(Some(oldest));
                }
            }
            None => changed.whole = Some(at),
        }
        self.order.push_back((at, event.subject));
        while self.order.len() > CHANGES_MAX {
            self.forget_first();
        }
    }

    fn forget_first(&mut self) {
        let Some((at, author)) = self.order.pop_front() else { return };
        self.from = self.from.after(at);
        let Some(changed) = self.authors.get_mut(&author) else { return };
        changed.posts.retain(|(kept, _)| kept.is_after(at));
        changed.whole = changed.whole.filter(|kept| kept.is_after(at));
        if changed.posts.is_empty() && changed.whole.is_none() {
            self.authors.remove(&author);
        }
    }

    /// Which posts of an author changed after a position; `None` if others may have, too.
    pub(super) fn after(&self, author: Uid, since: &Position) -> Option<Vec<PostId>> {
        let mark = since.of(author);
        let is_late = |at: &EventAt| at.is_after(mark);
        let changed = self.authors.get(&author).filter(|_| !is_late(&self.from.of(author)))?;
        let posts: Vec<PostId> =
            changed.posts.iter().filter(|(at, _)| is_late(at)).map(|(_, id)| *id).collect();
        // Something has changed, as the head says: what is not known is not hidden.
        (!posts.is_empty() && !changed.whole.as_ref().is_some_and(is_late)).then_some(posts)
    }
}

impl FeedCenter {
    /// Returns whether a home may show otherwise than at a position, because of authors whom the viewer follows: because of
    /// posts that changed below their newest ones, and that the viewer may see or might have seen.
    pub(super) async fn changes_show(
        &self,
        view: &dyn PostView,
        viewer_relations: &dyn ViewerRelations,
        viewer: Uid,
        authors: &[(Uid, AuthorHead)],
        since: &Position,
    ) -> Result<bool> {
        let is_late = |(author, head): &&(Uid, AuthorHead)| head.changed.is_after(since.of(*author));
        let late: Vec<Uid> = authors.iter().filter(is_late).map(|(author, _)| *author).collect();
        if late.is_empty() || late.contains(&viewer) {
            return Ok(!late.is_empty());
        }
        self.know_changes_of(view).await?;
        let Some(ids) = self.originals.posts_changed(&late, since).filter(|ids| ids.len() <= JUDGED_MAX)
        else {
            return Ok(true);
        };
        let headers = view.headers(&ids).await?;
        let mut stood = Vec::with_capacity(ids.len());
        for (id, header) in ids.into_iter().zip(headers) {
            let Some(header) = header else { return Ok(true) };
            let revisions = view.revisions(id, None, REVISIONS_MAX).await?;
            if revisions.len() == REVISIONS_MAX {
                return Ok(true);
            }
            let were = revisions.into_iter().map(|revision| revision.visibility);
            let visibilities = were.chain([header.visibility]);
            stood.extend(
                visibilities.map(|visibility| Some(PostHeader { deleted: false, visibility, ..header })),
            );
        }
        let hydrated = hydrate_headers(view, viewer_relations, viewer, stood, Originals::OfReposts).await?;
        let mut behind_reposts = Vec::new();
        for header in hydrated.headers.iter().flatten() {
            match judge(header, viewer, viewer_relations, &hydrated) {
                Ok(()) => return Ok(true),
                // Home does not show the reply itself, but it shows plain reposts of the reply.
                Err(Hidden::ReplyToStranger)
                    if judge_original(header, viewer, viewer_relations, &hydrated).is_ok() =>
                {
                    behind_reposts.push(header.id);
                }
                Err(_) => {}
            }
        }
        may_be_reposted(view, &behind_reposts).await
    }
}

/// Returns whether any of some posts was ever reposted, as far as the view knows at once.
async fn may_be_reposted(view: &dyn PostView, ids: &[PostId]) -> Result<bool> {
    if ids.is_empty() || !view.mirrors_are_exact() {
        return Ok(!ids.is_empty());
    }
    Ok(view.stats(ids).await?.iter().any(|stats| stats.reposts > 0))
}
