//! Views: all that a store says, as of one moment of each user.
//!
//! A view answers questions. Each trait here has those of one kind of reader, declared once by the macro `questions`, which also
//! writes the view that meters them and the layer that changes some of them.

mod metered;
mod posts;
mod questions;
mod relations;
mod scan;
mod users;

pub use posts::{PostLayer, PostView};
pub use relations::{RelationLayer, RelationView};
pub use scan::{Scan, ScanLayer};
pub use users::{UserLayer, UserView};

use crate::BoxFuture;
use crate::meter::CallMeter;
use guanxi_model::limits::GROUP_MEMBERS_MAX;
use guanxi_model::{EdgePage, GroupId, List, Page, PageStart, Position, Result, Uid};
use metered::BaseMeters;
use posts::PostMeters;
use relations::RelationMeters;
use scan::ScanMeters;
use std::sync::Arc;
use users::UserMeters;

/// What all readers of a view may ask. A view stands still for a user from the first question about that user on, and all that it
/// says of that user agrees. On one machine all answers agree with each other. With many logs, the view of a shard begins at its
/// first question.
pub trait BaseView: Send + Sync {
    /// Returns the logs that the questions touched so far, with the event that the answers have seen of each.
    fn position(&self) -> Position;

    /// Returns whether the facts of others about a user stand exactly as of the same moment as the facts of that user, as on one
    /// machine. Then a follow excludes a block on either side, and tells whether the other follows back. Otherwise readers ask
    /// [`PostView::blocked_by`] and [`PostView::follow`] of each user whose words or name they show.
    fn mirrors_are_exact(&self) -> bool;

    /// Returns whether it is known without a question that all users stand as the default says.
    fn all_stand_by_default(&self) -> bool;

    /// Returns a page of a list, newest first.
    ///
    /// # Errors
    /// `InvalidField{offset}` for an offset into a list that is not bounded.
    fn list(&self, of: Uid, list: List, page: Page) -> BoxFuture<'_, Result<EdgePage>>;

    /// Returns the members of a group, by uid; `None` if there is no such group.
    fn group_uids(&self, owner: Uid, id: GroupId) -> BoxFuture<'_, Result<Option<Arc<[Uid]>>>>;
}

/// Returns the members of a group by two questions: what [`BaseView::group_uids`] is in a store that does not hold them in memory.
///
/// # Errors
/// Those of the questions.
pub async fn group_uids<V: RelationView + ?Sized>(
    view: &V,
    owner: Uid,
    id: GroupId,
) -> Result<Option<Arc<[Uid]>>> {
    let all = Page::new(PageStart::Newest, GROUP_MEMBERS_MAX.cast_signed())?;
    let members = view.group_members(owner, id, all).await?.items;
    // A group without members may be no group.
    if members.is_empty() && view.group(owner, id).await?.is_none() {
        return Ok(None);
    }
    let mut uids: Vec<Uid> = members.into_iter().map(|edge| edge.uid).collect();
    uids.sort_unstable();
    Ok(Some(uids.into()))
}

/// All questions: what a store pins. Readers take the part that they read.
pub trait StoreView: RelationView + PostView + UserView + Scan {}

impl<V: RelationView + PostView + UserView + Scan + ?Sized> StoreView for V {}

/// A part of all rows of a kind, in the order that the question says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Walk<K> {
    /// Only rows behind this one; `None` begins with the first.
    pub after: Option<K>,
    /// How many rows at most. An answer with fewer rows is the end.
    pub max: usize,
}

impl<K> Walk<K> {
    /// Returns the walk from a row on.
    pub const fn new(after: Option<K>, max: usize) -> Self {
        Self { after, max }
    }
}

/// A view that is another view with something changed: faults, counters, mutations. A layer implements the layer trait of each
/// kind of reader, and in it the questions that it changes: all others go to the view below.
pub trait Layer: Send + Sync {
    /// Returns the view below.
    fn below(&self) -> &dyn StoreView;

    /// Returns [`BaseView::position`].
    fn position(&self) -> Position {
        self.below().position()
    }

    /// Returns [`BaseView::mirrors_are_exact`].
    fn mirrors_are_exact(&self) -> bool {
        self.below().mirrors_are_exact()
    }

    /// Returns [`BaseView::all_stand_by_default`].
    fn all_stand_by_default(&self) -> bool {
        self.below().all_stand_by_default()
    }

    /// Returns [`BaseView::list`].
    fn list(&self, of: Uid, list: List, page: Page) -> BoxFuture<'_, Result<EdgePage>> {
        self.below().list(of, list, page)
    }

    /// Returns [`BaseView::group_uids`].
    fn group_uids(&self, owner: Uid, id: GroupId) -> BoxFuture<'_, Result<Option<Arc<[Uid]>>>> {
        self.below().group_uids(owner, id)
    }
}

impl<L: Layer> BaseView for L {
    fn position(&self) -> Position {
        Layer::position(self)
    }

    fn mirrors_are_exact(&self) -> bool {
        Layer::mirrors_are_exact(self)
    }

    fn all_stand_by_default(&self) -> bool {
        Layer::all_stand_by_default(self)
    }

    fn list(&self, of: Uid, list: List, page: Page) -> BoxFuture<'_, Result<EdgePage>> {
        Layer::list(self, of, list, page)
    }

    fn group_uids(&self, owner: Uid, id: GroupId) -> BoxFuture<'_, Result<Option<Arc<[Uid]>>>> {
        Layer::group_uids(self, owner, id)
    }
}

/// A view whose questions are counted and timed.
pub(crate) struct MeteredView {
    pub(crate) inner: Box<dyn StoreView>,
    pub(crate) meters: Arc<ViewMeters>,
}

/// The handles of all that a view is asked.
pub(crate) struct ViewMeters {
    base: BaseMeters,
    relations: RelationMeters,
    posts: PostMeters,
    users: UserMeters,
    scan: ScanMeters,
}

impl ViewMeters {
    pub(crate) fn register() -> Self {
        Self {
            base: BaseMeters::register(),
            relations: RelationMeters::register(),
            posts: PostMeters::register(),
            users: UserMeters::register(),
            scan: ScanMeters::register(),
        }
    }

    /// The handle of questions about the relations of one user.
    pub(crate) const fn of_relations(&self) -> &CallMeter {
        &self.relations.relations
    }

    /// The handle of questions about a list.
    pub(crate) const fn of_list(&self, list: List) -> &CallMeter {
        self.base.of_list(list)
    }

    /// The families and the labels.
    pub(crate) fn ops() -> [&'static [(&'static str, &'static str)]; 5] {
        [BaseMeters::OPS, RelationMeters::OPS, PostMeters::OPS, UserMeters::OPS, ScanMeters::OPS]
    }
}
