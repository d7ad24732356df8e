//! Clients that race. They cannot be compared with a model answer by answer; the log is the witness: what it says happened, done
//! to the model one by one, must log the same.

use super::model_check::{Play, model, whole_log, without_lag};
use super::{Need, World, u};
use guanxi_model::event::PairChange;
use guanxi_model::{Change, Event, Op, PairCommand, PairOutcome, Reason, Stamp, Uid, Write};
use guanxi_ports::{Facts as _, StoreView};
use std::collections::BTreeMap;

/// Racing clients, and operations of each.
const CLIENTS: u64 = 4;
const STEPS_OF_A_CLIENT: usize = 100;

/// The operations of racing clients: what each does has one event, beside what a block cuts.
pub(super) const PLAIN: [Op; 7] =
    [Op::Follow, Op::Unfollow, Op::RemoveFollower, Op::Block, Op::Unblock, Op::Mute, Op::Unmute];

macro_rules! seeds {
    ($($name:ident = $seed:literal;)+) => {$(
        #[doc = concat!("[`racing`] with seed ", stringify!($seed), ".")]
        pub async fn $name(world: &World) {
            racing(world, $seed).await;
        }
    )+};
}

seeds! {
    racing_clients_1 = 1;
    racing_clients_2 = 2;
    racing_clients_3 = 3;
}

/// Clients that own their subjects and share all objects write at random and at once. Each checks its own
/// answers; at the end the log, done again to the model, must give the same log.
pub async fn racing(world: &World, seed: u64) {
    let clients: Vec<_> = (0..CLIENTS)
        .map(|client| {
            let graph = world.backend.store.clone();
            let mut play = Play::new(world, seed * CLIENTS + client);
            play.ops = PLAIN.to_vec();
            tokio::spawn(async move {
                let mut done: Vec<(PairCommand, PairOutcome)> = Vec::new();
                for _ in 0..STEPS_OF_A_CLIENT {
                    let subject = u(1 + client + CLIENTS * play.rng.below(3));
                    let mut commands = play.commands();
                    for command in &mut commands {
                        command.subject = subject;
                    }
                    let write = Write::all(commands.clone());
                    let answer = graph.apply(write).await.unwrap();
                    let position = answer.position.clone();
                    done.extend(commands.into_iter().zip(answer.pairs()));
                    if play.rng.below(4) == 0 {
                        check_own_follows(&*graph.view(Some(&position)).await.unwrap(), subject, &done).await;
                    }
                }
                done
            })
        })
        .collect();
    let mut done = Vec::new();
    for client in clients {
        done.extend(client.await.unwrap());
    }
    world.saw(&world.backend.log.head().await.unwrap());
    let mut events = world.events_since(&world.origin).await;
    check_outcomes(&done, &events, seed);
    let model = model(world);
    let lags = world.lacks_quietly(Need::NoLag);
    if lags {
        before_their_blocks(&mut events);
    }
    let said = |event: &Event| {
        let mut event = *event;
        if lags {
            without_lag(&mut event);
        }
        (event.at, event.subject, without_times(event.change))
    };
    for command in events.iter().filter_map(primary) {
        let answer = model.apply(Write::all(vec![command])).await.unwrap();
        assert_eq!(
            answer.outcomes[0].result(),
            Ok(true),
            "seed {seed}: the log says that {command:?} changed something"
        );
    }
    let again = whole_log(world, &model).await;
    let (mut ours, mut theirs): (Vec<_>, Vec<_>) =
        (events.iter().map(said).collect(), again.iter().map(said).collect());
    if lags {
        for said in [&mut ours, &mut theirs] {
            said.sort_by_key(|(_, subject, change)| cut(*subject, change));
        }
    }
    assert_eq!(ours, theirs, "seed {seed}");
}

/// A user removes a follower who follows anew all the time: each answer is of the moment of its removal.
pub async fn removals_race_with_follows(world: &World) {
    let write = |op, (subject, object)| {
        let graph = world.backend.store.clone();
        let command = PairCommand { op, subject, object };
        async move { (command, graph.apply(Write::of(command)).await.unwrap().pairs().remove(0)) }
    };
    let client = async |op, pair| {
        let mut done = Vec::new();
        for _ in 0..STEPS_OF_A_CLIENT {
            done.push(write(op, pair).await);
        }
        done
    };
    let (mut done, removals) =
        tokio::join!(client(Op::Follow, (u(1), u(2))), client(Op::RemoveFollower, (u(2), u(1))));
    done.extend(removals);
    world.saw(&world.backend.log.head().await.unwrap());
    check_outcomes(&done, &world.events_since(&world.origin).await, 0);
}

/// A client sees its own last follow of each object, unless somebody else may have ended it.
async fn check_own_follows(view: &dyn StoreView, subject: Uid, done: &[(PairCommand, PairOutcome)]) {
    let unfollowed = done.iter().rev().find(|(command, _)| command.subject == subject);
    if let Some((PairCommand { op: Op::Unfollow, object, .. }, outcome)) = unfollowed {
        let relation = view.relations(subject, &[*object]).await.unwrap()[0];
        assert!(
            outcome.result.is_err() || relation.following_since.is_none(),
            "nobody else can follow for {subject}"
        );
    }
}

/// Moves follows and unfollows before the block that they did not know of. A block is on its way to the shard of the blocked user,
/// whose log has no order with that of the blocking user. A follow that the block missed is cut when the block arrives; one
/// without that cut stays where it is, and the model refuses it.
fn before_their_blocks(events: &mut [Event]) {
    for at in 0..events.len() {
        let Some(PairCommand { op: op @ (Op::Follow | Op::Unfollow), subject, object }) =
            primary(&events[at])
        else {
            continue;
        };
        let is_of_follow = |event: &Event| {
            matches!(event.change,
            Change::Pair { object: other, kind: PairChange::Followed { .. } | PairChange::Unfollowed, .. }
                if (event.subject, other) == (subject, object))
        };
        let next = events[at + 1..].iter().find(|event| is_of_follow(event));
        let is_cut = next.is_some_and(|next| cut(next.subject, &next.change).is_some());
        if op == Op::Follow && !is_cut {
            continue;
        }
        let since = events[..at].iter().rposition(is_of_follow).map_or(0, |last| last + 1);
        let by_object = events[since..at].iter().enumerate().rev().find_map(|(place, event)| {
            let command = primary(event)?;
            let is_theirs = (command.subject, command.object) == (object, subject);
            (is_theirs && matches!(command.op, Op::Block | Op::Unblock)).then_some((place, command.op))
        });
        if let Some((place, Op::Block)) = by_object {
            events[since + place..=at].rotate_right(1);
        }
    }
}

/// Returns the two users of a follow that a block has cut, if an event says so. Where logs have no order among each other, neither
/// has this one with what its subject does meanwhile.
fn cut(subject: Uid, change: &Change) -> Option<(Uid, Uid)> {
    match *change {
        Change::Pair { object, kind: PairChange::Unfollowed, cause: Op::Block } => Some((subject, object)),
        _ => None,
    }
}

/// The command that an event is the first effect of; `None` for what a block cut.
fn primary(event: &Event) -> Option<PairCommand> {
    let Change::Pair { object, kind, cause } = event.change else { return None };
    let cut = kind == PairChange::Unfollowed && cause == Op::Block;
    let (subject, object) =
        if cause == Op::RemoveFollower { (object, event.subject) } else { (event.subject, object) };
    (!cut).then_some(PairCommand { op: cause, subject, object })
}

/// Each command that changed something is in the log once, and nothing else is; each answer fits its outcome.
fn check_outcomes(done: &[(PairCommand, PairOutcome)], events: &[Event], seed: u64) {
    let mut balance: BTreeMap<(Op, Uid, Uid), i64> = BTreeMap::new();
    for (PairCommand { op, subject, object }, PairOutcome { result, relation }) in done {
        let holds = match (op, result) {
            (_, Err(Reason::SelfRelation)) => subject == object,
            (_, Err(Reason::Blocked)) => relation.blocking || relation.blocked_by,
            (_, Err(_)) | (Op::RemoveFollower, _) => !relation.followed_by || result.is_err(),
            (Op::Follow, _) => relation.following_since.is_some(),
            (Op::Unfollow, _) => relation.following_since.is_none(),
            (Op::Block, _) => {
                relation.blocking && relation.following_since.is_none() && !relation.followed_by
            }
            (Op::Unblock, _) => !relation.blocking,
            (Op::Mute, _) => relation.muting,
            (Op::Unmute, _) => !relation.muting,
            // Racing clients ask nothing: what they do has one event of its own, and what a block cuts.
            _ => false,
        };
        assert!(holds, "seed {seed}: {op:?} {subject} {object} was {result:?} and then {relation:?}");
        *balance.entry((*op, *subject, *object)).or_default() += i64::from(*result == Ok(true));
    }
    for PairCommand { op, subject, object } in events.iter().filter_map(primary) {
        *balance.entry((op, subject, object)).or_default() -= 1;
    }
    balance.retain(|_, missing| *missing != 0);
    assert_eq!(balance, BTreeMap::new(), "seed {seed}: answered, but not logged as often");
}

/// A change without what the model's own clock would say otherwise.
const fn without_times(mut change: Change) -> Change {
    if let Change::Pair {
        kind: PairChange::Followed { at, .. } | PairChange::Blocked { at } | PairChange::Muted { at, .. },
        ..
    } = &mut change
    {
        *at = Stamp::ZERO;
    }
    change
}
