//! Groups, in the words that the cases are written in.

use super::rng::in_gene;
use super::{Rng, World, u};
use guanxi_model::{
    Edge, Gene, GroupCommand, GroupId, GroupOutcome, Op, Page, PageStart, PairCommand, Reason, Uid,
    UserGroup, Write,
};
use guanxi_ports::StoreView;

/// The number of a group.
pub fn g(n: u32) -> GroupId {
    GroupId::new(n).unwrap()
}

/// Users by their numbers.
pub fn us(uids: &[u64]) -> Vec<Uid> {
    uids.iter().map(|uid| u(*uid)).collect()
}

impl World {
    /// Does one operation on a group.
    pub async fn group(&self, command: GroupCommand) -> GroupOutcome {
        self.write(Write::of(command)).await.group().unwrap()
    }

    /// Makes a group of some users, which must be possible.
    pub async fn group_of(&self, owner: u64, members: &[u64]) -> GroupId {
        let create = GroupCommand::Create { owner: u(owner), name: format!("of {owner}") };
        let made = self.group(create).await;
        assert_eq!((made.result, made.revision), (Ok(true), 1));
        let id = made.id.unwrap();
        if !members.is_empty() {
            assert_eq!(self.add_members(owner, id, members).await.result, Ok(true));
        }
        id
    }

    /// Adds members.
    pub async fn add_members(&self, owner: u64, id: GroupId, members: &[u64]) -> GroupOutcome {
        self.group(GroupCommand::AddMembers { owner: u(owner), id, members: us(members) }).await
    }

    /// Removes members.
    pub async fn remove_members(&self, owner: u64, id: GroupId, members: &[u64]) -> GroupOutcome {
        self.group(GroupCommand::RemoveMembers { owner: u(owner), id, members: us(members) }).await
    }

    /// Makes some users the members, and no others.
    pub async fn set_members(
        &self,
        owner: u64,
        id: GroupId,
        members: &[u64],
        expected_revision: Option<u32>,
    ) -> GroupOutcome {
        let members = us(members);
        self.group(GroupCommand::SetMembers { owner: u(owner), id, members, expected_revision }).await
    }

    /// Removes a group.
    pub async fn delete_group(&self, owner: u64, id: GroupId) -> Result<bool, Reason> {
        self.group(GroupCommand::Delete { owner: u(owner), id }).await.result
    }

    /// The members of a group, in the order of the list.
    pub async fn members(&self, owner: u64, id: GroupId) -> Vec<u64> {
        let edges = members_of(&*self.view().await, u(owner), id).await;
        edges.iter().map(|edge| edge.uid.get()).collect()
    }
}

/// All members of a group, in pages of several sizes that must say the same.
pub async fn members_of(view: &dyn StoreView, owner: Uid, id: GroupId) -> Vec<Edge> {
    let all = Page::new(PageStart::Newest, 1_000).unwrap();
    let whole = view.group_members(owner, id, all).await.unwrap();
    assert_eq!(whole.next, None, "a group fits a page");
    assert!(whole.items.is_sorted_by(|a, b| a > b), "who came last stands first");
    for size in [1, 3] {
        let (mut walked, mut start) = (Vec::new(), PageStart::Newest);
        loop {
            let page = view.group_members(owner, id, Page::new(start, size).unwrap()).await.unwrap();
            assert!(page.items.len() <= size as usize);
            walked.extend(page.items);
            let Some(next) = page.next else { break };
            start = PageStart::After(next);
        }
        assert_eq!(walked, whole.items, "in pages of {size}");
    }
    let skip = Page::new(PageStart::Offset(2), 1_000).unwrap();
    let skipped = view.group_members(owner, id, skip).await.unwrap().items;
    assert_eq!(skipped, whole.items.get(2..).unwrap_or_default());
    let is_there = view.group(owner, id).await.unwrap().is_some();
    let mut uids: Vec<Uid> = whole.items.iter().map(|edge| edge.uid).collect();
    uids.sort_unstable();
    assert_eq!(view.group_uids(owner, id).await.unwrap().as_deref(), is_there.then_some(&uids[..]));
    whole.items
}

/// Everything that a view says of the groups of some owners, which must agree with itself.
pub async fn groups_of(view: &dyn StoreView, owners: &[Uid]) -> Vec<(UserGroup, Vec<Edge>)> {
    let mut all = Vec::new();
    for owner in owners {
        let groups = view.groups(*owner).await.unwrap();
        assert!(groups.is_sorted_by_key(|group| group.id));
        let mut with: Vec<Vec<GroupId>> = vec![Vec::new(); owners.len()];
        for group in groups {
            assert_eq!(view.group(*owner, group.id).await.unwrap().as_ref(), Some(&group));
            let members = members_of(view, *owner, group.id).await;
            assert_eq!(members.len(), group.members as usize, "{group:?}");
            for (known, member) in with.iter_mut().zip(owners) {
                if members.iter().any(|edge| edge.uid == *member) {
                    known.push(group.id);
                }
            }
            all.push((group, members));
        }
        assert_eq!(view.groups_with(*owner, owners).await.unwrap(), with, "groups of {owner}, by member");
    }
    all
}

/// Random writes of groups and of what changes them: few users and groups, so that they meet.
pub struct RandomGroups {
    rng: Rng,
    users: u64,
    gene: Option<Gene>,
}

impl RandomGroups {
    /// Draws from these numbers, of users 1 to `users`, who all have a gene if one is given.
    pub const fn new(rng: Rng, users: u64, gene: Option<Gene>) -> Self {
        Self { rng, users, gene }
    }

    fn user(&mut self) -> Uid {
        u(in_gene(self.gene, 1 + self.rng.below(self.users)))
    }

    fn members(&mut self, least: u64) -> Vec<Uid> {
        (0..least + self.rng.below(4)).map(|_| self.user()).collect()
    }

    /// Whether a write of something else comes next: what parts two users, mostly.
    pub fn pair(&mut self) -> PairCommand {
        let op = *self.rng.pick(&[Op::Block, Op::Unblock, Op::Unblock, Op::Follow, Op::Mute]);
        PairCommand { op, subject: self.user(), object: self.user() }
    }

    /// One operation on a group.
    pub fn command(&mut self) -> GroupCommand {
        let (owner, id) = (self.user(), g(1 + self.rng.below(4) as u32));
        let expected_revision = (self.rng.below(3) == 0).then(|| 1 + self.rng.below(4) as u32);
        match self.rng.below(16) {
            0 | 1 => GroupCommand::Create { owner, name: format!("name {}", self.rng.below(3)) },
            2 => GroupCommand::Delete { owner, id },
            3 | 4 => {
                let name = (self.rng.below(3) > 0).then(|| format!("name {}", self.rng.below(3)));
                GroupCommand::Update { owner, id, name, expected_revision }
            }
            5..=8 => GroupCommand::SetMembers { owner, id, members: self.members(0), expected_revision },
            9..=13 => GroupCommand::AddMembers { owner, id, members: self.members(1) },
            _ => GroupCommand::RemoveMembers { owner, id, members: self.members(1) },
        }
    }
}
