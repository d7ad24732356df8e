//! Wrappers of views: each says only what it does otherwise.

mod views;

use crate::BoxFuture;
use crate::graph::{ExportEdge, FollowedCounts, FollowsAsk, KnownFollowers, MarkKind};
use crate::outboxes::{OutboxAsk, Outboxes, ViewerRelations};
use crate::posts::{ExportLike, UserLike};
use crate::settings::FollowLimit;
use crate::store_view::StoreView;
use guanxi_model::affinity::Affinities;
use guanxi_model::post::{AuthorHead, ImportPost, Post, PostHeader, PostMarks, PostStats, Revision};
use guanxi_model::user::{Contact, ContactClaim, PasswordHash, Standing};
use guanxi_model::{
    AuditEntry, AuditId, Counts, Edge, EdgePage, ExternalId, FanoutPolicy, GroupId, List, LoginName, Page,
    Position, PostId, Relation, RestrictionKind, Result, Uid, User, UserGroup,
};
use std::sync::Arc;

/// A view that is another one with something changed: faults, counters, mutations. Whatever implements this is a
/// [`StoreView`]; each method hands on to [`inner`](Self::inner) unless it is written anew.
#[expect(missing_docs, reason = "each method is the one of the same name of a part of `StoreView`")]
pub trait ViewLayer: Send + Sync {
    /// The view below.
    fn inner(&self) -> &dyn StoreView;

    fn position(&self) -> Position {
        self.inner().position()
    }

    fn relations<'a>(&'a self, subject: Uid, objects: &'a [Uid]) -> BoxFuture<'a, Result<Vec<Relation>>> {
        self.inner().relations(subject, objects)
    }

    fn pairs<'a>(&'a self, pairs: &'a [(Uid, Uid)]) -> BoxFuture<'a, Result<Vec<Relation>>> {
        self.inner().pairs(pairs)
    }

    fn list(&self, of: Uid, list: List, page: Page) -> BoxFuture<'_, Result<EdgePage>> {
        self.inner().list(of, list, page)
    }

    fn counts<'a>(&'a self, uids: &'a [Uid]) -> BoxFuture<'a, Result<Vec<Counts>>> {
        self.inner().counts(uids)
    }

    fn known_followers(
        &self,
        viewer: Uid,
        target: Uid,
        page: Page,
        told: Option<Uid>,
    ) -> BoxFuture<'_, Result<KnownFollowers>> {
        self.inner().known_followers(viewer, target, page, told)
    }

    fn mutual_following(
        &self,
        a: Uid,
        b: Uid,
        page: Page,
        told: Option<Uid>,
    ) -> BoxFuture<'_, Result<KnownFollowers>> {
        self.inner().mutual_following(a, b, page, told)
    }

    fn count_followed<'a>(
        &'a self,
        ask: FollowsAsk<'a>,
        follows_max: usize,
    ) -> BoxFuture<'a, Result<FollowedCounts>> {
        self.inner().count_followed(ask, follows_max)
    }

    fn who_follows<'a>(
        &'a self,
        ask: FollowsAsk<'a>,
        objects: &'a [Uid],
    ) -> BoxFuture<'a, Result<Vec<Vec<u32>>>> {
        self.inner().who_follows(ask, objects)
    }

    fn dismissed(&self, viewer: Uid) -> BoxFuture<'_, Result<Vec<Edge>>> {
        self.inner().dismissed(viewer)
    }

    fn dismissed_by(&self, uid: Uid, after: Option<Uid>, max: usize) -> BoxFuture<'_, Result<Vec<Uid>>> {
        self.inner().dismissed_by(uid, after, max)
    }

    fn affinities(&self, actor: Uid) -> BoxFuture<'_, Result<Affinities>> {
        self.inner().affinities(actor)
    }

    fn scored_by(&self, uid: Uid, after: Option<Uid>, max: usize) -> BoxFuture<'_, Result<Vec<Uid>>> {
        self.inner().scored_by(uid, after, max)
    }

    fn standings<'a>(&'a self, uids: &'a [Uid]) -> BoxFuture<'a, Result<Vec<Standing>>> {
        self.inner().standings(uids)
    }

    fn all_stand_by_default(&self) -> bool {
        self.inner().all_stand_by_default()
    }

    fn follow_limit(&self, uid: Uid) -> BoxFuture<'_, Result<FollowLimit>> {
        self.inner().follow_limit(uid)
    }

    fn import_position<'a>(&'a self, job: &'a str) -> BoxFuture<'a, Result<Option<u64>>> {
        self.inner().import_position(job)
    }

    fn edges(&self, after: Option<(Uid, Uid)>, max: usize) -> BoxFuture<'_, Result<Vec<ExportEdge>>> {
        self.inner().edges(after, max)
    }

    fn restrictions(
        &self,
        kind: RestrictionKind,
        after: Option<(Uid, Uid)>,
        max: usize,
    ) -> BoxFuture<'_, Result<Vec<ExportEdge>>> {
        self.inner().restrictions(kind, after, max)
    }

    fn marked_by(
        &self,
        object: Uid,
        kind: MarkKind,
        after: Option<Uid>,
        max: usize,
    ) -> BoxFuture<'_, Result<Vec<Uid>>> {
        self.inner().marked_by(object, kind, after, max)
    }

    fn all_removed_follows(
        &self,
        after: Option<(Uid, Uid)>,
        max: usize,
    ) -> BoxFuture<'_, Result<Vec<ExportEdge>>> {
        self.inner().all_removed_follows(after, max)
    }

    fn removed_follows(
        &self,
        subject: Uid,
        after: Option<Uid>,
        max: usize,
    ) -> BoxFuture<'_, Result<Vec<Edge>>> {
        self.inner().removed_follows(subject, after, max)
    }

    fn viewer_relations(&self, viewer: Uid) -> BoxFuture<'_, Result<Box<dyn ViewerRelations>>> {
        self.inner().viewer_relations(viewer)
    }

    fn heads<'a>(&'a self, authors: &'a [Uid]) -> BoxFuture<'a, Result<Vec<AuthorHead>>> {
        self.inner().heads(authors)
    }

    fn created_from<'a>(&'a self, authors: &'a [Uid]) -> BoxFuture<'a, Result<Vec<Option<PostId>>>> {
        self.inner().created_from(authors)
    }

    fn outboxes<'a>(&'a self, asks: &'a [OutboxAsk], max: usize) -> BoxFuture<'a, Result<Outboxes>> {
        self.inner().outboxes(asks, max)
    }

    fn headers<'a>(&'a self, ids: &'a [PostId]) -> BoxFuture<'a, Result<Vec<Option<PostHeader>>>> {
        self.inner().headers(ids)
    }

    fn posts<'a>(&'a self, ids: &'a [PostId]) -> BoxFuture<'a, Result<Vec<Option<Post>>>> {
        self.inner().posts(ids)
    }

    fn revisions(&self, id: PostId, below: Option<u32>, max: usize) -> BoxFuture<'_, Result<Vec<Revision>>> {
        self.inner().revisions(id, below, max)
    }

    fn stats<'a>(&'a self, ids: &'a [PostId]) -> BoxFuture<'a, Result<Vec<PostStats>>> {
        self.inner().stats(ids)
    }

    fn marks<'a>(&'a self, viewer: Uid, ids: &'a [PostId]) -> BoxFuture<'a, Result<Vec<PostMarks>>> {
        self.inner().marks(viewer, ids)
    }

    fn likers(&self, id: PostId, page: Page) -> BoxFuture<'_, Result<EdgePage>> {
        self.inner().likers(id, page)
    }

    fn reposts_of(
        &self,
        original: PostId,
        below: Option<PostId>,
        max: usize,
    ) -> BoxFuture<'_, Result<Vec<PostId>>> {
        self.inner().reposts_of(original, below, max)
    }

    fn all_posts(&self, after: Option<PostId>, max: usize) -> BoxFuture<'_, Result<Vec<ImportPost>>> {
        self.inner().all_posts(after, max)
    }

    fn all_likes(&self, after: Option<(PostId, Uid)>, max: usize) -> BoxFuture<'_, Result<Vec<ExportLike>>> {
        self.inner().all_likes(after, max)
    }

    fn likes_by(&self, uid: Uid, after: Option<PostId>, max: usize) -> BoxFuture<'_, Result<Vec<UserLike>>> {
        self.inner().likes_by(uid, after, max)
    }

    fn deleted_posts(
        &self,
        after: Option<(u64, PostId)>,
        max: usize,
    ) -> BoxFuture<'_, Result<Vec<(u64, PostId)>>> {
        self.inner().deleted_posts(after, max)
    }

    fn imported_names<'a>(
        &'a self,
        author: Uid,
        after: Option<&'a str>,
        max: usize,
    ) -> BoxFuture<'a, Result<Vec<(String, PostId)>>> {
        self.inner().imported_names(author, after, max)
    }

    fn follow<'a>(&'a self, subjects: &'a [Uid], object: Uid) -> BoxFuture<'a, Result<Vec<bool>>> {
        self.inner().follow(subjects, object)
    }

    fn blocked_by<'a>(&'a self, viewer: Uid, authors: &'a [Uid]) -> BoxFuture<'a, Result<Vec<bool>>> {
        self.inner().blocked_by(viewer, authors)
    }

    fn in_groups<'a>(&'a self, uid: Uid, groups: &'a [(Uid, GroupId)]) -> BoxFuture<'a, Result<Vec<bool>>> {
        self.inner().in_groups(uid, groups)
    }

    fn mirrors_are_exact(&self) -> bool {
        self.inner().mirrors_are_exact()
    }

    fn confirm(&self, viewer: Uid) -> BoxFuture<'_, Result<bool>> {
        self.inner().confirm(viewer)
    }

    fn seen(&self, uid: Uid) -> BoxFuture<'_, Result<Position>> {
        self.inner().seen(uid)
    }

    fn fanout_policy(&self) -> BoxFuture<'_, Result<FanoutPolicy>> {
        self.inner().fanout_policy()
    }

    fn audit_entries(&self, below: Option<AuditId>, max: usize) -> BoxFuture<'_, Result<Vec<AuditEntry>>> {
        self.inner().audit_entries(below, max)
    }

    fn stored_headers(&self, ask: OutboxAsk, max: usize) -> BoxFuture<'_, Result<Vec<PostHeader>>> {
        self.inner().stored_headers(ask, max)
    }

    fn users<'a>(&'a self, uids: &'a [Uid]) -> BoxFuture<'a, Result<Vec<Option<User>>>> {
        self.inner().users(uids)
    }

    fn uid_of<'a>(&'a self, name: &'a LoginName) -> BoxFuture<'a, Result<Option<Uid>>> {
        self.inner().uid_of(name)
    }

    fn password(&self, uid: Uid) -> BoxFuture<'_, Result<Option<PasswordHash>>> {
        self.inner().password(uid)
    }

    fn claim_of<'a>(&'a self, contact: &'a Contact) -> BoxFuture<'a, Result<Option<ContactClaim>>> {
        self.inner().claim_of(contact)
    }

    fn claims<'a>(
        &'a self,
        after: Option<&'a Contact>,
        max: usize,
    ) -> BoxFuture<'a, Result<Vec<(Contact, ContactClaim)>>> {
        self.inner().claims(after, max)
    }

    fn deleted_users(&self, after: Option<(u64, Uid)>, max: usize) -> BoxFuture<'_, Result<Vec<(u64, Uid)>>> {
        self.inner().deleted_users(after, max)
    }

    fn all_users(&self, after: Option<Uid>, max: usize) -> BoxFuture<'_, Result<Vec<User>>> {
        self.inner().all_users(after, max)
    }

    fn erased_users(&self, after: Option<Uid>, max: usize) -> BoxFuture<'_, Result<Vec<(Uid, u64)>>> {
        self.inner().erased_users(after, max)
    }

    fn uids_of<'a>(&'a self, ids: &'a [ExternalId]) -> BoxFuture<'a, Result<Vec<Option<Uid>>>> {
        self.inner().uids_of(ids)
    }

    fn external_ids<'a>(&'a self, uids: &'a [Uid]) -> BoxFuture<'a, Result<Vec<Option<ExternalId>>>> {
        self.inner().external_ids(uids)
    }

    fn groups(&self, owner: Uid) -> BoxFuture<'_, Result<Vec<UserGroup>>> {
        self.inner().groups(owner)
    }

    fn group(&self, owner: Uid, id: GroupId) -> BoxFuture<'_, Result<Option<UserGroup>>> {
        self.inner().group(owner, id)
    }

    fn group_members(&self, owner: Uid, id: GroupId, page: Page) -> BoxFuture<'_, Result<EdgePage>> {
        self.inner().group_members(owner, id, page)
    }

    fn group_uids(&self, owner: Uid, id: GroupId) -> BoxFuture<'_, Result<Option<Arc<[Uid]>>>> {
        self.inner().group_uids(owner, id)
    }

    fn groups_with<'a>(&'a self, owner: Uid, members: &'a [Uid]) -> BoxFuture<'a, Result<Vec<Vec<GroupId>>>> {
        self.inner().groups_with(owner, members)
    }

    fn memberships(
        &self,
        member: Uid,
        after: Option<(Uid, GroupId)>,
        max: usize,
    ) -> BoxFuture<'_, Result<Vec<(Uid, GroupId)>>> {
        self.inner().memberships(member, after, max)
    }
}
