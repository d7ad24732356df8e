//! Requests: places, ends, and what two who act at once come to.

use super::racing::PLAIN;
use super::{Need, Rng, World, u};
use guanxi_model::limits::{
    REQUEST_COOLDOWN_MS, REQUEST_MESSAGE_LEN_MAX, REQUEST_TTL_MAX_MS, SENT_REQUESTS_MAX,
};
use guanxi_model::session::SessionCommand;
use guanxi_model::user::{PrivacyPatch, UserCommand};
use guanxi_model::{
    Command, FriendRequest, MuteCommand, Op, Page, PageStart, PairCommand, Reason, Relation, RelationRequest,
    RequestDirection, RequestKind, Stamp, Write,
};
use guanxi_ports::UserNotes;
use guanxi_ports::Walk;

fn pair(op: Op, subject: u64, object: u64) -> Command {
    Command::Pair(PairCommand { op, subject: u(subject), object: u(object) })
}

fn ask(sender: u64, receiver: u64, ttl_ms: Option<u64>) -> Command {
    let message = format!("{sender} asks {receiver}");
    Command::SendFriendRequest(FriendRequest { sender: u(sender), receiver: u(receiver), message, ttl_ms })
}

fn lock(uid: u64, locked: bool) -> Command {
    let patch = PrivacyPatch { locked: Some(locked), ..PrivacyPatch::default() };
    Command::User(UserCommand::SetPrivacy { uid: u(uid), patch })
}

impl World {
    pub(super) async fn ask(&self, sender: u64, receiver: u64, ttl_ms: Option<u64>) -> Result<bool, Reason> {
        self.write(Write::of(ask(sender, receiver, ttl_ms))).await.outcomes[0].result()
    }

    pub(super) async fn requests(
        &self,
        of: u64,
        direction: RequestDirection,
        kind: RequestKind,
        size: i32,
    ) -> Vec<RelationRequest> {
        let (view, mut start, mut found) = (self.view().await, PageStart::Newest, Vec::new());
        loop {
            let page = Page::new(start, size).unwrap();
            let page = view.requests(u(of), direction, kind, page).await.unwrap();
            found.extend(page.items);
            match page.next {
                Some(next) => start = PageStart::After(next),
                None => return found,
            }
        }
    }

    /// Does two commands at once; returns the outcome of each.
    async fn race(&self, one: Command, other: Command) -> [Result<bool, Reason>; 2] {
        let send = |command| {
            let graph = self.backend.store.clone();
            tokio::spawn(async move { graph.apply(Write::of(command)).await.unwrap() })
        };
        let (one, other) = (send(one), send(other));
        let answers = [one.await.unwrap(), other.await.unwrap()];
        answers.map(|answer| {
            self.saw(&answer.position);
            answer.outcomes[0].result()
        })
    }

    /// The relation of each to the other.
    pub(super) async fn both(&self, a: u64, b: u64) -> [Relation; 2] {
        let view = self.view().await;
        let relation = async |a, b| view.relations(u(a), &[u(b)]).await.unwrap()[0];
        [relation(a, b).await, relation(b, a).await]
    }

    async fn are_friends(&self, a: u64, b: u64) -> bool {
        let [there, back] = self.both(a, b).await;
        let friends = there.friends_since.is_some();
        assert_eq!(friends, back.friends_since.is_some());
        assert!(
            !friends || there.requested.or(there.requested_by).is_none(),
            "nothing waits between friends"
        );
        friends
    }
}

/// A request is listed at both ends with all that it says, newest first, page by page, and what was seen is not counted.
pub async fn requests_are_listed_at_both_ends(world: &World) {
    let (incoming, outgoing) = (RequestDirection::Incoming, RequestDirection::Outgoing);
    world.lock(9, true).await;
    for sender in 1..=5 {
        world.clock().set(world.now_ms() + 10);
        assert_eq!(world.ask(sender, 9, Some(sender * 1_000)).await, Ok(true));
        assert_eq!(world.ask(sender, 9, None).await, Ok(false), "it has asked");
        assert_eq!(world.result(Op::Follow, sender + 10, 9).await, Ok(true));
    }
    assert_eq!(world.ask(1, 8, None).await, Ok(true));
    let friend = world.requests(9, incoming, RequestKind::Friend, 2).await;
    let senders: Vec<u64> = friend.iter().map(|request| request.sender.get()).collect();
    assert_eq!(senders, [5, 4, 3, 2, 1]);
    for request in &friend {
        let sender = request.sender.get();
        assert_eq!(request.message, format!("{sender} asks 9"));
        assert_eq!(request.expires_ms, request.at.ms() + sender * 1_000);
    }
    let follow = world.requests(9, incoming, RequestKind::Follow, 3).await;
    assert_eq!(follow.iter().map(|request| request.sender.get()).collect::<Vec<_>>(), [15, 14, 13, 12, 11]);
    let sent = world.requests(1, outgoing, RequestKind::Friend, 1).await;
    assert_eq!(sent.iter().map(|request| request.receiver.get()).collect::<Vec<_>>(), [8, 9]);
    assert_eq!(world.requests(1, outgoing, RequestKind::Follow, 9).await, []);
    let unseen = async |cap| {
        let view = world.view().await;
        let of = async |kind| view.unseen_requests(u(9), kind, cap).await.unwrap();
        (of(RequestKind::Friend).await, of(RequestKind::Follow).await)
    };
    assert_eq!((unseen(99).await, unseen(2).await), ((5, 5), (2, 2)));
    let seen = |at| Write::of(Command::MarkRequestsSeen { uid: u(9), seen: at });
    world.write(seen(Some(friend[1].at))).await;
    assert_eq!(unseen(99).await, (1, 2), "the newest friend request, and both that came after the seen one");
    world.write(seen(Some(friend[4].at))).await;
    assert_eq!(unseen(99).await, (1, 2), "the mark only rises");
    // A mark that is ahead says no more than that all of these were seen.
    world.write(seen(Some(Stamp::from_ms(world.now_ms() + 80_000_000)))).await;
    assert_eq!(unseen(99).await, (0, 0));
    world.clock().set(world.now_ms() + 10);
    assert_eq!(world.ask(7, 9, None).await, Ok(true));
    assert_eq!(unseen(99).await, (1, 0));
    world.write(seen(None)).await;
    assert_eq!(unseen(99).await, (0, 0));
    world.clock().set(world.now_ms() + 10);
    assert_eq!(world.ask(6, 9, None).await, Ok(true));
    assert_eq!(unseen(99).await, (1, 0));
}

/// A request holds a place of its sender's from its beginning to its end, so that accepting asks the accepter's limit alone.
pub async fn a_request_holds_a_place(world: &World) {
    world.set_limit(1, Some(3)).await;
    world.lock(5, true).await;
    assert_eq!(world.result(Op::Follow, 1, 2).await, Ok(true));
    assert_eq!(world.ask(1, 3, None).await, Ok(true));
    assert_eq!(world.result(Op::Follow, 1, 5).await, Ok(true));
    let full = Err(Reason::LimitReached { limit: 3 });
    for refused in [world.result(Op::Follow, 1, 6).await, world.ask(1, 6, None).await] {
        assert_eq!(refused, full);
    }
    assert_eq!(world.ask(1, 2, None).await, Ok(true), "who is followed has a place");
    assert_eq!(world.result(Op::Follow, 1, 3).await, Ok(true), "who is asked has one, too");
    assert_eq!(world.result(Op::AcceptFriendRequest, 3, 1).await, Ok(true));
    assert!(world.are_friends(1, 3).await);
    assert_eq!(world.result(Op::Follow, 1, 6).await, full);
    assert_eq!(world.result(Op::Unfollow, 1, 5).await, Ok(true), "it asks no more");
    assert_eq!(world.result(Op::Follow, 1, 6).await, Ok(true));
    assert_eq!(world.result(Op::Unfollow, 1, 2).await, Ok(true));
    assert_eq!(world.result(Op::Follow, 1, 7).await, full, "what it asks of 2 has the place now");
    world.set_limit(2, Some(0)).await;
    let none = Err(Reason::LimitReached { limit: 0 });
    assert_eq!(world.result(Op::AcceptFriendRequest, 2, 1).await, none);
    assert_eq!(world.relation(2, 1).await.requested_by, Some(RequestKind::Friend), "a refusal ends nothing");
    world.set_limit(2, None).await;
    assert_eq!(world.result(Op::AcceptFriendRequest, 2, 1).await, Ok(true));
    world.settle([1]).await;
    assert_eq!(world.counts(1).await.following, 3);
}

/// Only so many requests of a user wait at a time; those that ended count no more.
pub async fn only_so_many_requests_wait(world: &World) {
    world.set_limit(1, Some(2 * SENT_REQUESTS_MAX)).await;
    world.lock(51, true).await;
    world.lock(53, true).await;
    assert_eq!(world.result(Op::Follow, 1, 53).await, Ok(true));
    // A few in other shards; where shards differ, those of one's own are cheaper.
    let asked = |n: u64| u(if n < 20 { 100 + n } else { 1 + 0x100 * n });
    let sent: Vec<PairCommand> = (1..u64::from(SENT_REQUESTS_MAX))
        .map(|n| PairCommand { op: Op::SendFriendRequest, subject: u(1), object: asked(n) })
        .collect();
    world.change(&sent).await;
    let full = Err(Reason::LimitReached { limit: SENT_REQUESTS_MAX });
    assert_eq!(world.ask(1, 50, None).await, full);
    assert_eq!(world.result(Op::Follow, 1, 51).await, full);
    assert_eq!(world.ask(1, 53, None).await, Ok(true), "a request in the place of another is not one more");
    assert_eq!(world.result(Op::Follow, 1, 52).await, Ok(true), "to follow is not to ask");
    assert_eq!(world.result(Op::CancelFriendRequest, 1, 101).await, Ok(true));
    assert_eq!(world.ask(1, 50, None).await, Ok(true));
    let outgoing = world.requests(1, RequestDirection::Outgoing, RequestKind::Friend, 1_000).await;
    assert_eq!(outgoing.len() as u32, SENT_REQUESTS_MAX);
}

/// A user that was rejected waits. A user that has rejected does not, and a request of the other side is accepted all
/// the same.
pub async fn who_was_rejected_waits(world: &World) {
    world.lock(2, true).await;
    for (send, reject) in [(Op::SendFriendRequest, Op::RejectFriendRequest), (Op::Follow, Op::RejectFollow)] {
        assert_eq!(world.result(send, 1, 2).await, Ok(true));
        assert_eq!(world.result(reject, 2, 1).await, Ok(true));
        assert_eq!(world.result(reject, 2, 1).await, Ok(false));
        let until_ms = world.now_ms() + REQUEST_COOLDOWN_MS;
        for again in [Op::SendFriendRequest, Op::Follow] {
            assert_eq!(world.result(again, 1, 2).await, Err(Reason::RequestRejected { until_ms }));
        }
        world.clock().set(until_ms);
    }
    assert_eq!(world.result(Op::SendFriendRequest, 1, 2).await, Ok(true));
    assert_eq!(world.result(Op::RejectFriendRequest, 2, 1).await, Ok(true));
    assert_eq!(world.result(Op::SendFriendRequest, 2, 1).await, Ok(true), "who has rejected may ask");
    assert_eq!(world.result(Op::SendFriendRequest, 1, 2).await, Ok(true), "that accepts");
    assert!(world.are_friends(1, 2).await);
    assert_eq!(world.result(Op::RemoveFriend, 2, 1).await, Ok(true));
    assert_eq!(world.both(1, 2).await, [Relation::default(); 2], "both follows ended");
    assert_eq!(world.result(Op::RemoveFriend, 2, 1).await, Ok(false));
}

/// Users of one shard and of two reject each other: both sides know it until it is over, and then no more.
pub async fn a_rejection_is_known_on_both_sides(world: &World) {
    let receiver = 2;
    world.lock(receiver, true).await;
    for sender in [1, 0x0102, 0x0202, 3] {
        assert_eq!(world.result(Op::Follow, sender, receiver).await, Ok(true));
        assert_eq!(world.result(Op::RejectFollow, receiver, sender).await, Ok(true));
    }
    world.verify().await;
    let until_ms = world.now_ms() + REQUEST_COOLDOWN_MS;
    for sender in [1, 0x0102] {
        assert_eq!(
            world.result(Op::Follow, sender, receiver).await,
            Err(Reason::RequestRejected { until_ms })
        );
    }
    world.clock().set(until_ms);
    if !world.lacks_quietly(Need::Ends) {
        for sender in [1, 0x0102] {
            world.write(Write::of(Command::ForgetRejection { owner: u(receiver), other: u(sender) })).await;
        }
    }
    for sender in [1, 0x0102, 0x0202, 3] {
        assert_eq!(world.result(Op::Follow, sender, receiver).await, Ok(true));
    }
}

/// The users whom a user has rejected, the requests that it has seen and the time when it signed out are found for
/// its export.
pub async fn what_is_noted_of_a_user_is_found(world: &World) {
    if world.lacks(Need::Ends) || world.lacks(Need::Accounts) {
        return;
    }
    let notes = async || world.view().await.user_notes(u(2)).await.unwrap();
    let rejections =
        async |after, max| world.view().await.rejections(u(2), Walk::new(after, max)).await.unwrap();
    assert_eq!((notes().await, rejections(None, 9).await), (UserNotes::default(), Vec::new()));
    let asking = [1, 3, 258, 514];
    let mut expected = Vec::new();
    for sender in asking {
        assert_eq!(world.ask(sender, 2, None).await, Ok(true));
        assert_eq!(world.result(Op::RejectFriendRequest, 2, sender).await, Ok(true));
        expected.push((u(sender), world.now_ms() + REQUEST_COOLDOWN_MS));
        world.clock().advance(1);
    }
    assert_eq!(world.ask(2, 5, None).await, Ok(true));
    assert_eq!(world.result(Op::RejectFriendRequest, 5, 2).await, Ok(true), "another's rejection is its own");
    assert_eq!(rejections(None, 9).await, expected);
    assert_eq!(rejections(None, 2).await, expected[..2]);
    assert_eq!(rejections(Some(u(3)), 9).await, expected[2..]);
    let seen = Stamp::from_ms(world.now_ms());
    world.write(Write::of(Command::MarkRequestsSeen { uid: u(2), seen: Some(seen) })).await;
    let signed_out_ms = Some(world.now_ms());
    world.write(Write::of(SessionCommand::SignOut { uid: u(2) })).await;
    assert_eq!(notes().await, UserNotes { requests_seen: Some(seen), signed_out_ms });
    assert_eq!(world.view().await.user_notes(u(1)).await.unwrap(), UserNotes::default());
    world.settle([1, 2, 3, 5, 258, 514]).await;
}

/// The server ends what is over as of that moment: not a rejection whose time is not over, nor the work on an account that
/// has unlocked itself again meanwhile.
pub async fn what_has_begun_anew_is_left_alone(world: &World) {
    if world.lacks(Need::Ends) {
        return;
    }
    assert_eq!(world.ask(1, 2, None).await, Ok(true));
    assert_eq!(world.result(Op::RejectFriendRequest, 2, 1).await, Ok(true));
    let until_ms = world.now_ms() + REQUEST_COOLDOWN_MS;
    let forget = || Write::of(Command::ForgetRejection { owner: u(2), other: u(1) });
    world.clock().set(until_ms - 1);
    world.write(forget()).await;
    assert_eq!(world.ask(1, 2, None).await, Err(Reason::RequestRejected { until_ms }));
    world.clock().set(until_ms);
    world.write(forget()).await;
    assert_eq!(world.view().await.due_ends(u64::MAX, Walk::new(None, 9)).await.unwrap(), []);
    let unlocking = async || world.view().await.unlocking(Walk::new(None, 9)).await.unwrap();
    world.lock(3, true).await;
    assert_eq!(world.result(Op::Follow, 4, 3).await, Ok(true));
    world.lock(3, false).await;
    let before = unlocking().await;
    world.clock().set(until_ms + 1);
    world.lock(3, true).await;
    world.lock(3, false).await;
    let after = unlocking().await;
    assert_eq!((before.len(), after.len()), (1, 1));
    for (since, left) in [(before[0].1, &after[..]), (after[0].1, &[])] {
        world.write(Write::of(Command::EndUnlock { uid: u(3), since })).await;
        assert_eq!(unlocking().await, left);
    }
}

/// What cannot be asked is refused as a whole, and says why.
pub async fn requests_and_terms_are_checked(world: &World) {
    let long = "m".repeat(REQUEST_MESSAGE_LEN_MAX as usize + 1);
    let asked = |message: String, ttl_ms| {
        Command::SendFriendRequest(FriendRequest { sender: u(1), receiver: u(2), message, ttl_ms })
    };
    let muted = |duration_ms| {
        Command::Mute(MuteCommand { subject: u(1), object: u(2), reposts_only: false, duration_ms })
    };
    for (command, refused) in [
        (asked(long, None), Reason::TooLong { field: "message", limit: REQUEST_MESSAGE_LEN_MAX }),
        (asked(String::new(), Some(0)), Reason::InvalidField { field: "ttl" }),
        (asked(String::new(), Some(REQUEST_TTL_MAX_MS + 1)), Reason::InvalidField { field: "ttl" }),
        (muted(Some(0)), Reason::InvalidField { field: "duration" }),
        (muted(Some(u64::MAX / 4)), Reason::InvalidField { field: "duration" }),
    ] {
        assert_eq!(world.try_write(Write::of(command)).await.map(|_| ()), Err(refused));
    }
    assert_eq!(world.ask(1, 1, None).await, Err(Reason::SelfRelation));
    assert_eq!(world.both(1, 2).await, [Relation::default(); 2]);
}

/// Two accepts at the limit: one has the place, and the other request waits on.
pub async fn racing_accepts_share_no_place(world: &World) {
    for n in 0..20 {
        let (me, a, b) = (1_000 + n, 2_000 + n, 3_000 + n);
        world.set_limit(me, Some(1)).await;
        for sender in [a, b] {
            assert_eq!(world.ask(sender, me, None).await, Ok(true));
        }
        let accept = |sender| pair(Op::AcceptFriendRequest, me, sender);
        let mut outcomes = world.race(accept(a), accept(b)).await;
        outcomes.sort_unstable_by_key(Result::is_err);
        assert_eq!(outcomes, [Ok(true), Err(Reason::LimitReached { limit: 1 })]);
        assert_ne!(world.are_friends(me, a).await, world.are_friends(me, b).await);
        let waiting = world.requests(me, RequestDirection::Incoming, RequestKind::Friend, 9).await;
        assert_eq!(waiting.len(), 1);
    }
}

/// Of two ends of a request at once the later one comes too late, and both sides know the same end; crossing requests accept
/// each other, whichever comes first.
pub async fn racing_ends_of_a_request_agree(world: &World) {
    for n in 0..20 {
        let (a, b) = (4_000 + n, 5_000 + n);
        assert_eq!(world.ask(a, b, None).await, Ok(true));
        let accept = pair(Op::AcceptFriendRequest, b, a);
        let other = match n % 3 {
            0 => pair(Op::CancelFriendRequest, a, b),
            1 => pair(Op::RejectFriendRequest, b, a),
            _ => pair(Op::AcceptFriendRequest, b, a),
        };
        let outcomes = world.race(accept, other).await;
        let changed = outcomes.iter().filter(|outcome| **outcome == Ok(true)).count();
        assert_eq!(changed, 1, "{outcomes:?}");
        assert!(outcomes.iter().all(Result::is_ok), "{outcomes:?}");
        let accepted = outcomes[0] == Ok(true) || n % 3 == 2;
        assert_eq!(world.are_friends(a, b).await, accepted);
        assert_eq!(world.relation(a, b).await.requested, None);
        let (c, d) = (6_000 + n, 7_000 + n);
        assert_eq!(world.race(ask(c, d, None), ask(d, c, None)).await, [Ok(true), Ok(true)]);
        assert!(world.are_friends(c, d).await);
    }
}

/// A block leaves nothing between two users, for every approval, acceptance or request at the same time.
pub async fn a_block_beside_an_approval_leaves_nothing(world: &World) {
    for n in 0..30 {
        let (a, b) = (8_000 + n, 9_000 + n);
        world.lock(b, true).await;
        let (asks, ends) = match n % 3 {
            0 => (pair(Op::Follow, a, b), pair(Op::ApproveFollow, b, a)),
            1 => (ask(a, b, None), pair(Op::AcceptFriendRequest, b, a)),
            _ => (ask(a, b, None), ask(b, a, None)),
        };
        world.write(Write::of(asks)).await;
        let (by, whom) = if n % 2 == 0 { (b, a) } else { (a, b) };
        let [block, _] = world.race(pair(Op::Block, by, whom), ends).await;
        assert_eq!(block, Ok(true));
        let [there, back] = world.both(by, whom).await;
        assert_eq!(there, Relation { blocking: true, ..Relation::default() });
        assert_eq!(back, Relation { blocked_by: true, ..Relation::default() });
    }
}

/// A user that asks to follow while the account unlocks follows, or waits where the job behind unlocking finds it.
pub async fn an_unlock_beside_a_request_loses_nobody(world: &World) {
    for n in 0..20 {
        let (a, b) = (10_000 + n, 11_000 + n);
        world.lock(b, true).await;
        let [asked, unlocked] = world.race(pair(Op::Follow, a, b), lock(b, false)).await;
        assert_eq!((asked, unlocked), (Ok(true), Ok(true)));
        let relation = world.relation(a, b).await;
        assert_ne!(relation.following_since.is_some(), relation.requested.is_some());
        if world.lacks_quietly(Need::Ends) {
            continue;
        }
        let unlocking = world.view().await.unlocking(Walk::new(None, 1_000)).await.unwrap();
        assert!(unlocking.iter().any(|(uid, _)| *uid == u(b)));
        let lets = world.result(Op::ApproveUnlocked, b, a).await;
        assert_eq!(lets, Ok(relation.requested.is_some()));
        assert!(world.relation(a, b).await.following_since.is_some());
        world.lock(b, true).await;
        assert!(
            world
                .view()
                .await
                .unlocking(Walk::new(None, 1_000))
                .await
                .unwrap()
                .iter()
                .all(|(uid, _)| *uid != u(b))
        );
    }
}

/// At the end of its time a request is accepted or over, never both; and nothing ends before.
pub async fn an_end_of_time_beside_an_accept(world: &World) {
    if world.lacks(Need::Ends) {
        return;
    }
    for n in 0..20 {
        let (a, b) = (12_000 + n, 13_000 + n);
        assert_eq!(world.ask(a, b, Some(1_000)).await, Ok(true));
        assert_eq!(world.result(Op::ExpireRequest, b, a).await, Ok(false), "its time is not over");
        let due = world.view().await.due_ends(world.now_ms() + 1_000, Walk::new(None, 9)).await.unwrap();
        assert_eq!((due.len(), due[0].end.owner, due[0].end.other), (1, u(b), u(a)));
        world.clock().set(world.now_ms() + 1_000);
        let outcomes = world.race(pair(Op::AcceptFriendRequest, b, a), pair(Op::ExpireRequest, b, a)).await;
        assert!(outcomes == [Ok(true), Ok(false)] || outcomes == [Ok(false), Ok(true)], "{outcomes:?}");
        assert_eq!(world.are_friends(a, b).await, outcomes[0] == Ok(true));
        assert_eq!(world.view().await.due_ends(u64::MAX, Walk::new(None, 9)).await.unwrap(), []);
    }
}

/// Mutes keep their place when their terms change, and lists and counts know one of each.
pub async fn a_mute_gets_new_terms(world: &World) {
    let mute = |object, reposts_only, duration_ms| {
        Write::of(Command::Mute(MuteCommand { subject: u(1), object: u(object), reposts_only, duration_ms }))
    };
    let mut rng = Rng::new(8);
    let mut expected = std::collections::BTreeMap::new();
    for _ in 0..60 {
        let object = 2 + rng.below(4);
        world.clock().set(world.now_ms() + 1);
        if rng.below(4) == 0 {
            let op = PLAIN[6];
            assert_eq!(op, Op::Unmute);
            let muted = expected.remove(&object).is_some();
            assert_eq!(world.result(op, 1, object).await, Ok(muted));
            continue;
        }
        let (reposts_only, duration) = (rng.below(2) == 0, Some(5_000).filter(|_| rng.below(2) == 0));
        let terms = (reposts_only, duration.map(|duration| world.now_ms() + duration));
        let stands: Option<&(u64, (bool, Option<u64>))> = expected.get(&object);
        let changes = stands.is_none_or(|(_, known)| *known != terms);
        let since = stands.map_or_else(|| world.now_ms(), |(since, _)| *since);
        let answer = world.write(mute(object, reposts_only, duration)).await;
        assert_eq!(answer.outcomes[0].result(), Ok(changes));
        expected.insert(object, (since, terms));
    }
    let others: Vec<_> = (2..6).map(u).collect();
    let view = world.view().await;
    let found = view.mute_terms(u(1), &others).await.unwrap();
    for (other, terms) in others.iter().zip(found) {
        let known = expected.get(&other.get()).map(|(_, terms)| *terms).unwrap_or_default();
        assert_eq!((terms.reposts_only, terms.until_ms), known, "{other}");
    }
    let listed = world.walk(1, guanxi_model::List::Mutes, 2).await;
    let listed: std::collections::BTreeMap<u64, u64> =
        listed.iter().map(|edge| (edge.uid.get(), edge.at.ms())).collect();
    assert_eq!(listed, expected.iter().map(|(object, (since, _))| (*object, *since)).collect());
    assert_eq!(world.counts(1).await.mutes as usize, expected.len());
}
