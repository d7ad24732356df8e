//! What a view answers about posts.

use crate::memory::posts_view::MemoryViewerRelations;
use crate::memory::view::{MemoryView, cut, now, of_owner};
use guanxi_model::post::{PostMarks, PostStats, Revision};
use guanxi_model::{
    Edge, EdgePage, Error, EventAt, GroupId, Page, PageStart, Post, PostHeader, PostId, Reason, Result, Uid,
};
use guanxi_ports::{
    AuthorHead, BoxFuture, OutboxAsk, OutboxPart, Outboxes, PostView, ViewerRelations, first_posts,
    first_shown,
};
use std::future::ready;
use std::ops::Bound;

impl PostView for MemoryView {
    fn viewer_relations(&self, viewer: Uid) -> BoxFuture<'_, Result<Box<dyn ViewerRelations>>> {
        let state = &*self.of(viewer);
        let follows = of_owner(&state.follows, viewer);
        let marks = |pairs| of_owner(pairs, viewer).into_iter().map(|edge| edge.uid).collect();
        let viewer_relations = MemoryViewerRelations {
            changed: state
                .viewer_relations
                .get(&viewer)
                .copied()
                .unwrap_or_else(|| EventAt::beginning(self.shared.options.logs.of(viewer))),
            following: follows.iter().map(|edge| edge.uid).collect(),
            follows: follows
                .into_iter()
                .map(|edge| (edge.uid, (edge.at, state.followers.contains_key(&(viewer, edge.uid)))))
                .collect(),
            mutes: state
                .mutes
                .range((viewer, Uid::MIN)..=(viewer, Uid::MAX))
                .map(|(pair, _)| (pair.1, state.mute_terms(*pair).scope()))
                .collect(),
            blocks: marks(&state.blocks),
        };
        now(Box::new(viewer_relations) as Box<dyn ViewerRelations>)
    }

    fn heads<'a>(&'a self, authors: &'a [Uid]) -> BoxFuture<'a, Result<Vec<AuthorHead>>> {
        let head = |author: &Uid| {
            self.of(*author).posts.heads.get(author).copied().unwrap_or_else(|| self.no_head(*author))
        };
        now(authors.iter().map(head).collect())
    }

    fn created_from<'a>(&'a self, authors: &'a [Uid]) -> BoxFuture<'a, Result<Vec<Option<PostId>>>> {
        let first = |author: &Uid| {
            let ids = self.outbox(OutboxAsk { author: *author, below: None });
            let created = ids.filter_map(|id| self.post_at(id)).filter(|post| post.header.event.is_some());
            created.map(|post| post.header.id).min()
        };
        now(authors.iter().map(first).collect())
    }

    fn outboxes<'a>(&'a self, asks: &'a [OutboxAsk], max: usize) -> BoxFuture<'a, Result<Outboxes>> {
        let mut outboxes = Outboxes::default();
        for ask in asks {
            let mut ids = self.outbox(*ask);
            outboxes.ids.extend(ids.by_ref().take(max));
            let more = ids.next().is_some();
            outboxes.parts.push(OutboxPart { end: outboxes.ids.len() as u32, more });
        }
        now(outboxes)
    }

    fn headers<'a>(&'a self, ids: &'a [PostId]) -> BoxFuture<'a, Result<Vec<Option<PostHeader>>>> {
        now(ids.iter().map(|id| self.post_at(*id).map(|post| post.header)).collect())
    }

    fn follow<'a>(&'a self, subjects: &'a [Uid], object: Uid) -> BoxFuture<'a, Result<Vec<bool>>> {
        let follows = |subject: &Uid| self.of(*subject).follows.contains_key(&(*subject, object));
        now(subjects.iter().map(follows).collect())
    }

    fn blocked_by<'a>(&'a self, viewer: Uid, authors: &'a [Uid]) -> BoxFuture<'a, Result<Vec<bool>>> {
        let state = self.of(viewer);
        now(authors.iter().map(|author| state.blocked_by.contains_key(&(viewer, *author))).collect())
    }

    fn in_groups<'a>(&'a self, uid: Uid, groups: &'a [(Uid, GroupId)]) -> BoxFuture<'a, Result<Vec<bool>>> {
        now(groups.iter().map(|(owner, id)| self.of(*owner).groups.has(*owner, *id, uid)).collect())
    }

    fn confirm(&self, viewer: Uid) -> BoxFuture<'_, Result<bool>> {
        now(self.holds_still(viewer))
    }

    fn stored_headers(&self, ask: OutboxAsk, max: usize) -> BoxFuture<'_, Result<Vec<PostHeader>>> {
        let posts = self.outbox(ask).filter_map(|id| self.post_at(id));
        now(posts.take(max).map(|post| post.header).collect())
    }

    fn posts<'a>(&'a self, ids: &'a [PostId]) -> BoxFuture<'a, Result<Vec<Option<Post>>>> {
        Box::pin(ready(first_posts(ids.iter().map(|id| Ok(self.post_at(*id))))))
    }

    fn revisions(&self, id: PostId, below: Option<u32>, max: usize) -> BoxFuture<'_, Result<Vec<Revision>>> {
        let below = below.unwrap_or(u32::MAX);
        let state = self.of_post(id);
        let earlier = state.posts.history.range((id, 0)..(id, below)).rev();
        now(earlier.take(max).map(|(_, revision)| revision.clone()).collect())
    }

    fn stats<'a>(&'a self, ids: &'a [PostId]) -> BoxFuture<'a, Result<Vec<PostStats>>> {
        now(ids.iter().map(|id| self.of_post(*id).posts.stats.get(id).copied().unwrap_or_default()).collect())
    }

    fn shown<'a>(
        &'a self,
        viewer: Option<Uid>,
        ids: &'a [PostId],
    ) -> BoxFuture<'a, Result<Vec<Option<(Post, PostMarks)>>>> {
        let of_viewer = |viewer: Uid, id: PostId| {
            let state = self.of(viewer);
            (state.posts.liked.contains_key(&(viewer, id)), !state.plain_reposts(viewer, id).is_empty())
        };
        let shown = |id: &PostId| {
            let stats = self.of_post(*id).posts.stats.get(id).copied().unwrap_or_default();
            let (liked, reposted) = viewer.map(|viewer| of_viewer(viewer, *id)).unwrap_or_default();
            Ok(self.post_at(*id).map(|post| (post, PostMarks { stats, liked, reposted })))
        };
        Box::pin(ready(first_shown(ids.iter().map(shown))))
    }

    fn likers(&self, id: PostId, page: Page) -> BoxFuture<'_, Result<EdgePage>> {
        if matches!(page.start(), PageStart::Offset(_)) {
            return Box::pin(ready(Err(Error::new(Reason::InvalidField { field: "offset" }))));
        }
        let state = self.of_post(id);
        let rows = state.posts.likes.range((id, Uid::MIN)..=(id, Uid::MAX));
        let mut likers: Vec<Edge> = rows.map(|((_, uid), at)| Edge { at: *at, uid: *uid }).collect();
        likers.sort_unstable_by(|a, b| b.cmp(a));
        now(cut(likers, page))
    }

    fn reposts_of(
        &self,
        original: PostId,
        below: Option<PostId>,
        max: usize,
    ) -> BoxFuture<'_, Result<Vec<PostId>>> {
        let state = self.of_post(original);
        let below =
            below.map_or(Bound::Included((original, PostId::MAX)), |id| Bound::Excluded((original, id)));
        let references = state.posts.references.range((Bound::Included((original, PostId::MIN)), below));
        let ids = references.rev().filter(|(_, shares)| **shares).map(|((_, id), _)| *id);
        now(ids.take(max).collect())
    }
}
