//! Groups: their names, their members, and what a block does to them.

use super::{Deciding, Planner, Planning, State, Stop, failed};
use crate::error::Reason;
use crate::event::Change;
use crate::group::{GroupChange, GroupCommand, GroupId, GroupOutcome, UserGroup};
use crate::id::Uid;
use crate::limits::{GROUP_MEMBERS_MAX, GROUPS_MAX};
use crate::post::{ImportPost, PostHeader, Visibility};
use crate::stamp::Stamp;
use std::collections::BTreeSet;

/// Which group, and whose.
type Place = (Uid, GroupId);

impl<S: State> Planner<'_, S> {
    /// Plans one operation on a group.
    pub(super) fn group_command(&mut self, command: GroupCommand) -> Planning<GroupOutcome, S> {
        let ((owner, id), decided) = match command {
            GroupCommand::Create { owner, name } => {
                return match self.create_group(owner, name) {
                    Ok(id) => Ok(GroupOutcome { result: Ok(true), id: Some(id), revision: 1 }),
                    Err(Stop::Refused(reason)) => {
                        Ok(GroupOutcome { result: Err(reason), id: None, revision: 0 })
                    }
                    Err(Stop::Failed(error)) => Err(error),
                };
            }
            GroupCommand::Update { owner, id, name, expected_revision } => {
                ((owner, id), self.update_group((owner, id), name, expected_revision))
            }
            GroupCommand::Delete { owner, id } => ((owner, id), self.delete_group((owner, id))),
            GroupCommand::SetMembers { owner, id, members, expected_revision } => {
                ((owner, id), self.set_members((owner, id), members, expected_revision))
            }
            GroupCommand::AddMembers { owner, id, members } => {
                ((owner, id), self.add_members((owner, id), members))
            }
            GroupCommand::RemoveMembers { owner, id, members } => {
                ((owner, id), self.remove_members((owner, id), members))
            }
        };
        let result = match decided {
            Ok(changed) => Ok(changed),
            Err(Stop::Refused(reason)) => Err(reason),
            Err(Stop::Failed(error)) => return Err(error),
        };
        let revision = self.state.group(owner, id)?.map_or(0, |group| group.revision);
        Ok(GroupOutcome { result, id: Some(id), revision })
    }

    fn create_group(&mut self, owner: Uid, name: String) -> Deciding<GroupId, S> {
        self.check_not_deleted(owner)?;
        let (many, last) = failed(self.state.owned_groups(owner))?;
        let id = GroupId::after(last).filter(|_| many < GROUPS_MAX as usize);
        let id = id.ok_or(Reason::LimitReached { limit: GROUPS_MAX })?;
        let created = self.state.stamp(owner, self.now_ms);
        let group = UserGroup { owner, id, name, created, revision: 1, members: 0, audience: false };
        failed(self.state.raise_group_number(owner, id))?;
        failed(self.state.put_group(group))?;
        self.state.log(created, owner, Change::Group { id, kind: GroupChange::Created });
        Ok(id)
    }

    fn update_group(
        &mut self,
        place: Place,
        name: Option<String>,
        expected_revision: Option<u32>,
    ) -> Deciding<bool, S> {
        self.check_not_deleted(place.0)?;
        let group = self.group_at(place, expected_revision)?;
        let Some(name) = name.filter(|name| *name != group.name) else { return Ok(false) };
        let group = UserGroup { name, revision: group.revision + 1, ..group };
        failed(self.put_changed(group, GroupChange::Updated))?;
        Ok(true)
    }

    fn delete_group(&mut self, (owner, id): Place) -> Deciding<bool, S> {
        let Some(group) = failed(self.state.group(owner, id))? else { return Ok(false) };
        for member in failed(self.state.group_members(owner, id))? {
            failed(self.state.put_member(owner, id, member.uid, None))?;
        }
        failed(self.state.remove_group(owner, id))?;
        let version = self.state.stamp(owner, self.now_ms);
        if group.audience {
            failed(self.change_audience((owner, id), version))?;
        }
        self.state.log(version, owner, Change::Group { id, kind: GroupChange::Deleted });
        Ok(true)
    }

    /// A post of an author is for whom a visibility says. A group is there then, and from now on a change of its members
    /// changes what is shown of the author's posts.
    pub(super) fn note_audience(&mut self, author: Uid, visibility: Visibility) -> Deciding<(), S> {
        let Some(id) = visibility.group() else { return Ok(()) };
        let group = failed(self.state.group(author, id))?.ok_or(Reason::GroupNotFound)?;
        if !group.audience {
            failed(self.state.put_group(UserGroup { audience: true, ..group }))?;
        }
        Ok(())
    }

    /// Does the same for an imported post. An exported post may be for a group that is gone, and a deleted post is for no
    /// readers. Such a post is the author's alone, and no member joins a group of that number later.
    pub(super) fn note_imported_audience(&mut self, post: &ImportPost) -> Deciding<(), S> {
        let Some(id) = post.visibility.group() else { return Ok(()) };
        let may_lack = post.id.is_some() || post.deleted;
        if may_lack && failed(self.state.group(post.author, id))?.is_none() {
            return failed(self.state.raise_group_number(post.author, id));
        }
        self.note_audience(post.author, post.visibility)
    }

    /// Others may see the posts that are for a group: readers of its owner start over.
    fn change_audience(&mut self, (owner, id): Place, version: Stamp) -> Planning<(), S> {
        let change = Change::Group { id, kind: GroupChange::AudienceChanged };
        let event = self.state.log(version, owner, change);
        let mut author = self.state.author(owner)?;
        (author.head.last, author.head.changed) = (event, event);
        self.state.put_author(owner, author)
    }

    /// The groups that decide whether a viewer sees some posts, and that it is in.
    pub(super) fn memberships_behind<const N: usize>(
        &mut self,
        viewer: Uid,
        posts: [Option<PostHeader>; N],
    ) -> Planning<BTreeSet<Place>, S> {
        let mut is_in = BTreeSet::new();
        for PostHeader { author, visibility, .. } in posts.into_iter().flatten() {
            if let Some(id) = visibility.group()
                && self.state.member_since(author, id, viewer)?.is_some()
            {
                is_in.insert((author, id));
            }
        }
        Ok(is_in)
    }

    fn set_members(
        &mut self,
        place: Place,
        members: Vec<Uid>,
        expected_revision: Option<u32>,
    ) -> Deciding<bool, S> {
        self.check_not_deleted(place.0)?;
        let group = self.group_at(place, expected_revision)?;
        let now = failed(self.state.group_members(place.0, place.1))?;
        let now: BTreeSet<Uid> = now.into_iter().map(|member| member.uid).collect();
        let wanted = BTreeSet::from_iter(members);
        let added: Vec<Uid> = wanted.difference(&now).copied().collect();
        self.check_members(place.0, &added)?;
        let removed: Vec<Uid> = now.difference(&wanted).copied().collect();
        failed(self.change_members(group, &added, &removed))
    }

    fn add_members(&mut self, place: Place, members: Vec<Uid>) -> Deciding<bool, S> {
        self.check_not_deleted(place.0)?;
        let group = self.group_at(place, None)?;
        let added = self.members_that(place, members, false)?;
        if group.members as usize + added.len() > GROUP_MEMBERS_MAX as usize {
            return Err(Reason::LimitReached { limit: GROUP_MEMBERS_MAX }.into());
        }
        self.check_members(place.0, &added)?;
        failed(self.change_members(group, &added, &[]))
    }

    fn remove_members(&mut self, place: Place, members: Vec<Uid>) -> Deciding<bool, S> {
        let group = self.group_at(place, None)?;
        let removed = self.members_that(place, members, true)?;
        failed(self.change_members(group, &[], &removed))
    }

    /// Those of some users who are members, or are not, each once.
    fn members_that(&mut self, place: Place, users: Vec<Uid>, are_in: bool) -> Deciding<Vec<Uid>, S> {
        let mut found = Vec::new();
        for uid in BTreeSet::from_iter(users) {
            if failed(self.state.member_since(place.0, place.1, uid))?.is_some() == are_in {
                found.push(uid);
            }
        }
        Ok(found)
    }

    /// Refuses who may not come into a group of an owner: itself, whom a block parts from it, and who is deleted.
    fn check_members(&mut self, owner: Uid, members: &[Uid]) -> Deciding<(), S> {
        for member in members {
            if *member == owner {
                return Err(Reason::SelfRelation.into());
            }
            if failed(self.relation(owner, *member))?.is_apart() {
                return Err(Reason::Blocked.into());
            }
            self.check_not_deleted(*member)?;
        }
        Ok(())
    }

    /// A group that is there, at a revision if one is expected.
    fn group_at(&mut self, (owner, id): Place, expected_revision: Option<u32>) -> Deciding<UserGroup, S> {
        let group = failed(self.state.group(owner, id))?.ok_or(Reason::GroupNotFound)?;
        if expected_revision.is_some_and(|expected| expected != group.revision) {
            return Err(Reason::RevisionMismatch { revision: group.revision }.into());
        }
        Ok(group)
    }

    /// Adds and removes members, as one change of the group; `false` without any.
    fn change_members(&mut self, group: UserGroup, added: &[Uid], removed: &[Uid]) -> Planning<bool, S> {
        if added.is_empty() && removed.is_empty() {
            return Ok(false);
        }
        let UserGroup { owner, id, audience, .. } = group;
        let members = group.members + added.len() as u32 - removed.len() as u32;
        let changed = UserGroup { members, revision: group.revision + 1, ..group };
        let version = self.state.stamp(owner, self.now_ms);
        for (members, since) in [(added, Some(version)), (removed, None)] {
            for member in members {
                self.state.put_member(owner, id, *member, since)?;
            }
        }
        self.state.put_group(changed)?;
        if audience {
            self.change_audience((owner, id), version)?;
        } else {
            self.state.log(version, owner, Change::Group { id, kind: GroupChange::MembersChanged });
        }
        Ok(true)
    }

    fn put_changed(&mut self, group: UserGroup, kind: GroupChange) -> Planning<(), S> {
        let UserGroup { owner, id, .. } = group;
        self.state.put_group(group)?;
        let version = self.state.stamp(owner, self.now_ms);
        self.state.log(version, owner, Change::Group { id, kind });
        Ok(())
    }

    /// Two users are parted: neither stays in a group of the other. A backend of many shards plans it in the shard of each.
    ///
    /// # Errors
    /// When a row cannot be read.
    pub fn leave_groups(&mut self, a: Uid, b: Uid) -> Planning<(), S> {
        for (owner, member) in [(a, b), (b, a)] {
            for id in self.state.groups_with(owner, member)? {
                if let Some(group) = self.state.group(owner, id)? {
                    self.change_members(group, &[], &[member])?;
                }
            }
        }
        Ok(())
    }
}
