//! Walks over all rows of a kind, for erasure, export, jobs and checks.

use super::questions::questions;
use super::{BaseView, Walk};
use crate::graph::{ExportEdge, MarkKind};
use crate::posts::{ExportLike, UserLike};
use crate::requests::DueEnd;
use guanxi_model::post::ImportPost;
use guanxi_model::user::{Contact, ContactClaim};
use guanxi_model::{Edge, GroupId, PostId, RestrictionKind, Stamp, Uid, User};

questions! {
    /// All rows of a kind, part by part: a [`Walk`] says which part. A walk that names a user costs what it finds.
    pub trait Scan: BaseView, layer ScanLayer, meters scan: ScanMeters {
        graph {
            /// Returns active follows in the order of (subject, object).
            fn edges(walk: Walk<(Uid, Uid)>) -> Vec<ExportEdge>;

            /// Returns blocks or mutes in the order of (subject, object).
            fn restrictions(kind: RestrictionKind, walk: Walk<(Uid, Uid)>) -> Vec<ExportEdge>;

            /// Returns the users who have set a mark of a kind on a user, in the order of their uids.
            fn marked_by(object: Uid, kind: MarkKind, walk: Walk<Uid>) -> Vec<Uid>;

            /// Returns whom a user once followed and does not follow any more, each with the time at which that ended, in the order
            /// of their uids.
            fn removed_follows(subject: Uid, walk: Walk<Uid>) -> Vec<Edge>;

            /// Returns removed follows of all users, each with the time at which it ended, in the order of (subject, object). A
            /// backend may still keep that a follow once ended which stands again: then the answer has it, too.
            fn all_removed_follows(walk: Walk<(Uid, Uid)>) -> Vec<ExportEdge>;

            /// Returns whom a user has rejected who may not ask it again yet, each with the time until when, in Unix milliseconds, in
            /// the order of their uids. Times that are over may be among them.
            fn rejections(of: Uid, walk: Walk<Uid>) -> Vec<(Uid, u64)>;

            /// Returns what ends no later than a time, in Unix milliseconds, the earliest first. It costs what it finds.
            fn due_ends(until_ms: u64, walk: Walk<DueEnd>) -> Vec<DueEnd>;

            /// Returns the users who have unlocked themselves while others may wait to follow them, each with the time of that, in
            /// the order of their uids.
            fn unlocking(walk: Walk<Uid>) -> Vec<(Uid, Stamp)>;

            /// Returns the users who have dismissed a user from their suggestions, in the order of their uids.
            fn dismissed_by(uid: Uid, walk: Walk<Uid>) -> Vec<Uid>;

            /// Returns the users who have a score with a user, in the order of their uids.
            fn scored_by(uid: Uid, walk: Walk<Uid>) -> Vec<Uid>;
        }

        group {
            /// Returns the groups that contain a user, as owners and numbers, in the order of both. It is asked by the job that
            /// erases users, and to know whose posts may be for a user; no caller of the API is told.
            fn memberships(member: Uid, walk: Walk<(Uid, GroupId)>) -> Vec<(Uid, GroupId)>;
        }

        post {
            /// Returns posts of all authors in the order of their ids, deleted posts included, as
            /// [`ImportPosts`](guanxi_model::Command::ImportPosts) takes them: each with its id and its key; deleted posts have no
            /// content. The key of a post that was written here is its id in decimal, with pluses behind it for as long as another
            /// post of the author was imported under that. An answer has fewer than `max` posts, too, where their bodies bring it to
            /// [`READ_BYTES_MAX`](guanxi_model::limits::READ_BYTES_MAX): an empty answer is the end.
            fn all_posts(walk: Walk<PostId>) -> Vec<ImportPost>;

            /// Returns likes of all posts in the order of post and user, with the keys of [`all_posts`](Self::all_posts).
            fn all_likes(walk: Walk<(PostId, Uid)>) -> Vec<ExportLike>;

            /// Returns the likes of a user, in the order of the posts' ids.
            fn likes_by(uid: Uid, walk: Walk<PostId>) -> Vec<UserLike>;

            /// Returns the names under which posts of an author were imported, each with its post, in the order of the names.
            fn imported_names(author: Uid, walk: Walk<&'a str>) -> Vec<(String, PostId)>;

            /// Returns deleted posts of which a purge has something to remove, each behind the time of its deletion in Unix
            /// milliseconds ([`Post::deleted_ms`](guanxi_model::Post::deleted_ms)), in the order of both. It costs what it finds.
            fn deleted_posts(walk: Walk<(u64, PostId)>) -> Vec<(u64, PostId)>;
        }

        user {
            /// Returns all claims of contacts, in the order of the contacts' kinds and texts.
            fn claims(walk: Walk<&'a Contact>) -> Vec<(Contact, ContactClaim)>;

            /// Returns all that is kept of users, erased users included, in the order of their uids; `max` is at most
            /// [`USERS_MAX`](guanxi_model::limits::USERS_MAX).
            fn all_users(walk: Walk<Uid>) -> Vec<User>;

            /// Returns users who are deleted and not erased yet, each behind the time to erase it at, in the order of both.
            fn deleted_users(walk: Walk<(u64, Uid)>) -> Vec<(u64, Uid)>;

            /// Returns erased users, each with the time of the erasure, in the order of their uids.
            fn erased_users(walk: Walk<Uid>) -> Vec<(Uid, u64)>;
        }
    }
}
