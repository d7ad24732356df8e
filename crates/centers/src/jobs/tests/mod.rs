//! Worlds in which times end and accounts unlock, against what the table promises.

pub(super) mod world;

use super::*;
use guanxi_model::random::mix;
use guanxi_model::user::{PrivacyPatch, UserCommand, UserStatus};
use guanxi_model::{
    Change, Command, FriendRequest, Logs, MuteCommand, Op, Page, Position, Reason, Relation,
    RequestDirection, RequestKind, Result,
};
use guanxi_ports::{Log as _, Store as _, Walk};
use guanxi_spec::memory::{Carrying, Options};
use world::{DAY_MS, HOUR_MS, START_MS, World, u};

impl World {
    async fn new(logs: Logs) -> Self {
        let carrying = match logs {
            Logs::One => Carrying::AtOnce,
            Logs::PerGene => Carrying::Disordered { seed: 3 },
        };
        Self::of(Options { logs, carrying, ..Options::default() }).await
    }

    async fn change(&mut self, command: impl Into<Command>) -> Result<bool, Reason> {
        self.write(command).await.outcomes[0].result()
    }

    async fn ask(&mut self, sender: u64, receiver: u64, ttl_ms: Option<u64>) -> Result<bool, Reason> {
        let message = "hello".to_owned();
        self.change(Command::SendFriendRequest(FriendRequest {
            sender: u(sender),
            receiver: u(receiver),
            message,
            ttl_ms,
        }))
        .await
    }

    async fn lock(&mut self, uid: u64, locked: bool) {
        let patch = PrivacyPatch { locked: Some(locked), ..PrivacyPatch::default() };
        let changed = self.change(UserCommand::SetPrivacy { uid: u(uid), patch }).await;
        assert_eq!(changed, Ok(true));
    }

    async fn relation(&self, a: u64, b: u64) -> Relation {
        let view = self.store.view(Some(&self.last)).await.unwrap();
        view.relations(u(a), &[u(b)]).await.unwrap()[0]
    }

    async fn waiting(&self, uid: u64) -> Vec<u64> {
        let view = self.store.view(None).await.unwrap();
        let page = Page::new(guanxi_model::PageStart::Newest, 1_000).unwrap();
        let asked =
            view.requests(u(uid), RequestDirection::Incoming, RequestKind::Follow, page).await.unwrap();
        asked.items.iter().map(|request| request.sender.get()).collect()
    }

    /// The causes of the facts since a position.
    async fn causes_since(&self, since: &Position) -> Vec<Op> {
        let mut causes = Vec::new();
        for log in self.store.logs().all() {
            let batch = self.store.read(log, since, 1_000).await.unwrap();
            let facts = batch.events.iter().filter(|event| event.echo.is_none());
            causes.extend(facts.filter_map(|event| match event.change {
                Change::Pair { cause, .. } => Some(cause),
                _ => None,
            }));
        }
        causes.sort_unstable();
        causes
    }
}

async fn expire(world: &World) {
    let mut job = Expiry::new(world.store.clone(), world.clock.clone());
    while job.step().await.unwrap() {}
}

#[tokio::test]
async fn times_end_by_ordinary_events_once_and_not_before() {
    for logs in [Logs::One, Logs::PerGene] {
        let mut world = World::new(logs).await;
        for (sender, ttl) in [(1, Some(HOUR_MS)), (2, None), (3, Some(2 * HOUR_MS)), (4, None)] {
            assert_eq!(world.ask(sender, 9, ttl).await, Ok(true));
        }
        let mute = |object, duration_ms| {
            Command::Mute(MuteCommand { subject: u(9), object: u(object), reposts_only: true, duration_ms })
        };
        assert_eq!(world.change(mute(5, Some(HOUR_MS))).await, Ok(true));
        assert_eq!(world.change(mute(6, None)).await, Ok(true));
        assert_eq!(world.change(mute(7, Some(HOUR_MS))).await, Ok(true));
        assert_eq!(world.change(mute(7, Some(3 * HOUR_MS))).await, Ok(true), "put off");
        assert_eq!(world.act(Op::RejectFriendRequest, 9, 4).await, Ok(true));
        let before = world.store.head().await.unwrap();
        world.clock.set(START_MS + HOUR_MS - 1);
        expire(&world).await;
        assert_eq!(world.causes_since(&before).await, [], "nothing is due");
        world.clock.set(START_MS + HOUR_MS);
        expire(&world).await;
        expire(&world).await;
        assert_eq!(world.causes_since(&before).await, [Op::ExpireRequest, Op::ExpireMute], "{logs:?}");
        assert_eq!(world.relation(1, 9).await.requested, None);
        assert_eq!(world.relation(9, 2).await.requested_by, Some(RequestKind::Friend));
        assert!(!world.relation(9, 5).await.muting);
        assert!(world.relation(9, 6).await.muting && world.relation(9, 7).await.muting);
        assert_eq!(world.act(Op::AcceptFriendRequest, 9, 1).await, Ok(false), "it came too late");
        assert_eq!(world.act(Op::AcceptFriendRequest, 9, 3).await, Ok(true));
        let refused = world.ask(4, 9, None).await;
        assert!(matches!(refused, Err(Reason::RequestRejected { .. })), "{refused:?}");
        world.clock.set(START_MS + 8 * DAY_MS);
        expire(&world).await;
        assert!(world.relation(3, 9).await.friends_since.is_some(), "what was accepted does not end");
        assert_eq!(world.ask(4, 9, None).await, Ok(true));
        let view = world.store.view(None).await.unwrap();
        assert_eq!(view.due_ends(START_MS + 8 * DAY_MS, Walk::new(None, 9)).await.unwrap(), []);
        assert_eq!(
            view.due_ends(u64::MAX, Walk::new(None, 9)).await.unwrap().len(),
            2,
            "the requests of 2 and 4"
        );
    }
}

#[tokio::test]
async fn unlocking_lets_whoever_waits_unless_it_is_locked_again() {
    const WAIT: u64 = 150;
    for logs in [Logs::One, Logs::PerGene] {
        let mut world = World::new(logs).await;
        world.lock(1, true).await;
        world.lock(2, true).await;
        for sender in 10..10 + WAIT {
            assert_eq!(world.act(Op::Follow, sender, 1).await, Ok(true));
        }
        assert_eq!(world.act(Op::Follow, 10, 2).await, Ok(true));
        assert_eq!(world.ask(5, 1, None).await, Ok(true));
        let deleted = UserCommand::SetStatus { uid: u(12), status: UserStatus::Deleted { erase_at_ms: 1 } };
        assert_eq!(world.change(deleted).await, Ok(true));
        let mut job = Unlock::new(world.store.clone());
        assert!(!job.step().await.unwrap(), "nobody unlocks itself");
        world.lock(1, false).await;
        assert_eq!(world.act(Op::Follow, 7, 1).await, Ok(true));
        assert!(world.relation(7, 1).await.following_since.is_some(), "nobody waits any more");
        assert!(job.step().await.unwrap());
        let left = world.waiting(1).await;
        assert_eq!(left.len() as u64, WAIT - u64::from(ROWS_AT_ONCE), "a piece at a time");
        world.lock(1, true).await;
        while job.step().await.unwrap() {}
        assert_eq!(world.waiting(1).await, left, "locked again");
        assert_eq!(world.act(Op::Unfollow, left[0], 1).await, Ok(true), "it has changed its mind");
        world.lock(1, false).await;
        while job.step().await.unwrap() {}
        assert_eq!(world.waiting(1).await, [12], "who is deleted goes with the job behind that");
        assert!(world.relation(left[1], 1).await.following_since.is_some());
        assert!(world.relation(left[0], 1).await.following_since.is_none());
        assert_eq!(world.waiting(2).await, [10], "others stay locked");
        assert_eq!(world.relation(5, 1).await.requested, Some(RequestKind::Friend), "friends are asked");
        let view = world.store.view(None).await.unwrap();
        assert_eq!(view.unlocking(Walk::new(None, 9)).await.unwrap(), []);
    }
}

/// No request to follow a gone user is approved: waiting requests stay, and the user answers them once it is back.
#[tokio::test]
async fn nobody_is_let_to_follow_who_is_gone() {
    for logs in [Logs::One, Logs::PerGene] {
        let mut world = World::new(logs).await;
        world.lock(1, true).await;
        for sender in [10, 11] {
            assert_eq!(world.act(Op::Follow, sender, 1).await, Ok(true));
        }
        world.lock(1, false).await;
        let status = |status| UserCommand::SetStatus { uid: u(1), status };
        assert_eq!(world.change(status(UserStatus::Deactivated)).await, Ok(true));
        let mut job = Unlock::new(world.store.clone());
        while job.step().await.unwrap() {}
        assert_eq!(world.waiting(1).await.len(), 2);
        assert_eq!(world.change(status(UserStatus::Active)).await, Ok(true));
        assert_eq!(world.act(Op::ApproveFollow, 1, 10).await, Ok(true));
        assert!(world.relation(10, 1).await.following_since.is_some());
    }
}

/// The job and its users at once. Every follower was approved, or came while the account was open. Every waiting request came
/// while it was locked. The end of one unlocking never ends the next.
#[tokio::test]
async fn unlocking_goes_on_beside_its_users() {
    for seed in 0..40 {
        let mut world = World::new(if seed % 2 == 0 { Logs::One } else { Logs::PerGene }).await;
        let mut job = Unlock::new(world.store.clone());
        let mut random = seed;
        let mut below = |n: u64| {
            random = mix(random + 1);
            random % n
        };
        let mut is_locked = false;
        let mut wanted = std::collections::BTreeSet::new();
        for _ in 0..200 {
            let sender = 10 + below(30);
            match below(10) {
                0 => {
                    is_locked = !is_locked;
                    world.lock(1, is_locked).await;
                }
                1..=5 => {
                    world.act(Op::Follow, sender, 1).await.unwrap();
                    wanted.insert(sender);
                }
                6 => {
                    world.act(Op::Unfollow, sender, 1).await.unwrap();
                    wanted.remove(&sender);
                }
                _ => drop(job.step().await.unwrap()),
            }
        }
        if is_locked {
            world.lock(1, false).await;
        }
        for _ in 0..20 {
            job.step().await.unwrap();
        }
        for sender in 10..40 {
            let relation = world.relation(sender, 1).await;
            assert_eq!(relation.following_since.is_some(), wanted.contains(&sender), "seed {seed}: {sender}");
            assert_eq!(relation.requested, None, "seed {seed}: {sender}");
        }
    }
}
