//! The pair state machine, through the whole backend.

use super::model_check::client_ops;
use super::{Need, World, u};
use guanxi_model::event::PairChange;
use guanxi_model::limits::BATCH_MAX;
use guanxi_model::pair::{Effect, decide};
use guanxi_model::{
    Change, Direction, Op, PairCommand, PairInputs, PairState, Position, Reason, Relation, RelationState,
    RequestKind, Uid,
};
use std::collections::BTreeMap;

impl World {
    /// The relation of one user to another: a view tells it, and a store that is asked directly tells the same.
    pub async fn relation(&self, subject: u64, object: u64) -> Relation {
        let relation = self.view().await.relations(u(subject), &[u(object)]).await.unwrap()[0];
        let at_least = self.last();
        let objects = [u(object), u(subject)];
        let (direct, position) =
            self.backend.store.relations(u(subject), &objects, Some(&at_least)).await.unwrap();
        assert_eq!(direct, [relation, Relation::default()], "{subject} to {object}");
        assert!(
            position.of(u(subject)).seq() >= at_least.of(u(subject)).seq(),
            "{position:?} of {at_least:?}"
        );
        relation
    }
}

/// Returns the commands that lead from nothing to a reachable state of the pair a, b. A user that receives a request to
/// follow must be locked.
pub(super) fn path(state: PairState, a: u64, b: u64) -> Vec<PairCommand> {
    let owned = |direction: Direction, subject, object| {
        let steps = [
            (Op::Follow, direction.follows || direction.asks == Some(RequestKind::Follow)),
            (Op::SendFriendRequest, direction.asks == Some(RequestKind::Friend)),
            (Op::Block, direction.blocks),
            (Op::Mute, direction.mutes),
        ];
        steps.into_iter().filter(|(_, holds)| *holds).map(move |(op, _)| PairCommand {
            op,
            subject: u(subject),
            object: u(object),
        })
    };
    owned(state.forward, a, b).chain(owned(state.backward, b, a)).collect()
}

/// Checks that a relation shows a state; `None` of its times.
pub(super) fn check_state(relation: Relation, state: PairState) {
    assert_eq!(relation.following_since.is_some(), state.forward.follows, "{relation:?} in {state:?}");
    assert_eq!(relation.followed_by, state.backward.follows, "{relation:?} in {state:?}");
    assert_eq!(relation.friends_since.is_some(), state.mutual(), "{relation:?} in {state:?}");
    assert_eq!(relation.blocking, state.forward.blocks, "{relation:?} in {state:?}");
    assert_eq!(relation.blocked_by, state.backward.blocks, "{relation:?} in {state:?}");
    assert_eq!(relation.muting, state.forward.mutes, "{relation:?} in {state:?}");
    assert_eq!(relation.requested, state.forward.asks, "{relation:?} in {state:?}");
    assert_eq!(relation.requested_by, state.backward.asks, "{relation:?} in {state:?}");
}

/// What the log says of an effect: (owner is the actor, change without its time, whether it made friends, cause).
type Logged = (bool, &'static str, bool, Op);

/// What the log must say of an effect of `op`.
fn logged(effect: Effect, state: &mut PairState, op: Op) -> Logged {
    let friends = (state.backward.follows, state.forward.follows);
    *state = effect.apply(*state);
    match effect {
        Effect::Follow => (true, "followed", friends.0, op),
        Effect::FollowBack => (false, "followed", friends.1, op),
        Effect::Unfollow => (true, "unfollowed", false, op),
        Effect::UnfollowBack => (false, "unfollowed", false, op),
        Effect::Block => (true, "blocked", false, op),
        Effect::Unblock => (true, "unblocked", false, op),
        Effect::Mute => (true, "muted", false, op),
        Effect::Unmute => (true, "unmuted", false, op),
        Effect::Ask(RequestKind::Follow) => (false, "asked to follow", false, op),
        Effect::Ask(RequestKind::Friend) => (false, "asked to be friends", false, op),
        Effect::EndRequest(_) => (false, "request ended", false, op),
        Effect::EndRequestBack(_) => (true, "request ended", false, op),
    }
}

const fn word(kind: PairChange) -> (&'static str, bool) {
    match kind {
        PairChange::Followed { mutual, .. } => ("followed", mutual),
        PairChange::Unfollowed => ("unfollowed", false),
        PairChange::Blocked { .. } => ("blocked", false),
        PairChange::Unblocked => ("unblocked", false),
        PairChange::Muted { .. } => ("muted", false),
        PairChange::Unmuted => ("unmuted", false),
        PairChange::Requested { kind: RequestKind::Follow, .. } => ("asked to follow", false),
        PairChange::Requested { kind: RequestKind::Friend, .. } => ("asked to be friends", false),
        PairChange::RequestEnded { .. } => ("request ended", false),
    }
}

/// Every reachable state and operation: outcome, relation from both sides, counters and log are those of the table.
/// Mutes are not tried together with requests, since neither depends on the other.
pub async fn every_transition_of_the_pair_table(world: &World) {
    let mutes = |state: &PairState| state.forward.mutes || state.backward.mutes;
    let asks = |state: &PairState| state.forward.asks.is_some() || state.backward.asks.is_some();
    let states = PairState::all().filter(|state| state.reachable() && !(mutes(state) && asks(state)));
    let ops = client_ops();
    let cases: Vec<(PairState, Op)> =
        states.flat_map(|state| ops.iter().map(move |op| (state, *op))).collect();
    let pair = |index: usize| (10_000 + 2 * index as u64, 10_001 + 2 * index as u64);
    for (index, (state, _)) in cases.iter().enumerate() {
        let (a, b) = pair(index);
        for (receiver, asked) in [(a, state.backward.asks), (b, state.forward.asks)] {
            if asked == Some(RequestKind::Follow) {
                world.lock(receiver, true).await;
            }
        }
    }
    let setup = cases.iter().enumerate().flat_map(|(index, (state, _))| {
        let (a, b) = pair(index);
        path(*state, a, b)
    });
    world.change(&setup.collect::<Vec<_>>()).await;
    world.settle((0..cases.len()).flat_map(|index| <[u64; 2]>::from(pair(index)))).await;
    let before = world.last();
    let (mut states, mut expected) = (BTreeMap::new(), BTreeMap::new());
    for (index, (state, op)) in cases.into_iter().enumerate() {
        let (a, b) = pair(index);
        let is_locked = state.forward.asks == Some(RequestKind::Follow);
        let decided = decide(state, op, &PairInputs { is_locked, ..PairInputs::default() });
        let outcome = world.act(op, a, b).await;
        assert_eq!(outcome.result, decided.result, "{op:?} in {state:?}");
        check_state(outcome.relation, decided.state);
        let [forward, backward] = world.both(a, b).await;
        assert_eq!(forward, outcome.relation, "{op:?} in {state:?}");
        check_state(backward, decided.state.flipped());
        states.extend([(a, decided.state), (b, decided.state.flipped())]);
        let mut now = state;
        let said: Vec<_> = decided.effects.iter().map(|effect| logged(*effect, &mut now, op)).collect();
        if !said.is_empty() {
            expected.insert((a, b), said);
        }
    }
    check_counts(world, &states).await;
    assert_eq!(said_of_pairs(world, &before).await, expected);
}

/// What the log says after a position of each pair, the acting user of which has an even uid, in the words of [`logged`].
async fn said_of_pairs(world: &World, after: &Position) -> BTreeMap<(u64, u64), Vec<Logged>> {
    let mut said = BTreeMap::<_, Vec<Logged>>::new();
    for event in world.events_since(after).await {
        let Change::Pair { object, kind, cause } = event.change else { panic!("{event:?}") };
        let (subject, object) = (event.subject.get(), object.get());
        let by_actor = subject % 2 == 0;
        let pair = if by_actor { (subject, object) } else { (object, subject) };
        let (became, mutual) = word(kind);
        said.entry(pair).or_default().push((by_actor, became, mutual, cause));
    }
    said
}

async fn check_counts(world: &World, states: &BTreeMap<u64, PairState>) {
    let uids: Vec<u64> = states.keys().copied().collect();
    for part in uids.chunks(BATCH_MAX as usize) {
        let asked: Vec<Uid> = part.iter().copied().map(u).collect();
        let counted = world.view().await.counts(&asked).await.unwrap();
        for (uid, counts) in part.iter().zip(counted) {
            let state = states[uid];
            let expected = (
                u32::from(state.forward.follows),
                u64::from(state.backward.follows),
                u32::from(state.mutual()),
                u32::from(state.forward.blocks),
                u32::from(state.forward.mutes),
            );
            let counted = (counts.following, counts.followers, counts.friends, counts.blocks, counts.mutes);
            assert_eq!(counted, expected, "{uid} in {state:?}");
        }
    }
}

/// The four states and three flags, from both sides, by both calls.
pub async fn relations_say_the_state_from_both_sides(world: &World) {
    world.build("1->2 3<->4 5-x6 7-m8 9->10 9-m10").await;
    let view = world.view().await;
    let state = async |a, b| {
        let one = view.relations(u(a), &[u(b)]).await.unwrap()[0];
        let pair = view.pairs(&[(u(a), u(b))]).await.unwrap()[0];
        assert_eq!(one, pair, "both calls agree");
        one
    };
    assert_eq!(state(1, 2).await.state(), RelationState::Following);
    assert_eq!(state(2, 1).await.state(), RelationState::FollowedBy);
    assert_eq!(state(3, 4).await.state(), RelationState::Mutual);
    assert_eq!(state(4, 3).await.state(), RelationState::Mutual);
    assert_eq!(state(3, 4).await.friends_since, state(4, 3).await.friends_since);
    assert_eq!(state(1, 4).await, Relation::default());
    assert_eq!(state(5, 6).await, Relation { blocking: true, ..Relation::default() });
    assert_eq!(state(6, 5).await, Relation { blocked_by: true, ..Relation::default() });
    assert_eq!(state(7, 8).await, Relation { muting: true, ..Relation::default() });
    assert_eq!(state(8, 7).await, Relation::default(), "a mute is never seen by the other side");
    assert!(state(9, 10).await.muting && state(9, 10).await.following_since.is_some());
}

/// Answers come in the order of the question, repeats and strangers included.
pub async fn batches_of_relations_keep_their_order(world: &World) {
    world.build("1->2 3->1 1-x4 5->6").await;
    let view = world.view().await;
    let objects = [4, 2, 99, 2, 3, 1].map(u);
    let relations = view.relations(u(1), &objects).await.unwrap();
    let states: Vec<_> = relations.iter().map(|r| (r.state(), r.blocking)).collect();
    let (none, to, from) = (RelationState::None, RelationState::Following, RelationState::FollowedBy);
    assert_eq!(states, [(none, true), (to, false), (none, false), (to, false), (from, false), (none, false)]);
    let pairs = [(6, 5), (1, 2), (99, 98), (5, 6), (7, 7)].map(|(a, b)| (u(a), u(b)));
    let relations = view.pairs(&pairs).await.unwrap();
    let states: Vec<_> = relations.iter().map(Relation::state).collect();
    assert_eq!(states, [from, to, none, to, none]);
    // A thousand objects in one question.
    let many: Vec<_> = (1..=1_000).map(u).collect();
    let relations = view.relations(u(1), &many).await.unwrap();
    assert_eq!(relations.len(), many.len());
    assert_eq!(relations.iter().filter(|r| r.following_since.is_some()).count(), 1);
    assert!(relations[1].following_since.is_some() && relations[2].followed_by && relations[3].blocking);
}

/// The relation to oneself is empty, and every operation on oneself is refused and changes nothing.
pub async fn nobody_relates_to_themselves(world: &World) {
    world.build("1->2 2->1").await;
    let before = world.last();
    if !world.lacks(Need::MixedBatches) {
        for outcome in world.batch(&Op::ALL.map(|op| PairCommand { op, subject: u(1), object: u(1) })).await {
            assert_eq!(outcome.result, Err(Reason::SelfRelation));
            assert_eq!(outcome.relation, Relation::default());
        }
    }
    assert_eq!(
        world.batch(&[super::follow(1, 1), super::follow(1, 3)]).await[0].result,
        Err(Reason::SelfRelation)
    );
    assert_eq!(world.relation(1, 1).await, Relation::default());
    assert_eq!(world.events_since(&before).await.len(), 1, "only the follow of 3 happened");
}

/// Every operation repeated at once answers `changed: false` and the same relation, and logs nothing.
pub async fn a_repeated_operation_changes_nothing(world: &World) {
    let pairs = [
        (Op::Follow, 1, 2, ""),
        (Op::Unfollow, 3, 4, "3->4"),
        (Op::RemoveFollower, 5, 6, "6->5"),
        (Op::Block, 7, 8, ""),
        (Op::Unblock, 9, 10, "9-x10"),
        (Op::Mute, 11, 12, ""),
        (Op::Unmute, 13, 14, "13-m14"),
    ];
    for (op, a, b, script) in pairs {
        world.build(script).await;
        let first = world.act(op, a, b).await;
        assert_eq!(first.result, Ok(true), "{op:?}");
        let before = world.last();
        let second = world.act(op, a, b).await;
        assert_eq!(second.result, Ok(false), "{op:?}");
        assert_eq!(second.relation, first.relation, "{op:?}");
        assert_eq!(world.events_since(&before).await, [], "{op:?}");
    }
}

/// Removing a follower ends the other's follow, and only that.
pub async fn removing_a_follower_ends_the_follow_of_the_other(world: &World) {
    world.build("1<->2 3->1").await;
    let outcome = world.act(Op::RemoveFollower, 1, 2).await;
    assert_eq!(outcome.result, Ok(true));
    assert_eq!(outcome.relation.state(), RelationState::Following);
    assert_eq!(world.relation(2, 1).await.state(), RelationState::FollowedBy);
    assert_eq!(world.result(Op::RemoveFollower, 1, 3).await, Ok(true));
    assert_eq!(world.result(Op::RemoveFollower, 1, 4).await, Ok(false), "4 never followed");
    assert_eq!(world.result(Op::Follow, 3, 1).await, Ok(true), "a removed follower may follow again");
}

/// A friend's time is when the pair became mutual, on both sides; a new follow is a new time.
pub async fn times_are_those_of_what_happened(world: &World) {
    let first = world.act(Op::Follow, 1, 2).await.relation.following_since.unwrap();
    world.settle([2]).await;
    world.clock().advance(5_000);
    let second = world.act(Op::Follow, 2, 1).await.relation;
    assert_eq!(first.ms(), super::START_MS);
    assert_eq!(second.following_since.unwrap().ms(), super::START_MS + 5_000);
    assert_eq!(second.friends_since, second.following_since);
    let one = world.relation(1, 2).await;
    assert_eq!((one.following_since, one.friends_since), (Some(first), second.friends_since));
    world.clock().advance(5_000);
    world.build("1-/2").await;
    assert_eq!(world.relation(2, 1).await.friends_since, None);
    let again = world.act(Op::Follow, 1, 2).await.relation;
    assert_eq!(again.following_since.unwrap().ms(), super::START_MS + 10_000);
    assert_eq!(again.friends_since, again.following_since);
    assert_eq!(world.relation(2, 1).await.friends_since, again.friends_since);
}

/// Times only rise, even where the clock stands still or jumps back.
pub async fn times_rise_whatever_the_clock_does(world: &World) {
    let mut last = None;
    for (object, jump) in (2..12).zip([0, 0, -90_000, 0, 50, -1, 0, 200_000, -200_000, 0]) {
        world.clock().set(world.now_ms().saturating_add_signed(jump));
        let since = world.act(Op::Follow, 1, object).await.relation.following_since;
        assert!(since > last, "{since:?} comes after {last:?}");
        last = since;
    }
    assert_eq!(world.uids(1, guanxi_model::List::Following).await, (2..12).rev().collect::<Vec<_>>());
    let versions: Vec<_> =
        world.events_since(&world.origin).await.iter().map(|event| event.version).collect();
    assert!(versions.is_sorted_by(|a, b| a < b), "{versions:?}");
}
