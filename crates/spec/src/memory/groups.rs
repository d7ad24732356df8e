//! Groups: what a write does to them, and what a read answers.

use super::state::{Commit, Maps, StoredGroup};
use super::view::MemoryView;
use guanxi_model::limits::{GROUP_MEMBERS_MAX, GROUPS_MAX};
use guanxi_model::{
    Change, Edge, EdgePage, EventAt, GroupChange, GroupCommand, GroupId, GroupOutcome, Page, PageStart,
    Reason, Result, Stamp, Uid, UserGroup,
};
use guanxi_ports::{BoxFuture, GroupView};
use std::collections::{BTreeMap, BTreeSet};
use std::future::ready;

impl Maps {
    pub(super) fn group_command(&mut self, command: &GroupCommand, commit: &mut Commit<'_>) -> GroupOutcome {
        let owner = command.owner();
        let (id, result) = match command {
            GroupCommand::Create { name, .. } => match self.create_group(owner, name, commit) {
                Ok(id) => (Some(id), Ok(true)),
                Err(reason) => (None, Err(reason)),
            },
            GroupCommand::Update { id, name, expected_revision, .. } => {
                (Some(*id), self.rename_group(owner, *id, name.as_ref(), *expected_revision, commit))
            }
            GroupCommand::Delete { id, .. } => {
                let was = self.groups.groups.remove(&(owner, *id));
                if let Some(was) = &was {
                    if was.audience {
                        let (_, at) = self.log_group(owner, *id, GroupChange::AudienceChanged, commit);
                        self.change_head(owner, at);
                    }
                    let _logged = self.log_group(owner, *id, GroupChange::Deleted, commit);
                }
                (Some(*id), Ok(was.is_some()))
            }
            GroupCommand::SetMembers { id, .. }
            | GroupCommand::AddMembers { id, .. }
            | GroupCommand::RemoveMembers { id, .. } => {
                (Some(*id), self.change_group_members(owner, *id, command, commit))
            }
        };
        let group = id.and_then(|id| self.groups.shown(owner, id));
        GroupOutcome { result, id, revision: group.map_or(0, |group| group.revision) }
    }

    fn create_group(&mut self, owner: Uid, name: &str, commit: &mut Commit<'_>) -> Result<GroupId, Reason> {
        if self.is_deleted(owner) {
            return Err(Reason::UserDeleted);
        }
        if self.groups.of(owner).count() >= GROUPS_MAX as usize {
            return Err(Reason::LimitReached { limit: GROUPS_MAX });
        }
        let id = GroupId::after(self.groups.last.get(&owner).copied());
        let id = id.ok_or(Reason::LimitReached { limit: GROUPS_MAX })?;
        let (created, _) = self.log_group(owner, id, GroupChange::Created, commit);
        let kept = StoredGroup {
            audience: false,
            name: name.to_owned(),
            created,
            revision: 1,
            members: BTreeMap::new(),
        };
        self.groups.groups.insert((owner, id), kept);
        self.groups.last.insert(owner, id);
        Ok(id)
    }

    fn rename_group(
        &mut self,
        owner: Uid,
        id: GroupId,
        name: Option<&String>,
        expected_revision: Option<u32>,
        commit: &mut Commit<'_>,
    ) -> Result<bool, Reason> {
        if self.is_deleted(owner) {
            return Err(Reason::UserDeleted);
        }
        let group = self.groups.groups.get_mut(&(owner, id)).ok_or(Reason::GroupNotFound)?;
        if expected_revision.is_some_and(|expected| expected != group.revision) {
            return Err(Reason::RevisionMismatch { revision: group.revision });
        }
        let Some(name) = name.filter(|name| **name != group.name) else { return Ok(false) };
        group.name.clone_from(name);
        group.revision += 1;
        let _logged = self.log_group(owner, id, GroupChange::Updated, commit);
        Ok(true)
    }

    fn change_group_members(
        &mut self,
        owner: Uid,
        id: GroupId,
        command: &GroupCommand,
        commit: &mut Commit<'_>,
    ) -> Result<bool, Reason> {
        let removes = matches!(command, GroupCommand::RemoveMembers { .. });
        if !removes && self.is_deleted(owner) {
            return Err(Reason::UserDeleted);
        }
        let group = self.groups.groups.get(&(owner, id)).ok_or(Reason::GroupNotFound)?;
        if let GroupCommand::SetMembers { expected_revision: Some(expected), .. } = command
            && *expected != group.revision
        {
            return Err(Reason::RevisionMismatch { revision: group.revision });
        }
        let named: BTreeSet<Uid> = command.members().iter().copied().collect();
        let before = &group.members;
        let mut after: BTreeSet<Uid> = before.keys().copied().collect();
        match command {
            GroupCommand::SetMembers { .. } => after = named,
            GroupCommand::RemoveMembers { .. } => after.retain(|member| !named.contains(member)),
            _ => after.extend(named),
        }
        if after.len() > GROUP_MEMBERS_MAX as usize {
            return Err(Reason::LimitReached { limit: GROUP_MEMBERS_MAX });
        }
        for member in after.iter().filter(|member| !before.contains_key(member)) {
            self.check_member(owner, *member)?;
        }
        if after.iter().eq(before.keys()) {
            return Ok(false);
        }
        let version = self.hlc.tick(commit.now_ms);
        let since = |member: &Uid| before.get(member).copied().unwrap_or(version);
        let members = after.iter().map(|member| (*member, since(member))).collect();
        self.put_members((owner, id), members, version, commit);
        Ok(true)
    }

    /// Why a user may not come into a group of an owner.
    fn check_member(&self, owner: Uid, member: Uid) -> Result<(), Reason> {
        if member == owner {
            Err(Reason::SelfRelation)
        } else if self.relation(owner, member).is_apart() {
            Err(Reason::Blocked)
        } else if self.is_deleted(member) {
            Err(Reason::UserDeleted)
        } else {
            Ok(())
        }
    }

    /// Two users are parted: neither stays in a group of the other. Like the block itself this stands in both shards at once.
    pub(super) fn leave_groups(&mut self, a: Uid, b: Uid, commit: &mut Commit<'_>) {
        for (owner, member) in [(a, b), (b, a)] {
            for id in self.groups.with(owner, member) {
                let mut members = self.groups.groups[&(owner, id)].members.clone();
                members.remove(&member);
                let version = self.hlc.tick(commit.now_ms);
                self.put_members((owner, id), members, version, commit);
            }
        }
    }

    fn put_members(
        &mut self,
        (owner, id): (Uid, GroupId),
        members: BTreeMap<Uid, Stamp>,
        version: Stamp,
        commit: &mut Commit<'_>,
    ) {
        if let Some(group) = self.groups.groups.get_mut(&(owner, id)) {
            group.members = members;
            group.revision += 1;
        }
        let is_audience = self.groups.groups.get(&(owner, id)).is_some_and(|group| group.audience);
        let kind = if is_audience { GroupChange::AudienceChanged } else { GroupChange::MembersChanged };
        let at = self.log(version, owner, Change::Group { id, kind }, commit);
        if is_audience {
            self.change_head(owner, at);
        }
    }

    fn log_group(
        &mut self,
        owner: Uid,
        id: GroupId,
        kind: GroupChange,
        commit: &mut Commit<'_>,
    ) -> (Stamp, EventAt) {
        let version = self.hlc.tick(commit.now_ms);
        (version, self.log(version, owner, Change::Group { id, kind }, commit))
    }

    /// An event changed who sees some of an owner's posts.
    fn change_head(&mut self, owner: Uid, at: EventAt) {
        if let Some(head) = self.posts.heads.get_mut(&owner) {
            (head.last, head.changed) = (at, at);
        }
    }
}

fn now<'a, T: Send + 'a>(answer: T) -> BoxFuture<'a, Result<T>> {
    Box::pin(ready(Ok(answer)))
}

impl GroupView for MemoryView {
    fn groups(&self, owner: Uid) -> BoxFuture<'_, Result<Vec<UserGroup>>> {
        let groups = &self.of(owner).groups;
        now(groups.of(owner).filter_map(|(id, _)| groups.shown(owner, id)).collect())
    }

    fn group(&self, owner: Uid, id: GroupId) -> BoxFuture<'_, Result<Option<UserGroup>>> {
        now(self.of(owner).groups.shown(owner, id))
    }

    fn group_members(&self, owner: Uid, id: GroupId, page: Page) -> BoxFuture<'_, Result<EdgePage>> {
        let state = self.of(owner);
        let members = state.groups.groups.get(&(owner, id)).into_iter().flat_map(|group| &group.members);
        let mut edges: Vec<Edge> = members.map(|(uid, at)| Edge { at: *at, uid: *uid }).collect();
        edges.sort_unstable_by(|a, b| b.cmp(a));
        let skip = match page.start() {
            PageStart::Newest => 0,
            PageStart::After(cursor) => edges.partition_point(|edge| *edge >= cursor.0),
            PageStart::Offset(skip) => skip as usize,
        };
        now(EdgePage::cut(edges.into_iter().skip(skip), page.size()))
    }

    fn groups_with<'a>(&'a self, owner: Uid, members: &'a [Uid]) -> BoxFuture<'a, Result<Vec<Vec<GroupId>>>> {
        let state = self.of(owner);
        now(members.iter().map(|member| state.groups.with(owner, *member)).collect())
    }

    fn memberships(
        &self,
        member: Uid,
        after: Option<(Uid, GroupId)>,
        max: usize,
    ) -> BoxFuture<'_, Result<Vec<(Uid, GroupId)>>> {
        // Every owner's shard is asked, so that nothing is missed which is under way.
        let mut found: Vec<(Uid, GroupId)> = Vec::new();
        for (state, is_own) in self.states() {
            let all = state.groups.groups.iter().filter(|((owner, _), _)| is_own(*owner));
            let with = all.filter(|(_, group)| group.members.contains_key(&member));
            found.extend(with.map(|(place, _)| *place));
        }
        found.retain(|place| after.is_none_or(|after| *place > after));
        found.sort_unstable();
        found.truncate(max);
        now(found)
    }
}
