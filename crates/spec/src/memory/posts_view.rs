//! What a read of posts answers.

use super::view::{MemoryView, cut, now, of_owner};
use guanxi_model::post::{Body, ImportPost, Kind, PostMarks, PostStats, Revision};
use guanxi_model::{
    Edge, EdgePage, Error, EventAt, GroupId, MuteScope, Page, PageStart, Post, PostHeader, PostId, Reason,
    Result, Stamp, Uid,
};
use guanxi_ports::{
    AuthorHead, BoxFuture, ExportLike, OutboxAsk, OutboxPart, OutboxView, Outboxes, PostView,
    RelationsVersion, UserLike, ViewerRelations, first_exported, first_posts,
};
use std::collections::{BTreeMap, BTreeSet};
use std::future::ready;
use std::ops::Bound;

impl MemoryView {
    /// The ids of an outbox below a place, newest first.
    fn outbox(&self, ask: OutboxAsk) -> impl Iterator<Item = PostId> {
        let OutboxAsk { author, below } = ask;
        let state = self.of(author);
        let ids = state.posts.outboxes.range((author, PostId::MIN)..=(author, PostId::MAX));
        let ids = ids.rev().map(|(_, id)| *id).filter(|id| below.is_none_or(|below| *id < below));
        ids.collect::<Vec<_>>().into_iter()
    }

    /// The head of an author without posts.
    fn no_head(&self, author: Uid) -> AuthorHead {
        let beginning = EventAt::beginning(self.shared.options.logs.of(author));
        AuthorHead { last_id: None, last: beginning, changed: beginning }
    }

    fn post_at(&self, id: PostId) -> Option<Post> {
        self.of_post(id).posts.posts.get(&id).cloned()
    }

    /// A post's author and the key under which it is exported.
    fn key_at(&self, id: PostId) -> Option<(Uid, String)> {
        let state = self.of_post(id);
        let header = state.posts.posts.get(&id)?.header;
        Some((header.author, state.key_of(&header)))
    }

    fn exported(&self, id: PostId) -> Option<ImportPost> {
        let Post { header, body, create_ms, .. } = self.post_at(id)?;
        let (author, key) = self.key_at(id)?;
        let of = super::message::original(header.kind).and_then(|of| self.key_at(of));
        let is_reply = matches!(header.kind, Kind::Reply { .. });
        Some(ImportPost {
            id: Some(id),
            key,
            author,
            at_ms: create_ms,
            body: if header.deleted { Body::default() } else { body },
            visibility: header.visibility,
            reply_to: of.clone().filter(|_| is_reply),
            repost_of: of.filter(|_| !is_reply),
            deleted: header.deleted,
        })
    }
}

impl OutboxView for MemoryView {
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

    fn mirrors_are_exact(&self) -> bool {
        self.is_of_one_moment()
    }

    fn confirm(&self, viewer: Uid) -> BoxFuture<'_, Result<bool>> {
        now(self.holds_still(viewer))
    }

    fn stored_headers(&self, ask: OutboxAsk, max: usize) -> BoxFuture<'_, Result<Vec<PostHeader>>> {
        let posts = self.outbox(ask).filter_map(|id| self.post_at(id));
        now(posts.take(max).map(|post| post.header).collect())
    }
}

impl PostView for MemoryView {
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

    fn marks<'a>(&'a self, viewer: Uid, ids: &'a [PostId]) -> BoxFuture<'a, Result<Vec<PostMarks>>> {
        let state = self.of(viewer);
        let marks = |id: &PostId| PostMarks {
            stats: self.of_post(*id).posts.stats.get(id).copied().unwrap_or_default(),
            liked: state.posts.liked.contains_key(&(viewer, *id)),
            reposted: !state.plain_reposts(viewer, *id).is_empty(),
        };
        now(ids.iter().map(marks).collect())
    }

    fn all_posts(&self, after: Option<PostId>, max: usize) -> BoxFuture<'_, Result<Vec<ImportPost>>> {
        let mut ids: Vec<PostId> = Vec::new();
        for (state, is_own) in self.states() {
            let from = after.map_or(Bound::Unbounded, Bound::Excluded);
            let posts = state.posts.posts.range((from, Bound::Unbounded));
            ids.extend(posts.filter(|(_, post)| is_own(post.header.author)).map(|(id, _)| *id).take(max));
        }
        ids.sort_unstable();
        let posts = ids.into_iter().take(max).filter_map(|id| self.exported(id));
        Box::pin(ready(first_exported(posts.map(Ok))))
    }

    fn all_likes(&self, after: Option<(PostId, Uid)>, max: usize) -> BoxFuture<'_, Result<Vec<ExportLike>>> {
        let mut likes: Vec<ExportLike> = Vec::new();
        for (state, is_own) in self.states() {
            let from = after.map_or(Bound::Unbounded, Bound::Excluded);
            let rows = state.posts.likes.range((from, Bound::Unbounded));
            let own = rows.filter_map(|((id, uid), at)| {
                let (author, key) = self.key_at(*id)?;
                is_own(author).then_some(ExportLike {
                    id: *id,
                    like: Edge { at: *at, uid: *uid },
                    author,
                    key,
                })
            });
            likes.extend(own.take(max));
        }
        likes.sort_unstable_by_key(|like| (like.id, like.like.uid));
        likes.truncate(max);
        now(likes)
    }

    fn likes_by(&self, uid: Uid, after: Option<PostId>, max: usize) -> BoxFuture<'_, Result<Vec<UserLike>>> {
        let state = self.of(uid);
        let from = after.map_or(Bound::Included((uid, PostId::MIN)), |id| Bound::Excluded((uid, id)));
        let likes = state.posts.liked.range((from, Bound::Included((uid, PostId::MAX))));
        now(likes.take(max).map(|((_, id), at)| UserLike { id: *id, at: *at }).collect())
    }

    fn deleted_posts(
        &self,
        after: Option<(u64, PostId)>,
        max: usize,
    ) -> BoxFuture<'_, Result<Vec<(u64, PostId)>>> {
        let mut deleted = BTreeSet::new();
        for (state, is_own) in self.states() {
            let posts = state.posts.posts.values().filter(|post| is_own(post.header.author));
            deleted.extend(posts.filter_map(|post| Some((post.deleted_ms?, post.header.id))));
        }
        now(deleted.into_iter().filter(|post| after.is_none_or(|after| *post > after)).take(max).collect())
    }

    fn imported_names<'a>(
        &'a self,
        author: Uid,
        after: Option<&'a str>,
        max: usize,
    ) -> BoxFuture<'a, Result<Vec<(String, PostId)>>> {
        let state = self.of(author);
        let all = state.posts.sources.range((author, String::new())..);
        let of_author =
            all.take_while(|((of, _), _)| *of == author).map(|((_, name), id)| (name.clone(), *id));
        now(of_author.filter(|(name, _)| after.is_none_or(|after| **name > *after)).take(max).collect())
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

/// What a viewer has said about others at one commit.
struct MemoryViewerRelations {
    changed: EventAt,
    following: Vec<Uid>,
    /// Since when each is followed, and whether it follows back.
    follows: BTreeMap<Uid, (Stamp, bool)>,
    mutes: BTreeMap<Uid, MuteScope>,
    blocks: BTreeSet<Uid>,
}

impl ViewerRelations for MemoryViewerRelations {
    fn version(&self) -> RelationsVersion {
        RelationsVersion(self.changed.seq())
    }

    fn changed(&self) -> EventAt {
        self.changed
    }

    fn following(&self) -> &[Uid] {
        &self.following
    }

    fn follow(&self, uid: Uid) -> Option<(Stamp, bool)> {
        self.follows.get(&uid).copied()
    }

    fn mutes(&self, uid: Uid) -> Option<MuteScope> {
        self.mutes.get(&uid).copied()
    }

    fn blocks(&self, uid: Uid) -> bool {
        self.blocks.contains(&uid)
    }
}
