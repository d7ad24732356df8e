//! Calls of groups.

use super::{Meter, MeteredView};
use crate::{BoxFuture, GroupView};
use guanxi_model::{EdgePage, GroupCommand, GroupId, Page, Result, Uid, UserGroup};
use metrics::{Unit, counter, describe_counter, describe_histogram, histogram};
use std::sync::Arc;

/// Calls of groups, by `op`.
pub const GROUP_OPS_TOTAL: &str = "guanxi_group_ops_total";

/// How long they took until their answer was ready, by `op`.
pub const GROUP_SECONDS: &str = "guanxi_group_seconds";

/// Calls of groups that failed as a whole, by `op`; a command's refusal is an outcome, and no failure.
pub const GROUP_ERRORS_TOTAL: &str = "guanxi_group_errors_total";

/// What a call is counted as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub(super) enum Call {
    Create,
    Update,
    Delete,
    SetMembers,
    AddMembers,
    RemoveMembers,
    Groups,
    Group,
    Members,
    Uids,
    GroupsWith,
    Memberships,
}

/// The label of each call, in the order of [`Call`].
pub const LABELS: [&str; Call::Memberships as usize + 1] = [
    "create",
    "update",
    "delete",
    "set_members",
    "add_members",
    "remove_members",
    "groups",
    "group",
    "members",
    "uids",
    "groups_with",
    "memberships",
];

/// Registers the handles of every call.
pub(super) fn register() -> [Meter; LABELS.len()] {
    describe_counter!(GROUP_OPS_TOTAL, Unit::Count, "Calls of groups");
    describe_histogram!(GROUP_SECONDS, Unit::Seconds, "Time of a call of groups until its answer was ready");
    describe_counter!(GROUP_ERRORS_TOTAL, Unit::Count, "Calls of groups that failed as a whole");
    LABELS.map(|op| Meter {
        calls: counter!(GROUP_OPS_TOTAL, "op" => op),
        seconds: histogram!(GROUP_SECONDS, "op" => op),
        errors: counter!(GROUP_ERRORS_TOTAL, "op" => op),
    })
}

/// What a write of a group is counted as.
pub(super) const fn of_command(command: &GroupCommand) -> Call {
    match command {
        GroupCommand::Create { .. } => Call::Create,
        GroupCommand::Update { .. } => Call::Update,
        GroupCommand::Delete { .. } => Call::Delete,
        GroupCommand::SetMembers { .. } => Call::SetMembers,
        GroupCommand::AddMembers { .. } => Call::AddMembers,
        GroupCommand::RemoveMembers { .. } => Call::RemoveMembers,
    }
}

impl MeteredView {
    fn time_groups<'a, T: Send + 'a>(
        &'a self,
        call: Call,
        answer: BoxFuture<'a, Result<T>>,
    ) -> BoxFuture<'a, Result<T>> {
        Box::pin(self.meters.groups[call as usize].time(answer))
    }
}

impl GroupView for MeteredView {
    fn groups(&self, owner: Uid) -> BoxFuture<'_, Result<Vec<UserGroup>>> {
        self.time_groups(Call::Groups, self.inner.groups(owner))
    }

    fn group(&self, owner: Uid, id: GroupId) -> BoxFuture<'_, Result<Option<UserGroup>>> {
        self.time_groups(Call::Group, self.inner.group(owner, id))
    }

    fn group_members(&self, owner: Uid, id: GroupId, page: Page) -> BoxFuture<'_, Result<EdgePage>> {
        self.time_groups(Call::Members, self.inner.group_members(owner, id, page))
    }

    fn group_uids(&self, owner: Uid, id: GroupId) -> BoxFuture<'_, Result<Option<Arc<[Uid]>>>> {
        self.time_groups(Call::Uids, self.inner.group_uids(owner, id))
    }

    fn groups_with<'a>(&'a self, owner: Uid, members: &'a [Uid]) -> BoxFuture<'a, Result<Vec<Vec<GroupId>>>> {
        self.time_groups(Call::GroupsWith, self.inner.groups_with(owner, members))
    }

    fn memberships(
        &self,
        member: Uid,
        after: Option<(Uid, GroupId)>,
        max: usize,
    ) -> BoxFuture<'_, Result<Vec<(Uid, GroupId)>>> {
        self.time_groups(Call::Memberships, self.inner.memberships(member, after, max))
    }
}
