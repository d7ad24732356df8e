//! Requests that their senders take back and send again.

use super::{Need, World, u};
use guanxi_model::limits::REQUEST_RESEND_MS;
use guanxi_model::{Command, Op, RequestDirection, RequestKind, Stamp, Write};
use guanxi_ports::Walk;

impl World {
    async fn unseen(&self, of: u64) -> u32 {
        let view = self.view().await;
        let mut unseen = 0;
        for kind in RequestKind::ALL {
            unseen += view.unseen_requests(u(of), kind, 99).await.unwrap();
        }
        unseen
    }

    /// Returns the senders of requests to a user, and since when, newest first; both ends say the same.
    async fn asking(&self, of: u64, kind: RequestKind) -> Vec<(u64, Stamp)> {
        let found = self.requests(of, RequestDirection::Incoming, kind, 9).await;
        for request in &found {
            let sent = self.requests(request.sender.get(), RequestDirection::Outgoing, kind, 9).await;
            let sent = sent.iter().find(|sent| sent.receiver == u(of)).unwrap();
            assert_eq!((sent.at, &sent.message), (request.at, &request.message));
        }
        found.iter().map(|request| (request.sender.get(), request.at)).collect()
    }

    async fn take_back(&self, sender: u64, receiver: u64, op: Op) {
        self.clock().advance(10);
        assert_eq!(self.result(op, sender, receiver).await, Ok(true));
        self.clock().advance(10);
    }
}

/// Users of another shard than 2, and of its own.
const SENDERS: [u64; 2] = [1, 0x0102];

/// A request that is taken back and sent again within a day is in its first place, and was seen if that one was; a day later it
/// is a new one.
pub async fn a_request_that_is_sent_again_is_no_new_one(world: &World) {
    for sender in SENDERS {
        assert_eq!(world.ask(sender, 2, None).await, Ok(true));
        world.clock().advance(10);
    }
    let first = world.asking(2, RequestKind::Friend).await;
    assert_eq!(first.iter().map(|(sender, _)| *sender).collect::<Vec<_>>(), [SENDERS[1], SENDERS[0]]);
    world.write(Write::of(Command::MarkRequestsSeen { uid: u(2), seen: None })).await;
    for _ in 0..3 {
        for sender in SENDERS {
            world.take_back(sender, 2, Op::CancelFriendRequest).await;
            assert_eq!(world.ask(sender, 2, None).await, Ok(true));
        }
        assert_eq!(world.asking(2, RequestKind::Friend).await, first);
        assert_eq!(world.unseen(2).await, 0);
    }
    world.verify().await;
    for sender in SENDERS {
        world.take_back(sender, 2, Op::CancelFriendRequest).await;
    }
    if !world.lacks_quietly(Need::Ends) {
        assert_eq!(
            world.view().await.rejections(u(2), Walk::new(None, 9)).await.unwrap(),
            [],
            "nobody was rejected"
        );
    }
    world.clock().advance(REQUEST_RESEND_MS);
    for sender in SENDERS {
        world.clock().advance(10);
        assert_eq!(world.ask(sender, 2, None).await, Ok(true));
    }
    assert_eq!(world.unseen(2).await, 2);
    let anew = world.asking(2, RequestKind::Friend).await;
    assert!(anew.iter().all(|(_, at)| *at > first[0].1), "{anew:?} after {first:?}");
}

/// The same of requests to follow, and of one kind that comes after the other.
pub async fn a_request_to_follow_that_is_sent_again_is_no_new_one(world: &World) {
    world.lock(2, true).await;
    for sender in SENDERS {
        assert_eq!(world.result(Op::Follow, sender, 2).await, Ok(true));
        world.clock().advance(10);
    }
    let first = world.asking(2, RequestKind::Follow).await;
    world.write(Write::of(Command::MarkRequestsSeen { uid: u(2), seen: None })).await;
    for sender in SENDERS {
        world.take_back(sender, 2, Op::Unfollow).await;
        assert_eq!(world.result(Op::Follow, sender, 2).await, Ok(true));
    }
    assert_eq!(world.asking(2, RequestKind::Follow).await, first);
    for sender in SENDERS {
        world.take_back(sender, 2, Op::Unfollow).await;
        assert_eq!(world.ask(sender, 2, None).await, Ok(true));
    }
    assert_eq!(world.asking(2, RequestKind::Friend).await, first, "as whatever it asks");
    assert_eq!(world.unseen(2).await, 0);
    world.verify().await;
}

/// What was granted after it was taken back is over: the next one is new.
pub async fn a_request_after_one_that_was_granted_is_new(world: &World) {
    for sender in SENDERS {
        assert_eq!(world.ask(sender, 2, None).await, Ok(true));
        world.take_back(sender, 2, Op::CancelFriendRequest).await;
        assert_eq!(world.ask(sender, 2, None).await, Ok(true));
        assert_eq!(world.result(Op::AcceptFriendRequest, 2, sender).await, Ok(true));
        assert_eq!(world.result(Op::RemoveFriend, 2, sender).await, Ok(true));
    }
    world.write(Write::of(Command::MarkRequestsSeen { uid: u(2), seen: None })).await;
    for sender in SENDERS {
        world.clock().advance(10);
        assert_eq!(world.ask(sender, 2, None).await, Ok(true));
    }
    assert_eq!(world.unseen(2).await, 2);
}

/// The server forgets the place of a request that was taken back once its time is over, and not before.
pub async fn what_was_taken_back_is_forgotten(world: &World) {
    if world.lacks(Need::Ends) {
        return;
    }
    let due = async || world.view().await.due_ends(u64::MAX, Walk::new(None, 9)).await.unwrap();
    let begun_ms = world.now_ms();
    for sender in SENDERS {
        assert_eq!(world.ask(sender, 2, None).await, Ok(true));
        assert_eq!(world.result(Op::CancelFriendRequest, sender, 2).await, Ok(true));
    }
    for (at_ms, left) in [(begun_ms + REQUEST_RESEND_MS - 1, 2), (begun_ms + REQUEST_RESEND_MS, 0)] {
        world.clock().set(at_ms);
        for sender in SENDERS {
            world.write(Write::of(Command::ForgetRejection { owner: u(2), other: u(sender) })).await;
        }
        assert_eq!(due().await.len(), left);
    }
}
