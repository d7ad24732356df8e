//! What walks over all rows of a kind read.

use crate::memory::state::{Maps, Pairs};
use crate::memory::view::{MemoryView, now, of_owner};
use guanxi_model::post::ImportPost;
use guanxi_model::user::{Contact, ContactClaim, UserStatus};
use guanxi_model::{Edge, GroupId, PostId, RestrictionKind, Result, Stamp, Uid, User};
use guanxi_ports::{
    BoxFuture, DueEnd, ExportEdge, ExportLike, MarkKind, Scan, UserLike, Walk, first_exported,
};
use std::collections::BTreeSet;
use std::future::ready;
use std::ops::Bound;
use std::sync::Arc;

impl Scan for MemoryView {
    fn edges(&self, walk: Walk<(Uid, Uid)>) -> BoxFuture<'_, Result<Vec<ExportEdge>>> {
        let Walk { after, max } = walk;
        now(self.pairs_of_all(|state| &state.follows, after, max))
    }

    fn restrictions(
        &self,
        kind: RestrictionKind,
        walk: Walk<(Uid, Uid)>,
    ) -> BoxFuture<'_, Result<Vec<ExportEdge>>> {
        let Walk { after, max } = walk;
        let pairs: fn(&Maps) -> &Pairs = match kind {
            RestrictionKind::Block => |state| &state.blocks,
            RestrictionKind::Mute => |state| &state.mutes,
        };
        let mut found = self.pairs_of_all(pairs, after, max);
        if kind == RestrictionKind::Mute {
            for edge in &mut found {
                edge.terms = self.of(edge.subject).mute_terms((edge.subject, edge.object));
            }
        }
        now(found)
    }

    fn marked_by(&self, object: Uid, kind: MarkKind, walk: Walk<Uid>) -> BoxFuture<'_, Result<Vec<Uid>>> {
        let Walk { after, max } = walk;
        let pairs: fn(&Maps) -> &Pairs = match kind {
            MarkKind::Block => |state| &state.blocks,
            MarkKind::Mute => |state| &state.mutes,
            MarkKind::RemovedFollow => |state| &state.removed,
        };
        // Every user's shard is asked what that user has said, so that nothing is missed which is under way.
        let all = self.pairs_of_all(pairs, None, usize::MAX).into_iter();
        let subjects = all.filter(|edge| edge.object == object).map(|edge| edge.subject);
        now(subjects.filter(|subject| after.is_none_or(|after| *subject > after)).take(max).collect())
    }

    fn removed_follows(&self, subject: Uid, walk: Walk<Uid>) -> BoxFuture<'_, Result<Vec<Edge>>> {
        let Walk { after, max } = walk;
        let left = of_owner(&self.of(subject).removed, subject).into_iter();
        now(left.filter(|edge| after.is_none_or(|after| edge.uid > after)).take(max).collect())
    }

    fn all_removed_follows(&self, walk: Walk<(Uid, Uid)>) -> BoxFuture<'_, Result<Vec<ExportEdge>>> {
        let Walk { after, max } = walk;
        now(self.pairs_of_all(|state| &state.removed, after, max))
    }

    fn rejections(&self, of: Uid, walk: Walk<Uid>) -> BoxFuture<'_, Result<Vec<(Uid, u64)>>> {
        let Walk { after, max } = walk;
        let state = self.of(of);
        let own = state.waiting.cooldowns.iter().filter(|((owner, _), _)| *owner == of);
        let own = own.map(|((_, other), until)| (*other, *until));
        now(own.filter(|(other, _)| after.is_none_or(|after| *other > after)).take(max).collect())
    }

    fn due_ends(&self, until_ms: u64, walk: Walk<DueEnd>) -> BoxFuture<'_, Result<Vec<DueEnd>>> {
        let Walk { after, max } = walk;
        let mut due: Vec<DueEnd> = Vec::new();
        for (state, is_own) in self.states() {
            due.extend(state.ends().into_iter().filter(|due| due.at_ms <= until_ms && is_own(due.end.owner)));
        }
        due.retain(|due| after.is_none_or(|after| *due > after));
        due.sort_unstable();
        due.truncate(max);
        now(due)
    }

    fn unlocking(&self, walk: Walk<Uid>) -> BoxFuture<'_, Result<Vec<(Uid, Stamp)>>> {
        let Walk { after, max } = walk;
        let mut found: Vec<(Uid, Stamp)> = Vec::new();
        for (state, is_own) in self.states() {
            let own = state.waiting.unlocking.iter().filter(|(uid, _)| is_own(**uid));
            found.extend(own.map(|(uid, since)| (*uid, *since)));
        }
        found.retain(|(uid, _)| after.is_none_or(|after| *uid > after));
        found.sort_unstable();
        found.truncate(max);
        now(found)
    }

    fn dismissed_by(&self, uid: Uid, walk: Walk<Uid>) -> BoxFuture<'_, Result<Vec<Uid>>> {
        let Walk { after, max } = walk;
        let all = self.pairs_of_all(|state| &state.dismissed, None, usize::MAX).into_iter();
        let viewers = all.filter(|edge| edge.object == uid).map(|edge| edge.subject);
        now(viewers.filter(|viewer| after.is_none_or(|after| *viewer > after)).take(max).collect())
    }

    fn scored_by(&self, uid: Uid, walk: Walk<Uid>) -> BoxFuture<'_, Result<Vec<Uid>>> {
        let Walk { after, max } = walk;
        let mut actors = Vec::new();
        for (state, is_own) in self.states() {
            let known = state
                .scores
                .iter()
                .filter(|(actor, scores)| is_own(**actor) && scores.with.contains_key(&uid));
            actors.extend(known.map(|(actor, _)| *actor));
        }
        actors.sort_unstable();
        now(actors.into_iter().filter(|actor| after.is_none_or(|after| *actor > after)).take(max).collect())
    }

    fn memberships(
        &self,
        member: Uid,
        walk: Walk<(Uid, GroupId)>,
    ) -> BoxFuture<'_, Result<Vec<(Uid, GroupId)>>> {
        let Walk { after, max } = walk;
        // Every owner's shard is asked, so that nothing is missed which is under way.
        let mut found: Vec<(Uid, GroupId)> = Vec::new();
        for (state, is_own) in self.states() {
            let all = state.groups.groups.iter().filter(|((owner, _), _)| is_own(*owner));
            let with = all.filter(|(_, group)| group.members.contains_key(&member));
            found.extend(with.map(|(place, _)| *place));
        }
        found.retain(|place| after.is_none_or(|after| *place > after));
        found.sort_unstable();
        found.truncate(max);
        now(found)
    }

    fn all_posts(&self, walk: Walk<PostId>) -> BoxFuture<'_, Result<Vec<ImportPost>>> {
        let Walk { after, max } = walk;
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

    fn all_likes(&self, walk: Walk<(PostId, Uid)>) -> BoxFuture<'_, Result<Vec<ExportLike>>> {
        let Walk { after, max } = walk;
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

    fn likes_by(&self, uid: Uid, walk: Walk<PostId>) -> BoxFuture<'_, Result<Vec<UserLike>>> {
        let Walk { after, max } = walk;
        let state = self.of(uid);
        let from = after.map_or(Bound::Included((uid, PostId::MIN)), |id| Bound::Excluded((uid, id)));
        let likes = state.posts.liked.range((from, Bound::Included((uid, PostId::MAX))));
        now(likes.take(max).map(|((_, id), at)| UserLike { id: *id, at: *at }).collect())
    }

    fn imported_names<'a>(
        &'a self,
        author: Uid,
        walk: Walk<&'a str>,
    ) -> BoxFuture<'a, Result<Vec<(String, PostId)>>> {
        let Walk { after, max } = walk;
        let state = self.of(author);
        let all = state.posts.sources.range((author, String::new())..);
        let of_author =
            all.take_while(|((of, _), _)| *of == author).map(|((_, name), id)| (name.clone(), *id));
        now(of_author.filter(|(name, _)| after.is_none_or(|after| **name > *after)).take(max).collect())
    }

    fn deleted_posts(&self, walk: Walk<(u64, PostId)>) -> BoxFuture<'_, Result<Vec<(u64, PostId)>>> {
        let Walk { after, max } = walk;
        let mut deleted = BTreeSet::new();
        for (state, is_own) in self.states() {
            let posts = state.posts.posts.values().filter(|post| is_own(post.header.author));
            deleted.extend(posts.filter_map(|post| Some((post.deleted_ms?, post.header.id))));
        }
        now(deleted.into_iter().filter(|post| after.is_none_or(|after| *post > after)).take(max).collect())
    }

    fn claims<'a>(&'a self, walk: Walk<&'a Contact>) -> BoxFuture<'a, Result<Vec<(Contact, ContactClaim)>>> {
        let Walk { after, max } = walk;
        let place = |contact: &Contact| (contact.kind().code(), contact.expose().to_owned());
        let mut found = Vec::new();
        for (state, _) in self.states() {
            let is_own = |contact: &Contact| Arc::ptr_eq(&state, &self.of_gene(contact.gene()));
            let own = state.users.claims.iter().filter(|(contact, _)| is_own(contact));
            found.extend(own.map(|(contact, claim)| (contact.clone(), *claim)));
        }
        found.retain(|(contact, _)| after.is_none_or(|after| place(contact) > place(after)));
        found.sort_by_key(|(contact, _)| place(contact));
        found.truncate(max);
        Box::pin(ready(Ok(found)))
    }

    fn all_users(&self, walk: Walk<Uid>) -> BoxFuture<'_, Result<Vec<User>>> {
        let Walk { after, max } = walk;
        let uids = self.users_after(|user| Some(user.uid), after, max);
        let users = uids.iter().filter_map(|uid| self.of(*uid).users.users.get(uid).cloned());
        Box::pin(ready(Ok(users.collect())))
    }

    fn deleted_users(&self, walk: Walk<(u64, Uid)>) -> BoxFuture<'_, Result<Vec<(u64, Uid)>>> {
        let Walk { after, max } = walk;
        let of = |user: &User| match user.status {
            UserStatus::Deleted { erase_at_ms } => Some((erase_at_ms, user.uid)),
            _ => None,
        };
        Box::pin(ready(Ok(self.users_after(of, after, max))))
    }

    fn erased_users(&self, walk: Walk<Uid>) -> BoxFuture<'_, Result<Vec<(Uid, u64)>>> {
        let Walk { after, max } = walk;
        let of = |user: &User| match user.status {
            UserStatus::Erased { at_ms } => Some((user.uid, at_ms)),
            _ => None,
        };
        Box::pin(ready(Ok(self.users_after(of, after.map(|uid| (uid, u64::MAX)), max))))
    }
}
