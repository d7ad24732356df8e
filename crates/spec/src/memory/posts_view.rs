//! What a read of posts answers.

use super::view::MemoryView;
use guanxi_model::post::{Body, ImportPost, Kind};
use guanxi_model::{EventAt, MuteScope, Post, PostId, Stamp, Uid};
use guanxi_ports::{AuthorHead, OutboxAsk, RelationsVersion, ViewerRelations};
use std::collections::{BTreeMap, BTreeSet};

impl MemoryView {
    /// The ids of an outbox below a place, newest first.
    pub(super) fn outbox(&self, ask: OutboxAsk) -> impl Iterator<Item = PostId> {
        let OutboxAsk { author, below } = ask;
        let state = self.of(author);
        let ids = state.posts.outboxes.range((author, PostId::MIN)..=(author, PostId::MAX));
        let ids = ids.rev().map(|(_, id)| *id).filter(|id| below.is_none_or(|below| *id < below));
        ids.collect::<Vec<_>>().into_iter()
    }

    /// The head of an author without posts.
    pub(super) fn no_head(&self, author: Uid) -> AuthorHead {
        let beginning = EventAt::beginning(self.shared.options.logs.of(author));
        AuthorHead { last_id: None, last: beginning, changed: beginning }
    }

    pub(super) fn post_at(&self, id: PostId) -> Option<Post> {
        self.of_post(id).posts.posts.get(&id).cloned()
    }

    /// A post's author and the key under which it is exported.
    pub(super) fn key_at(&self, id: PostId) -> Option<(Uid, String)> {
        let state = self.of_post(id);
        let header = state.posts.posts.get(&id)?.header;
        Some((header.author, state.key_of(&header)))
    }

    pub(super) fn exported(&self, id: PostId) -> Option<ImportPost> {
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

/// What a viewer has said about others at one commit.
pub(super) struct MemoryViewerRelations {
    pub changed: EventAt,
    pub following: Vec<Uid>,
    /// Since when each is followed, and whether it follows back.
    pub follows: BTreeMap<Uid, (Stamp, bool)>,
    pub mutes: BTreeMap<Uid, MuteScope>,
    pub blocks: BTreeSet<Uid>,
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
