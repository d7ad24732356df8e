//! Whatever is a layer is each part of a view.

use super::ViewLayer;
use crate::BoxFuture;
use crate::external_ids::ExternalIdView;
use crate::graph::{ExportEdge, FollowedCounts, FollowsAsk, GraphView, KnownFollowers, MarkKind};
use crate::outboxes::{OutboxAsk, OutboxView, Outboxes, ViewerRelations};
use crate::posts::{ExportLike, PostView, UserLike};
use crate::settings::{FollowLimit, SettingsView};
use crate::suggestions::SuggestionView;
use crate::users::UserView;
use guanxi_model::affinity::Affinities;
use guanxi_model::post::{AuthorHead, ImportPost, Post, PostHeader, PostMarks, PostStats, Revision};
use guanxi_model::user::{Contact, ContactClaim, PasswordHash, Standing};
use guanxi_model::{
    AuditEntry, AuditId, Counts, Edge, EdgePage, ExternalId, FanoutPolicy, GroupId, List, LoginName, Page,
    Position, PostId, Relation, RestrictionKind, Result, Uid, User,
};

impl<L: ViewLayer> GraphView for L {
    fn position(&self) -> Position {
        ViewLayer::position(self)
    }

    fn relations<'a>(&'a self, subject: Uid, objects: &'a [Uid]) -> BoxFuture<'a, Result<Vec<Relation>>> {
        ViewLayer::relations(self, subject, objects)
    }

    fn pairs<'a>(&'a self, pairs: &'a [(Uid, Uid)]) -> BoxFuture<'a, Result<Vec<Relation>>> {
        ViewLayer::pairs(self, pairs)
    }

    fn list(&self, of: Uid, list: List, page: Page) -> BoxFuture<'_, Result<EdgePage>> {
        ViewLayer::list(self, of, list, page)
    }

    fn counts<'a>(&'a self, uids: &'a [Uid]) -> BoxFuture<'a, Result<Vec<Counts>>> {
        ViewLayer::counts(self, uids)
    }

    fn known_followers(
        &self,
        viewer: Uid,
        target: Uid,
        page: Page,
        told: Option<Uid>,
    ) -> BoxFuture<'_, Result<KnownFollowers>> {
        ViewLayer::known_followers(self, viewer, target, page, told)
    }

    fn mutual_following(
        &self,
        a: Uid,
        b: Uid,
        page: Page,
        told: Option<Uid>,
    ) -> BoxFuture<'_, Result<KnownFollowers>> {
        ViewLayer::mutual_following(self, a, b, page, told)
    }

    fn count_followed<'a>(
        &'a self,
        ask: FollowsAsk<'a>,
        follows_max: usize,
    ) -> BoxFuture<'a, Result<FollowedCounts>> {
        ViewLayer::count_followed(self, ask, follows_max)
    }

    fn who_follows<'a>(
        &'a self,
        ask: FollowsAsk<'a>,
        objects: &'a [Uid],
    ) -> BoxFuture<'a, Result<Vec<Vec<u32>>>> {
        ViewLayer::who_follows(self, ask, objects)
    }

    fn standings<'a>(&'a self, uids: &'a [Uid]) -> BoxFuture<'a, Result<Vec<Standing>>> {
        ViewLayer::standings(self, uids)
    }

    fn all_stand_by_default(&self) -> bool {
        ViewLayer::all_stand_by_default(self)
    }

    fn edges(&self, after: Option<(Uid, Uid)>, max: usize) -> BoxFuture<'_, Result<Vec<ExportEdge>>> {
        ViewLayer::edges(self, after, max)
    }

    fn restrictions(
        &self,
        kind: RestrictionKind,
        after: Option<(Uid, Uid)>,
        max: usize,
    ) -> BoxFuture<'_, Result<Vec<ExportEdge>>> {
        ViewLayer::restrictions(self, kind, after, max)
    }

    fn marked_by(
        &self,
        object: Uid,
        kind: MarkKind,
        after: Option<Uid>,
        max: usize,
    ) -> BoxFuture<'_, Result<Vec<Uid>>> {
        ViewLayer::marked_by(self, object, kind, after, max)
    }

    fn all_removed_follows(
        &self,
        after: Option<(Uid, Uid)>,
        max: usize,
    ) -> BoxFuture<'_, Result<Vec<ExportEdge>>> {
        ViewLayer::all_removed_follows(self, after, max)
    }

    fn removed_follows(
        &self,
        subject: Uid,
        after: Option<Uid>,
        max: usize,
    ) -> BoxFuture<'_, Result<Vec<Edge>>> {
        ViewLayer::removed_follows(self, subject, after, max)
    }
}

impl<L: ViewLayer> OutboxView for L {
    fn viewer_relations(&self, viewer: Uid) -> BoxFuture<'_, Result<Box<dyn ViewerRelations>>> {
        ViewLayer::viewer_relations(self, viewer)
    }

    fn heads<'a>(&'a self, authors: &'a [Uid]) -> BoxFuture<'a, Result<Vec<AuthorHead>>> {
        ViewLayer::heads(self, authors)
    }

    fn created_from<'a>(&'a self, authors: &'a [Uid]) -> BoxFuture<'a, Result<Vec<Option<PostId>>>> {
        ViewLayer::created_from(self, authors)
    }

    fn outboxes<'a>(&'a self, asks: &'a [OutboxAsk], max: usize) -> BoxFuture<'a, Result<Outboxes>> {
        ViewLayer::outboxes(self, asks, max)
    }

    fn headers<'a>(&'a self, ids: &'a [PostId]) -> BoxFuture<'a, Result<Vec<Option<PostHeader>>>> {
        ViewLayer::headers(self, ids)
    }

    fn follow<'a>(&'a self, subjects: &'a [Uid], object: Uid) -> BoxFuture<'a, Result<Vec<bool>>> {
        ViewLayer::follow(self, subjects, object)
    }

    fn blocked_by<'a>(&'a self, viewer: Uid, authors: &'a [Uid]) -> BoxFuture<'a, Result<Vec<bool>>> {
        ViewLayer::blocked_by(self, viewer, authors)
    }

    fn in_groups<'a>(&'a self, uid: Uid, groups: &'a [(Uid, GroupId)]) -> BoxFuture<'a, Result<Vec<bool>>> {
        ViewLayer::in_groups(self, uid, groups)
    }

    fn mirrors_are_exact(&self) -> bool {
        ViewLayer::mirrors_are_exact(self)
    }

    fn confirm(&self, viewer: Uid) -> BoxFuture<'_, Result<bool>> {
        ViewLayer::confirm(self, viewer)
    }

    fn stored_headers(&self, ask: OutboxAsk, max: usize) -> BoxFuture<'_, Result<Vec<PostHeader>>> {
        ViewLayer::stored_headers(self, ask, max)
    }
}

impl<L: ViewLayer> PostView for L {
    fn posts<'a>(&'a self, ids: &'a [PostId]) -> BoxFuture<'a, Result<Vec<Option<Post>>>> {
        ViewLayer::posts(self, ids)
    }

    fn revisions(&self, id: PostId, below: Option<u32>, max: usize) -> BoxFuture<'_, Result<Vec<Revision>>> {
        ViewLayer::revisions(self, id, below, max)
    }

    fn stats<'a>(&'a self, ids: &'a [PostId]) -> BoxFuture<'a, Result<Vec<PostStats>>> {
        ViewLayer::stats(self, ids)
    }

    fn marks<'a>(&'a self, viewer: Uid, ids: &'a [PostId]) -> BoxFuture<'a, Result<Vec<PostMarks>>> {
        ViewLayer::marks(self, viewer, ids)
    }

    fn likers(&self, id: PostId, page: Page) -> BoxFuture<'_, Result<EdgePage>> {
        ViewLayer::likers(self, id, page)
    }

    fn reposts_of(
        &self,
        original: PostId,
        below: Option<PostId>,
        max: usize,
    ) -> BoxFuture<'_, Result<Vec<PostId>>> {
        ViewLayer::reposts_of(self, original, below, max)
    }

    fn all_posts(&self, after: Option<PostId>, max: usize) -> BoxFuture<'_, Result<Vec<ImportPost>>> {
        ViewLayer::all_posts(self, after, max)
    }

    fn all_likes(&self, after: Option<(PostId, Uid)>, max: usize) -> BoxFuture<'_, Result<Vec<ExportLike>>> {
        ViewLayer::all_likes(self, after, max)
    }

    fn likes_by(&self, uid: Uid, after: Option<PostId>, max: usize) -> BoxFuture<'_, Result<Vec<UserLike>>> {
        ViewLayer::likes_by(self, uid, after, max)
    }

    fn deleted_posts(
        &self,
        after: Option<(u64, PostId)>,
        max: usize,
    ) -> BoxFuture<'_, Result<Vec<(u64, PostId)>>> {
        ViewLayer::deleted_posts(self, after, max)
    }

    fn imported_names<'a>(
        &'a self,
        author: Uid,
        after: Option<&'a str>,
        max: usize,
    ) -> BoxFuture<'a, Result<Vec<(String, PostId)>>> {
        ViewLayer::imported_names(self, author, after, max)
    }
}

impl<L: ViewLayer> UserView for L {
    fn users<'a>(&'a self, uids: &'a [Uid]) -> BoxFuture<'a, Result<Vec<Option<User>>>> {
        ViewLayer::users(self, uids)
    }

    fn uid_of<'a>(&'a self, name: &'a LoginName) -> BoxFuture<'a, Result<Option<Uid>>> {
        ViewLayer::uid_of(self, name)
    }

    fn password(&self, uid: Uid) -> BoxFuture<'_, Result<Option<PasswordHash>>> {
        ViewLayer::password(self, uid)
    }

    fn claim_of<'a>(&'a self, contact: &'a Contact) -> BoxFuture<'a, Result<Option<ContactClaim>>> {
        ViewLayer::claim_of(self, contact)
    }

    fn claims<'a>(
        &'a self,
        after: Option<&'a Contact>,
        max: usize,
    ) -> BoxFuture<'a, Result<Vec<(Contact, ContactClaim)>>> {
        ViewLayer::claims(self, after, max)
    }

    fn deleted_users(&self, after: Option<(u64, Uid)>, max: usize) -> BoxFuture<'_, Result<Vec<(u64, Uid)>>> {
        ViewLayer::deleted_users(self, after, max)
    }

    fn all_users(&self, after: Option<Uid>, max: usize) -> BoxFuture<'_, Result<Vec<User>>> {
        ViewLayer::all_users(self, after, max)
    }

    fn erased_users(&self, after: Option<Uid>, max: usize) -> BoxFuture<'_, Result<Vec<(Uid, u64)>>> {
        ViewLayer::erased_users(self, after, max)
    }
}

impl<L: ViewLayer> ExternalIdView for L {
    fn uids_of<'a>(&'a self, ids: &'a [ExternalId]) -> BoxFuture<'a, Result<Vec<Option<Uid>>>> {
        ViewLayer::uids_of(self, ids)
    }

    fn external_ids<'a>(&'a self, uids: &'a [Uid]) -> BoxFuture<'a, Result<Vec<Option<ExternalId>>>> {
        ViewLayer::external_ids(self, uids)
    }
}

impl<L: ViewLayer> SettingsView for L {
    fn follow_limit(&self, uid: Uid) -> BoxFuture<'_, Result<FollowLimit>> {
        ViewLayer::follow_limit(self, uid)
    }

    fn import_position<'a>(&'a self, job: &'a str) -> BoxFuture<'a, Result<Option<u64>>> {
        ViewLayer::import_position(self, job)
    }

    fn seen(&self, uid: Uid) -> BoxFuture<'_, Result<Position>> {
        ViewLayer::seen(self, uid)
    }

    fn fanout_policy(&self) -> BoxFuture<'_, Result<FanoutPolicy>> {
        ViewLayer::fanout_policy(self)
    }

    fn audit_entries(&self, below: Option<AuditId>, max: usize) -> BoxFuture<'_, Result<Vec<AuditEntry>>> {
        ViewLayer::audit_entries(self, below, max)
    }
}

impl<L: ViewLayer> SuggestionView for L {
    fn dismissed(&self, viewer: Uid) -> BoxFuture<'_, Result<Vec<Edge>>> {
        ViewLayer::dismissed(self, viewer)
    }

    fn dismissed_by(&self, uid: Uid, after: Option<Uid>, max: usize) -> BoxFuture<'_, Result<Vec<Uid>>> {
        ViewLayer::dismissed_by(self, uid, after, max)
    }

    fn affinities(&self, actor: Uid) -> BoxFuture<'_, Result<Affinities>> {
        ViewLayer::affinities(self, actor)
    }

    fn scored_by(&self, uid: Uid, after: Option<Uid>, max: usize) -> BoxFuture<'_, Result<Vec<Uid>>> {
        ViewLayer::scored_by(self, uid, after, max)
    }
}
