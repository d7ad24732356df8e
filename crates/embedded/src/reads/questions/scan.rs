//! What walks over all rows of a kind read.

use crate::engine::EngineResult;
use crate::reads::{PinnedView, now};
use crate::rows;
use guanxi_model::post::ImportPost;
use guanxi_model::user::{Contact, ContactClaim};
use guanxi_model::{Edge, Error, GroupId, PostId, RestrictionKind, Result, Stamp, Uid, User};
use guanxi_ports::{
    BoxFuture, DueEnd, ExportEdge, ExportLike, MarkKind, Scan, UserLike, Walk, first_exported,
};

impl Scan for PinnedView {
    fn edges(&self, walk: Walk<(Uid, Uid)>) -> BoxFuture<'_, Result<Vec<ExportEdge>>> {
        let Walk { after, max } = walk;
        let edges = rows::relations::edges(&self.view.snapshot, after).take(max);
        now(edges.map(|edge| Ok(edge?)).collect())
    }

    fn restrictions(
        &self,
        kind: RestrictionKind,
        walk: Walk<(Uid, Uid)>,
    ) -> BoxFuture<'_, Result<Vec<ExportEdge>>> {
        let Walk { after, max } = walk;
        let restrictions = rows::relations::restrictions(&self.view.snapshot, kind, after).take(max);
        now(restrictions.map(|edge| Ok(edge?)).collect())
    }

    fn marked_by(&self, object: Uid, kind: MarkKind, walk: Walk<Uid>) -> BoxFuture<'_, Result<Vec<Uid>>> {
        let Walk { after, max } = walk;
        now(self.markers(object, kind, after, max))
    }

    fn removed_follows(&self, subject: Uid, walk: Walk<Uid>) -> BoxFuture<'_, Result<Vec<Edge>>> {
        let Walk { after, max } = walk;
        now(self.left_by(subject, after, max))
    }

    fn all_removed_follows(&self, walk: Walk<(Uid, Uid)>) -> BoxFuture<'_, Result<Vec<ExportEdge>>> {
        let Walk { after, max } = walk;
        let removed = rows::relations::all_removed_follows(&self.view.snapshot, after).take(max);
        now(removed.map(|edge| Ok(edge?)).collect())
    }

    fn rejections(&self, of: Uid, walk: Walk<Uid>) -> BoxFuture<'_, Result<Vec<(Uid, u64)>>> {
        let Walk { after, max } = walk;
        let found = rows::waiting::rejections(&self.view.snapshot, of, after).take(max);
        now(found.collect::<EngineResult<_>>().map_err(Error::from))
    }

    fn due_ends(&self, until_ms: u64, walk: Walk<DueEnd>) -> BoxFuture<'_, Result<Vec<DueEnd>>> {
        let Walk { after, max } = walk;
        let is_due = |due: &EngineResult<DueEnd>| due.as_ref().map_or(true, |due| due.at_ms <= until_ms);
        let due = rows::waiting::ends(&self.view.snapshot, after).take_while(is_due).take(max);
        now(due.collect::<EngineResult<_>>().map_err(Error::from))
    }

    fn unlocking(&self, walk: Walk<Uid>) -> BoxFuture<'_, Result<Vec<(Uid, Stamp)>>> {
        let Walk { after, max } = walk;
        let found = rows::waiting::unlocking(&self.view.snapshot, after).take(max);
        now(found.collect::<EngineResult<_>>().map_err(Error::from))
    }

    fn dismissed_by(&self, uid: Uid, walk: Walk<Uid>) -> BoxFuture<'_, Result<Vec<Uid>>> {
        let Walk { after, max } = walk;
        let viewers = rows::suggestions::dismissed_by(&self.view.snapshot, uid, after).take(max);
        now(viewers.map(|viewer| Ok(viewer?)).collect())
    }

    fn scored_by(&self, uid: Uid, walk: Walk<Uid>) -> BoxFuture<'_, Result<Vec<Uid>>> {
        let Walk { after, max } = walk;
        let actors = rows::suggestions::scored_by(&self.view.snapshot, uid, after).take(max);
        now(actors.map(|actor| Ok(actor?)).collect())
    }

    fn memberships(
        &self,
        member: Uid,
        walk: Walk<(Uid, GroupId)>,
    ) -> BoxFuture<'_, Result<Vec<(Uid, GroupId)>>> {
        let Walk { after, max } = walk;
        now(rows::user_groups::memberships(&self.view.snapshot, member, after, max).map_err(Error::from))
    }

    fn all_posts(&self, walk: Walk<PostId>) -> BoxFuture<'_, Result<Vec<ImportPost>>> {
        let Walk { after, max } = walk;
        let posts = rows::posts::all(&self.view().snapshot, after).take(max);
        now(first_exported(posts.map(|post| Ok(post?))))
    }

    fn all_likes(&self, walk: Walk<(PostId, Uid)>) -> BoxFuture<'_, Result<Vec<ExportLike>>> {
        let Walk { after, max } = walk;
        let likes = rows::posts::all_likes(&self.view().snapshot, after).take(max);
        now(likes.map(|like| Ok(like?)).collect())
    }

    fn likes_by(&self, uid: Uid, walk: Walk<PostId>) -> BoxFuture<'_, Result<Vec<UserLike>>> {
        let Walk { after, max } = walk;
        let likes = rows::posts::likes_of_user(&self.view().snapshot, uid, after).take(max);
        now(likes.map(|like| Ok(like?)).collect())
    }

    fn imported_names<'a>(
        &'a self,
        author: Uid,
        walk: Walk<&'a str>,
    ) -> BoxFuture<'a, Result<Vec<(String, PostId)>>> {
        let Walk { after, max } = walk;
        let names = rows::posts::sources(&self.view().snapshot, author, after).take(max);
        now(names.map(|name| Ok(name?)).collect())
    }

    fn deleted_posts(&self, walk: Walk<(u64, PostId)>) -> BoxFuture<'_, Result<Vec<(u64, PostId)>>> {
        let Walk { after, max } = walk;
        let posts = rows::posts::deleted(&self.view().snapshot, after).take(max);
        now(posts.map(|post| Ok(post?)).collect())
    }

    fn claims<'a>(&'a self, walk: Walk<&'a Contact>) -> BoxFuture<'a, Result<Vec<(Contact, ContactClaim)>>> {
        let Walk { after, max } = walk;
        now(rows::users::claims(&self.view.snapshot, after, max).map_err(Error::from))
    }

    fn all_users(&self, walk: Walk<Uid>) -> BoxFuture<'_, Result<Vec<User>>> {
        let Walk { after, max } = walk;
        now(rows::users::all(&self.view.snapshot, after, max).map_err(Error::from))
    }

    fn deleted_users(&self, walk: Walk<(u64, Uid)>) -> BoxFuture<'_, Result<Vec<(u64, Uid)>>> {
        let Walk { after, max } = walk;
        now(rows::users::deleted(&self.view.snapshot, after, max).map_err(Error::from))
    }

    fn erased_users(&self, walk: Walk<Uid>) -> BoxFuture<'_, Result<Vec<(Uid, u64)>>> {
        let Walk { after, max } = walk;
        now(rows::users::erased(&self.view.snapshot, after, max).map_err(Error::from))
    }
}
