//! The group center: lists and circles, which belong to their owner alone.
//!
//! A caller that acts on behalf of an end user has checked that this user is the owner. Each method checks what a request may
//! contain and asks the store once, or one view.

use crate::Viewer;
use crate::relation::{Listed, check_batch, check_request, hydrate};
use guanxi_model::{
    Error, GroupCommand, GroupId, Page, Position, Reason, RequestKey, Result, Uid, UserGroup, Write,
};
use guanxi_ports::{Revised, Store};
use std::sync::Arc;

/// The group center over a store. Cheap to clone.
#[derive(Clone)]
pub struct GroupCenter {
    store: Arc<dyn Store>,
}

impl GroupCenter {
    /// A center over a backend's store.
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self { store }
    }

    /// Does one operation on a group. One user that may not be a member makes the store refuse the whole operation. Only
    /// services are told that a block is the reason, since the block may be the other user's.
    ///
    /// # Errors
    /// The refusals of [`GroupCommand`]: `GROUP_NOT_FOUND`, `REVISION_MISMATCH {revision}`, `LIMIT_REACHED {limit}`, `SELF`,
    /// `BLOCKED` or `NOT_ALLOWED`, `USER_DELETED`; what [`GroupCommand::check`] refuses; whole-request errors of the store.
    pub async fn act(
        &self,
        viewer: Viewer,
        command: GroupCommand,
        request: Option<RequestKey>,
    ) -> Result<Revised<GroupId>> {
        check_request(request.as_ref())?;
        command.check()?;
        let answer = self.store.apply(Write::of(command).under(request)).await?;
        answer.revised().map_err(|error| match error.reason {
            Reason::Blocked if viewer != Viewer::Trusted => Error::new(Reason::NotAllowed),
            _ => error,
        })
    }

    /// All groups of an owner, in the order of their numbers, and where they stand.
    ///
    /// # Errors
    /// Those of pinning a view.
    pub async fn list(&self, owner: Uid, at_least: Option<Position>) -> Result<(Vec<UserGroup>, Position)> {
        let view = self.store.view(at_least.as_ref()).await?;
        Ok((view.groups(owner).await?, view.position().joined(at_least.as_ref())))
    }

    /// A group, and where it stands.
    ///
    /// # Errors
    /// `GROUP_NOT_FOUND`; those of pinning a view.
    pub async fn get(
        &self,
        owner: Uid,
        id: GroupId,
        at_least: Option<Position>,
    ) -> Result<(UserGroup, Position)> {
        let view = self.store.view(at_least.as_ref()).await?;
        let group = view.group(owner, id).await?.ok_or(Error::new(Reason::GroupNotFound))?;
        Ok((group, view.position().joined(at_least.as_ref())))
    }

    /// A page of a group's members, with the group as of the same position.
    ///
    /// # Errors
    /// `GROUP_NOT_FOUND`; those of pinning a view.
    pub async fn members(
        &self,
        owner: Uid,
        id: GroupId,
        page: Page,
        at_least: Option<Position>,
    ) -> Result<(UserGroup, Listed)> {
        let view = self.store.view(at_least.as_ref()).await?;
        let group = view.group(owner, id).await?.ok_or(Error::new(Reason::GroupNotFound))?;
        let page = view.group_members(owner, id, page).await?;
        let items = hydrate(&*view, (Viewer::Trusted, owner), page.items, None).await?;
        let position = view.position().joined(at_least.as_ref());
        Ok((group, Listed { items, next: page.next, count: None, looked_at: 0, position }))
    }

    /// The owner's groups that contain each of up to [`BATCH_MAX`](guanxi_model::limits::BATCH_MAX) users, in order, and
    /// where that stands.
    ///
    /// # Errors
    /// `BATCH_TOO_LARGE`; those of pinning a view.
    pub async fn with(
        &self,
        owner: Uid,
        members: &[Uid],
        at_least: Option<Position>,
    ) -> Result<(Vec<Vec<GroupId>>, Position)> {
        check_batch(members.len())?;
        let view = self.store.view(at_least.as_ref()).await?;
        Ok((view.groups_with(owner, members).await?, view.position().joined(at_least.as_ref())))
    }
}

crate::opaque_debug!(GroupCenter);
