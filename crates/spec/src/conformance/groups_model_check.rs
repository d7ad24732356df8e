//! Random groups and blocks against the in-memory backend and against sets that know nothing of either.

use super::groups_world::{RandomGroups, groups_of, us};
use super::model_check::{model, same_answer, same_logs};
use super::{Rng, World, u};
use guanxi_model::{GroupCommand, GroupId, Op, PairCommand, Reason, Uid, Write};
use guanxi_ports::{Facts as _, Store as _};
use std::collections::{BTreeMap, BTreeSet};

/// Users of a random world: few, so that they meet.
const USERS: u64 = 6;
/// Writes of a run.
const STEPS: usize = 260;

/// What the rules come to, said in the simplest way: sets of names.
#[derive(Debug, Default)]
struct Circles {
    members: BTreeMap<(Uid, GroupId), BTreeSet<Uid>>,
    blocks: BTreeSet<(Uid, Uid)>,
    made: BTreeMap<Uid, u32>,
}

impl Circles {
    fn parts(&self, a: Uid, b: Uid) -> bool {
        self.blocks.contains(&(a, b)) || self.blocks.contains(&(b, a))
    }

    fn pair(&mut self, PairCommand { op, subject, object }: PairCommand) {
        match op {
            Op::Block if subject != object => {
                self.blocks.insert((subject, object));
                for ((owner, _), members) in &mut self.members {
                    members.retain(|member| {
                        ![(subject, object), (object, subject)].contains(&(*owner, *member))
                    });
                }
            }
            Op::Unblock => drop(self.blocks.remove(&(subject, object))),
            _ => {}
        }
    }

    /// Does an operation unless it was refused for its revision, of which sets know nothing.
    fn command(&mut self, command: &GroupCommand) -> Result<bool, Reason> {
        let owner = command.owner();
        let named: BTreeSet<Uid> = command.members().iter().copied().collect();
        let (id, wanted) = match command {
            GroupCommand::Create { .. } => {
                let last = self.made.entry(owner).or_default();
                *last += 1;
                self.members.insert((owner, GroupId::new(*last).unwrap()), BTreeSet::new());
                return Ok(true);
            }
            GroupCommand::Update { id, .. } => {
                return self.members.get(&(owner, *id)).map(|_| true).ok_or(Reason::GroupNotFound);
            }
            GroupCommand::Delete { id, .. } => return Ok(self.members.remove(&(owner, *id)).is_some()),
            GroupCommand::SetMembers { id, .. } => (*id, named),
            GroupCommand::AddMembers { id, .. } => {
                (*id, self.members.get(&(owner, *id)).into_iter().flatten().copied().chain(named).collect())
            }
            GroupCommand::RemoveMembers { id, .. } => {
                let now = self.members.get(&(owner, *id)).into_iter().flatten().copied();
                (*id, now.filter(|member| !named.contains(member)).collect())
            }
        };
        let now = self.members.get(&(owner, id)).ok_or(Reason::GroupNotFound)?;
        for member in wanted.difference(now) {
            if *member == owner {
                return Err(Reason::SelfRelation);
            }
            if self.parts(owner, *member) {
                return Err(Reason::Blocked);
            }
        }
        Ok(self.members.insert((owner, id), wanted.clone()) != Some(wanted))
    }

    async fn check(&self, world: &World, context: &str) {
        let everybody: Vec<Uid> = (1..=USERS).map(u).collect();
        let groups = groups_of(&*world.view().await, &everybody).await;
        let found: BTreeMap<(Uid, GroupId), BTreeSet<Uid>> = groups
            .into_iter()
            .map(|(group, members)| {
                ((group.owner, group.id), members.into_iter().map(|edge| edge.uid).collect())
            })
            .collect();
        assert_eq!(found, self.members, "{context}");
    }
}

async fn lockstep(world: &World, seed: u64) {
    let model = model(world);
    let mut rng = Rng::new(seed);
    let mut random = RandomGroups::new(Rng::new(!seed), USERS, None);
    let mut circles = Circles::default();
    for step in 0..STEPS {
        world.clock().advance(rng.below(3));
        let (write, pair, group) = if rng.below(5) == 0 {
            let pair = random.pair();
            (Write::of(pair), Some(pair), None)
        } else {
            let group = random.command();
            (Write::of(group.clone()), None, Some(group))
        };
        let context = format!("seed {seed}, step {step}: {write:?}");
        let ours = world.try_write(write.clone()).await;
        let theirs = model.apply(write).await.map_err(|error| error.reason);
        same_answer(world, &ours, &theirs, &context);
        let ours = ours.unwrap();
        if let Some(pair) = pair {
            if ours.clone().pair().unwrap().result == Ok(true) {
                circles.pair(pair);
            }
        } else if let Some(group) = group {
            let outcome = ours.group().unwrap();
            let guarded = matches!(outcome.result, Err(Reason::RevisionMismatch { .. }));
            let update = matches!(group, GroupCommand::Update { .. });
            if !guarded {
                let expected = circles.command(&group);
                if update {
                    assert_eq!(outcome.result.is_ok(), expected.is_ok(), "{context}");
                } else {
                    assert_eq!(outcome.result, expected, "{context}");
                }
            }
        }
        if step % 20 == 19 {
            circles.check(world, &context).await;
        }
    }
    assert!(circles.members.values().filter(|members| members.len() > 1).count() > 1, "{circles:?}");
    same_logs(world, &model, seed).await;
    let everybody = us(&[1, 2, 3, 4, 5, 6]);
    let theirs = groups_of(&*model.view(None).await.unwrap(), &everybody).await;
    assert_eq!(groups_of(&*world.view().await, &everybody).await, theirs, "seed {seed}");
}

/// For any operations in any order: groups are what the rules say, and the log and revisions those of the in-memory
/// backend.
pub async fn random_groups_1(world: &World) {
    lockstep(world, 1).await;
}

/// The same with another seed.
pub async fn random_groups_2(world: &World) {
    lockstep(world, 2).await;
}
