//! Batches of one operation of one user on many: each item comes to what a call of its own would.

use super::{Rng, World, u};
use guanxi_model::user::UserStatus;
use guanxi_model::{
    List, Op, PairCommand, PairOutcome, Reason, Relation, RelationState, RequestDirection, RequestKind,
};

/// What the API does on many at once.
const OPS: [Op; 4] = [Op::Follow, Op::Unfollow, Op::ApproveFollow, Op::RejectFollow];

/// Few, so that they meet; two have the gene of the first, and the last is gone.
const USERS: [u64; 8] = [1, 2, 3, 0x0101, 0x0201, 5, 6, 7];

/// What is added to a user for its twin, of the same gene.
const TWIN: u64 = 0x1_0000;

const STEPS: u64 = 40;

fn same(op: Op, subject: u64, objects: &[u64]) -> Vec<PairCommand> {
    objects.iter().map(|object| PairCommand { op, subject: u(subject), object: u(*object) }).collect()
}

/// What is true of a relation whenever it came to be.
fn told(relation: &Relation) -> (RelationState, [bool; 3], [Option<RequestKind>; 2]) {
    let marks = [relation.blocking, relation.blocked_by, relation.muting];
    (relation.state(), marks, [relation.requested, relation.requested_by])
}

/// Outcomes as far as twins have them alike.
fn alike(outcomes: &[PairOutcome]) -> Vec<(Result<bool, Reason>, impl PartialEq + std::fmt::Debug + use<>)> {
    outcomes.iter().map(|outcome| (outcome.result.clone(), told(&outcome.relation))).collect()
}

/// Users do the same as their twins, at the same time: they in batches, and the twins one by one. Each item comes to the same,
/// and so do relations, counts, and the orders of lists.
pub async fn a_batch_ends_as_calls_in_its_order(world: &World) {
    let gone = USERS[USERS.len() - 1];
    for add in [0, TWIN] {
        world.lock(2 + add, true).await;
        world.lock(3 + add, true).await;
        world.act(Op::Block, 5 + add, 1 + add).await;
        world.act(Op::Follow, gone + add, 2 + add).await;
        world.set_status(gone + add, UserStatus::Deactivated).await;
    }
    for seed in 0..3 {
        let mut rng = Rng::new(seed);
        for step in 0..STEPS {
            world.clock().advance(1 + rng.below(3));
            world.settle(USERS.iter().flat_map(|uid| [*uid, uid + TWIN])).await;
            let subject = *rng.pick(&USERS[..5]);
            if rng.below(8) == 0 {
                let locked = rng.below(3) > 0;
                world.lock(subject, locked).await;
                world.lock(subject + TWIN, locked).await;
                continue;
            }
            let op = *rng.pick(&OPS);
            let objects: Vec<u64> = (0..=rng.below(9)).map(|_| *rng.pick(&USERS)).collect();
            let batch = world.batch(&same(op, subject, &objects)).await;
            let mut alone = Vec::new();
            for object in &objects {
                alone.push(world.act(op, subject + TWIN, object + TWIN).await);
                world.settle(USERS.map(|uid| uid + TWIN)).await;
            }
            assert_eq!(
                alike(&batch),
                alike(&alone),
                "seed {seed}, step {step}: {op:?} {subject} {objects:?}"
            );
        }
        twins_are_alike(world, seed).await;
    }
}

async fn twins_are_alike(world: &World, seed: u64) {
    for uid in USERS {
        let context = format!("seed {seed}, user {uid}");
        for other in USERS {
            let pairs = [world.relation(uid, other).await, world.relation(uid + TWIN, other + TWIN).await];
            assert_eq!(told(&pairs[0]), told(&pairs[1]), "{context} to {other}");
        }
        assert_eq!(world.counts(uid).await, world.counts(uid + TWIN).await, "{context}");
        for list in [List::Following, List::Followers, List::Friends] {
            let listed = async |of: u64| -> Vec<u64> {
                world.walk(of, list, 3).await.iter().map(|edge| edge.uid.get() % TWIN).collect()
            };
            assert_eq!(listed(uid).await, listed(uid + TWIN).await, "{context}: {list:?}");
        }
        for direction in [RequestDirection::Incoming, RequestDirection::Outgoing] {
            let asked = async |of: u64| -> Vec<[u64; 2]> {
                let found = world.requests(of, direction, RequestKind::Follow, 3).await;
                let both = |one: &guanxi_model::RelationRequest| [one.sender, one.receiver];
                found.iter().map(|one| both(one).map(|uid| uid.get() % TWIN)).collect()
            };
            assert_eq!(asked(uid).await, asked(uid + TWIN).await, "{context}: {direction:?}");
        }
    }
}

/// A user that a batch lets follow or rejects finds it so without the token of the batch, in every shard. A repeat of the
/// batch is answered from the first, item by item, and does nothing.
pub async fn many_answers_stand_at_all_who_asked(world: &World) {
    world.lock(1, true).await;
    let askers: Vec<u64> = (2..300).step_by(7).chain([1 + 256, 1 + 512]).collect();
    for asker in &askers {
        assert_eq!(world.result(Op::Follow, *asker, 1).await, Ok(true));
    }
    let (rejected, approved) = askers.split_at(9);
    for (op, objects) in [(Op::RejectFollow, rejected), (Op::ApproveFollow, approved)] {
        let commands = same(op, 1, objects);
        let first = world.request(op.name(), &commands).await.unwrap();
        assert!(first.outcomes.iter().all(|outcome| outcome.result() == Ok(true)), "{first:?}");
        let view = world.backend.store.view(None).await.unwrap();
        for asker in objects {
            let relation = view.relations(u(*asker), &[u(1)]).await.unwrap()[0];
            assert_eq!(relation.requested, None, "{asker}");
            assert_eq!(relation.following_since.is_some(), op == Op::ApproveFollow, "{asker}");
        }
        drop(view);
        let again = world.request(op.name(), &commands).await.unwrap();
        assert_eq!(again.outcomes, first.outcomes);
        let other = same(op, 1, &objects[1..]);
        assert_eq!(world.request(op.name(), &other).await.unwrap_err(), Reason::IdempotencyMismatch);
        let outcomes = world.batch(&commands).await;
        assert!(outcomes.iter().all(|outcome| outcome.result == Ok(false)), "{outcomes:?}");
    }
    let mut listed: Vec<u64> =
        world.walk(1, List::Followers, 7).await.iter().map(|edge| edge.uid.get()).collect();
    listed.reverse();
    assert_eq!(listed, approved, "in the order of the batch");
    let outcomes = world.batch(&same(Op::ApproveFollow, 1, &[rejected[0], approved[0], 1])).await;
    let results: Vec<_> = outcomes.into_iter().map(|outcome| outcome.result).collect();
    assert_eq!(results, [Ok(false), Ok(false), Err(Reason::SelfRelation)]);
}
