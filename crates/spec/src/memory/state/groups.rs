//! Groups and their members.

use guanxi_model::post::ImportPost;
use guanxi_model::{GroupId, Reason, Result, Stamp, Uid, UserGroup, Visibility};
use std::collections::BTreeMap;

/// A group, without what is in its key and without the number of its members.
#[derive(Clone, Debug)]
pub(crate) struct StoredGroup {
    pub(crate) name: String,
    pub(crate) created: Stamp,
    pub(crate) revision: u32,
    pub(crate) members: BTreeMap<Uid, Stamp>,
    /// Posts were made for it.
    pub(crate) audience: bool,
}

/// Groups, by owner and number. Each lies in its owner's shard, and so does who is in it.
#[derive(Clone, Debug, Default)]
pub(crate) struct GroupMaps {
    pub(crate) groups: BTreeMap<(Uid, GroupId), StoredGroup>,
    /// The last number that each owner has given.
    pub(crate) last: BTreeMap<Uid, GroupId>,
}

impl GroupMaps {
    /// Nothing is kept of an owner who has no groups any more.
    pub(crate) fn forget(&mut self, owner: Uid) {
        if self.of(owner).next().is_none() {
            self.last.remove(&owner);
        }
    }

    /// Returns whether an owner has given a number.
    pub(crate) fn has_given(&self, owner: Uid) -> bool {
        self.last.contains_key(&owner)
    }

    /// Returns what a dump says of them.
    pub(crate) fn lines(&self) -> impl Iterator<Item = String> {
        self.groups.iter().map(|((owner, id), group)| {
            let members: Vec<String> =
                group.members.iter().map(|(uid, at)| format!("{uid}:{}", at.raw())).collect();
            let StoredGroup { name, created, revision, audience, .. } = group;
            let members = members.join(",");
            format!("group {owner} {id} {} {revision} {audience} {members} {name:?}", created.raw())
        })
    }

    pub(crate) fn of(&self, owner: Uid) -> impl Iterator<Item = (GroupId, &StoredGroup)> {
        let all = self.groups.range((owner, GroupId::MIN)..=(owner, GroupId::MAX));
        all.map(|((_, id), group)| (*id, group))
    }

    pub(crate) fn with(&self, owner: Uid, member: Uid) -> Vec<GroupId> {
        self.of(owner).filter(|(_, group)| group.members.contains_key(&member)).map(|(id, _)| id).collect()
    }

    /// Returns whether a user is in a group.
    pub(crate) fn has(&self, owner: Uid, id: GroupId, member: Uid) -> bool {
        self.groups.get(&(owner, id)).is_some_and(|group| group.members.contains_key(&member))
    }

    /// A post is made for whom a visibility says, and a group remembers that.
    pub(crate) fn address(&mut self, owner: Uid, visibility: Visibility) -> Result<(), Reason> {
        if let Visibility::Group(id) = visibility {
            self.groups.get_mut(&(owner, id)).ok_or(Reason::GroupNotFound)?.audience = true;
        }
        Ok(())
    }

    /// The same of an imported post, which may be for a group that is gone: its number is not given again.
    pub(crate) fn address_imported(&mut self, post: &ImportPost) -> Result<(), Reason> {
        let owner = post.author;
        if let Visibility::Group(id) = post.visibility
            && (post.id.is_some() || post.deleted)
            && !self.groups.contains_key(&(owner, id))
        {
            let last = self.last.entry(owner).or_insert(id);
            *last = id.max(*last);
            return Ok(());
        }
        self.address(owner, post.visibility)
    }

    pub(crate) fn shown(&self, owner: Uid, id: GroupId) -> Option<UserGroup> {
        let StoredGroup { name, created, revision, members, audience } =
            self.groups.get(&(owner, id))?.clone();
        let members = members.len() as u32;
        Some(UserGroup { owner, id, name, created, revision, members, audience })
    }
}
