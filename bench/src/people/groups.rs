//! Groups of readers, and what their timelines show.

use super::calls::PeopleCall;
use crate::calls::{Answer, Call, Workload};
use crate::feed::store;
use crate::peers::home::Outboxes;
use guanxi_load::fill::written;
use guanxi_load::in_process::PAGE;
use guanxi_load::{Class, World};
use guanxi_model::limits::GROUP_MEMBERS_MAX;
use guanxi_model::random::Rng;
use guanxi_model::{GroupCommand, GroupId, Op, PairCommand, Result as ModelResult, Write};
use guanxi_ports::Store;
use std::collections::{BTreeSet, HashMap};
use std::path::Path;

/// Members of a group, and followings of a reader: as many as a group may have.
pub(crate) const MEMBERS: u32 = GROUP_MEMBERS_MAX;
/// How many users the others of the world follow on average; no call reads their homes.
const CROWD_FOLLOWEES: u32 = 20;
/// Members that are blocked, and as many that block the owner, in a group of others.
const BLOCKED: usize = 2;

/// The authors of a group's posts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Of {
    /// Exactly the users whom the reader follows.
    Followed,
    /// Users whom the reader does not follow.
    Others,
}

/// A group.
pub(crate) struct Group {
    /// The owner.
    pub(crate) owner: u32,
    /// Its number.
    pub(crate) id: u32,
    /// The members; some of them are parted from the owner by a block.
    pub(crate) members: Vec<u32>,
    of: Of,
}

/// A world whose readers have a group of each sort.
pub(crate) struct Groups {
    /// The world.
    pub(crate) world: World,
    /// All groups.
    pub(crate) all: Vec<Group>,
    /// Blocks between users.
    pub(crate) blocks: BTreeSet<(u32, u32)>,
}

impl Groups {
    /// Draws a world of so many users, of whom so many read, with so many posts.
    pub(crate) fn draw(users: u32, readers: u32, posts: u32, seed: u64) -> Self {
        let classes = vec![Class { readers, followees: MEMBERS }];
        let world = World { classes, followees: CROWD_FOLLOWEES, posts, ..World::of_users(users, seed) };
        let mut rng = Rng::new(seed + 1);
        let (mut all, mut blocks) = (Vec::new(), BTreeSet::new());
        for owner in world.readers(0) {
            let followed = world.following(owner);
            let mut others = BTreeSet::new();
            while others.len() < MEMBERS as usize {
                let other = rng.below(world.crowd().len()) as u32;
                if !followed.contains(&other) {
                    others.insert(other);
                }
            }
            let mut others: Vec<u32> = others.into_iter().collect();
            rng.shuffle(&mut others);
            blocks.extend(others[..BLOCKED].iter().map(|other| (owner, *other)));
            blocks.extend(others[BLOCKED..2 * BLOCKED].iter().map(|other| (*other, owner)));
            all.push(Group { owner, id: 1, members: followed, of: Of::Followed });
            all.push(Group { owner, id: 2, members: others, of: Of::Others });
        }
        Self { world, all, blocks }
    }

    /// Makes a directory that holds all of it.
    pub(crate) async fn create(&self, dir: &Path) -> Result<(), String> {
        store::create(dir, &self.world).await?;
        let opened = store::open(dir)?;
        let filled = self.fill(&*opened.backend.store).await;
        opened.close().await?;
        filled.map_err(|error| format!("groups: {error:?}"))
    }

    async fn fill(&self, graph: &dyn Store) -> ModelResult<()> {
        for group in &self.all {
            let owner = self.world.uid(group.owner);
            let (id, name) = (GroupId::new(group.id)?, "measured".to_owned());
            let members = group.members.iter().map(|member| self.world.uid(*member)).collect();
            let create = GroupCommand::Create { owner, name };
            let add = GroupCommand::AddMembers { owner, id, members };
            written(&graph.apply(Write::all([create, add])).await?)?;
        }
        // A block takes the blocked out of the groups of both.
        for (subject, object) in &self.blocks {
            let [subject, object] = [*subject, *object].map(|user| self.world.uid(user));
            written(&graph.apply(Write::of(PairCommand { op: Op::Block, subject, object })).await?)?;
        }
        Ok(())
    }

    /// Pages of groups of a sort in random order, with the right answers.
    pub(crate) fn workload(&self, outboxes: &Outboxes<'_>, of: Of, count: usize) -> Workload {
        let groups: Vec<&Group> = self.all.iter().filter(|group| group.of == of).collect();
        let mut rng = Rng::new(self.world.seed + 20);
        let mut workload = Workload::default();
        let mut pages: HashMap<u32, Vec<u64>> = HashMap::new();
        for _ in 0..count {
            let group = groups[rng.below(groups.len())];
            let page = pages.entry(group.owner).or_insert_with(|| self.page(outboxes, group));
            let (viewer, group) = (self.world.uid(group.owner).get(), group.id);
            workload.calls.push(Call::People(PeopleCall::Group { viewer, group }));
            workload.answers.push(Answer::Ids(page.clone()));
        }
        workload
    }

    fn page(&self, outboxes: &Outboxes<'_>, group: &Group) -> Vec<u64> {
        let (owner, muted) = (group.owner, self.world.muted(group.owner));
        let parted = |other| self.blocks.contains(&(owner, other)) || self.blocks.contains(&(other, owner));
        let shown = group.members.iter().copied();
        let shown: Vec<u32> = shown.filter(|user| !muted.contains(user) && !parted(*user)).collect();
        outboxes.newest_of(&shown, PAGE, true).into_iter().map(|(id, _)| id).collect()
    }
}
