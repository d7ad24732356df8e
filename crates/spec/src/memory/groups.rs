//! Groups: what a write does to them, and what a read answers.

use super::state::{Commit, Maps, StoredGroup};
use guanxi_model::limits::{GROUP_MEMBERS_MAX, GROUPS_MAX};
use guanxi_model::{
    Change, EventAt, GroupChange, GroupCommand, GroupId, GroupOutcome, Reason, Result, Stamp, Uid,
};
use std::collections::{BTreeMap, BTreeSet};

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
