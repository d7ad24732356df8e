//! Questions about posts, for feeds and for readers that show posts.

use super::RelationView;
use super::questions::questions;
use crate::outboxes::{OutboxAsk, Outboxes, ViewerRelations};
use guanxi_model::post::{AuthorHead, PostMarks, PostStats, Revision};
use guanxi_model::{EdgePage, GroupId, Page, Post, PostHeader, PostId, Uid};

questions! {
    /// Posts, and what authors and a viewer have said of each other. Outboxes hold every post, deleted and hidden posts too: rules are
    /// applied by the reader.
    ///
    /// A post that is created has an id above every id that its author had before, imported posts included. What was not imported
    /// since an event therefore lies below all that was created since: readers of what is new stop there.
    pub trait PostView: RelationView, layer PostLayer, meters posts: PostMeters {
        post {
            /// Returns what `viewer` has said about others, which stands still for many questions.
            fn viewer_relations as "audience"(viewer: Uid) -> Box<dyn ViewerRelations>;

            /// Returns the head of each author's outbox, in order.
            fn heads(authors: &'a [Uid]) -> Vec<AuthorHead>;

            /// Returns the lowest id of the posts that each author created, in order: posts below it were imported. `None` if there
            /// are none, and [`PostId::MIN`] if it is not known.
            fn created_from(authors: &'a [Uid]) -> Vec<Option<PostId>>;

            /// Returns at most `max` ids of each part, newest first. A part may be shorter than `max` although its outbox goes on;
            /// it is never empty then.
            fn outboxes(asks: &'a [OutboxAsk], max: usize) -> Outboxes;

            /// Returns each post without its content, in order; `None` for one that does not exist at this view.
            fn headers as "items"(ids: &'a [PostId]) -> Vec<Option<PostHeader>>;

            /// Returns whether each subject follows `object`, in order: the subjects' own facts, as of the same moment as their posts.
            fn follow(subjects: &'a [Uid], object: Uid) -> Vec<bool>;

            /// Returns whether each author blocks the viewer, in order. From its acknowledgement on a block is known here, wherever
            /// the author's other facts stand.
            fn blocked_by(viewer: Uid, authors: &'a [Uid]) -> Vec<bool>;

            /// Returns whether a user is in each of some groups, named by owner and number, in order; false for a group that is not there.
            /// It is asked beside posts that are for groups: an owner's groups are as of the moment of its posts.
            fn in_groups(uid: Uid, groups: &'a [(Uid, GroupId)]) -> Vec<bool>;

            /// Returns whether what this view said of the viewer's relations still holds. It is asked outside of the view, just before
            /// an answer leaves. Parts of a view may be of different moments: without this question an answer could tell the state
            /// before a block, and a post of the blocker from after it. On `false` the answer is made again, from a new view.
            fn confirm(viewer: Uid) -> bool;

            /// Returns posts of an author below an id, newest first, read from storage and from no cache: for checks.
            fn stored_headers as "stored_items"(ask: OutboxAsk, max: usize) -> Vec<PostHeader>;

            /// Returns each post, in order, deleted posts included; `None` for one that does not exist at this view. The answer ends
            /// early with the post whose body brings all of them to [`READ_BYTES_MAX`](guanxi_model::limits::READ_BYTES_MAX): the
            /// caller asks again for the rest.
            fn posts(ids: &'a [PostId]) -> Vec<Option<Post>>;

            /// Returns earlier revisions of a post, newest first, below a revision; at most `max`.
            fn revisions(id: PostId, below: Option<u32>, max: usize) -> Vec<Revision>;

            /// Returns the counters of each post, in order; all zero for a post without counters.
            fn stats(ids: &'a [PostId]) -> Vec<PostStats>;

            /// Returns each post with its counters and what `viewer` did with it, in order, as [`posts`](Self::posts) does: all that a page
            /// shows of a post. Without a viewer no post counts as liked or reposted.
            fn shown as "marks"(viewer: Option<Uid>, ids: &'a [PostId]) -> Vec<Option<(Post, PostMarks)>>;

            /// Returns the users who like a post, newest like first. There is no offset.
            fn likers(id: PostId, page: Page) -> EdgePage;

            /// Returns reposts and quotes of a post that are not deleted, newest first, below one; at most `max`. Fewer than `max` means the
            /// end. It costs what it finds.
            fn reposts_of(original: PostId, below: Option<PostId>, max: usize) -> Vec<PostId>;
        }
    }
}
