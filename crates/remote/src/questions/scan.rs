//! What walks over all rows of a kind read.

use crate::untold;
use crate::view::RemoteView;
use guanxi_model::post::ImportPost;
use guanxi_model::user::{Contact, ContactClaim};
use guanxi_model::{Edge, GroupId, PostId, RestrictionKind, Result, Stamp, Uid, User};
use guanxi_ports::{BoxFuture, DueEnd, ExportEdge, ExportLike, MarkKind, Scan, UserLike, Walk};
use std::num::NonZeroU64;

impl Scan for RemoteView {
    fn edges(&self, walk: Walk<(Uid, Uid)>) -> BoxFuture<'_, Result<Vec<ExportEdge>>> {
        let Walk { after, max } = walk;
        Box::pin(self.export(None, after, max))
    }

    fn restrictions(
        &self,
        kind: RestrictionKind,
        walk: Walk<(Uid, Uid)>,
    ) -> BoxFuture<'_, Result<Vec<ExportEdge>>> {
        let Walk { after, max } = walk;
        Box::pin(self.export(Some(kind), after, max))
    }

    fn marked_by(&self, _: Uid, _: MarkKind, _: Walk<Uid>) -> BoxFuture<'_, Result<Vec<Uid>>> {
        untold("who has set a mark on whom")
    }

    fn removed_follows(&self, _: Uid, _: Walk<Uid>) -> BoxFuture<'_, Result<Vec<Edge>>> {
        untold("whom a user has left")
    }

    fn all_removed_follows(&self, _: Walk<(Uid, Uid)>) -> BoxFuture<'_, Result<Vec<ExportEdge>>> {
        untold("whom all users have left")
    }

    fn rejections(&self, _of: Uid, _: Walk<Uid>) -> BoxFuture<'_, Result<Vec<(Uid, u64)>>> {
        untold("whom a user has rejected")
    }

    fn due_ends(&self, _until_ms: u64, _: Walk<DueEnd>) -> BoxFuture<'_, Result<Vec<DueEnd>>> {
        untold("what ends by itself")
    }

    fn unlocking(&self, _: Walk<Uid>) -> BoxFuture<'_, Result<Vec<(Uid, Stamp)>>> {
        untold("who unlocks itself")
    }

    fn dismissed_by(&self, _: Uid, _: Walk<Uid>) -> BoxFuture<'_, Result<Vec<Uid>>> {
        untold("who has dismissed whom")
    }

    fn scored_by(&self, _: Uid, _: Walk<Uid>) -> BoxFuture<'_, Result<Vec<Uid>>> {
        untold("who has a score with whom")
    }

    fn memberships(
        &self,
        _member: Uid,
        _: Walk<(Uid, GroupId)>,
    ) -> BoxFuture<'_, Result<Vec<(Uid, GroupId)>>> {
        untold("whose groups contain a user")
    }

    fn all_posts(&self, walk: Walk<PostId>) -> BoxFuture<'_, Result<Vec<ImportPost>>> {
        let Walk { after, max } = walk;
        Box::pin(async move {
            // The API has posts in rounds, so that all of them have to be read to put some in the order of ids.
            let mut all: Vec<ImportPost> = Vec::new();
            let mut keep = |chunk: &[ImportPost]| {
                all.extend_from_slice(chunk);
                Ok(())
            };
            self.admin.export_posts(Some(&self.position), &mut keep).await?;
            all.retain(|post| post.id > after);
            all.sort_unstable_by_key(|post| post.id);
            all.truncate(max);
            Ok(all)
        })
    }

    fn all_likes(&self, walk: Walk<(PostId, Uid)>) -> BoxFuture<'_, Result<Vec<ExportLike>>> {
        let Walk { after, max } = walk;
        Box::pin(async move {
            let mut found: Vec<ExportLike> = Vec::new();
            let Some(max) = NonZeroU64::new(max as u64) else { return Ok(found) };
            let mut keep = |chunk: &[ExportLike]| {
                found.extend_from_slice(chunk);
                Ok(())
            };
            self.admin.export_likes(after, Some(max), Some(&self.position), &mut keep).await?;
            Ok(found)
        })
    }

    fn likes_by(&self, _: Uid, _: Walk<PostId>) -> BoxFuture<'_, Result<Vec<UserLike>>> {
        untold("what a user likes")
    }

    fn imported_names<'a>(
        &'a self,
        _: Uid,
        _: Walk<&'a str>,
    ) -> BoxFuture<'a, Result<Vec<(String, PostId)>>> {
        untold("under which names posts were imported")
    }

    fn deleted_posts(&self, _: Walk<(u64, PostId)>) -> BoxFuture<'_, Result<Vec<(u64, PostId)>>> {
        untold("which posts are deleted")
    }

    fn claims<'a>(&'a self, _: Walk<&'a Contact>) -> BoxFuture<'a, Result<Vec<(Contact, ContactClaim)>>> {
        untold("claims of contacts")
    }

    fn all_users(&self, _: Walk<Uid>) -> BoxFuture<'_, Result<Vec<User>>> {
        untold("all users")
    }

    fn deleted_users(&self, _: Walk<(u64, Uid)>) -> BoxFuture<'_, Result<Vec<(u64, Uid)>>> {
        untold("who is to be erased")
    }

    fn erased_users(&self, walk: Walk<Uid>) -> BoxFuture<'_, Result<Vec<(Uid, u64)>>> {
        let Walk { after, max } = walk;
        Box::pin(self.admin.erased_users(after, max))
    }
}
