//! What walks over all rows of a kind read.

use crate::view::ClusterView;
use crate::view::graph::{BLOCKS, EDGES, MUTES, REMOVED};
use crate::view::suggestions::{DISMISSED_BY, SCORED_BY};
use guanxi_model::post::ImportPost;
use guanxi_model::user::{Contact, ContactClaim, User};
use guanxi_model::{Edge, GroupId, PostId, RestrictionKind, Result, Stamp, Uid};
use guanxi_ports::{BoxFuture, DueEnd, ExportEdge, ExportLike, MarkKind, Scan, UserLike, Walk};

impl Scan for ClusterView {
    fn edges(&self, walk: Walk<(Uid, Uid)>) -> BoxFuture<'_, Result<Vec<ExportEdge>>> {
        let Walk { after, max } = walk;
        Box::pin(self.pairs_of_all(EDGES, after, max))
    }

    fn restrictions(
        &self,
        kind: RestrictionKind,
        walk: Walk<(Uid, Uid)>,
    ) -> BoxFuture<'_, Result<Vec<ExportEdge>>> {
        let Walk { after, max } = walk;
        let sql = match kind {
            RestrictionKind::Block => BLOCKS,
            RestrictionKind::Mute => MUTES,
        };
        Box::pin(self.pairs_of_all(sql, after, max))
    }

    fn marked_by(&self, object: Uid, kind: MarkKind, walk: Walk<Uid>) -> BoxFuture<'_, Result<Vec<Uid>>> {
        let Walk { after, max } = walk;
        Box::pin(self.marked_by_all(object, kind, after, max))
    }

    fn removed_follows(&self, subject: Uid, walk: Walk<Uid>) -> BoxFuture<'_, Result<Vec<Edge>>> {
        let Walk { after, max } = walk;
        Box::pin(self.removed_follows_of(subject, after, max))
    }

    fn all_removed_follows(&self, walk: Walk<(Uid, Uid)>) -> BoxFuture<'_, Result<Vec<ExportEdge>>> {
        let Walk { after, max } = walk;
        Box::pin(self.pairs_of_all(REMOVED, after, max))
    }

    fn rejections(&self, of: Uid, walk: Walk<Uid>) -> BoxFuture<'_, Result<Vec<(Uid, u64)>>> {
        let Walk { after, max } = walk;
        Box::pin(self.rejections_of(of, after, max))
    }

    fn due_ends(&self, until_ms: u64, walk: Walk<DueEnd>) -> BoxFuture<'_, Result<Vec<DueEnd>>> {
        let Walk { after, max } = walk;
        Box::pin(self.due_ends_of_all(after, until_ms, max))
    }

    fn unlocking(&self, walk: Walk<Uid>) -> BoxFuture<'_, Result<Vec<(Uid, Stamp)>>> {
        let Walk { after, max } = walk;
        Box::pin(self.unlocking_of_all(after, max))
    }

    fn dismissed_by(&self, uid: Uid, walk: Walk<Uid>) -> BoxFuture<'_, Result<Vec<Uid>>> {
        let Walk { after, max } = walk;
        Box::pin(self.users_by(DISMISSED_BY, uid, after, max))
    }

    fn scored_by(&self, uid: Uid, walk: Walk<Uid>) -> BoxFuture<'_, Result<Vec<Uid>>> {
        let Walk { after, max } = walk;
        Box::pin(self.users_by(SCORED_BY, uid, after, max))
    }

    fn memberships(
        &self,
        member: Uid,
        walk: Walk<(Uid, GroupId)>,
    ) -> BoxFuture<'_, Result<Vec<(Uid, GroupId)>>> {
        let Walk { after, max } = walk;
        Box::pin(self.memberships_of(member, after, max))
    }

    fn all_posts(&self, walk: Walk<PostId>) -> BoxFuture<'_, Result<Vec<ImportPost>>> {
        let Walk { after, max } = walk;
        Box::pin(self.exported_posts(after, max))
    }

    fn all_likes(&self, walk: Walk<(PostId, Uid)>) -> BoxFuture<'_, Result<Vec<ExportLike>>> {
        let Walk { after, max } = walk;
        Box::pin(self.exported_likes(after, max))
    }

    fn likes_by(&self, uid: Uid, walk: Walk<PostId>) -> BoxFuture<'_, Result<Vec<UserLike>>> {
        let Walk { after, max } = walk;
        Box::pin(self.likes_of(uid, after, max))
    }

    fn imported_names<'a>(
        &'a self,
        author: Uid,
        walk: Walk<&'a str>,
    ) -> BoxFuture<'a, Result<Vec<(String, PostId)>>> {
        let Walk { after, max } = walk;
        Box::pin(self.names_of(author, after, max))
    }

    fn deleted_posts(&self, walk: Walk<(u64, PostId)>) -> BoxFuture<'_, Result<Vec<(u64, PostId)>>> {
        let Walk { after, max } = walk;
        Box::pin(self.deleted_of_all(after, max))
    }

    fn claims<'a>(&'a self, walk: Walk<&'a Contact>) -> BoxFuture<'a, Result<Vec<(Contact, ContactClaim)>>> {
        let Walk { after, max } = walk;
        Box::pin(self.claims_after(after, max))
    }

    fn all_users(&self, walk: Walk<Uid>) -> BoxFuture<'_, Result<Vec<User>>> {
        let Walk { after, max } = walk;
        Box::pin(self.all_after(after, max))
    }

    fn deleted_users(&self, walk: Walk<(u64, Uid)>) -> BoxFuture<'_, Result<Vec<(u64, Uid)>>> {
        let Walk { after, max } = walk;
        Box::pin(self.deleted_after(after, max))
    }

    fn erased_users(&self, walk: Walk<Uid>) -> BoxFuture<'_, Result<Vec<(Uid, u64)>>> {
        let Walk { after, max } = walk;
        Box::pin(self.erased_after(after, max))
    }
}
